// Joint limits as stiff damped springs that act beyond the limit and push, never pull.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lithe/formulate/contract/equations.h"
#include "lithe/integrate/events.h"

namespace lithe {

// One side of a limit. Touching and leaving are events, so that no step runs across the kink of the force.
struct EndStop {
  int joint = 0, freedom = 0;
  double limit = 0;
  double side = 1;  // +1: upper limit, -1: lower
  double stiffness = 0, damping = 0;
  bool touched = false;
  std::string name;  // "shoulder: upper limit"
};

class EndStopSet {
 public:
  // All limits of the model; stiffness from the inertia that the joint feels in the initial configuration with rigid
  // links: k = m (2πf)². With elastic ones it would be that of the joint's surroundings alone, less the more modes
  // there are.
  EndStopSet(const Equations& equations, const State& state, const Inputs& inputs, double frequency,
             double damping_ratio);
  std::vector<EndStop>& stops() { return stops_; }
  bool empty() const { return stops_.empty(); }
  // How far the joint is beyond the limit, and how fast it moves on.
  SignalValue penetration(const EndStop& stop, const State& state, const Inputs& inputs) const;
  // Positive while the stop pushes: the penetration or, where the damper would make the stop pull, its force over its
  // stiffness.
  double pressure(const EndStop& stop, const State& state, const Inputs& inputs) const;
  // Whether each stop is touched, from the pressure at a state.
  void update(const State& state, const Inputs& inputs);
  // Adds the forces of the touched stops.
  void add_forces(const State& state, Inputs& inputs) const;

 private:
  void set_stiffness(const State& state, const Inputs& inputs, double frequency, double damping_ratio);

  const Equations& equations_;
  std::vector<EndStop> stops_;
  std::unique_ptr<Workspace> workspace_;
  Accelerations zero_;
};

}  // namespace lithe
