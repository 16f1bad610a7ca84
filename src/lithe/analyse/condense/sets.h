// The sets of nodes of [SC] section 3.1 and its connection rule (8), n_O = n_J - n_c, counted for a condensation.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/condense/condense.h"

namespace lithe {

NodeSets node_sets(const Condenser& condenser);

// Displacement and rotation of an imposed node; NaN: that component is free.
inline Vector6 imposed_components(const ImposedDisplacement& imposed) {
  return (Vector6() << imposed.displacement, imposed.rotation).finished();
}

}  // namespace lithe
