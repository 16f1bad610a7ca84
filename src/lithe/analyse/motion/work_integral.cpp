#include "lithe/analyse/motion/work_integral.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lithe/analyse/observe/input_power.h"
#include "lithe/integrate/capabilities.h"
#include "lithe/integrate/exponential/oscillator_moments.h"

namespace lithe {

WorkIntegral::WorkIntegral(const Equations& equations, InputFunction inputs, bool prescribes_motion)
    : equations_(equations),
      apply_inputs_(std::move(inputs)),
      prescribes_motion_(prescribes_motion),
      workspace_(equations.make_workspace()),
      inputs_(make_inputs(equations.model())) {
  accelerations_.values.setZero(equations.num_coordinates());
  for (State& probe : probes_) {
    probe.coordinates.setZero(equations.num_coordinates());
    probe.speeds.setZero(equations.num_coordinates());
  }
}

WorkIntegral::Powers WorkIntegral::powers(const State& state, double time, const Accelerations& accelerations,
                                          Workspace& workspace) {
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
}

// The motion at the Gauss points of a part of the last step, where that may be unresolved without its vibrations.
double WorkIntegral::probe(const Integrator& integrator, double from, double to) {
  if (const SmoothedSteps* smoothed = smoothed_steps(integrator)) return smoothed->smooth(from, to, probes_);
  for (std::size_t k = 0; k < 3; ++k) integrator.interpolate(from + gauss_nodes[k] * (to - from), probes_[k]);
  return 0;
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
      if (prescribes_motion_) {
        apply_inputs_(probe.time, probe, inputs_);
        equations_.evaluate(probe, inputs_, *workspace_, accelerations_);  // for its drives' forces
      }
      const Powers now = powers(probe, probe.time, accelerations_, *workspace_);
      work.input += gauss_weights[k] * length * now.input;
      work.lost += gauss_weights[k] * length * now.lost;
      work.turnover += gauss_weights[k] * length * now.turnover;
    }
  }
  return work;
}

// Steps can be much longer than what forces vary in: those of the exponential method, and where all motion is
// prescribed. Every few steps, twice as many parts tell whether these are enough.
void WorkIntegral::add(const Integrator& integrator, double from, double to) {
  constexpr int most_parts = 32, steps_between_looks = 8;
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
  steps_to_look_ = steps_to_look_ > 0 ? steps_to_look_ - 1 : steps_between_looks;
  count(1, work);
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
}

void WorkIntegral::set(double input_work, double dissipated) {
  input_work_ = input_work;
  dissipated_ = dissipated;
}

}  // namespace lithe
