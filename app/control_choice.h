// The controllers that act in a simulation, with the user's consent to programs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lithe/analyse/choose_controllers.h"

namespace lithe::app {

// lithe::acting_control(), behind the question whether programs may start.
std::shared_ptr<ControlLoop> active_control(const Equations& equations, const std::vector<std::string>& names);

}  // namespace lithe::app
