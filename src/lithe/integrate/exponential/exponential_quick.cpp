// Steps that are shorter than accuracy asks for, as between the samples of a controller: exponential methods of two
// steps with one evaluation or two instead of four, watched by how the change of g differs from that of the step
// before. docs/theory/integrators.md, section 4.
#include "lithe/integrate/exponential/exponential.h"

namespace lithe {

// Only where a limit makes the step shorter than accuracy asks for, and after a full step that was more accurate than
// needed. Fixed steps are promised the full method.
bool Exponential::quick_is_worth_it(double h) const {
  const bool limited = h < Constants::limited_step * next_step_ || h >= options_.max_step;
  return limited && options_.fixed_step <= 0 && quick_pause_ == 0 && full_error_ < Constants::error_far_below &&
         equal_steps_ >= Constants::equal_steps && std::abs(h - change_step_) <= Constants::same_length * h;
}

// g, or what is left of it where the modes' coupling is solved exactly, too.
void Exponential::quick_force(const Modal& at, const VectorX& force, bool coupled, VectorX& result) const {
  result = force;
  if (!coupled) return;
  result.noalias() += coupling_stiffness_ * at.y;
  result.noalias() += coupling_damping_ * at.w;
}

// h φ₂ x₂ + h φ₃ x₃
void Exponential::quick_motion(const VectorX& x2, const VectorX& x3, Modal& result) {
  const Eigen::Index n = x2.size();
  if (quick_coupled_) {
    coupled_motion_.noalias() = coupled_.forced_motion(2) * x2;
    coupled_motion_.noalias() += coupled_.forced_motion(3) * x3;
    result.y = coupled_motion_.head(n);
    result.w = coupled_motion_.tail(n);
    return;
  }
  const auto& position = quick_weights_[0];
  const auto& speed = quick_weights_[1];
  result.y.array() = position[1].array() * x2.array() + position[2].array() * x3.array();
  result.w.array() = speed[1].array() * x2.array() + speed[2].array() * x3.array();
}

// The quadratic g(t + s h) = g + s (Δ - b/2) + s² b/2 through its change Δ over this step and Δ - b over the step
// before, integrated: u₁ = e^{hA} u + h φ₁ g + h φ₂ (Δ - b/2) + h φ₃ b, with φ = φ(hA) (Cox and Matthews, J. Comput.
// Phys. 176 (2002) 430, section 2.1). Inputs that jump between the steps are in neither change. Here Δ and b go on as
// in the step before.
void Exponential::predict_quick() {
  const VectorX& change = quick_coupled_ ? coupled_change_ : change_of_force_;
  const VectorX& bend = quick_coupled_ ? coupled_bend_ : bend_of_force_;
  quick_force(now_, forces_[0], quick_coupled_, quick_begin_);
  scratch_ = change + 0.5 * bend;
  quick_motion(scratch_, bend, next_);
  quick_begin_change_ = change + bend;
  if (quick_coupled_) {
    const Eigen::Index n = now_.y.size();
    coupled_state_.head(n) = now_.y;
    coupled_state_.tail(n) = now_.w;
    coupled_motion_.noalias() = coupled_.free_motion() * coupled_state_;
    coupled_motion_.noalias() += coupled_.forced_motion(1) * quick_begin_;
    next_.y += coupled_motion_.head(n);
    next_.w += coupled_motion_.tail(n);
    return;
  }
  next_.y.array() += yy_[1].array() * now_.y.array() + yv_[1].array() * now_.w.array() +
                     quick_weights_[0][0].array() * quick_begin_.array();
  next_.w.array() += vy_[1].array() * now_.y.array() + vv_[1].array() * now_.w.array() +
                     quick_weights_[1][0].array() * quick_begin_.array();
}

// What the prediction lacks when g at its end shows that Δ and b are greater by e: h (φ₂/2 + φ₃) e.
void Exponential::find_quick_error() {
  quick_force(next_, forces_[3], quick_coupled_, quick_end_);
  quick_excess_ = quick_end_ - quick_begin_ - quick_begin_change_;
  scratch_ = 0.5 * quick_excess_;
  quick_motion(scratch_, quick_excess_, correction_);
  error_y_ = correction_.y;
  error_w_ = correction_.w;
}

// With g at the corrected end: what that changes once more, h (φ₂/2 + φ₃) of the difference, and half of h (φ₃ - φ₂/2)
// of what b has changed.
EvaluationStatus Exponential::correct_quick(double h, double& error) {
  next_.y += correction_.y;
  next_.w += correction_.w;
  const EvaluationStatus status = evaluate_at(next_, candidate_.time, next_force_);
  if (status != EvaluationStatus::ok) return status;
  quick_force(next_, next_force_, quick_coupled_, scratch_);
  quick_end_ = scratch_ - quick_end_;
  quick_excess_ += quick_end_;  // now of the corrected end
  scratch_ = 0.5 * quick_end_ - 0.25 * quick_excess_;
  quick_excess_ = 0.5 * quick_excess_ + quick_end_;
  quick_motion(scratch_, quick_excess_, correction_);
  error_y_ = correction_.y;
  error_w_ = correction_.w;
  error = weighed_error(h);
  return status;
}

// The prediction stays where its error is a quarter of what is allowed, and is corrected elsewhere. False when even
// that leaves more than half: then the full step is made, for a while no other is tried, and a reference nearer to
// today's configuration, or one that knows how modes are coupled, is wanted.
bool Exponential::attempt_quick(double h, Attempt& result) {
  quick_coupled_ = coupling_ == Coupling::known && coupled_steps_ >= Constants::equal_steps;
  if (quick_coupled_) coupled_.set_step(step_);
  predict_quick();
  EvaluationStatus status = evaluate_at(next_, candidate_.time, forces_[3]);
  double error = 0;
  if (status == EvaluationStatus::ok) {
    next_force_ = forces_[3];
    find_quick_error();
    error = weighed_error(h);
    if (!(error <= Constants::error_of_prediction)) status = correct_quick(h, error);
  }
  result = {{StepStatus::ok, EvaluationStatus::ok, candidate_.time}, error};
  if (status != EvaluationStatus::ok || !(error <= Constants::error_of_correction)) {
    quick_pause_ = Constants::steps_without_quick;
    wants_near_reference_ = true;
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

// How the changes of g go on; called after an accepted step, before now_ and next_ change places.
void Exponential::follow_force(double h) {
  equal_steps_ = std::abs(h - change_step_) <= Constants::same_length * h ? equal_steps_ + 1 : 1;
  bend_of_force_ = next_force_ - forces_[0] - change_of_force_;
  change_of_force_ = next_force_ - forces_[0];
  change_step_ = h;
  if (quick_pause_ > 0) --quick_pause_;
  if (coupling_ != Coupling::known) return;
  coupled_steps_ = equal_steps_ > 1 ? coupled_steps_ + 1 : 0;
  quick_force(now_, forces_[0], true, quick_begin_);
  quick_force(next_, next_force_, true, quick_end_);
  coupled_bend_ = quick_end_ - quick_begin_ - coupled_change_;
  coupled_change_ = quick_end_ - quick_begin_;
}

// Ringing modes that damping or prestress couples make g ring with them, faster than steps can follow. Where the
// mechanism stands still it is worth to know that coupling: the whole linear motion is then solved exactly, by its
// eigenvectors, until a new reference is taken.
void Exponential::couple_modes() {
  if (coupling_ != Coupling::unknown || constrained_ || constraints_) return;
  coupling_ = Coupling::useless;
  if (linearise(state_, blocks_) != EvaluationStatus::ok) return;
  const Eigen::LLT<MatrixX> mass(0.5 * (blocks_.mass + blocks_.mass.transpose()));
  if (mass.info() != Eigen::Success) return;
  coupling_stiffness_ = inverse_basis_ * mass.solve(blocks_.stiffness * basis_);
  coupling_damping_ = inverse_basis_ * mass.solve(blocks_.damping * basis_);
  if (!coupled_.find(coupling_stiffness_, coupling_damping_)) return;
  coupling_stiffness_.diagonal() -= stiffness_;
  coupling_damping_.diagonal() -= damping_;
  coupled_steps_ = -1;
  coupled_change_.setZero();
  coupling_ = Coupling::known;
}

}  // namespace lithe
