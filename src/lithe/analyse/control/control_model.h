// The linear model that controllers are designed on: modes of the mechanism about the equilibrium where a move starts.
#pragma once

#include <string>
#include <vector>

#include "lithe/control/linear/state_space.h"
#include "lithe/formulate/contract/equations.h"
#include "lithe/model/control_setup.h"

namespace lithe {

// The equilibrium and the matrices of the design.
struct ControlModel {
  bool found = false;
  std::string message;
  State equilibrium;            // links sagged, actuators held where they were, springs of other joints settled
  double settled_by = 0;        // largest move of a joint coordinate on the way there, rad or m
  MatrixX actuated;             // forces of the actuators along the joint coordinates
  VectorX inputs;               // of the actuators, that hold it
  VectorX measurements;         // of the sensors there
  StateSpace plant;             // deviations; states: modal coordinates times √stiffness (or 1), then modal speeds
  VectorX frequencies;          // Hz, of the modes of the plant; 0 for an unstable or free one
  double locked_frequency = 0;  // Hz, of the slowest mode with the actuators locked; 0: there is none
};

// `num_modes`: flexible modes kept besides those of the joints, of those that the actuators reach; negative: all. Needs
// equations in independent coordinates (erls-cms, erls-fem).
ControlModel control_model(const Equations& equations, const State& start, const std::vector<Actuator>& actuators,
                           const std::vector<int>& sensors, int num_modes);

}  // namespace lithe
