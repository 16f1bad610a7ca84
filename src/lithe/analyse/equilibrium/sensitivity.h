// The matrix of sensitivity coefficients S(q) of [EVO] (3)-(5): motion of all nodes of the equivalent rigid-link system
// per unit of each free coordinate, dr = S dq, with the loops closed. docs/linearise.md.
#pragma once

#include "lithe/analyse/linear/linear_results.h"

namespace lithe {

// At a state of equations in independent coordinates, whose links are taken as rigid.
Sensitivity sensitivity(const Equations& equations, const State& state);

}  // namespace lithe
