// Joints between frames that move in space: the directions a joint constrains and the freedoms it leaves, as rows that
// act on the relative velocity of its two sides (docs/theory/floating_frame.md, section 4).
#pragma once

#include <array>

#include "lithe/formulate/absolute_body.h"
#include "lithe/model/model.h"

namespace lithe {

// One scalar function of the relative pose: rate = translation · ḋ + rotation · w, both in F.
struct JointRow {
  Vector3 translation = Vector3::Zero(), rotation = Vector3::Zero();
  double value = 0, rate = 0;
  double bias = 0;  // acceleration when both bodies' ν̇ = 0
};

// The child's joint frame M as seen from the parent's, F.
struct RelativeJointMotion {
  Matrix3 F;                  // world axes of F
  Vector3 apart;              // from F to M, world axes
  Matrix3 R;                  // R_FM
  Vector3 d, d_rate, d_bias;  // Fᵀ (p_M - p_F) and derivatives; biases are accelerations when both ν̇ = 0
  Vector3 w, w_bias;          // relative angular velocity in F and the derivative of its components
};
// `axes` turn from the node's axes to the joint frame's.
RelativeJointMotion relative_motion(const NodeFrame& parent, const Matrix3& parent_axes, const NodeFrame& child,
                                    const Matrix3& child_axes);

// Directions that a joint constrains: translations along axes of F, then misalignments.
int num_constraint_rows(JointType type);
JointRow constraint_row(JointType type, int row, const RelativeJointMotion& motion);

// Coordinates of a joint's freedoms; angles in (-π, π].
using FreedomRows = std::array<JointRow, 6>;
void freedom_rows(JointType type, const RelativeJointMotion& motion, FreedomRows& rows);

// Rows of the Jacobian on both sides for the row (t, u): on the child (F t, F u), on the parent the opposite, with the
// moment of the distance between the two frames.
void row_on_child(const JointRow& row, const RelativeJointMotion& motion, Vector3& force, Vector3& torque);
void row_on_parent(const JointRow& row, const RelativeJointMotion& motion, Vector3& force, Vector3& torque);

}  // namespace lithe
