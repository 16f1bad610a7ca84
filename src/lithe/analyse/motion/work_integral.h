// Work of inputs and loss in dampers along a motion, and what they are judged by. docs/simulate.md, "Energy balance".
#pragma once

#include <array>
#include <functional>

#include "lithe/integrate/integrator.h"
#include "lithe/integrate/known_instants.h"

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
  // The whole last step, with a workspace that knows its end (null: none does). Inputs may jump at `limit`.
  void add_step(const Integrator& integrator, double limit, Workspace* at_end);
  // The whole last step, short, of known inputs: from its beginning's powers and its end as the integrator has it.
  void add_short_step(const Powers& begin, const Integrator& integrator, Workspace& at_end);
  void add_impact(double work);
  void restart();  // nothing of what was learnt about steps may matter any more

  double input_work() const { return input_work_; }
  double dissipated() const;  // NaN: the formulation does not tell
  double turnover() const { return turnover_; }
  // What looking at powers has cost so far, in evaluations.
  double cost() const { return cost_; }
  // Work from before, of a run that goes on.
  void set(double input_work, double dissipated);

 private:
  // How far the quadrature at known instants is off, as looks at some of its steps tell.
  struct Doubt {
    double sum = 0, squares = 0;
    void note(double steps, double off);
    double most(double off, double steps) const;
  };
  double probe(const Integrator& integrator, double from, double to);
  void find_accelerations(const Integrator& integrator, const State& probe);
  Powers in_parts(const Integrator& integrator, double from, double to, int parts);
  bool pass_look();
  Powers as_finely_as_needed(const Integrator& integrator, double from, double to);
  bool at_known_instants(const Integrator& integrator, double limit, Workspace* at_end, Powers& work);
  void compare(const Powers& known, const Powers& exact);
  void forget_look(double length);
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
  KnownInstants instants_;
  bool trusts_instants_ = false;
  double steps_unseen_ = 0;   // at known instants, since the last look
  double looked_length_ = 0;  // of the step that it was at
  Doubt input_doubt_, loss_doubt_;
  double judged_turnover_ = 0;         // since restart()
  Powers end_;                         // of the last step
  double end_time_ = 0;                // that end_ belongs to
  const Integrator* ended_ = nullptr;  // whose step; null: inputs may jump there
  double input_work_ = 0, dissipated_ = 0, turnover_ = 0, cost_ = 0;
};

}  // namespace lithe
