// From a reduced model and its mechanism to the tree that the recursions run over.
#pragma once

#include <vector>

#include "lithe/formulate/erls/tree/tree.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/reduce/reduce.h"

namespace lithe {

// `displaced_coordinates[c]`: the elastic displacement ε_c along that freedom may be nonzero (a dependent joint of a
// loop, or a minimum-norm gauge). `second_order`: deformed nodes carry the frames instead, and beams keep their length.
ErlsTree build_erls_tree(const ReducedModel& reduced, const Mechanism& mechanism,
                         const std::vector<char>& displaced_coordinates, bool second_order);

}  // namespace lithe
