// The controllers that act in a simulation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lithe/analyse/motion/control_loop.h"
#include "lithe/formulate/contract/equations.h"

namespace lithe::app {

// Indices of the named controllers; none for no names. Throws InputError for an unknown name.
std::vector<int> chosen_controllers(const Model& model, const std::vector<std::string>& names);

// Those that act in a simulation: the named ones, without names those that the file calls active; none for "none".
std::vector<int> acting_controllers(const Model& model, const std::vector<std::string>& names);

// Those that `control` compares: these, or all where there are none.
std::vector<int> studied_controllers(const Model& model, std::vector<int> chosen);

// The loop of the named controllers, or without names of those that the file calls active; null when none acts ("none",
// or a model without controllers). They are designed about the equilibrium at the start.
std::shared_ptr<ControlLoop> active_control(const Equations& equations, const std::vector<std::string>& names);

}  // namespace lithe::app
