#include "lithe/integrate/generalised_alpha.h"

#include <algorithm>
#include <cmath>

namespace lithe {

GeneralisedAlpha::GeneralisedAlpha(System system, IntegratorOptions options, const RecursiveSolves* recursive)
    : Integrator(std::move(system), std::move(options)), recursive_(recursive), factors_(recursive ? 0 : size()) {
  const double rho = std::clamp(options_.spectral_radius, 0.0, 1.0);
  alpha_m_ = (2 * rho - 1) / (rho + 1);
  alpha_f_ = rho / (rho + 1);
  gamma_ = 0.5 - alpha_m_ + alpha_f_;
  beta_ = 0.25 * (gamma_ + 0.5) * (gamma_ + 0.5);
  const int n = size();
  for (MatrixX* m : {&blocks_.mass, &blocks_.damping, &blocks_.stiffness, &tangent_})
    if (!recursive_) m->setZero(n, n);
  for (VectorX* v : {&algorithmic_, &next_algorithmic_, &solution_, &residual_, &correction_, &jerk_, &last_jerk_,
                     &error_x_, &error_v_, &trial_.values, &end_coordinates_, &end_speeds_, &end_accelerations_})
    v->setZero(n);
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
  next_algorithmic_ =
      ((1 - alpha_f_) * solution_ + alpha_f_ * accelerations_.values - alpha_m_ * algorithmic_) / (1 - alpha_m_);
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
  const double error = options_.fixed_step > 0 ? 0 : estimate_error(h);
  return {{StepStatus::ok, EvaluationStatus::ok, candidate_.time}, error};
}

// Multiplies by S^-1 M: nearly 1 for what the step resolves, 1/(ωh)² for what it does not.
void GeneralisedAlpha::filter(VectorX& values) {
  if (recursive_) return recursive_->filter_implicitly(*workspace_, values);
  residual_.noalias() = blocks_.mass * values;
  values = factors_.solve(residual_);
}

// Local errors h³ (β + δ/2 - 1/6) j of the coordinates and h³ (1/12 - δ²/2) s of the speeds, δ = α_m - α_f, with jerk j
// and snap s from differences of accelerations. A mode that the step does not resolve is wrong by its amplitude A once,
// not in every step; its j and s are of order A ω³ and A ω⁴, and filters bring its share down to A/(ωh)² and A/(ωh)³.
double GeneralisedAlpha::estimate_error(double h) {
  const double delta = alpha_m_ - alpha_f_;
  jerk_ = (solution_ - accelerations_.values) / h;
  error_x_ = (h * h * h * (beta_ + 0.5 * delta - 1.0 / 6)) * jerk_;
  for (int i = 0; i < 2; ++i) filter(error_x_);
  error_v_.setZero();
  if (last_step_ > 0) {
    error_v_ = (h * h * h * (1.0 / 12 - 0.5 * delta * delta) * 2 / (h + last_step_)) * (jerk_ - last_jerk_);
    for (int i = 0; i < 3; ++i) filter(error_v_);
  }
  return scaled_error(error_x_, error_v_, h);
}

void GeneralisedAlpha::accepted(double h) {
  std::swap(algorithmic_, next_algorithmic_);
  std::swap(last_jerk_, jerk_);
  last_step_ = options_.fixed_step > 0 ? 0 : h;
  tangent_is_new_ = false;
  // accept() may rename coordinates afterwards; dense output stays in the old ones.
  end_coordinates_ = state_.coordinates;
  end_speeds_ = state_.speeds;
  end_accelerations_ = accelerations_.values;
}

// Cubic Hermite polynomials of (x, v) and (v, a).
void GeneralisedAlpha::interpolate(double time, State& result) const {
  const double h = state_.time - previous_.time, s = (time - previous_.time) / h;
  const double from = (1 + 2 * s) * (1 - s) * (1 - s), to = s * s * (3 - 2 * s);
  const double from_rate = h * s * (1 - s) * (1 - s), to_rate = -h * s * s * (1 - s);
  result.time = time;
  result.configuration = previous_.configuration;
  result.controller_memory = previous_.controller_memory;
  result.coordinates =
      from * previous_.coordinates + to * end_coordinates_ + from_rate * previous_.speeds + to_rate * end_speeds_;
  result.speeds = from * previous_.speeds + to * end_speeds_ + from_rate * previous_accelerations_.values +
                  to_rate * end_accelerations_;
}

}  // namespace lithe
