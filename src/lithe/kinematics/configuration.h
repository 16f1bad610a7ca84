// The initial configuration: joint values that the user gave, loops closed, links where pose targets want them.
#pragma once

#include <string>
#include <vector>

#include "lithe/kinematics/closure.h"
#include "lithe/kinematics/independent.h"

namespace lithe {

struct TargetReport {
  bool reached = true;
  double distance = 0;  // m, that remains
  double angle = 0;     // rad, that remains; 0 for a target without orientation
};

struct ConfigurationReport {
  ClosureReport closure;
  std::vector<TargetReport> targets;  // as in InitialConfiguration::targets
  std::vector<int> moved;             // β of given values that had to move to close the loops
  double largest_move = 0;            // of those, rad or m
  int num_iterations = 0;
  std::string message;  // sentences about what was not met; empty when all was

  bool targets_reached() const;
};

// Moves the coordinates without a given value until loops are closed and targets reached; given values move only if
// loops cannot be closed otherwise. What cannot be met is met as nearly as possible, loops first.
ConfigurationReport solve_configuration(const Mechanism& mechanism, const Model& model, Configuration& configuration);

// From the joints' initial values. Throws InputError at the joint or target that cannot be met, or where given values
// contradict each other by more than rounding in the file explains (0.01 rad or 1 % of the mechanism's length).
Configuration initial_configuration(const Mechanism& mechanism, const Model& model);

// β̇ that obeys the loops and has the joints' initial speeds where they are not zero; the smallest such θ̇. Throws
// InputError where the loops forbid those speeds.
VectorX initial_rates(const Mechanism& mechanism, const Model& model, const IndependentCoordinates& coordinates,
                      const Configuration& configuration);

}  // namespace lithe
