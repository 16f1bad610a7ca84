// Joints between frames that move in space: the directions a joint constrains and the freedoms it leaves, as rows that
// act on the relative velocity of its two sides (docs/theory/floating_frame.md, section 4). Scalars may carry
// derivatives; joint_rows_inl.h has the definitions.
#pragma once

#include <array>

#include "lithe/formulate/joints/node_frame.h"
#include "lithe/formulate/numerics/rotation_vector.h"
#include "lithe/model/model.h"

namespace lithe {

// One scalar function of the relative pose: rate = translation · ḋ + rotation · w, both in F.
template <class S>
struct JointRowOf {
  Vector3Of<S> translation = Vector3Of<S>::Zero(), rotation = Vector3Of<S>::Zero();
  S value{0.0}, rate{0.0};
  S bias{0.0};  // acceleration when both bodies' ν̇ = 0
};
using JointRow = JointRowOf<double>;

// The child's joint frame M as seen from the parent's, F.
template <class S>
struct RelativeJointMotionOf {
  Matrix3Of<S> F;                  // world axes of F
  Vector3Of<S> apart;              // from F to M, world axes
  Matrix3Of<S> R;                  // R_FM
  Vector3Of<S> d, d_rate, d_bias;  // Fᵀ (p_M - p_F) and derivatives; biases are accelerations when both ν̇ = 0
  Vector3Of<S> w, w_bias;          // relative angular velocity in F and the derivative of its components
};
using RelativeJointMotion = RelativeJointMotionOf<double>;
// `axes` turn from the node's axes to the joint frame's. A node is anything with the motion of a NodeFrame.
template <class S, class Node>
RelativeJointMotionOf<S> relative_motion(const Node& parent, const Matrix3& parent_axes, const Node& child,
                                         const Matrix3& child_axes);

// Directions that a joint constrains: translations along axes of F, then misalignments.
int num_constraint_rows(JointType type);
template <class S>
JointRowOf<S> constraint_row(JointType type, int row, const RelativeJointMotionOf<S>& motion);

// Coordinates of a joint's freedoms; angles in (-π, π].
template <class S>
using FreedomRowsOf = std::array<JointRowOf<S>, 6>;
using FreedomRows = FreedomRowsOf<double>;
template <class S>
void freedom_rows(JointType type, const RelativeJointMotionOf<S>& motion, FreedomRowsOf<S>& rows);

// The relative angular velocity along axis k of the child's joint frame, which a damper of spherical and free joints
// feels; it is no coordinate's rate, so that there is no value.
template <class S>
JointRowOf<S> turning_row(int k, const RelativeJointMotionOf<S>& motion) {
  JointRowOf<S> row;
  row.rotation = motion.R.col(k);
  row.rate = row.rotation.dot(motion.w);
  return row;
}

// Rows of the Jacobian on both sides for the row (t, u): on the child (F t, F u), on the parent the opposite, with the
// moment of the distance between the two frames.
template <class S>
void row_on_child(const JointRowOf<S>& row, const RelativeJointMotionOf<S>& motion, Vector3Of<S>& force,
                  Vector3Of<S>& torque);
template <class S>
void row_on_parent(const JointRowOf<S>& row, const RelativeJointMotionOf<S>& motion, Vector3Of<S>& force,
                   Vector3Of<S>& torque);

}  // namespace lithe
