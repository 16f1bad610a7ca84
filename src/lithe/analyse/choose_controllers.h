// Which controllers of a model act, by their names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lithe/analyse/control/make_control.h"
#include "lithe/analyse/motion/control_loop.h"
#include "lithe/formulate/contract/equations.h"

namespace lithe {

// Indices of the named controllers; none for no names. Throws InputError for an unknown name.
std::vector<int> chosen_controllers(const Model& model, const std::vector<std::string>& names);

// Those that act in a simulation: the named ones, without names those that the file calls active; none for "none".
std::vector<int> acting_controllers(const Model& model, const std::vector<std::string>& names);

// Those that a study compares: these, or all where there are none.
std::vector<int> studied_controllers(const Model& model, std::vector<int> chosen);

// The loop of those that act, designed about the equilibrium at the start; null when none acts.
std::shared_ptr<ControlLoop> acting_control(const Equations& equations, const std::vector<std::string>& names,
                                            const ExternalFactory& external);

}  // namespace lithe
