// What the coordinates of a spanning tree ask of a model.
#pragma once

#include "lithe/kinematics/mechanism.h"

namespace lithe {

// A joint that closes a loop has no coordinate, so nothing can act on it; the tree keeps driven joints wherever it can.
// Throws InputError with every joint that is driven or sprung nevertheless.
void refuse_actions_on_cut_joints(const Model& model, const Mechanism& mechanism);

}  // namespace lithe
