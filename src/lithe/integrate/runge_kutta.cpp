#include "lithe/integrate/runge_kutta.h"

namespace lithe {
namespace {

// Dormand and Prince (1980), table 2; as in Hairer, Norsett, Wanner, Solving ODEs I, table II.5.2.
constexpr double nodes[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double weights[7][6] = {
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
constexpr double error_weights[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                     -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
// Dense output, ibid. II.6 (contd5): the part of degree 4.
constexpr double dense_weights[7] = {-12715105075.0 / 11282082432.0,  0,
                                     87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                                     701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                     69997945.0 / 29380423.0};

}  // namespace

RungeKutta::RungeKutta(System system, IntegratorOptions options) : Integrator(std::move(system), std::move(options)) {
  const int n = size();
  stage_ = state_;
  stage_accelerations_.values.setZero(n);
  for (int i = 0; i < num_stages; ++i) {
    jacobians_x_[i].setZero(n);
    jacobians_v_[i].setZero(n);
  }
  for (int i = 0; i < 4; ++i) {
    dense_x_[i].setZero(n);
    dense_v_[i].setZero(n);
  }
  error_x_.setZero(n);
  error_v_.setZero(n);
}

StepReport RungeKutta::prepare() {
  stage_ = state_;
  return {StepStatus::ok, EvaluationStatus::ok, state_.time};
}

Integrator::Attempt RungeKutta::attempt(double h) {
  stage_.configuration = state_.configuration;
  jacobians_x_[0] = state_.speeds;
  jacobians_v_[0] = accelerations_.values;
  for (int i = 1; i < num_stages; ++i) {
    stage_.time = i < 5 ? state_.time + nodes[i] * h : candidate_.time;
    stage_.coordinates = state_.coordinates;
    stage_.speeds = state_.speeds;
    for (int j = 0; j < i; ++j) {
      if (weights[i][j] == 0) continue;
      stage_.coordinates += (h * weights[i][j]) * jacobians_x_[j];
      stage_.speeds += (h * weights[i][j]) * jacobians_v_[j];
    }
    const EvaluationStatus status = evaluate(stage_, stage_accelerations_);
    if (status != EvaluationStatus::ok) return {failure(status, stage_.time), 0};
    jacobians_x_[i] = stage_.speeds;
    jacobians_v_[i] = stage_accelerations_.values;
  }
  candidate_.coordinates = stage_.coordinates;
  candidate_.speeds = stage_.speeds;
  candidate_accelerations_.values = stage_accelerations_.values;
  error_x_.setZero();
  error_v_.setZero();
  for (int i = 0; i < num_stages; ++i) {
    error_x_ += (h * error_weights[i]) * jacobians_x_[i];
    error_v_ += (h * error_weights[i]) * jacobians_v_[i];
  }
  return {{StepStatus::ok, EvaluationStatus::ok, candidate_.time}, scaled_error(error_x_, error_v_, h)};
}

void RungeKutta::accepted(double h) {
  const auto fill = [h](std::array<VectorX, 4>& dense, const VectorX& from, const VectorX& to,
                        const std::array<VectorX, num_stages>& jacobians) {
    dense[0] = to - from;
    dense[1] = h * jacobians[0] - dense[0];
    dense[2] = dense[0] - h * jacobians[6] - dense[1];
    dense[3].setZero();
    for (int i = 0; i < num_stages; ++i) dense[3] += (h * dense_weights[i]) * jacobians[i];
  };
  fill(dense_x_, previous_.coordinates, state_.coordinates, jacobians_x_);
  fill(dense_v_, previous_.speeds, state_.speeds, jacobians_v_);
}

void RungeKutta::interpolate(double time, State& result) const {
  const double s = (time - previous_.time) / (state_.time - previous_.time), r = 1 - s;
  result.time = time;
  result.configuration = previous_.configuration;
  result.controller_memory = previous_.controller_memory;
  result.coordinates =
      previous_.coordinates + s * (dense_x_[0] + r * (dense_x_[1] + s * (dense_x_[2] + r * dense_x_[3])));
  result.speeds = previous_.speeds + s * (dense_v_[0] + r * (dense_v_[1] + s * (dense_v_[2] + r * dense_v_[3])));
}

}  // namespace lithe
