#include "lithe/integrate/generalised_alpha.h"

#include <algorithm>
#include <cmath>

namespace lithe {

GeneralisedAlpha::GeneralisedAlpha(System system, IntegratorOptions options, const RecursiveSolves* recursive)
    : AlphaMethod(std::move(system), std::move(options)), recursive_(recursive), factors_(recursive ? 0 : size()) {
  const int n = size();
  for (MatrixX* m : {&blocks_.mass, &blocks_.damping, &blocks_.stiffness, &tangent_})
    if (!recursive_) m->setZero(n, n);
  for (VectorX* v : {&solution_, &residual_, &correction_, &trial_.values}) v->setZero(n);
}

StepReport GeneralisedAlpha::prepare() {
  const EvaluationStatus status = recursive_ ? EvaluationStatus::ok : linearise(state_, blocks_);
  if (status != EvaluationStatus::ok) return failure(status, state_.time);
  factored_step_ = 0;
  tangent_is_new_ = true;
  refreshed();
  return {StepStatus::ok, EvaluationStatus::ok, state_.time};
}

void GeneralisedAlpha::refreshed() {
  algorithmic_ = accelerations_.values;
  last_step_ = 0;
}

// S = M + γ' C + β' K,  γ' = γ h (1 - α_f)/(1 - α_m),  β' likewise with β h²: the derivative of M (u - A(x(u), v(u)))
// with respect to the new accelerations u.
void GeneralisedAlpha::factorise(double h) {
  const double ratio = (1 - alpha_f_) / (1 - alpha_m_);
  tangent_ = blocks_.mass + (gamma_ * h * ratio) * blocks_.damping + (beta_ * h * h * ratio) * blocks_.stiffness;
  factors_.compute(tangent_);
  factored_step_ = h;
}

// Coordinates and speeds that belong to the accelerations solution_.
void GeneralisedAlpha::move_candidate(double h) {
  find_algorithmic(accelerations_.values, solution_);
  candidate_.coordinates = state_.coordinates + h * state_.speeds + ((0.5 - beta_) * h * h) * algorithmic_ +
                           (beta_ * h * h) * next_algorithmic_;
  candidate_.speeds = state_.speeds + ((1 - gamma_) * h) * algorithmic_ + (gamma_ * h) * next_algorithmic_;
}

// Newton's correction of the accelerations, S⁻¹ M (A - u).
EvaluationStatus GeneralisedAlpha::correct(double h) {
  if (recursive_) {  // the tangent of the links and springs alone, but always that of the candidate
    ++counters_.evaluations;
    const double ratio = (1 - alpha_f_) / (1 - alpha_m_);
    if (system_.inputs) system_.inputs(std::min(candidate_.time, input_limit_), candidate_, inputs_);
    return recursive_->implicit_correction(candidate_, inputs_, solution_, gamma_ * h * ratio, beta_ * h * h * ratio,
                                           *workspace_, correction_);
  }
  const EvaluationStatus status = evaluate(candidate_, trial_);
  if (status != EvaluationStatus::ok) return status;
  trial_.values -= solution_;
  residual_.noalias() = blocks_.mass * trial_.values;
  correction_ = factors_.solve(residual_);
  return status;
}

GeneralisedAlpha::Newton GeneralisedAlpha::iterate(double h, EvaluationStatus& cause) {
  const double ratio = (1 - alpha_f_) / (1 - alpha_m_), to_coordinates = beta_ * h * h * ratio;
  const double goal = 0.02 * options_.tolerance * h;
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < options_.max_newton_iterations; ++iteration) {
    cause = correct(h);
    if (cause != EvaluationStatus::ok) return Newton::evaluation_failed;
    ++counters_.newton_iterations;
    solution_ += correction_;
    move_candidate(h);
    double size_of_correction = 0, rounding = 0;
    for (Eigen::Index i = 0; i < correction_.size(); ++i) {
      size_of_correction = std::max(size_of_correction, scale(i) * to_coordinates * std::abs(correction_[i]));
      // of the sums in move_candidate()
      const double largest_term =
          std::abs(state_.coordinates[i]) + h * std::abs(state_.speeds[i]) + h * h * std::abs(next_algorithmic_[i]);
      rounding = std::max(rounding, scale(i) * largest_term);
    }
    if (!std::isfinite(size_of_correction)) return Newton::slow;
    const double rate = size_of_correction / last;
    // With a known rate of convergence the error left is that of the geometric series.
    const double left = iteration > 0 && rate < 1 ? size_of_correction * rate / (1 - rate) : size_of_correction;
    if (left <= std::max(goal, 4e-16 * rounding)) return Newton::converged;
    if (iteration > 1 && rate > 0.9) return Newton::slow;
    last = size_of_correction;
  }
  return Newton::slow;
}

Integrator::Attempt GeneralisedAlpha::attempt(double h) {
  for (;;) {
    if (!recursive_ && factored_step_ != h) factorise(h);
    solution_ = accelerations_.values;
    move_candidate(h);
    EvaluationStatus cause = EvaluationStatus::ok;
    const Newton newton = iterate(h, cause);
    if (newton == Newton::converged) break;
    if (newton == Newton::evaluation_failed) return {failure(cause, candidate_.time), 0};
    if (tangent_is_new_ || recursive_) return {{StepStatus::newton_failed, EvaluationStatus::ok, candidate_.time}, 0};
    cause = linearise(state_, blocks_);
    if (cause != EvaluationStatus::ok) return {failure(cause, state_.time), 0};
    tangent_is_new_ = true;
    factored_step_ = 0;
  }
  candidate_accelerations_.values = solution_;
  const double error = options_.fixed_step > 0 ? 0 : estimate_error(accelerations_.values, solution_, h);
  return {{StepStatus::ok, EvaluationStatus::ok, candidate_.time}, error};
}

void GeneralisedAlpha::filter(VectorX& values) {
  if (recursive_) return recursive_->filter_implicitly(*workspace_, values);
  residual_.noalias() = blocks_.mass * values;
  values = factors_.solve(residual_);
}

void GeneralisedAlpha::accepted(double h) {
  keep_step(h);
  tangent_is_new_ = false;
}

void GeneralisedAlpha::interpolate(double time, State& result) const {
  interpolate_from(previous_, previous_accelerations_.values, time, result);
}

}  // namespace lithe
