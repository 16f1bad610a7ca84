// Automatic tuning of PID gains on a linear model. docs/theory/control.md.
#pragma once

#include <string>
#include <vector>

#include "lithe/control/state_space.h"

namespace lithe {

struct PidGains {
  double proportional = 0, integral = 0, derivative = 0;
};

// The controller from errors' negatives (measurements) to -u, one axis per actuator; `filter_time` of the derivative.
StateSpace pid_system(const std::vector<PidGains>& gains, double filter_time, double sample_time);

struct PidTuning {
  bool found = false;
  std::string message;
  std::vector<PidGains> gains;
  double settling_time = 0;  // s, until the tracked outputs stay within 2 % of their peak after an impulse of torque
};

struct PidGoal {
  double settling_time = 0;  // s; or
  double bandwidth = 0;      // Hz
  double filter_time = 0;    // s, of the derivative
  double sample_time = 1e-3;
  int delay_steps = 0;
};

// A rigid axis of inertia J: three poles at 4/T (or 2π bandwidth), the pair with a damping ratio of 0.7.
PidGains place_poles(double inertia, double speed);

// Starts from the poles of the rigid axes, whose inertias are those of target_maps(), then searches three factors
// common to all axes so that the sampled loop with all modes of the model comes to rest in the settling time after an
// impulse of torque, and among such gains small ones. Where that cannot be reached, `settling_time` tells what was.
PidTuning tune_pid(const StateSpace& plant, const std::vector<int>& tracked, const PidGoal& goal);

}  // namespace lithe
