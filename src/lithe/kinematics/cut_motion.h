// Coordinates of cut joints, as an encoder there would read them. They are functions of β, not coordinates themselves.
#pragma once

#include "lithe/kinematics/closure.h"

namespace lithe {

// One entry per freedom of the joint, the others zero. Angles in (-π, π]; spherical and free joints with their
// reference at identity.
struct CutMotion {
  Vector6 value = Vector6::Zero(), rate = Vector6::Zero(), acceleration = Vector6::Zero();
};

// After update_position; closed loops assumed.
Vector6 cut_values(const CutJoint& cut, const KinematicState& state);
// After update_velocity and update_acceleration.
CutMotion cut_motion(const CutJoint& cut, const KinematicState& state);
// Rates of the freedoms per unit rate of the loop's coordinates: freedoms x CutJoint::coordinates, after
// update_position. A torque on freedom k of the cut joint does work on β through its transposed row k.
void cut_jacobian(const Mechanism& mechanism, const CutJoint& cut, const KinematicState& state, ClosureBlock jacobian);

}  // namespace lithe
