// Work of inputs and loss in dampers along a motion, and what they are judged by. docs/simulate.md, "Energy balance".
#pragma once

#include <array>
#include <functional>

#include "lithe/integrate/integrator.h"

namespace lithe {

class WorkIntegral {
 public:
  // `inputs` fills everything that acts at a time and state. With `prescribes_motion`, powers need accelerations.
  WorkIntegral(const Equations& equations, InputFunction inputs, bool prescribes_motion);

  // The two powers at an instant; turnover: of both, whatever their signs.
  struct Powers {
    double input = 0, lost = 0, turnover = 0;
  };
  Powers powers(const State& state, double time, const Accelerations& accelerations, Workspace& workspace);

  // A piece of the integrator's last step, from its beginning.
  void add(const Integrator& integrator, double from, double to);
  // The whole last step, short, of known inputs: from its beginning's powers and its end as the integrator has it.
  void add_short_step(const Powers& begin, const Integrator& integrator, Workspace& at_end);
  void add_impact(double work);
  void restart();  // nothing of what was learnt about steps may matter any more

  double input_work() const { return input_work_; }
  double dissipated() const;  // NaN: the formulation does not tell
  double turnover() const { return turnover_; }
  // Work from before, of a run that goes on.
  void set(double input_work, double dissipated);

 private:
  double probe(const Integrator& integrator, double from, double to);
  Powers in_parts(const Integrator& integrator, double from, double to, int parts);
  void count(double seconds, const Powers& powers);

  const Equations& equations_;
  InputFunction apply_inputs_;
  bool prescribes_motion_, dissipation_known_ = true;
  bool nothing_free_ = false;  // all motion is prescribed
  std::unique_ptr<Workspace> workspace_;
  Inputs inputs_;
  Accelerations accelerations_;
  std::array<State, 3> probes_;
  int parts_ = 1, steps_to_look_ = 0;
  double input_work_ = 0, dissipated_ = 0, turnover_ = 0;
};

}  // namespace lithe
