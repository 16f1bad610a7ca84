#include "lithe/control/predictive.h"

#include <algorithm>
#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/control/linear/infinite.h"
#include "lithe/control/linear/riccati.h"

namespace lithe {
namespace {

double entry(const VectorX& values, Eigen::Index i, double otherwise) {
  return values.size() > 0 ? values[i] : otherwise;
}

void check_size(const VectorX& values, Eigen::Index wanted, const char* what) {
  if (values.size() != 0 && values.size() != wanted)
    throw InputError(cat("predictive controller: ", what, ": ", wanted, " values wanted, got ", values.size()));
}

}  // namespace

PredictiveController::PredictiveController(const StateSpace& system, const PredictiveOptions& options)
    : num_states_(system.num_states()),
      num_inputs_(system.num_inputs()),
      horizon_(options.horizon),
      input_weight_(options.input_weight),
      rate_weight_(options.rate_weight),
      lower_input_(options.lower_input),
      upper_input_(options.upper_input) {
  if (system.is_continuous()) throw InputError("predictive controller: the system must be sampled");
  if (horizon_ < 1) throw InputError(cat("predictive controller: the horizon must be at least 1, got ", horizon_));
  for (const VectorX* v : {&options.lower_input, &options.upper_input, &options.lower_rate, &options.upper_rate})
    check_size(*v, num_inputs_, "input limits");
  check_size(options.rate_weight, num_inputs_, "weights of input rates");
  for (const VectorX* v : {&options.lower_output, &options.upper_output})
    check_size(*v, system.num_outputs(), "output limits");
  const RiccatiSolution terminal =
      solve_discrete_riccati(system.a, system.b, options.state_weight, options.input_weight);
  if (!terminal.solved) throw InputError(cat("predictive controller: ", terminal.message));
  gain_ = terminal.gain;
  predict(system);
  const bool limits_outputs = options.lower_output.size() > 0 || options.upper_output.size() > 0;
  num_slacks_ = limits_outputs && options.softness > 0 ? system.num_outputs() : 0;
  build_cost(options, terminal.x);
  build_limits(system, options);
  state_targets_ = MatrixX::Zero(num_states_, horizon_);
  input_targets_ = MatrixX::Zero(num_inputs_, horizon_);
  plan_ = MatrixX::Zero(num_inputs_, horizon_);
  offset_.setZero(num_inputs_);
}

// x_{k+1} = A^{k+1} x_0 + Σ_j A^{k-j} B u_j
void PredictiveController::predict(const StateSpace& system) {
  const Eigen::Index n = num_states_, m = num_inputs_;
  state_from_state_.resize(n * horizon_, n);
  state_from_input_ = MatrixX::Zero(n * horizon_, m * horizon_);
  MatrixX power = system.a, response = system.b;
  for (int k = 0; k < horizon_; ++k) {
    state_from_state_.middleRows(k * n, n) = power;
    for (int j = 0; j + k < horizon_; ++j) state_from_input_.block((j + k) * n, j * m, n, m) = response;
    power = (system.a * power).eval();
    response = (system.a * response).eval();
  }
}

void PredictiveController::build_cost(const PredictiveOptions& options, const MatrixX& terminal) {
  const Eigen::Index n = num_states_, m = num_inputs_, unknowns = m * horizon_;
  weighted_input_.resize(unknowns, n * horizon_);
  for (int k = 0; k < horizon_; ++k)
    weighted_input_.middleCols(k * n, n).noalias() =
        state_from_input_.middleRows(k * n, n).transpose() * (k + 1 == horizon_ ? terminal : options.state_weight);
  gradient_from_state_ = weighted_input_ * state_from_state_;
  hessian_ = MatrixX::Zero(unknowns + num_slacks_, unknowns + num_slacks_);
  hessian_.topLeftCorner(unknowns, unknowns) = weighted_input_ * state_from_input_;
  for (int k = 0; k < horizon_; ++k) {
    hessian_.block(k * m, k * m, m, m) += options.input_weight;
    for (Eigen::Index i = 0; i < rate_weight_.size(); ++i) {
      const Eigen::Index now = k * m + i, before = now - m;
      hessian_(now, now) += rate_weight_[i];
      if (k == 0) continue;
      hessian_(before, before) += rate_weight_[i];
      hessian_(now, before) -= rate_weight_[i];
      hessian_(before, now) -= rate_weight_[i];
    }
  }
  hessian_.diagonal().tail(num_slacks_).setConstant(options.softness);
  hessian_ = (0.5 * (hessian_ + hessian_.transpose())).eval();
}

void PredictiveController::build_limits(const StateSpace& system, const PredictiveOptions& options) {
  const auto add = [this](RowKind kind, int step, Eigen::Index index, double low, double high) {
    const int i = static_cast<int>(index);
    if (!std::isfinite(low) && !std::isfinite(high)) return;
    if (kind == RowKind::output && num_slacks_ > 0) {  // y + ε ≥ low, y - ε ≤ high
      if (std::isfinite(low)) rows_.push_back({kind, step, i, false, low, infinite});
      if (std::isfinite(high)) rows_.push_back({kind, step, i, true, -infinite, high});
      return;
    }
    rows_.push_back({kind, step, i, false, low, high});
  };
  for (int k = 0; k < horizon_; ++k) {
    for (Eigen::Index i = 0; i < num_inputs_; ++i) {
      add(RowKind::input, k, i, entry(options.lower_input, i, -infinite), entry(options.upper_input, i, infinite));
      add(RowKind::rate, k, i, entry(options.lower_rate, i, -infinite), entry(options.upper_rate, i, infinite));
    }
    for (Eigen::Index i = 0; i < system.num_outputs(); ++i)
      add(RowKind::output, k, i, entry(options.lower_output, i, -infinite), entry(options.upper_output, i, infinite));
  }
  for (Eigen::Index i = 0; i < num_slacks_; ++i)
    rows_.push_back({RowKind::slack, 0, static_cast<int>(i), false, 0, infinite});

  const Eigen::Index m = num_inputs_, unknowns = m * horizon_, count = static_cast<Eigen::Index>(rows_.size());
  MatrixX constraints = MatrixX::Zero(count, unknowns + num_slacks_);
  output_from_state_ = MatrixX::Zero(count, num_states_);
  for (Eigen::Index r = 0; r < count; ++r) {
    const Row& row = rows_[static_cast<std::size_t>(r)];
    const Eigen::Index at = row.step * m + row.index;
    if (row.kind == RowKind::input || row.kind == RowKind::rate) constraints(r, at) = 1;
    if (row.kind == RowKind::rate && row.step > 0) constraints(r, at - m) = -1;
    if (row.kind == RowKind::slack) constraints(r, unknowns + row.index) = 1;
    if (row.kind != RowKind::output) continue;
    const Eigen::Index first = row.step * num_states_;
    constraints.row(r).head(unknowns) = system.c.row(row.index) * state_from_input_.middleRows(first, num_states_);
    output_from_state_.row(r) = system.c.row(row.index) * state_from_state_.middleRows(first, num_states_);
    if (num_slacks_ > 0) constraints(r, unknowns + row.index) = row.upper ? -1 : 1;
  }
  program_ = std::make_unique<QuadraticProgram>(hessian_, constraints);
  gradient_.setZero(unknowns + num_slacks_);
  lower_.setZero(count);
  upper_.setZero(count);
  output_shift_.setZero(count);
}

void PredictiveController::forget() {
  program_->forget();
  plan_.setZero();
}

void PredictiveController::resume(const MatrixX& plan, const std::vector<QpSide>& active) {
  plan_ = plan;
  program_->suggest(active);
}

void PredictiveController::keep_last_plan(const VectorX& last_input) {
  for (int k = 0; k + 1 < horizon_; ++k) plan_.col(k) = plan_.col(k + 1);
  if (!plan_.allFinite()) plan_.colwise() = last_input;
  for (int k = 0; k < horizon_; ++k)
    for (Eigen::Index i = 0; i < num_inputs_; ++i)
      plan_(i, k) = std::clamp(plan_(i, k), entry(lower_input_, i, -infinite), entry(upper_input_, i, infinite));
}

PredictiveReport PredictiveController::solve(const VectorX& state, const VectorX& last_input, VectorX& input) {
  const Eigen::Index m = num_inputs_, unknowns = m * horizon_;
  // unknowns V = U + offset: g = Γᵀ Q̄ (Φ x - X_s) - R̄ (U_s + offset) - S (u_last + offset)
  gradient_.head(unknowns).noalias() = gradient_from_state_ * state;
  const Eigen::Map<const VectorX> targets(state_targets_.data(), state_targets_.size());
  gradient_.head(unknowns).noalias() -= weighted_input_ * targets;
  for (int k = 0; k < horizon_; ++k)
    for (Eigen::Index i = 0; i < m; ++i)  // no product of a sum, which would need memory
      gradient_[k * m + i] -= input_weight_.row(i).dot(input_targets_.col(k)) + input_weight_.row(i).dot(offset_);
  for (Eigen::Index i = 0; i < rate_weight_.size(); ++i) gradient_[i] -= rate_weight_[i] * (last_input[i] + offset_[i]);
  output_shift_.noalias() = output_from_state_ * state;
  for (Eigen::Index r = 0; r < output_shift_.size(); ++r) {
    const Row& row = rows_[static_cast<std::size_t>(r)];
    double shift = output_shift_[r];
    if (row.kind == RowKind::input) shift = -offset_[row.index];
    if (row.kind == RowKind::rate && row.step == 0) shift = -last_input[row.index] - offset_[row.index];
    lower_[r] = row.low - shift;
    upper_[r] = row.high - shift;
  }
  PredictiveReport report;
  report.status = program_->solve(gradient_, lower_, upper_);
  report.iterations = program_->iterations();
  report.active = static_cast<int>(program_->active().size());
  if (report.status == QpStatus::solved) {
    plan_ = Eigen::Map<const MatrixX>(program_->solution().data(), m, horizon_);
    plan_.colwise() -= offset_;
  } else {
    keep_last_plan(last_input);
  }
  input = plan_.col(0);
  return report;
}

}  // namespace lithe
