// From the controllers of a model to blocks of a simulation: linear model, design, tuning. docs/control.md.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lithe/control/controller.h"
#include "lithe/control/linear/state_space.h"
#include "lithe/formulate/contract/equations.h"
#include "lithe/model/control_setup.h"

namespace lithe {

class ControlLoop;          // analyse/motion/control_loop.h
struct StiffenedEquations;  // analyse/stability/stiffening.h

// The linear model that controllers are designed on: modes of the mechanism about the equilibrium where a move starts.
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

// A design at one configuration.
struct ConfigurationDesign {
  ControlModel model;           // that it was designed on
  StateSpace controller;        // sampled, from measurements to -u; no states and inputs: not linear (external)
  std::vector<PidGains> gains;  // of a PID controller
  double filter_time = 0;       // of its derivatives, s
};

// What a design found out: at the start, and with gain scheduling at further configurations.
struct ControllerDesign : ConfigurationDesign {
  std::string name;
  std::vector<ConfigurationDesign> further;
  double shaper_frequency = 0;     // Hz; 0: no shaper
  std::vector<std::string> notes;  // what the user should know
};

// Controllers `which` of equations.model().control, designed about the equilibrium near `start`. Needs equations in
// independent coordinates; the loop then serves any formulation of the same model. Throws InputError, at the
// controller's place in the file, when a design fails.
std::shared_ptr<ControlLoop> make_control_loop(const Equations& equations, const State& start,
                                               const std::vector<int>& which,
                                               std::vector<ControllerDesign>* designs = nullptr,
                                               const ExternalFactory& external = {});

// Models at configurations as far from each other as possible along the references of a controller, the first at
// `start`: that one alone where the references stand still or never end. Configurations out of reach are left out.
std::vector<ControlModel> models_along(const Equations& equations, const State& start, const ControllerSetup& setup,
                                       int num_configurations, int num_modes);

// Equations to design on: with geometric stiffening where it matters in the mechanism held at rest, at `start` or along
// the references of the controllers `which`. None where those that are given do. Their states begin with start_state().
StiffenedEquations stiffened_for_design(const Equations& equations, const State& start, const std::vector<int>& which);

// The poles of the sampled loop of a design around a linear model (its own, or one with more modes), in 1/s: ln z / T.
Eigen::VectorXcd closed_loop_rates(const ConfigurationDesign& design, const ControllerSetup& setup,
                                   const StateSpace& plant);

}  // namespace lithe
