// Power that drives and loads put into a mechanism.
#pragma once

#include "lithe/formulate/contract/equations.h"

namespace lithe {

// Joint forces times joint rates, nodal loads times node velocities, and the drives of prescribed motions; NaN when the
// formulation does not tell a prescribed drive's force.
double input_power(const Equations& equations, const State& state, const Inputs& inputs,
                   const Accelerations& accelerations, Workspace& workspace);

}  // namespace lithe
