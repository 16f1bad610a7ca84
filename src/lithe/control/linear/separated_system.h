// A linear system with its integrators split off exactly. docs/theory/linearisation.md, section 6.
#pragma once

#include "lithe/control/linear/figures.h"

namespace lithe {

// Without integrators that no input reaches or no output sees.
SeparatedSystem reachable_integrators(const SeparatedSystem& system);

// The sum of two systems with the same inputs and outputs.
StateSpace sum(const StateSpace& one, const StateSpace& two);

}  // namespace lithe
