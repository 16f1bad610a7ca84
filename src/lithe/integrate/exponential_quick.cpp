// Steps that are shorter than accuracy asks for, as between the samples of a controller: the exponential method of
// order 3 of two steps with two evaluations instead of four, watched by how the change of g differs from that of the
// step before. docs/theory/integrators.md, section 4.
#include "lithe/integrate/exponential.h"

namespace lithe {

// Only where a limit makes the step shorter than accuracy asks for, and after a full step that was more accurate than
// needed. Fixed steps are promised the full method.
bool Exponential::quick_is_worth_it(double h) const {
  constexpr double far_below = 0.2;
  const bool limited = h < 0.9 * next_step_ || h >= options_.max_step;
  return limited && options_.fixed_step <= 0 && quick_pause_ == 0 && full_error_ < far_below && equal_steps_ >= 2 &&
         std::abs(h - change_step_) <= 1e-6 * h;
}

// With φ = φ(hA): U = e^{hA} u + h φ₁ g(u),  u₁ = U + h φ₂ (g(U) - g(u)) + h (φ₃ - φ₂/2) d (Cox and Matthews, J.
// Comput. Phys. 176 (2002) 430, with a bend of g): d is how the change of g over this step differs from that over the
// step before. Inputs that jump between the steps are in neither. If d itself is another than in the step before, u₁ is
// wrong by half of h (φ₃ - φ₂/2) of the difference; what U missed of g(u₁) adds h φ₂ (g(u₁) - g(U)). False when that is
// more than half of what is allowed: then the full step is made, and for a while no other is tried.
bool Exponential::attempt_quick(double h, Attempt& result) {
  constexpr double allowed = 0.5;
  constexpr int pause = 20;
  const double end = candidate_.time;
  const auto& position = quick_weights_[0];
  const auto& speed = quick_weights_[1];
  next_.y.array() =
      yy_[1].array() * now_.y.array() + yv_[1].array() * now_.w.array() + position[0].array() * forces_[0].array();
  next_.w.array() =
      vy_[1].array() * now_.y.array() + vv_[1].array() * now_.w.array() + speed[0].array() * forces_[0].array();
  EvaluationStatus status = evaluate_at(next_, end, forces_[3]);
  if (status == EvaluationStatus::ok) {
    scratch_ = forces_[3] - forces_[0];
    next_.y.array() += position[1].array() * scratch_.array();
    next_.w.array() += speed[1].array() * scratch_.array();
    scratch_ -= change_of_force_;
    next_.y.array() += (position[2].array() - 0.5 * position[1].array()) * scratch_.array();
    next_.w.array() += (speed[2].array() - 0.5 * speed[1].array()) * scratch_.array();
    status = evaluate_at(next_, end, next_force_);
  }
  if (status == EvaluationStatus::ok) {
    scratch_ = next_force_ - forces_[0] - change_of_force_ - bend_of_force_;
    error_y_.array() = 0.5 * (position[2].array() - 0.5 * position[1].array()) * scratch_.array();
    error_w_.array() = 0.5 * (speed[2].array() - 0.5 * speed[1].array()) * scratch_.array();
    scratch_ = next_force_ - forces_[3];
    error_y_.array() += position[1].array() * scratch_.array();
    error_w_.array() += speed[1].array() * scratch_.array();
    result = {{StepStatus::ok, EvaluationStatus::ok, end}, weighed_error(h)};
  }
  if (status != EvaluationStatus::ok || !(result.error <= allowed)) {
    quick_pause_ = pause;
    return false;
  }
  forces_[1] = 0.5 * (forces_[0] + next_force_);  // g of dense output is a straight line
  forces_[2] = forces_[1];
  forces_[3] = next_force_;
  candidate_.coordinates = stage_.coordinates;
  candidate_.speeds = stage_.speeds;
  candidate_accelerations_.values = stage_accelerations_.values;
  return true;
}

}  // namespace lithe
