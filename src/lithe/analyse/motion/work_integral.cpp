#include "lithe/analyse/motion/work_integral.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lithe/analyse/observe/input_power.h"
#include "lithe/integrate/capabilities.h"
#include "lithe/integrate/exponential/oscillator_moments.h"
#include "lithe/integrate/exponential/smoothed_steps.h"

namespace lithe {

WorkIntegral::WorkIntegral(const Equations& equations, InputFunction inputs, bool prescribes_motion)
    : equations_(equations),
      apply_inputs_(std::move(inputs)),
      prescribes_motion_(prescribes_motion),
      workspace_(equations.make_workspace()),
      inputs_(make_inputs(equations.model())) {
  int prescribed = 0;
  for (const Drive& drive : equations.model().drives) prescribed += drive.prescribes_motion ? 1 : 0;
  nothing_free_ = prescribes_motion && prescribed >= equations.num_coordinates();
  accelerations_.values.setZero(equations.num_coordinates());
  for (Accelerations& a : instants_.accelerations) a.values.setZero(equations.num_coordinates());
  for (State& probe : probes_) {
    probe.coordinates.setZero(equations.num_coordinates());
    probe.speeds.setZero(equations.num_coordinates());
  }
}

WorkIntegral::Powers WorkIntegral::powers(const State& state, double time, const Accelerations& accelerations,
                                          Workspace& workspace) {
  constexpr double of_evaluation = 0.4;
  cost_ += of_evaluation;
  apply_inputs_(time, state, inputs_);
  Powers now;
  now.input = input_power(equations_, state, inputs_, accelerations, workspace);
  if (dissipation_known_) now.lost = equations_.dissipated_power(state, inputs_, workspace);
  if (std::isnan(now.lost)) {
    dissipation_known_ = false;
    now.lost = 0;
  }
  now.turnover = std::abs(now.input) + std::abs(now.lost);
  return now;
}

void WorkIntegral::count(double seconds, const Powers& now) {
  input_work_ += seconds * now.input;
  dissipated_ += seconds * now.lost;
  turnover_ += seconds * now.turnover;
  judged_turnover_ += seconds * now.turnover;
}

// The motion at the Gauss points of a part of the last step, where that may be unresolved without its vibrations.
double WorkIntegral::probe(const Integrator& integrator, double from, double to) {
  if (const SmoothedSteps* smoothed = smoothed_steps(integrator)) return smoothed->smooth(from, to, probes_);
  for (std::size_t k = 0; k < 3; ++k) integrator.interpolate(from + gauss_nodes[k] * (to - from), probes_[k]);
  return 0;
}

// Those of the integrator's own polynomial where it has one: what interpolation leaves of a stiff coordinate would be
// in evaluated ones, times ω².
void WorkIntegral::find_accelerations(const Integrator& integrator, const State& probe) {
  const WatchesOutputs* knows = watches_outputs(integrator);
  if (knows && knows->interpolate_accelerations(probe.time, accelerations_.values)) return;
  apply_inputs_(probe.time, probe, inputs_);
  equations_.evaluate(probe, inputs_, *workspace_, accelerations_);
  ++cost_;
}

// Gauss quadrature in equal parts of a piece of the last step, with vibrations faster than a part taken away before:
// the power of a force is linear in speeds, so that they have no share in its integral. What they lose in dampers comes
// mode by mode.
WorkIntegral::Powers WorkIntegral::in_parts(const Integrator& integrator, double from, double to, int parts) {
  const double length = (to - from) / parts;
  Powers work;
  for (int i = 0; i < parts; ++i) {
    const double begin = from + i * length;
    const double lost = probe(integrator, begin, begin + length);
    if (dissipation_known_) work.lost += lost;
    work.turnover += lost;
    for (std::size_t k = 0; k < 3; ++k) {
      const State& probe = probes_[k];
      if (prescribes_motion_) find_accelerations(integrator, probe);  // for its drives' forces
      const Powers now = powers(probe, probe.time, accelerations_, *workspace_);
      work.input += gauss_weights[k] * length * now.input;
      work.lost += gauss_weights[k] * length * now.lost;
      work.turnover += gauss_weights[k] * length * now.turnover;
    }
  }
  return work;
}

// Steps can be much longer than what forces vary in: those of the exponential method, and where all motion is
// prescribed. Every few steps, twice as many parts tell whether these are enough; where nothing is free to move, steps
// follow no motion at all, and every one is looked at.
WorkIntegral::Powers WorkIntegral::as_finely_as_needed(const Integrator& integrator, double from, double to) {
  const int most_parts = nothing_free_ ? 1024 : 32;
  constexpr double agreement = 1e-5, abundance = 1e-8;
  Powers work = in_parts(integrator, from, to, parts_);
  if (steps_to_look_ == 0) {
    int parts = parts_;
    for (bool agrees = false; !agrees && parts < most_parts; parts *= 2) {
      const Powers finer = in_parts(integrator, from, to, 2 * parts);
      const double off = std::abs(finer.input - work.input) + std::abs(finer.lost - work.lost);
      agrees = off <= agreement * finer.turnover;
      parts_ = off <= abundance * finer.turnover ? std::max(1, parts / 2) : agrees ? parts : 2 * parts;
      work = finer;
    }
  }
  return work;
}

// Whether that look has been at this step.
bool WorkIntegral::pass_look() {
  const int steps_between_looks = nothing_free_ ? 0 : 8;
  const bool looked = steps_to_look_ == 0;
  steps_to_look_ = looked ? steps_between_looks : steps_to_look_ - 1;
  return looked;
}

void WorkIntegral::add(const Integrator& integrator, double from, double to) {
  count(1, as_finely_as_needed(integrator, from, to));
  pass_look();
  ended_ = nullptr;
}

// The quadrature at instants that the integrator knows anyway. Just before a limit inputs are still those of the step.
bool WorkIntegral::at_known_instants(const Integrator& integrator, double limit, Workspace* at_end, Powers& work) {
  const KnowsInstants* knows = knows_instants(integrator);
  if (!knows || !knows->known_instants(instants_)) return false;
  const double begin = integrator.previous().time, end = integrator.state().time, length = end - begin;
  work = {};
  for (std::size_t k = 0; k < KnownInstants::count; ++k) {
    const State& at = instants_.states[k];
    const bool last = k + 1 == KnownInstants::count;
    const bool known = k == 0 && instants_.begins_with_step && ended_ == &integrator && end_time_ == begin;
    const double time = last && end >= limit ? std::nextafter(end, begin) : at.time;
    const Powers now =
        known ? end_ : powers(at, time, instants_.accelerations[k], last && at_end ? *at_end : *workspace_);
    work.input += instants_.weights[k] * length * now.input;
    work.lost += instants_.weights[k] * length * now.lost;
    work.turnover += instants_.weights[k] * length * now.turnover;
    if (last) end_ = now;
  }
  end_time_ = end;
  ended_ = end < limit ? &integrator : nullptr;
  return true;
}

// `steps` of them that nobody has looked at, and one that is off by so much.
void WorkIntegral::Doubt::note(double steps, double off) {
  sum += steps * off;
  squares += steps * steps * off * off;
}

// What may have added up after so many more steps: every look stands for the steps before it.
double WorkIntegral::Doubt::most(double off, double steps) const {
  constexpr double deviations = 2;
  return std::abs(sum) + deviations * std::sqrt(squares + steps * steps * off * off);
}

// Known instants serve as long as what they have missed, and may miss until the next look, is a tenth of what the
// balance may be open by.
void WorkIntegral::compare(const Powers& known, const Powers& exact) {
  constexpr double share = 1e-5, steps_between_looks = 16;
  const double input = known.input - exact.input, lost = known.lost - exact.lost;
  input_doubt_.note(steps_unseen_, input);
  loss_doubt_.note(steps_unseen_, lost);
  steps_unseen_ = 0;
  const double most = input_doubt_.most(input, steps_between_looks) + loss_doubt_.most(lost, steps_between_looks);
  trusts_instants_ = !nothing_free_ && exact.turnover > 0 && most <= share * judged_turnover_;
  if (trusts_instants_) steps_to_look_ = static_cast<int>(steps_between_looks);
}

// What a look has found holds for steps that are not much longer, and as long as inputs do not jump.
void WorkIntegral::forget_look(double length) {
  constexpr double longer = 1.2;
  if (trusts_instants_ && ended_ && length <= longer * looked_length_) return;
  trusts_instants_ = false;
}

void WorkIntegral::add_step(const Integrator& integrator, double limit, Workspace* at_end) {
  const bool looks = steps_to_look_ == 0;
  const double length = integrator.state().time - integrator.previous().time;
  forget_look(length);
  Powers known;
  const bool knows = (looks || trusts_instants_) && at_known_instants(integrator, limit, at_end, known);
  if (!knows) ended_ = nullptr;
  if (knows && !looks) {
    --steps_to_look_;
    ++steps_unseen_;
    return count(1, known);
  }
  const Powers exact = as_finely_as_needed(integrator, integrator.previous().time, integrator.state().time);
  count(1, exact);
  if (pass_look() && knows) {
    looked_length_ = length;
    compare(known, exact);
  }
}

// Steps between samples are short, and the mechanism at their ends is known anyway: Simpson's rule, which needs it at
// one more instant only. At the end the inputs are still those of the step.
void WorkIntegral::add_short_step(const Powers& begin, const Integrator& integrator, Workspace& at_end) {
  const double from = integrator.previous().time;
  const State& end = integrator.state();
  const double sixth = (end.time - from) / 6;
  count(sixth, begin);
  State& middle = probes_[1];
  integrator.interpolate(from + 3 * sixth, middle);
  count(4 * sixth, powers(middle, middle.time, accelerations_, *workspace_));
  const double before = std::nextafter(end.time, from);
  count(sixth, powers(end, before, integrator.accelerations(), at_end));
}

double WorkIntegral::dissipated() const {
  return dissipation_known_ ? dissipated_ : std::numeric_limits<double>::quiet_NaN();
}

void WorkIntegral::add_impact(double work) {
  input_work_ += work;
  turnover_ += std::abs(work);
}

void WorkIntegral::restart() {
  parts_ = 1;
  steps_to_look_ = 0;
  trusts_instants_ = false;
  steps_unseen_ = judged_turnover_ = 0;
  input_doubt_ = loss_doubt_ = {};
  ended_ = nullptr;
}

void WorkIntegral::set(double input_work, double dissipated) {
  input_work_ = input_work;
  dissipated_ = dissipated;
}

}  // namespace lithe
