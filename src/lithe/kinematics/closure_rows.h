// The rows of a cut joint: which directions it constrains and how misalignment is measured. Private to this folder.
#pragma once

#include <cmath>

#include "lithe/kinematics/closure.h"

namespace lithe {

// Directions a cut joint constrains, as rows of a 3 x 3 identity (translations in F).
inline int translation_rows(JointType type, int rows[3]) {
  int n = 0;
  const auto take = [&](int row) { rows[n++] = row; };
  switch (type) {
    case JointType::fixed:
    case JointType::revolute:
    case JointType::universal:
    case JointType::spherical:
      take(0), take(1), take(2);
      break;
    case JointType::prismatic:
    case JointType::cylindrical:
      take(0), take(1);
      break;
    case JointType::planar:
      take(2);
      break;
    case JointType::free:
      break;
  }
  return n;
}

inline int num_rotation_rows(JointType type) {
  switch (type) {
    case JointType::fixed:
    case JointType::prismatic:
      return 3;
    case JointType::revolute:
    case JointType::cylindrical:
    case JointType::planar:
      return 2;
    case JointType::universal:
      return 1;
    default:
      return 0;
  }
}

// (7)
inline Vector3 sines(JointType type, const Matrix3& R) {
  switch (num_rotation_rows(type)) {
    case 3:  // ½ Σ e_k × R e_k
      return 0.5 * Vector3(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
    case 2:  // the child's z axis stays along the parent's
      return {R(0, 2), R(1, 2), 0};
    case 1:  // the child's x axis stays normal to the parent's z
      return {R(2, 0), 0, 0};
    default:
      return Vector3::Zero();
  }
}

// (7): rows W with (sines)˙ = W ω, ω the relative angular velocity in F. Linear in R as well.
inline Matrix3 sine_rows(JointType type, const Matrix3& R) {
  Matrix3 W = Matrix3::Zero();
  switch (num_rotation_rows(type)) {
    case 3:
      W = 0.5 * (R.trace() * Matrix3::Identity() - R);
      break;
    case 2:
      W.row(0) = R.col(2).cross(Vector3::UnitX());
      W.row(1) = R.col(2).cross(Vector3::UnitY());
      break;
    case 1:
      W.row(0) = R.col(0).cross(Vector3::UnitZ());
      break;
    default:
      break;
  }
  return W;
}

// The misalignment as a chord, 2 sin(φ/2) along the axis: equal to the sines near closure, but growing up to half a
// turn, so that a solver started far away does not settle at half a turn, where sines vanish too (11).
inline Vector3 chords(JointType type, const Matrix3& R) {
  switch (num_rotation_rows(type)) {
    case 3: {
      Quaternion q(R);
      if (q.w() < 0) q.coeffs() = -q.coeffs();
      return 2 * q.vec();
    }
    case 2: {
      const double opening = 1 + R(2, 2);
      if (opening < 1e-14) return {2, 0, 0};
      const double g = std::sqrt(2 / opening);
      return {g * R(0, 2), g * R(1, 2), 0};
    }
    default:
      return sines(type, R);
  }
}

// (11): rows W with (chords)˙ = W ω.
inline Matrix3 chord_rows(JointType type, const Matrix3& R) {
  switch (num_rotation_rows(type)) {
    case 3: {
      Quaternion q(R);
      if (q.w() < 0) q.coeffs() = -q.coeffs();
      return q.w() * Matrix3::Identity() - skew(q.vec());
    }
    case 2: {
      const double opening = 1 + R(2, 2);
      Matrix3 W = Matrix3::Zero();
      if (opening < 1e-14) {
        W(0, 1) = W(1, 0) = 1;  // any tilt leads out of the half turn
        return W;
      }
      const double g = std::sqrt(2 / opening), g_rate = -0.5 * g / opening;
      const Vector3 z = R.col(2), tilt = z.cross(Vector3::UnitZ());
      W.row(0) = g * z.cross(Vector3::UnitX()) + z.x() * g_rate * tilt;
      W.row(1) = g * z.cross(Vector3::UnitY()) + z.y() * g_rate * tilt;
      return W;
    }
    default:
      return sine_rows(type, R);
  }
}

using RotationRows = Matrix3 (*)(JointType, const Matrix3&);

// Rows of one cut from a translation part and a rotation part.
template <class Out>
void put_rows(JointType type, const Vector3& translation, const Vector3& rotation, Out&& out) {
  int rows[3];
  const int n = translation_rows(type, rows);
  for (int i = 0; i < n; ++i) out[i] = translation[rows[i]];
  for (int i = 0; i < num_rotation_rows(type); ++i) out[n + i] = rotation[i];
}

// World twist at the point of M due to a unit rate of one coordinate (8).
struct UnitTwist {
  Vector3 velocity, angular_velocity;
};

inline UnitTwist unit_twist(const Mechanism& mechanism, int frame, const KinematicState& state, const Vector3& p_WM) {
  const TreeFrame& tree_frame = mechanism.frames()[frame];
  const Pose& X = state.in_world[frame];
  const Vector3 w = X.rotation * tree_frame.unit_angular_velocity;
  return {X.rotation * tree_frame.unit_velocity + w.cross(p_WM - X.position), w};
}

// Of a coupling: Σ factor · value of its coordinates (6a).
inline double coupled_sum(const CutJoint& cut, const VectorX& values) {
  double sum = 0;
  for (const LoopCoordinate& member : cut.coordinates) sum += member.sign * values[member.coordinate];
  return sum;
}

// Columns of ∂Ψ/∂β of one cut joint, handed to `put(k, rows)` (8); `rotation_rows` says how misalignment is measured.
template <class Put>
void each_column(const Mechanism& mechanism, const CutJoint& cut, const KinematicState& state,
                 RotationRows rotation_rows, const Put& put) {
  if (cut.couples()) {
    for (size_t k = 0; k < cut.coordinates.size(); ++k)
      put(static_cast<int>(k), Vector6(Vector6::Constant(cut.coordinates[k].sign)));
    return;
  }
  const Pose X_WF = state.pose(cut.parent_frame) * cut.frame_in_parent;
  const Pose X_WM = state.pose(cut.child_frame) * cut.frame_in_child;
  const Matrix3 R_FW = X_WF.rotation.transpose();
  const Matrix3 W = rotation_rows(cut.type, R_FW * X_WM.rotation) * R_FW;
  for (size_t k = 0; k < cut.coordinates.size(); ++k) {
    const LoopCoordinate& member = cut.coordinates[k];
    const UnitTwist twist = unit_twist(mechanism, member.frame, state, X_WM.position);
    Vector6 rows;
    put_rows(cut.type, member.sign * (R_FW * twist.velocity), member.sign * (W * twist.angular_velocity), rows);
    put(static_cast<int>(k), rows);
  }
}

// Ψ of one cut joint; misalignments as `measure` has them: sines or chords.
using Misalignments = Vector3 (*)(JointType, const Matrix3&);
template <class Out>
void put_residual(const CutJoint& cut, const KinematicState& state, Misalignments measure, Out&& out) {
  if (cut.couples()) {
    out[0] = coupled_sum(cut, state.coordinates) - cut.offset;
    return;
  }
  const RelativePose pose = relative_pose(cut, state);
  put_rows(cut.type, pose.position, measure(cut.type, pose.rotation), out);
}

// World motion of one side's joint frame.
inline WorldMotion side_motion(const KinematicState& state, int frame, const Pose& joint_frame) {
  WorldMotion motion = motion_of_point(state, frame, joint_frame.position);
  motion.orientation = motion.orientation * joint_frame.rotation;
  return motion;
}

// Everything about a cut joint that the rows need, in F.
struct RelativeMotion {
  RelativePose pose;
  Vector3 velocity, angular_velocity;          // ṗ, ω
  Vector3 acceleration, angular_acceleration;  // p̈, ω̇ (derivatives of components in F)
};

inline RelativeMotion relative_motion(const CutJoint& cut, const KinematicState& state) {
  const WorldMotion F = side_motion(state, cut.parent_frame, cut.frame_in_parent);
  const WorldMotion M = side_motion(state, cut.child_frame, cut.frame_in_child);
  const Matrix3 R_FW = F.orientation.transpose();
  RelativeMotion m;
  m.pose = {R_FW * M.orientation, R_FW * (M.position - F.position)};
  const Vector3 omega_F = R_FW * F.angular_velocity, alpha_F = R_FW * F.angular_acceleration;
  const Vector3& p = m.pose.position;
  m.velocity = R_FW * (M.velocity - F.velocity) - omega_F.cross(p);
  m.angular_velocity = R_FW * (M.angular_velocity - F.angular_velocity);
  m.acceleration = R_FW * (M.acceleration - F.acceleration) - alpha_F.cross(p) - omega_F.cross(omega_F.cross(p)) -
                   2 * omega_F.cross(m.velocity);
  m.angular_acceleration = R_FW * (M.angular_acceleration - F.angular_acceleration) - omega_F.cross(m.angular_velocity);
  return m;
}

}  // namespace lithe
