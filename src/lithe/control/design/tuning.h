// Automatic tuning of PID gains on a linear model. docs/theory/control.md.
#pragma once

#include <string>
#include <vector>

#include "lithe/control/linear/state_space.h"
#include "lithe/model/control_setup.h"

namespace lithe {

// The controller from errors' negatives (measurements) to -u, one axis per actuator; `filter_time` of the derivative.
StateSpace pid_system(const std::vector<PidGains>& gains, double filter_time, double sample_time);

// Tuned gains, and what they reach.
struct PidTuning {
  bool found = false;
  std::string message;
  std::vector<PidGains> gains;
  double filter_time = 0;    // s, of the derivative
  double settling_time = 0;  // s, until the tracked outputs stay within 2 % of their peak after an impulse of torque
};

// What the tuning is to reach: a settling time or a bandwidth.
struct PidGoal {
  double settling_time = 0;  // s; or
  double bandwidth = 0;      // Hz
  double filter_time = 0;    // s, of the derivative
  double sample_time = 1e-3;
  int delay_steps = 0;
  std::vector<double> other_filter_times = {};  // tried where the first one does not do
};

// Whether the sampled loops of all plants are stable, and still are with gains half as large again.
bool is_robust(const std::vector<StateSpace>& plants, const std::vector<int>& tracked, const PidTuning& tuned,
               const PidGoal& goal);

// A rigid axis of inertia J: three poles at 4/T (or 2π bandwidth), the pair with a damping ratio of 0.7.
PidGains place_poles(double inertia, double speed);

// Starts from the poles of the rigid axes, whose inertias are those of target_maps(), then searches three factors
// common to all axes so that the sampled loop with all modes of the model comes to rest in the settling time after an
// impulse of torque, its integral part soon enough, too, and the loop stays stable with gains half as large again;
// among such gains small ones. Where that cannot be reached longer times are tried, and the message tells which one
// was. `plants`: the axes at several configurations, the first where they start; one set of gains for all of them.
PidTuning tune_pid(const std::vector<StateSpace>& plants, const std::vector<int>& tracked, const PidGoal& goal);
inline PidTuning tune_pid(const StateSpace& plant, const std::vector<int>& tracked, const PidGoal& goal) {
  return tune_pid(std::vector<StateSpace>{plant}, tracked, goal);
}

}  // namespace lithe
