#include "lithe/formulate/joint_rows.h"

#include <Eigen/LU>
#include <cmath>

namespace lithe {
namespace {

struct Directions {
  int num_translations;
  std::array<int, 3> axes;
  int num_rotations;
};

Directions constrained(JointType type) {
  switch (type) {
    case JointType::fixed:
      return {3, {0, 1, 2}, 3};
    case JointType::revolute:
      return {3, {0, 1, 2}, 2};
    case JointType::prismatic:
      return {2, {0, 1, 2}, 3};
    case JointType::cylindrical:
      return {2, {0, 1, 2}, 2};
    case JointType::universal:
      return {3, {0, 1, 2}, 1};
    case JointType::spherical:
      return {3, {0, 1, 2}, 0};
    case JointType::planar:
      return {1, {2, 0, 1}, 2};
    case JointType::free:
      return {0, {0, 1, 2}, 0};
  }
  return {0, {0, 1, 2}, 0};
}

// Misalignment m e_i · (R e_j) with W for its rate W w: entry (i, j) of R, whose rate is that of w × R.
double entry(const Matrix3& R, int i, int j) { return R(i, j); }
Vector3 entry_row(const Matrix3& R, int i, int j) { return R.col(j).cross(Vector3(Vector3::Unit(i))); }

// Row k of the misalignment: for two rows the child's z stays along the parent's, for one the child's x stays normal to
// the parent's z, for three the skew part of R vanishes.
struct Misalignment {
  double value;
  Vector3 row;
};
Misalignment misalignment(int num_rows, int k, const Matrix3& R) {
  if (num_rows == 1) return {entry(R, 2, 0), entry_row(R, 2, 0)};
  if (num_rows == 2) return {entry(R, k, 2), entry_row(R, k, 2)};
  const int a = (k + 1) % 3, b = (k + 2) % 3;
  return {0.5 * (entry(R, b, a) - entry(R, a, b)), 0.5 * (entry_row(R, b, a) - entry_row(R, a, b))};
}

// Axes of F along which a joint slides and about which it turns, in the order of its freedoms (model.h).
struct Freedoms {
  int num_slides;
  std::array<int, 3> slides;
  int num_turns;
  std::array<int, 3> turns;
};

Freedoms freedoms(JointType type) {
  switch (type) {
    case JointType::fixed:
      return {0, {}, 0, {}};
    case JointType::revolute:
      return {0, {}, 1, {2}};
    case JointType::prismatic:
      return {1, {2}, 0, {}};
    case JointType::cylindrical:
      return {1, {2}, 1, {2}};
    case JointType::universal:
      return {0, {}, 2, {2, 0}};
    case JointType::spherical:
      return {0, {}, 3, {0, 1, 2}};
    case JointType::planar:
      return {2, {0, 1}, 1, {2}};
    case JointType::free:
      return {3, {0, 1, 2}, 3, {0, 1, 2}};
  }
  return {0, {}, 0, {}};
}

Vector3 angles(int num_turns, const Matrix3& R) {
  if (num_turns == 1) return {std::atan2(R(1, 0) - R(0, 1), R(0, 0) + R(1, 1)), 0, 0};
  if (num_turns == 2) return {std::atan2(R(1, 0), R(0, 0)), std::atan2(R(2, 1), R(2, 2)), 0};
  return {std::atan2(-R(1, 2), R(2, 2)), std::atan2(R(0, 2), std::hypot(R(0, 0), R(0, 1))),
          std::atan2(-R(0, 1), R(0, 0))};
}

// Rates of the angles are A⁻¹ w, with the axes as columns of A, completed to a basis; ẇ = A (accelerations) + Σ (turns
// before k) × A_k rate_k.
void turn_rows(const Freedoms& f, const RelativeJointMotion& m, FreedomRows& rows) {
  const Vector3 angle = angles(f.num_turns, m.R);
  Matrix3 A = Matrix3::Identity(), R = Matrix3::Identity();
  for (int k = 0; k < f.num_turns; ++k) {
    const Vector3 axis = Vector3::Unit(f.turns[k]);
    A.col(k) = R * axis;
    R = R * Eigen::AngleAxisd(angle[k], axis).toRotationMatrix();
  }
  if (f.num_turns == 1) A.col(1) = Vector3::UnitX(), A.col(2) = Vector3::UnitY();
  if (f.num_turns == 2) A.col(2) = A.col(0).cross(A.col(1));
  const Matrix3 inverse = A.inverse();
  const Vector3 rates = inverse * m.w;
  Vector3 before = Vector3::Zero(), carried = Vector3::Zero();
  for (int k = 0; k < f.num_turns; ++k) {
    const Vector3 own = A.col(k) * rates[k];
    carried += before.cross(own);
    before += own;
  }
  const Vector3 biases = inverse * (m.w_bias - carried);
  for (int k = 0; k < f.num_turns; ++k) {
    JointRow& row = rows[f.num_slides + k];
    row.translation.setZero();
    row.rotation = inverse.row(k);
    row.value = angle[k];
    row.rate = rates[k];
    row.bias = biases[k];
  }
}

}  // namespace

RelativeJointMotion relative_motion(const NodeFrame& parent, const Matrix3& parent_axes, const NodeFrame& child,
                                    const Matrix3& child_axes) {
  RelativeJointMotion m;
  m.F = parent.rotation * parent_axes;
  m.apart = child.position - parent.position;
  m.R = m.F.transpose() * child.rotation * child_axes;
  const Vector3& wF = parent.angular_velocity;
  const Vector3 drift = child.velocity - parent.velocity - wF.cross(m.apart);  // F ḋ
  m.d = m.F.transpose() * m.apart;
  m.d_rate = m.F.transpose() * drift;
  m.d_bias = m.F.transpose() * (child.acceleration_bias - parent.acceleration_bias -
                                parent.angular_bias.cross(m.apart) - wF.cross(wF.cross(m.apart)) - 2 * wF.cross(drift));
  const Vector3 w = child.angular_velocity - wF;
  m.w = m.F.transpose() * w;
  m.w_bias = m.F.transpose() * (child.angular_bias - parent.angular_bias - wF.cross(w));
  return m;
}

int num_constraint_rows(JointType type) {
  const Directions directions = constrained(type);
  return directions.num_translations + directions.num_rotations;
}

JointRow constraint_row(JointType type, int row, const RelativeJointMotion& m) {
  const Directions directions = constrained(type);
  JointRow result;
  if (row < directions.num_translations) {
    const int axis = directions.axes[row];
    result.translation = Vector3::Unit(axis);
    result.value = m.d[axis];
    result.rate = m.d_rate[axis];
    result.bias = m.d_bias[axis];
    return result;
  }
  const int k = row - directions.num_translations;
  const Misalignment now = misalignment(directions.num_rotations, k, m.R);
  result.rotation = now.row;
  result.value = now.value;
  result.rate = now.row.dot(m.w);
  // The row is linear in R, so its rate is the row of Ṙ = w × R.
  const Misalignment turning = misalignment(directions.num_rotations, k, skew(m.w) * m.R);
  result.bias = now.row.dot(m.w_bias) + turning.row.dot(m.w);
  return result;
}

void freedom_rows(JointType type, const RelativeJointMotion& m, FreedomRows& rows) {
  const Freedoms f = freedoms(type);
  for (int k = 0; k < f.num_slides; ++k) {
    const int axis = f.slides[k];
    rows[k].translation = Vector3::Unit(axis);
    rows[k].rotation.setZero();
    rows[k].value = m.d[axis];
    rows[k].rate = m.d_rate[axis];
    rows[k].bias = m.d_bias[axis];
  }
  if (f.num_turns > 0) turn_rows(f, m, rows);
}

void row_on_child(const JointRow& row, const RelativeJointMotion& m, Vector3& force, Vector3& torque) {
  force = m.F * row.translation;
  torque = m.F * row.rotation;
}

void row_on_parent(const JointRow& row, const RelativeJointMotion& m, Vector3& force, Vector3& torque) {
  const Vector3 f = m.F * row.translation;
  force = -f;
  torque = f.cross(m.apart) - m.F * row.rotation;
}

}  // namespace lithe
