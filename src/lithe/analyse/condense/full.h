// The mechanism's mesh without superelements: the direct route of condensation, and the uncondensed model to compare
// with.
#pragma once

#include "lithe/analyse/condense/condense.h"

namespace lithe {

// All inner nodes, joint freedoms and further roots eliminated at once from the links' meshes.
CondensedModel condense_directly(const Condenser& condenser, const Configuration& configuration);

// Natural frequencies and the tool's compliance of the mesh on its joints.
FullModel full_model(const Condenser& condenser, const Configuration& configuration, int count);

}  // namespace lithe
