// From the controllers of a model to blocks of a simulation: linear model, design, tuning. docs/control.md.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lithe/analyse/control/control_model.h"
#include "lithe/control/controller.h"
#include "lithe/control/design/tuning.h"

namespace lithe {

class ControlLoop;  // analyse/motion/control_loop.h

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

// Makes controllers of type external, which the core does not know: make_external_controller of
// control/external_process.h.
using ExternalFactory = std::function<std::unique_ptr<Controller>(const ControllerSetup&)>;

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

// The poles of the sampled loop of a design around a linear model (its own, or one with more modes), in 1/s: ln z / T.
Eigen::VectorXcd closed_loop_rates(const ConfigurationDesign& design, const ControllerSetup& setup,
                                   const StateSpace& plant);

}  // namespace lithe
