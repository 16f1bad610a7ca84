// Inputs that depend on time, in the error of a step. The stages see them at 0, h/2 and h alone, and all differences of
// stages are blind to a force that does not depend on the state. So inputs are compared with the parabola through these
// three instants at two more, and what the differences do to g is what the step has missed.
// docs/theory/integrators.md, section 4.
#include <cmath>

#include "lithe/integrate/exponential/exponential.h"

namespace lithe {
namespace {

const double gauss_points[] = {0.5 - 0.5 / std::sqrt(3.0), 0.5 + 0.5 / std::sqrt(3.0)};  // of two, in parts of the step

// Calls `visit` with every number of the inputs.
template <typename SomeInputs, typename Visit>
void for_each_number(SomeInputs& inputs, const Visit& visit) {
  for (auto& joint : inputs.joint_forces)
    for (auto& force : joint) visit(force);
  for (auto& joint : inputs.prescribed_motion)
    for (auto& motion : joint) {
      visit(motion.value);
      visit(motion.rate);
      visit(motion.acceleration);
    }
  for (auto& load : inputs.nodal_loads)
    for (int axis = 0; axis < 3; ++axis) {
      visit(load.force[axis]);
      visit(load.torque[axis]);
    }
}

}  // namespace

void Exponential::prepare_inputs() {
  stage_inputs_ = inputs_;
  input_workspace_ = system_.equations->make_workspace();
  input_accelerations_.values.setZero(size());
  Eigen::Index numbers = 0;
  for_each_number(inputs_, [&](double) { ++numbers; });
  for (VectorX& v : packed_inputs_) v.setZero(numbers);
  for (VectorX& v : input_deviations_) v.setZero(numbers);
  for (VectorX& v : deviation_forces_) v.setZero(size());
}

// At the state of the step's end: what depends on the state is the stages' business.
void Exponential::pack_inputs(double time, VectorX& result) {
  system_.inputs(std::min(time, input_limit_), stage_, stage_inputs_);
  Eigen::Index i = 0;
  for_each_number(stage_inputs_, [&](double number) { result[i++] = number; });
}

// How far the inputs are from the parabola through the three instants that the stages see; 0 where it is rounding.
void Exponential::deviate_inputs() {
  const double begin = state_.time, h = candidate_.time - begin;
  for (int i = 0; i < 3; ++i) pack_inputs(i == 2 ? candidate_.time : begin + 0.5 * i * h, packed_inputs_[i]);
  const auto& [first, middle, last] = packed_inputs_;
  for (int i = 0; i < 2; ++i) {
    const double s = gauss_points[i];
    VectorX& deviation = input_deviations_[i];
    pack_inputs(begin + s * h, deviation);
    deviation -= (1 - s) * (1 - 2 * s) * first + 4 * s * (1 - s) * middle + s * (2 * s - 1) * last;
    for (Eigen::Index k = 0; k < deviation.size(); ++k)
      if (std::abs(deviation[k]) <=
          Constants::rounding_of_inputs * (std::abs(first[k]) + std::abs(middle[k]) + std::abs(last[k])))
        deviation[k] = 0;
  }
}

// The change of g at the step's end when the inputs there deviate.
EvaluationStatus Exponential::force_of_deviation(const VectorX& deviation, VectorX& result) {
  Eigen::Index i = 0;
  for_each_number(stage_inputs_, [&](double& number) {
    number = packed_inputs_[2][i] + deviation[i];
    ++i;
  });
  ++counters_.evaluations;
  const EvaluationStatus status =
      system_.equations->evaluate(stage_, stage_inputs_, *input_workspace_, input_accelerations_);
  if (status != EvaluationStatus::ok) return status;
  input_accelerations_.values -= stage_accelerations_.values;
  result.noalias() = inverse_basis_ * input_accelerations_.values;
  return status;
}

// An evaluation each: spared while the last look, not long ago, tells that so small a deviation does no harm.
bool Exponential::deviations_matter(double size) const {
  return size > 0 && (steps_since_deviation_ >= Constants::steps_between_input_looks ||
                      error_per_deviation_ * size > Constants::harmless_error);
}

// The force that was missed as a straight line through its values at Gauss's two points, which is exact for its
// integral and first moment where the inputs are of degree three, and of the size of the error where they are not.
void Exponential::add_error_of_inputs(double h) {
  if (!system_.inputs || options_.fixed_step > 0) return;
  ++steps_since_deviation_;
  deviate_inputs();
  const double size = input_deviations_[0].lpNorm<1>() + input_deviations_[1].lpNorm<1>();
  if (!deviations_matter(size)) return;
  for (int i = 0; i < 2; ++i)
    if (force_of_deviation(input_deviations_[i], deviation_forces_[i]) != EvaluationStatus::ok) {
      error_w_.setConstant(std::numeric_limits<double>::infinity());
      return;
    }
  VectorX& level = deviation_forces_[0];
  VectorX& jacobian = deviation_forces_[1];
  jacobian = (jacobian - level) / (gauss_points[1] - gauss_points[0]);
  level -= gauss_points[0] * jacobian;
  const auto& [position, speed] = quick_weights_;
  correction_.y.array() = position[0].array() * level.array() + position[1].array() * jacobian.array();
  correction_.w.array() = speed[0].array() * level.array() + speed[1].array() * jacobian.array();
  note_error_of_inputs(size, h);
  constexpr double share = Constants::caution_of_inputs / Constants::caution;
  error_y_ += share * correction_.y;
  error_w_ += share * correction_.w;
}

void Exponential::note_error_of_inputs(double size, double h) {
  scratch_ = correction_.w.array() / stiffness_.array().sqrt().max(1.0);
  error_x_.noalias() = basis_ * correction_.y;
  error_v_.noalias() = basis_ * scratch_;
  double largest = 0;
  for (Eigen::Index i = 0; i < error_x_.size(); ++i)
    largest = std::max(largest, scale(i) * (std::abs(error_x_[i]) + std::abs(error_v_[i])));
  error_per_deviation_ = largest / (options_.tolerance * h * size);
  steps_since_deviation_ = 0;
}

}  // namespace lithe
