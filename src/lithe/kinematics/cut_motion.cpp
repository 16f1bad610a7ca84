#include "lithe/kinematics/cut_motion.h"

#include <Eigen/LU>
#include <cmath>

#include "lithe/kinematics/closure_rows.h"

namespace lithe {
namespace {

int axis_index(const Freedom& freedom) {
  Eigen::Index index = 0;
  freedom.axis.maxCoeff(&index);
  return static_cast<int>(index);
}

int num_translations(const std::vector<Freedom>& freedoms) {
  int n = 0;
  while (n < static_cast<int>(freedoms.size()) && freedoms[n].motion == FrameMotion::prismatic) ++n;
  return n;
}

// Angles of the joint's rotations, in the order of the freedoms.
Vector3 angles(JointType type, const Matrix3& R) {
  switch (type) {
    case JointType::revolute:
    case JointType::cylindrical:
    case JointType::planar:
      return {std::atan2(R(1, 0), R(0, 0)), 0, 0};
    case JointType::universal:
      return {std::atan2(R(1, 0), R(0, 0)), std::atan2(R(2, 1), R(2, 2)), 0};
    case JointType::spherical:
    case JointType::free:
      return {std::atan2(-R(1, 2), R(2, 2)), std::atan2(R(0, 2), std::hypot(R(0, 0), R(0, 1))),
              std::atan2(-R(0, 1), R(0, 0))};
    default:
      return Vector3::Zero();
  }
}

// Axes of the rotations in F, completed to a basis (19): ω = A (rates, components that the joint forbids).
Matrix3 axes(const std::vector<Freedom>& freedoms, int first, const Vector3& angle) {
  Matrix3 A = Matrix3::Identity(), R = Matrix3::Identity();
  const int n = static_cast<int>(freedoms.size()) - first;
  for (int k = 0; k < n; ++k) {
    A.col(k) = R * freedoms[first + k].axis;
    R = R * Eigen::AngleAxisd(angle[k], freedoms[first + k].axis).toRotationMatrix();
  }
  if (n == 1) A.col(1) = Vector3::UnitX(), A.col(2) = Vector3::UnitY();  // one rotation is always about z
  if (n == 2) A.col(2) = A.col(0).cross(A.col(1));
  return A;
}

}  // namespace

Vector6 cut_values(const CutJoint& cut, const KinematicState& state) {
  const std::vector<Freedom>& freedoms = freedoms_of(cut.type);
  const RelativePose pose = relative_pose(cut, state);
  const int first = num_translations(freedoms), n = static_cast<int>(freedoms.size());
  const Vector3 angle = angles(cut.type, pose.rotation);
  Vector6 value = Vector6::Zero();
  for (int k = 0; k < first; ++k) value[k] = pose.position[axis_index(freedoms[k])];
  for (int k = first; k < n; ++k) value[k] = angle[k - first];
  return value;
}

CutMotion cut_motion(const CutJoint& cut, const KinematicState& state) {
  const std::vector<Freedom>& freedoms = freedoms_of(cut.type);
  const RelativeMotion m = relative_motion(cut, state);
  const int first = num_translations(freedoms), n = static_cast<int>(freedoms.size());
  CutMotion motion;
  motion.value = cut_values(cut, state);
  for (int k = 0; k < first; ++k) {
    motion.rate[k] = m.velocity[axis_index(freedoms[k])];
    motion.acceleration[k] = m.acceleration[axis_index(freedoms[k])];
  }
  Vector3 angle = Vector3::Zero();
  for (int k = first; k < n; ++k) angle[k - first] = motion.value[k];
  const Matrix3 A = axes(freedoms, first, angle), A_inverse = A.inverse();
  const Vector3 rates = A_inverse * m.angular_velocity;
  // ω̇ = A q̈ + Σ (ω of the rotations before k) × A_k q̇_k
  Vector3 before = Vector3::Zero(), bias = Vector3::Zero();
  for (int k = first; k < n; ++k) {
    const Vector3 own = A.col(k - first) * rates[k - first];
    bias += before.cross(own);
    before += own;
  }
  const Vector3 accelerations = A_inverse * (m.angular_acceleration - bias);
  for (int k = first; k < n; ++k) {
    motion.rate[k] = rates[k - first];
    motion.acceleration[k] = accelerations[k - first];
  }
  return motion;
}

void cut_jacobian(const Mechanism& mechanism, const CutJoint& cut, const KinematicState& state, ClosureBlock jacobian) {
  const std::vector<Freedom>& freedoms = freedoms_of(cut.type);
  const int first = num_translations(freedoms), n = static_cast<int>(freedoms.size());
  const Pose X_WF = state.pose(cut.parent_frame) * cut.frame_in_parent;
  const Vector3 p_WM = (state.pose(cut.child_frame) * cut.frame_in_child).position;
  const Vector6 value = cut_values(cut, state);
  Vector3 angle = Vector3::Zero();
  for (int k = first; k < n; ++k) angle[k - first] = value[k];
  const Matrix3 A_inverse = axes(freedoms, first, angle).inverse();
  for (size_t c = 0; c < cut.coordinates.size(); ++c) {
    const LoopCoordinate& member = cut.coordinates[c];
    const UnitTwist twist = unit_twist(mechanism, member.frame, state, p_WM);
    const Vector3 v = member.sign * (X_WF.rotation.transpose() * twist.velocity);
    const Vector3 rates = A_inverse * (member.sign * (X_WF.rotation.transpose() * twist.angular_velocity));
    for (int k = 0; k < first; ++k) jacobian(k, c) = v[axis_index(freedoms[k])];
    for (int k = first; k < n; ++k) jacobian(k, c) = rates[k - first];
  }
}

}  // namespace lithe
