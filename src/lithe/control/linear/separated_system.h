// A linear system with its integrators split off exactly. docs/theory/linearisation.md, section 6.
#pragma once

#include "lithe/control/linear/state_space.h"

namespace lithe {

// y = G_integrators u + G_rest u. Rigid-body motions that nothing holds are poles at exactly zero: where nothing damps
// them either, double integrators η̈ = b u; where a damper does, single ones ξ̇ = b u beside a stable pole of the rest.
struct SeparatedSystem {
  StateSpace integrators;  // states: positions and rates of the double ones, then the single ones; D = 0
  StateSpace rest;         // with D
  Eigen::Index num_double = 0, num_single = 0;

  StateSpace whole() const;  // the sum: integrators first
};

// Without integrators that no input reaches or no output sees.
SeparatedSystem reachable_integrators(const SeparatedSystem& system);

// The sum of two systems with the same inputs and outputs.
StateSpace sum(const StateSpace& one, const StateSpace& two);

}  // namespace lithe
