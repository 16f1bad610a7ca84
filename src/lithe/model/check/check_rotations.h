// Nodes of solid elements have no rotations: what needs one there is an error.
#pragma once

#include "lithe/model/model.h"

namespace lithe {

// For messages: why a node has none, and what to write instead.
inline constexpr const char* without_rotations =
    "nodes of solid elements only translate; hold the nodes of the bearing by a spider, [[links.interfaces]], and use "
    "its node";

// Joints, torques, inertias, sensors and targets at such nodes. A ball or free joint is possible there while nothing
// acts on its angles and nobody reads them.
void check_rotations(const Model& model, Diagnostics& diagnostics);

}  // namespace lithe
