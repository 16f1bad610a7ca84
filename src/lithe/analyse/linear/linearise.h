// Linear models about a state: a configuration that drives hold, an equilibrium, a steady motion or a point of a
// trajectory. docs/linearise.md, docs/theory/linearisation.md.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/linear/linear_results.h"

namespace lithe {

// Something that acts: the force on a joint freedom, or a load of the model (its factor).
struct LinearInput {
  int joint = -1, freedom = 0;
  int load = -1;
  Channel signal;
};

// The forces of drives and the loads of the model; without any, the force on every joint freedom that moves freely.
std::vector<LinearInput> default_inputs(const Equations& equations);
// By the name of a drive, a load, a joint or a freedom of a joint ("wrist.2"). Throws InputError for unknown names.
std::vector<LinearInput> inputs_by_name(const Equations& equations, const std::vector<std::string>& names);

enum class LinearAbout {
  held,    // accelerations are zero: drives hold what is no equilibrium by itself
  motion,  // the state's own accelerations
};

// A linear model, or why there is none.
struct LinearResult {
  EvaluationStatus status = EvaluationStatus::ok;
  LinearModel model;
  std::string message;  // where there is no model: why
};

// Sensors of the model are the outputs. With `inputs` the drives, loads and prescribed rates that act at the state.
LinearResult linearise(const Equations& equations, State state, const Inputs& inputs,
                       const std::vector<LinearInput>& linear_inputs, LinearAbout about);

// M, C and K alone: without inputs and outputs.
LinearResult linearise_coordinates(const Equations& equations, State state, const Inputs& inputs, LinearAbout about);

// ẋ = A x + B u, y = C x + D u with x = (δx, δẋ).
StateSpace state_space(const LinearModel& model);

}  // namespace lithe
