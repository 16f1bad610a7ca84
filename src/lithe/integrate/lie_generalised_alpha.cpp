#include "lithe/integrate/lie_generalised_alpha.h"

#include <algorithm>
#include <cmath>

namespace lithe {

LieGeneralisedAlpha::LieGeneralisedAlpha(System system, const ConstrainedEquations& equations,
                                         IntegratorOptions options)
    : Integrator(std::move(system), std::move(options)), constrained_(equations) {
  const double rho = std::clamp(options_.spectral_radius, 0.0, 1.0);
  alpha_m_ = (2 * rho - 1) / (rho + 1);
  alpha_f_ = rho / (rho + 1);
  gamma_ = 0.5 - alpha_m_ + alpha_f_;
  beta_ = 0.25 * (gamma_ + 0.5) * (gamma_ + 0.5);
  const int n = size();
  for (VectorX* v :
       {&body_accelerations_, &algorithmic_, &solution_, &next_algorithmic_, &step_, &velocities_, &dynamic_, &jerk_,
        &last_jerk_, &error_x_, &error_v_, &start_accelerations_, &end_coordinates_, &end_speeds_, &end_accelerations_})
    v->setZero(n);
  for (VectorX* v : {&multipliers_, &next_multipliers_, &constraint_, &no_rows_})
    v->setZero(constrained_.num_multipliers());
}

StepReport LieGeneralisedAlpha::prepare() {
  factored_step_ = 0;
  refreshed();
  return {StepStatus::ok, EvaluationStatus::ok, state_.time};
}

// The base class has just evaluated the state, so this cannot fail.
void LieGeneralisedAlpha::refreshed() {
  start_ = state_;
  constrained_.recentre(start_);
  constrained_.body_accelerations(start_, inputs_, *workspace_, body_accelerations_, multipliers_);
  algorithmic_ = body_accelerations_;
  last_step_ = 0;
}

// Frames move along the screw of the mean velocity, [Bruls] (22)-(24).
void LieGeneralisedAlpha::move_candidate(double h) {
  next_algorithmic_ =
      ((1 - alpha_f_) * solution_ + alpha_f_ * body_accelerations_ - alpha_m_ * algorithmic_) / (1 - alpha_m_);
  step_ = h * start_.speeds + ((0.5 - beta_) * h * h) * algorithmic_ + (beta_ * h * h) * next_algorithmic_;
  velocities_ = start_.speeds + ((1 - gamma_) * h) * algorithmic_ + (gamma_ * h) * next_algorithmic_;
  constrained_.move(start_, step_, velocities_, candidate_);
}

EvaluationStatus LieGeneralisedAlpha::residual() {
  ++counters_.evaluations;
  if (system_.inputs) system_.inputs(std::min(candidate_.time, input_limit_), candidate_, inputs_);
  return constrained_.residual(candidate_, inputs_, solution_, next_multipliers_, *workspace_, dynamic_, constraint_);
}

// The joints' part of the tangent is that of the first iterate.
LieGeneralisedAlpha::Newton LieGeneralisedAlpha::iterate(double h, bool new_bodies, EvaluationStatus& cause) {
  const double ratio = (1 - alpha_f_) / (1 - alpha_m_);
  const double to_coordinates = beta_ * h * h * ratio, to_speeds = gamma_ * h * ratio;
  // An error c of the coordinates is one of γ c/(β h) of the speeds, which lasts.
  const double goal = 0.02 * options_.tolerance * h * std::min(1.0, beta_ * h / gamma_);
  // The constraints compare places in the world, to rounding.
  const double rounding = 1e-15 * (1 + start_.configuration.coordinates.cwiseAbs().maxCoeff());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double last = infinity, before_last = infinity;
  for (int iteration = 0; iteration < 2 * options_.max_newton_iterations; ++iteration) {
    move_candidate(h);
    cause = residual();
    if (cause != EvaluationStatus::ok) return Newton::evaluation_failed;
    if (iteration == 0) {
      cause = constrained_.factorise_tangent(to_speeds, to_coordinates, new_bodies, *workspace_);
      if (cause != EvaluationStatus::ok) return Newton::evaluation_failed;
      if (new_bodies) ++counters_.linearisations;
      factored_step_ = h;
    }
    ++counters_.newton_iterations;
    dynamic_ = -dynamic_;
    constraint_ *= -1 / to_coordinates;
    constrained_.solve_tangent(*workspace_, dynamic_, constraint_);
    solution_ += dynamic_;
    next_multipliers_ += constraint_;
    double correction = 0;
    for (Eigen::Index i = 0; i < dynamic_.size(); ++i)
      correction = std::max(correction, scale(i) * to_coordinates * std::abs(dynamic_[i]));
    if (!std::isfinite(correction)) return Newton::slow;
    // Corrections of directions that feed each other come in pairs: the rate is that of two iterations.
    const double rate = iteration > 1 ? std::sqrt(correction / before_last) : correction / last;
    const double left = iteration > 0 && rate < 1 ? correction * rate / (1 - rate) : correction;
    if (left <= std::max(goal, rounding)) return Newton::converged;
    if (iteration > 2 && rate > 0.9) return Newton::slow;
    before_last = last;
    last = correction;
  }
  return Newton::slow;
}

Integrator::Attempt LieGeneralisedAlpha::attempt(double h) {
  start_ = state_;
  constrained_.recentre(start_);
  bool new_bodies = factored_step_ != h;
  for (;;) {
    solution_ = body_accelerations_;
    next_multipliers_ = multipliers_;
    EvaluationStatus cause = EvaluationStatus::ok;
    const Newton newton = iterate(h, new_bodies, cause);
    if (newton == Newton::converged) break;
    factored_step_ = 0;
    if (newton == Newton::evaluation_failed) return {failure(cause, candidate_.time), 0};
    if (new_bodies) return {{StepStatus::newton_failed, EvaluationStatus::ok, candidate_.time}, 0};
    new_bodies = true;
  }
  const double error = options_.fixed_step > 0 ? 0 : estimate_error(h);
  move_candidate(h);
  constrained_.chart_accelerations(candidate_, solution_, candidate_accelerations_.values);
  return {{StepStatus::ok, EvaluationStatus::ok, candidate_.time}, error};
}

// Multiplies by S⁻¹ M on what the constraints leave: nearly 1 for what the step resolves, 1/(ωh)² for what it does not.
void LieGeneralisedAlpha::filter(VectorX& values) {
  constrained_.mass_times(*workspace_, values, dynamic_);
  constraint_.setZero();
  constrained_.solve_tangent(*workspace_, dynamic_, constraint_);
  values = dynamic_;
}

// As for generalised_alpha without constraints: local errors h³ (β + δ/2 - 1/6) j and h³ (1/12 - δ²/2) s.
double LieGeneralisedAlpha::estimate_error(double h) {
  const double delta = alpha_m_ - alpha_f_;
  jerk_ = (solution_ - body_accelerations_) / h;
  error_x_ = (h * h * h * (beta_ + 0.5 * delta - 1.0 / 6)) * jerk_;
  for (int i = 0; i < 2; ++i) filter(error_x_);
  error_v_.setZero();
  if (last_step_ > 0) {
    error_v_ = (h * h * h * (1.0 / 12 - 0.5 * delta * delta) * 2 / (h + last_step_)) * (jerk_ - last_jerk_);
    for (int i = 0; i < 3; ++i) filter(error_v_);
  }
  return scaled_error(error_x_, error_v_, h);
}

void LieGeneralisedAlpha::accepted(double h) {
  std::swap(dense_start_, start_);
  constrained_.chart_accelerations(dense_start_, body_accelerations_, start_accelerations_);
  end_coordinates_ = state_.coordinates;
  end_speeds_ = state_.speeds;
  end_accelerations_ = accelerations_.values;
  std::swap(body_accelerations_, solution_);
  std::swap(algorithmic_, next_algorithmic_);
  std::swap(multipliers_, next_multipliers_);
  std::swap(last_jerk_, jerk_);
  last_step_ = options_.fixed_step > 0 ? 0 : h;
}

// Cubic Hermite polynomials of (x, v) and (v, a) in the chart of the step's beginning.
void LieGeneralisedAlpha::interpolate(double time, State& result) const {
  const double h = state_.time - previous_.time, s = (time - previous_.time) / h;
  const double from = (1 + 2 * s) * (1 - s) * (1 - s), to = s * s * (3 - 2 * s);
  const double from_rate = h * s * (1 - s) * (1 - s), to_rate = -h * s * s * (1 - s);
  result.time = time;
  result.configuration = dense_start_.configuration;
  result.controller_memory = previous_.controller_memory;
  result.coordinates =
      from * dense_start_.coordinates + to * end_coordinates_ + from_rate * dense_start_.speeds + to_rate * end_speeds_;
  result.speeds =
      from * dense_start_.speeds + to * end_speeds_ + from_rate * start_accelerations_ + to_rate * end_accelerations_;
}

}  // namespace lithe
