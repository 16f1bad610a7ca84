#include "lithe/integrate/radau.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "lithe/formulate/contract/capabilities.h"
#include "lithe/integrate/stage_polynomials.h"

namespace lithe {
namespace {

using Complex = std::complex<double>;

// Hairer and Wanner, Solving Ordinary Differential Equations II, table IV.5.6, and the eigenvectors of A.
struct Tableau {
  Eigen::Vector3d nodes;
  Matrix3 a, a_squared;
  double real_value = 0;  // eigenvalues of A
  Complex complex_value;
  // T and its inverse, columns: the real eigenvector, real and imaginary part of the complex one
  Matrix3 to_stages, from_stages;
};

Tableau make_tableau() {
  Tableau t;
  const double s = std::sqrt(6.0);
  t.nodes << (4 - s) / 10, (4 + s) / 10, 1;
  t.a << (88 - 7 * s) / 360, (296 - 169 * s) / 1800, (-2 + 3 * s) / 225,  //
      (296 + 169 * s) / 1800, (88 + 7 * s) / 360, (-2 - 3 * s) / 225,     //
      (16 - s) / 36, (16 + s) / 36, 1.0 / 9;
  t.a_squared = t.a * t.a;
  const Eigen::EigenSolver<Matrix3> eigen(t.a);
  for (int k = 0; k < 3; ++k) {
    const Complex value = eigen.eigenvalues()[k];
    const Eigen::Vector3cd vector = eigen.eigenvectors().col(k);
    if (value.imag() == 0) {
      t.real_value = value.real();
      t.to_stages.col(0) = vector.real();
    } else if (value.imag() > 0) {
      t.complex_value = value;
      t.to_stages.col(1) = vector.real();
      t.to_stages.col(2) = vector.imag();
    }
  }
  t.from_stages = t.to_stages.inverse();
  return t;
}

// Amplitude of the vibrations that may be taken out, of the error allowed in a run, or in a second of it: a motion
// excites new ones again and again.
constexpr double harmless = 0.3;

const Tableau& tableau() {
  static const Tableau t = make_tableau();
  return t;
}

}  // namespace

Radau::Radau(System system, IntegratorOptions options, std::unique_ptr<ImplicitTangent> tangent)
    : Integrator(std::move(system), std::move(options)), tangent_(std::move(tangent)), harmless_(harmless) {
  const int n = size();
  for (auto* group : {&stages_, &residuals_, &last_stages_, &corrections_})
    for (VectorX& v : *group) v.setZero(n);
  for (VectorX* v : {&real_part_, &correction_x_, &correction_v_, &error_x_, &error_v_, &end_coordinates_, &end_speeds_,
                     &end_accelerations_, &begin_accelerations_, &x_squares_, &v_squares_, &next_x_squares_,
                     &next_v_squares_, &amplitudes_, &taken_out_, &next_taken_out_})
    v->setZero(n);
  complex_part_.setZero(n);
  stage_ = state_;
  constexpr double resolved = 0.3, no_links = 1e-6;
  const double fastest = fastest_vibration(*system_.equations);
  resolving_step_ = fastest > 0 ? resolved / fastest : no_links;
}

void Radau::watch(double duration, std::shared_ptr<const WatchedOutputs> outputs) {
  harmless_ = harmless * std::min(1.0, duration);
  outputs_ = OutputError(std::move(outputs));
}

StepReport Radau::prepare() {
  stage_ = state_;
  outputs_.restart();
  taken_out_.setZero();
  has_tangent_ = tangent_is_new_ = false;
  factored_step_ = 0;
  refreshed();
  return {StepStatus::ok, EvaluationStatus::ok, state_.time};
}

void Radau::refreshed() {
  last_step_ = 0;
  equal_steps_ = 0;
  largest_error_ = 0;
  outputs_.forget();
  x_squares_.setZero();
  v_squares_.setZero();
}

// Accelerations at the stages: those of the step before go on, as the parabola through its stages.
void Radau::predict(double h) {
  const Tableau& t = tableau();
  if (last_step_ == 0) {
    for (VectorX& a : stages_) a = accelerations_.values;
    return;
  }
  const std::array<double, 3> nodes{t.nodes[0], t.nodes[1], t.nodes[2]};
  for (int i = 0; i < num_stages; ++i) {
    const auto weights = lagrange_weights(nodes, 1 + t.nodes[i] * h / last_step_);
    stages_[i] = weights[0] * last_stages_[0] + weights[1] * last_stages_[1] + weights[2] * last_stages_[2];
  }
}

// V_i = v + h Σ a_ij v̇_j,  X_i = x + c_i h v + h² Σ (A²)_ij v̇_j
void Radau::place_stage(int i, double h) {
  const Tableau& t = tableau();
  stage_.time = i == num_stages - 1 ? candidate_.time : state_.time + t.nodes[i] * h;
  stage_.coordinates = state_.coordinates + (t.nodes[i] * h) * state_.speeds;
  stage_.speeds = state_.speeds;
  for (int j = 0; j < num_stages; ++j) {
    stage_.coordinates += (h * h * t.a_squared(i, j)) * stages_[j];
    stage_.speeds += (h * t.a(i, j)) * stages_[j];
  }
}

EvaluationStatus Radau::find_residuals(double h) {
  for (int i = 0; i < num_stages; ++i) {
    place_stage(i, h);
    ++counters_.evaluations;
    if (system_.inputs) system_.inputs(std::min(stage_.time, input_limit_), stage_, inputs_);
    const EvaluationStatus status = tangent_->residual(stage_, inputs_, stages_[i], *workspace_, residuals_[i]);
    if (status != EvaluationStatus::ok) return status;
  }
  return EvaluationStatus::ok;
}

// (1 ⊗ M + h A ⊗ C + h² A² ⊗ K) δ = -R in the eigenvectors of A
void Radau::correct(double) {
  const Matrix3& from = tableau().from_stages;
  const Matrix3& to = tableau().to_stages;
  const auto part = [&](int k) {
    return -(from(k, 0) * residuals_[0] + from(k, 1) * residuals_[1] + from(k, 2) * residuals_[2]);
  };
  real_part_ = part(0);
  // A (u + iw) = λ (u + iw): the coefficients y of (u, w) belong to y_u - i y_w of the eigenvector
  complex_part_.real() = part(1);
  complex_part_.imag() = -part(2);
  tangent_->solve(real_part_);
  tangent_->solve(complex_part_);
  for (int i = 0; i < num_stages; ++i) {
    corrections_[i] = to(i, 0) * real_part_ + to(i, 1) * complex_part_.real() - to(i, 2) * complex_part_.imag();
    stages_[i] += corrections_[i];
  }
}

// Of the step's end, over what is allowed.
double Radau::size_of_correction(double h) {
  const Tableau& t = tableau();
  correction_x_.setZero();
  correction_v_.setZero();
  for (int j = 0; j < num_stages; ++j) {
    correction_x_ += (h * h * t.a_squared(2, j)) * corrections_[j];
    correction_v_ += (h * t.a(2, j)) * corrections_[j];
  }
  double largest = 0;
  for (Eigen::Index i = 0; i < correction_x_.size(); ++i) {
    const double lasting = lasting_seconds(i, h);
    const double error = scale(i) * (std::abs(correction_x_[i]) + lasting * std::abs(correction_v_[i]));
    if (!(error <= largest)) largest = error;
  }
  return largest / (options_.tolerance * h);
}

Radau::Newton Radau::iterate(double h, EvaluationStatus& cause) {
  constexpr double goal = 0.02;
  double last = std::numeric_limits<double>::infinity();
  for (iterations_ = 1; iterations_ <= options_.max_newton_iterations; ++iterations_) {
    cause = find_residuals(h);
    if (cause != EvaluationStatus::ok) return Newton::evaluation_failed;
    correct(h);
    ++counters_.newton_iterations;
    const double size = size_of_correction(h);
    if (!std::isfinite(size)) return Newton::slow;
    const double rate = size / last;
    const double left = iterations_ > 1 && rate < 1 ? size * rate / (1 - rate) : size;
    if (left <= goal) return Newton::converged;
    if (iterations_ > 2 && rate > 0.9) return Newton::slow;
    last = size;
  }
  return Newton::slow;
}

Integrator::Attempt Radau::attempt(double h) {
  const Tableau& t = tableau();
  stage_.configuration = state_.configuration;
  for (;;) {
    if (!has_tangent_ || (!tangent_->costs_much() && factored_step_ != h)) {
      if (system_.inputs) system_.inputs(std::min(state_.time, input_limit_), state_, inputs_);
      ++counters_.linearisations;
      const EvaluationStatus status = tangent_->linearise(state_, inputs_, *workspace_);
      if (status != EvaluationStatus::ok) return {failure(status, state_.time), 0};
      has_tangent_ = tangent_is_new_ = true;
      factored_step_ = 0;
    }
    if (factored_step_ != h) {
      const double real = h * t.real_value;
      const Complex complex = h * t.complex_value;
      const EvaluationStatus status = tangent_->factorise({real, real * real}, {complex, complex * complex});
      if (status != EvaluationStatus::ok) return {failure(status, state_.time), 0};
      factored_step_ = h;
    }
    predict(h);
    EvaluationStatus cause = EvaluationStatus::ok;
    const Newton newton = iterate(h, cause);
    if (newton == Newton::converged) break;
    if (newton == Newton::evaluation_failed) return {failure(cause, candidate_.time), 0};
    if (tangent_is_new_) return {{StepStatus::newton_failed, EvaluationStatus::ok, candidate_.time}, 0};
    has_tangent_ = false;
  }
  place_stage(num_stages - 1, h);
  candidate_.coordinates = stage_.coordinates;
  candidate_.speeds = stage_.speeds;
  double error = options_.fixed_step > 0 ? 0 : estimate_error(h);
  if (error <= 1 && outputs_.watches() && options_.fixed_step <= 0) error = std::max(error, output_error(h));
  if (!(error <= 1)) return {{StepStatus::ok, EvaluationStatus::ok, candidate_.time}, error};
  accepted_error_ = error;
  const EvaluationStatus status = evaluate(candidate_, candidate_accelerations_);
  if (status != EvaluationStatus::ok) return {failure(status, candidate_.time), 0};
  return {{StepStatus::ok, EvaluationStatus::ok, candidate_.time}, error};
}

// The local error is h⁶/7200 times the sixth derivative, that is the fourth and fifth of the accelerations, from their
// values at the stages of two steps.
double Radau::estimate_error(double h) {
  constexpr double constant = 1.0 / 7200;
  constexpr int num_filters = 3;
  const Tableau& t = tableau();
  if (last_step_ == 0) {
    // The third derivative, of one step alone. The next steps will see whether the error of the speeds lasts.
    const auto weights = derivative_weights<4>({0, t.nodes[0], t.nodes[1], t.nodes[2]});
    constexpr double first = 1.0 / 500, steps_to_last = 10;
    error_v_ = (first * h) * (weights[0] * accelerations_.values + weights[1] * stages_[0] + weights[2] * stages_[1] +
                              weights[3] * stages_[2]);
    error_x_ = h * error_v_;
    error_v_ *= std::min(1.0, steps_to_last * h);
  } else {
    const double before = last_step_ / h;
    const std::array<double, 6> nodes{
        (t.nodes[0] - 1) * before, (t.nodes[1] - 1) * before, 0, t.nodes[0], t.nodes[1], 1};
    const std::array<const VectorX*, 6> values{&last_stages_[0], &last_stages_[1], &last_stages_[2],
                                               &stages_[0],      &stages_[1],      &stages_[2]};
    const auto fifth = derivative_weights<6>(nodes);
    const auto fourth = derivative_weights<5>({nodes[1], nodes[2], nodes[3], nodes[4], nodes[5]});
    error_v_.setZero();
    error_x_.setZero();
    for (std::size_t i = 0; i < 6; ++i) error_v_ += (constant * h * fifth[i]) * *values[i];
    for (std::size_t i = 0; i < 5; ++i) error_x_ += (constant * h * h * fourth[i]) * *values[i + 1];
  }
  for (int i = 0; i < num_filters; ++i) {
    tangent_->filter(error_x_);
    tangent_->filter(error_v_);
  }
  if (last_step_ > 0) bound_by_amplitudes(h, constant);
  return scaled_error(error_x_, error_v_, h);
}

// Steps that damp a vibration are wrong by its amplitude in the end, not by the sum of their errors. Its ωh is the
// ratio of the two derivatives, and its amplitude the error over (ωh)⁶/7200. One that has not yet been taken out counts
// with all that have been, as the root of the sum of their squares.
void Radau::bound_by_amplitudes(double h, double constant) {
  constexpr double memory = 0.8;  // of the last few steps, since each derivative passes zero
  double squares = 0;
  for (Eigen::Index i = 0; i < error_x_.size(); ++i) {
    next_x_squares_[i] = memory * x_squares_[i] + error_x_[i] * error_x_[i];
    next_v_squares_[i] = memory * v_squares_[i] + h * h * error_v_[i] * error_v_[i];
    const double mean = std::sqrt((1 - memory) * next_x_squares_[i]);
    amplitudes_[i] = 0;
    next_taken_out_[i] = taken_out_[i];
    if (mean > 0) {
      const double phase_squared = next_v_squares_[i] / next_x_squares_[i];
      const double amplitude = std::max(mean, std::abs(error_x_[i])) / (constant * std::pow(phase_squared, 3));
      if (error_of_step(i, h) > amplitude * h / harmless_) {
        amplitudes_[i] = amplitude;
        next_taken_out_[i] = std::max(taken_out_[i], scale(i) * amplitude);
      }
    }
    squares += next_taken_out_[i] * next_taken_out_[i];
  }
  const double all = std::sqrt(squares);
  for (Eigen::Index i = 0; i < error_x_.size(); ++i) {
    const double seen = scale(i) * amplitudes_[i], error = error_of_step(i, h);
    const double together = seen > taken_out_[i] ? all / seen : 1;
    const double bound = together * amplitudes_[i] * h / harmless_;
    if (!(bound > 0 && error > bound)) continue;
    error_x_[i] *= bound / error;
    error_v_[i] *= bound / error;
  }
}

double Radau::error_of_step(Eigen::Index i, double h) const {
  return std::abs(error_x_[i]) + lasting_seconds(i, h) * std::abs(error_v_[i]);
}

// Of what is read besides positions, at the stages that Newton's iteration has found.
double Radau::output_error(double h) {
  if (outputs_.wants_begin()) {
    if (system_.inputs) system_.inputs(std::min(state_.time, input_limit_), state_, inputs_);
    outputs_.read_begin(state_, inputs_, accelerations_, *workspace_);
  }
  for (int i = 0; i < num_stages; ++i) {
    place_stage(i, h);
    if (system_.inputs) system_.inputs(std::min(stage_.time, input_limit_), stage_, inputs_);
    stage_accelerations_.values = stages_[i];
    outputs_.read_stage(i, stage_, inputs_, stage_accelerations_, *workspace_);
  }
  const double error = outputs_.estimate(tableau().nodes, h, last_step_);
  return h > resolving_step_ ? error : std::min(error, 1.0);
}

void Radau::accepted(double h) {
  if (outputs_.watches()) outputs_.accept();
  begin_is_known_ = last_step_ > 0;
  if (begin_is_known_) begin_accelerations_ = last_stages_[2];
  std::swap(last_stages_, stages_);
  if (last_step_ > 0) {
    x_squares_.swap(next_x_squares_);
    v_squares_.swap(next_v_squares_);
    taken_out_.swap(next_taken_out_);
  }
  last_step_ = h;
  constexpr int few = 2;  // iterations, which a new tangent takes, too
  if (!tangent_->costs_much() && iterations_ > few && !tangent_is_new_) has_tangent_ = false;
  tangent_is_new_ = false;
  end_coordinates_ = state_.coordinates;
  end_speeds_ = state_.speeds;
  end_accelerations_ = last_stages_[2];
}

// Proportional-integral control with a factor of safety settles where the error is 0.85^(p/0.3) of what is allowed,
// 0.07 for order 5. Steps are longer by the factor that makes it 0.3: 0.3^(0.3/5)/0.85. Equal steps share their
// factors: a step stays where the controller asks for little, and after a few grows as the largest error of these
// allows.
double Radau::choose_step(double h, double factor) {
  constexpr double aim = 0.3, to_aim = 1.094, shortest = 0.97, longest = 1.2, most = 2;
  constexpr int few = 4;
  if (factor != 1) factor *= to_aim;  // 1: after a rejection, or by chance
  ++equal_steps_;
  largest_error_ = std::max(largest_error_, accepted_error_);
  if (factor >= shortest && factor < longest) {
    if (equal_steps_ < few) return h;
    factor = std::clamp(std::pow(aim / std::max(largest_error_, 1e-10), 1.0 / error_order()), 1.0, most);
  }
  equal_steps_ = 0;
  largest_error_ = 0;
  return h * factor;
}

// Hermite polynomial of (x, v, a) at both ends; without a at the beginning where the last stage of a step before does
// not tell. Accelerations of the state itself would not do: what Newton's iteration leaves of a stiff mode's coordinate
// is there, times ω² h².
void Radau::interpolate(double time, State& result) const {
  const double h = state_.time - previous_.time, s = (time - previous_.time) / h;
  const double s2 = s * s, s3 = s2 * s, s4 = s3 * s, s5 = s4 * s;
  result.time = time;
  result.configuration = previous_.configuration;
  result.controller_memory = previous_.controller_memory;
  const auto combine = [&](double x0, double x1, double v0, double v1, double a0, double a1, VectorX& to) {
    to = x0 * previous_.coordinates + x1 * end_coordinates_ + v0 * previous_.speeds + v1 * end_speeds_ +
         a1 * end_accelerations_;
    if (begin_is_known_) to += a0 * begin_accelerations_;
  };
  if (!begin_is_known_) {
    const double x1 = 6 * s2 - 8 * s3 + 3 * s4, r1 = (12 * s - 24 * s2 + 12 * s3) / h;
    combine(1 - x1, x1, h * (s - 3 * s2 + 3 * s3 - s4), h * (-3 * s2 + 5 * s3 - 2 * s4), 0,
            h * h * (0.5 * s2 - s3 + 0.5 * s4), result.coordinates);
    combine(-r1, r1, 1 - 6 * s + 9 * s2 - 4 * s3, -6 * s + 15 * s2 - 8 * s3, 0, h * (s - 3 * s2 + 2 * s3),
            result.speeds);
    return;
  }
  const double x1 = 10 * s3 - 15 * s4 + 6 * s5;
  combine(1 - x1, x1, h * (s - 6 * s3 + 8 * s4 - 3 * s5), h * (-4 * s3 + 7 * s4 - 3 * s5),
          h * h * (0.5 * s2 - 1.5 * s3 + 1.5 * s4 - 0.5 * s5), h * h * (0.5 * s3 - s4 + 0.5 * s5), result.coordinates);
  const double r1 = (30 * s2 - 60 * s3 + 30 * s4) / h;
  combine(-r1, r1, 1 - 18 * s2 + 32 * s3 - 15 * s4, -12 * s2 + 28 * s3 - 15 * s4,
          h * (s - 4.5 * s2 + 6 * s3 - 2.5 * s4), h * (1.5 * s2 - 4 * s3 + 2.5 * s4), result.speeds);
}

// The polynomial through those of the stages, and the last one of the step before. They solve the equations of motion
// at the stages; the motion in between contains what Newton's iteration leaves, times ω² in the equations of motion.
bool Radau::interpolate_accelerations(double time, VectorX& result) const {
  const double h = state_.time - previous_.time;
  if (last_step_ == 0 || !(h > 0)) return false;
  const Tableau& t = tableau();
  const double s = (time - previous_.time) / h;
  if (begin_is_known_) {
    const auto weights = lagrange_weights<4>({0, t.nodes[0], t.nodes[1], t.nodes[2]}, s);
    result = weights[0] * begin_accelerations_ + weights[1] * last_stages_[0] + weights[2] * last_stages_[1] +
             weights[3] * last_stages_[2];
  } else {
    const auto weights = lagrange_weights<3>({t.nodes[0], t.nodes[1], t.nodes[2]}, s);
    result = weights[0] * last_stages_[0] + weights[1] * last_stages_[1] + weights[2] * last_stages_[2];
  }
  return true;
}

}  // namespace lithe
