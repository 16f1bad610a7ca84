// How the rigid mechanism beside an elastic one moves with its coordinates: elastic displacements are counted from it.
#pragma once

#include <vector>

#include "lithe/kinematics/position.h"

namespace lithe {

// (shift of the origin, turn) of a link's frame in world axes for small changes of the tree coordinates, one per
// column. Of coordinates in loops only the independent ones count, the others close the loops. After update_position
// at closed loops; overwrites velocities.
Matrix6X rigid_link_jacobians(const Mechanism& mechanism, const std::vector<bool>& independent, MatrixX changes,
                              int link, KinematicState& state);

// Of the displacement of a point at `arm` (world axes) from the link's frame, and of the rotation vector from the
// link's axes R to the node's F: rows 0 to 2 and 3 to 5. `node` and `link` are small motions as above.
Matrix6X displacement_jacobians(const Matrix3& R, const Vector3& arm, const Matrix6X& link, const Matrix3& F,
                                const Matrix6X& node);

}  // namespace lithe
