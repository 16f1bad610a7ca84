// From a reduced model and its mechanism to the tree that the recursions run over.
#pragma once

#include <vector>

#include "lithe/formulate/erls_tree.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/reduce/reduce.h"

namespace lithe {

// `displaced_coordinates[c]`: the elastic displacement ε_c along that freedom may be nonzero (a dependent joint of a
// loop, or a minimum-norm gauge).
// What bending takes from the length of the links' beams (docs/theory/erls_cms.md, section 10).
void bend_links(const ReducedModel& reduced, const Mechanism& mechanism, ErlsTree& tree);

ErlsTree build_erls_tree(const ReducedModel& reduced, const Mechanism& mechanism,
                         const std::vector<char>& displaced_coordinates);

}  // namespace lithe
