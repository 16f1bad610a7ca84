// What g does between the instants at which a step samples it. The stages compare values of g at equal instants, so
// that none of them sees a vibration of g with less than a few samples per period. The step before, with the same
// distance between its samples, does. docs/theory/integrators.md, section 4.
#include <algorithm>
#include <cmath>

#include "lithe/integrate/exponential/exponential.h"

namespace lithe {

// As long as neither step nor reference changes, samples of a vibration average out (see distance_from_resonance). Each
// new reference leaves what is left of the average then in slow motion: where the mass depends on the configuration,
// and references follow one another.
bool Exponential::mass_depends_on_configuration() {
  if (size() == 0) return false;
  stage_ = state_;
  stage_.coordinates.head(std::min(system_.equations->num_joint_coordinates(), size())).array() +=
      Constants::probing_way;
  if (system_.inputs) system_.inputs(state_.time, stage_, inputs_);
  stage_inputs_ = inputs_;
  for (auto& joint : stage_inputs_.prescribed_motion)
    for (SignalValue& freedom : joint) freedom.value += Constants::probing_way;
  ++counters_.linearisations;
  const EvaluationStatus status = system_.equations->linearise_elastic(stage_, stage_inputs_, *workspace_, blocks_);
  if (status != EvaluationStatus::ok || !factorise_mass()) return true;
  product_.noalias() = mass_ * basis_;
  return changed_mass() > Constants::no_change_of_mass;
}

// A first step has none before it that could tell: it resolves every mode.
double Exponential::guess_first_step() const {
  const double guess = Integrator::guess_first_step();
  return samples_matter_ ? std::min(guess, 1 / std::sqrt(std::max(stiffness_.maxCoeff(), 1.0))) : guess;
}

// Steps that errors ask to be shorter than an explicit method must be to stay stable, 3.3/ω of the fastest mode: there
// is nothing to gain from solving it exactly.
void Exponential::count_resolved_steps() {
  constexpr double resolved = Constants::resolved_step;
  const bool free = size() > 0 && options_.fixed_step <= 0 && next_step_ < Constants::free_step * options_.max_step;
  const bool all = free && next_step_ * next_step_ * stiffness_.maxCoeff() < resolved * resolved;
  resolved_steps_ = all ? resolved_steps_ + 1 : 0;
}

void Exponential::keep_middle() {
  middle_.coordinates = stage_.coordinates;
  middle_.speeds = stage_.speeds;
  middle_accelerations_.values = stage_accelerations_.values;
  middle_is_known_ = true;
}

// After an accepted step, whose forces are forces_. Quick steps have no middle.
void Exponential::remember_forces(double h) {
  past_step_ = middle_is_known_ && samples_matter_ ? h : 0;
  if (past_step_ == 0) return;
  past_forces_[0] = forces_[0];
  past_forces_[1] = forces_[2];
}

// The same forces about a new reference.
void Exponential::renew_past_forces() {
  if (past_step_ == 0) return;
  to_modal(previous_, past_modal_);
  remainder(past_modal_, previous_accelerations_, past_forces_[0]);
  to_modal(middle_, past_modal_);
  remainder(past_modal_, middle_accelerations_, past_forces_[1]);
}

// What forces of other frequencies leave in a vibration keeps its phase to it for L seconds and adds up to L/h errors;
// what comes after does not continue them. Over a second these add up as a random walk, to sqrt(L) of their sum.
double Exponential::share_that_adds_up(Eigen::Index mode, double position, double speed, double h) {
  constexpr double slow = 10;  // rad/s: hardly a vibration within a second
  const double frequency = std::sqrt(stiffness_[mode]);
  if (frequency < slow) return 1;
  return std::sqrt(std::min(1.0, samples_.seconds(mode, position, speed / frequency, frequency, h, error_order() + 1)));
}

// The fourth difference of g at the instants of both steps, δ⁴ = 16 s² a with s = sin²(ωh/4) for a vibration of
// amplitude a, whose second difference is at most 4 s a. The mean of g over the step, taken from three samples
// (Simpson), is off by δ⁴/180 where the vibration is resolved, s ≪ 1, and by about a elsewhere.
void Exponential::add_error_of_sampling(double h) {
  if (past_step_ == 0 || options_.fixed_step > 0) return;
  const double instants[] = {-past_step_ / h, -0.5 * past_step_ / h, 0, 0.5, 1};
  const VectorX* samples[] = {&past_forces_[0], &past_forces_[1], &forces_[0], &forces_[2], &next_force_};
  constexpr int n = 5;
  scratch_.setZero();
  for (int i = 0; i < n; ++i) {
    double weight = 1.5;  // 4! / 2⁴: of divided differences in units of h, for samples at distances h/2
    for (int j = 0; j < n; ++j)
      if (j != i) weight /= instants[i] - instants[j];
    scratch_ += weight * *samples[i];
  }
  for (Eigen::Index k = 0; k < scratch_.size(); ++k) {
    const double second = std::abs(forces_[0][k] - 2 * forces_[2][k] + next_force_[k]);
    const double s = std::min(1.0, std::abs(scratch_[k]) / std::max(4 * second, 1e-300));
    const double missed = (1.0 / 180 + s / 16) * scratch_[k];
    const double position = quick_weights_[0][0][k] * missed, speed = quick_weights_[1][0][k] * missed;
    const double share = share_that_adds_up(k, position, speed, h);
    error_y_[k] += share * position;
    error_w_[k] += share * speed;
  }
}

}  // namespace lithe
