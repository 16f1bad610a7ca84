// Definitions of joint_rows.h for any scalar.
#pragma once

#include <Eigen/LU>
#include <cmath>

#include "lithe/formulate/joints/joint_rows.h"

namespace lithe {
namespace joint_row_parts {

struct Directions {
  int num_translations;
  std::array<int, 3> axes;
  int num_rotations;
};
Directions constrained(JointType type);

// Axes of F along which a joint slides and about which it turns, in the order of its freedoms (model.h).
struct Freedoms {
  int num_slides;
  std::array<int, 3> slides;
  int num_turns;
  std::array<int, 3> turns;
};

Freedoms freedoms(JointType type);

// Entry (i, j) of R, whose rate is that of w × R: rate = row · w.
template <class S>
Vector3Of<S> entry_row(const Matrix3Of<S>& R, int i, int j) {
  return R.col(j).cross(Vector3Of<S>(Vector3::Unit(i).cast<S>()));
}

// Row k of the misalignment: for two rows the child's z stays along the parent's, for one the child's x stays normal to
// the parent's z, for three the skew part of R vanishes.
template <class S>
struct Misalignment {
  S value;
  Vector3Of<S> row;
};
template <class S>
Misalignment<S> misalignment(int num_rows, int k, const Matrix3Of<S>& R) {
  if (num_rows == 1) return {R(2, 0), entry_row<S>(R, 2, 0)};
  if (num_rows == 2) return {R(k, 2), entry_row<S>(R, k, 2)};
  const int a = (k + 1) % 3, b = (k + 2) % 3;
  return {0.5 * (R(b, a) - R(a, b)), 0.5 * (entry_row<S>(R, b, a) - entry_row<S>(R, a, b))};
}

template <class S>
Vector3Of<S> angles(int num_turns, const Matrix3Of<S>& R) {
  using std::atan2;
  using std::sqrt;
  if (num_turns == 1) return {atan2(S(R(1, 0) - R(0, 1)), S(R(0, 0) + R(1, 1))), S(0.0), S(0.0)};
  if (num_turns == 2) return {atan2(R(1, 0), R(0, 0)), atan2(R(2, 1), R(2, 2)), S(0.0)};
  return {atan2(S(-R(1, 2)), R(2, 2)), atan2(R(0, 2), S(sqrt(S(R(0, 0) * R(0, 0) + R(0, 1) * R(0, 1))))),
          atan2(S(-R(0, 1)), R(0, 0))};
}

// A turn about a coordinate axis.
template <class S>
Matrix3Of<S> turn_about(int axis, const S& angle) {
  using std::cos;
  using std::sin;
  const int a = (axis + 1) % 3, b = (axis + 2) % 3;
  Matrix3Of<S> R = Matrix3Of<S>::Identity();
  R(a, a) = R(b, b) = cos(angle);
  R(b, a) = sin(angle);
  R(a, b) = -R(b, a);
  return R;
}

// Rates of the angles are A⁻¹ w, with the axes as columns of A, completed to a basis; ẇ = A (accelerations) + Σ (turns
// before k) × A_k rate_k.
template <class S>
void turn_rows(const Freedoms& f, const RelativeJointMotionOf<S>& m, FreedomRowsOf<S>& rows) {
  const Vector3Of<S> angle = angles<S>(f.num_turns, m.R);
  Matrix3Of<S> A = Matrix3Of<S>::Identity(), R = Matrix3Of<S>::Identity();
  for (int k = 0; k < f.num_turns; ++k) {
    A.col(k) = R.col(f.turns[k]);
    R = (R * turn_about<S>(f.turns[k], angle[k])).eval();
  }
  if (f.num_turns == 1) A.col(1) = Vector3Of<S>::UnitX(), A.col(2) = Vector3Of<S>::UnitY();
  if (f.num_turns == 2) A.col(2) = A.col(0).cross(A.col(1));
  const Matrix3Of<S> inverse = A.inverse();
  const Vector3Of<S> rates = inverse * m.w;
  Vector3Of<S> before = Vector3Of<S>::Zero(), carried = Vector3Of<S>::Zero();
  for (int k = 0; k < f.num_turns; ++k) {
    const Vector3Of<S> own = A.col(k) * rates[k];
    carried += before.cross(own);
    before += own;
  }
  const Vector3Of<S> biases = inverse * (m.w_bias - carried);
  for (int k = 0; k < f.num_turns; ++k) {
    JointRowOf<S>& row = rows[f.num_slides + k];
    row.translation.setZero();
    row.rotation = inverse.row(k);
    row.value = angle[k];
    row.rate = rates[k];
    row.bias = biases[k];
  }
}

}  // namespace joint_row_parts

template <class S, class Node>
RelativeJointMotionOf<S> relative_motion(const Node& parent, const Matrix3& parent_axes, const Node& child,
                                         const Matrix3& child_axes) {
  RelativeJointMotionOf<S> m;
  m.F = parent.rotation * parent_axes.cast<S>();
  m.apart = child.position - parent.position;
  m.R = m.F.transpose() * child.rotation * child_axes.cast<S>();
  const Vector3Of<S>& wF = parent.angular_velocity;
  const Vector3Of<S> drift = child.velocity - parent.velocity - wF.cross(m.apart);  // F ḋ
  m.d = m.F.transpose() * m.apart;
  m.d_rate = m.F.transpose() * drift;
  m.d_bias =
      m.F.transpose() * (child.acceleration_bias - parent.acceleration_bias - parent.angular_bias.cross(m.apart) -
                         wF.cross(wF.cross(m.apart)) - 2.0 * wF.cross(drift));
  const Vector3Of<S> w = child.angular_velocity - wF;
  m.w = m.F.transpose() * w;
  m.w_bias = m.F.transpose() * (child.angular_bias - parent.angular_bias - wF.cross(w));
  return m;
}

template <class S>
JointRowOf<S> constraint_row(JointType type, int row, const RelativeJointMotionOf<S>& m) {
  using namespace joint_row_parts;
  const Directions directions = constrained(type);
  JointRowOf<S> result;
  if (row < directions.num_translations) {
    const int axis = directions.axes[row];
    result.translation = Vector3::Unit(axis).template cast<S>();
    result.value = m.d[axis];
    result.rate = m.d_rate[axis];
    result.bias = m.d_bias[axis];
    return result;
  }
  const int k = row - directions.num_translations;
  const Misalignment<S> now = misalignment<S>(directions.num_rotations, k, m.R);
  result.rotation = now.row;
  result.value = now.value;
  result.rate = now.row.dot(m.w);
  // The row is linear in R, so its rate is the row of Ṙ = w × R.
  const Misalignment<S> turning = misalignment<S>(directions.num_rotations, k, skew_of<S>(m.w) * m.R);
  result.bias = now.row.dot(m.w_bias) + turning.row.dot(m.w);
  return result;
}

template <class S>
void freedom_rows(JointType type, const RelativeJointMotionOf<S>& m, FreedomRowsOf<S>& rows) {
  using namespace joint_row_parts;
  const Freedoms f = freedoms(type);
  for (int k = 0; k < f.num_slides; ++k) {
    const int axis = f.slides[k];
    rows[k].translation = Vector3::Unit(axis).template cast<S>();
    rows[k].rotation.setZero();
    rows[k].value = m.d[axis];
    rows[k].rate = m.d_rate[axis];
    rows[k].bias = m.d_bias[axis];
  }
  if (f.num_turns > 0) turn_rows<S>(f, m, rows);
}

template <class S>
void row_on_child(const JointRowOf<S>& row, const RelativeJointMotionOf<S>& m, Vector3Of<S>& force,
                  Vector3Of<S>& torque) {
  force = m.F * row.translation;
  torque = m.F * row.rotation;
}

template <class S>
void row_on_parent(const JointRowOf<S>& row, const RelativeJointMotionOf<S>& m, Vector3Of<S>& force,
                   Vector3Of<S>& torque) {
  const Vector3Of<S> f = m.F * row.translation;
  force = -f;
  torque = f.cross(m.apart) - m.F * row.rotation;
}

}  // namespace lithe
