#include "lithe/integrate/lie_generalised_alpha.h"

#include <algorithm>
#include <cmath>

namespace lithe {

LieGeneralisedAlpha::LieGeneralisedAlpha(System system, const ConstrainedEquations& equations,
                                         IntegratorOptions options)
    : AlphaMethod(std::move(system), std::move(options)), constrained_(equations) {
  const int n = size();
  for (VectorX* v : {&body_accelerations_, &solution_, &step_, &velocities_, &dynamic_, &start_accelerations_})
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
  find_algorithmic(body_accelerations_, solution_);
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
  const double error = options_.fixed_step > 0 ? 0 : estimate_error(body_accelerations_, solution_, h);
  move_candidate(h);
  constrained_.chart_accelerations(candidate_, solution_, candidate_accelerations_.values);
  return {{StepStatus::ok, EvaluationStatus::ok, candidate_.time}, error};
}

void LieGeneralisedAlpha::filter(VectorX& values) {
  constrained_.mass_times(*workspace_, values, dynamic_);
  constraint_.setZero();
  constrained_.solve_tangent(*workspace_, dynamic_, constraint_);
  values = dynamic_;
}

void LieGeneralisedAlpha::accepted(double h) {
  std::swap(dense_start_, start_);
  constrained_.chart_accelerations(dense_start_, body_accelerations_, start_accelerations_);
  std::swap(body_accelerations_, solution_);
  std::swap(multipliers_, next_multipliers_);
  keep_step(h);
}

// In the chart of the step's beginning.
void LieGeneralisedAlpha::interpolate(double time, State& result) const {
  interpolate_from(dense_start_, start_accelerations_, time, result);
}

}  // namespace lithe
