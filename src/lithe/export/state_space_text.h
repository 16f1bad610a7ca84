// A linear system as source text: a C header for a microcontroller, arrays for Python.
#pragma once

#include <string>

#include "lithe/control/linear/state_space.h"

namespace lithe {

// `name` becomes part of identifiers: letters, digits and '_' stay.
std::string c_header(const StateSpace& system, const std::string& name);
std::string python_module(const StateSpace& system, const std::string& name);

}  // namespace lithe
