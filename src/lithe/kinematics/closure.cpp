#include "lithe/kinematics/closure.h"

namespace lithe {
namespace {

// Directions a cut joint constrains, as rows of a 3 x 3 identity (translations in F).
int translation_rows(JointType type, int rows[3]) {
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

int num_rotation_rows(JointType type) {
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

// (7): linear in R, so that rates follow by putting Ṙ in place of R.
Vector3 sines(JointType type, const Matrix3& R) {
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
Matrix3 sine_rows(JointType type, const Matrix3& R) {
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

// World motion of one side's joint frame.
WorldMotion side_motion(const KinematicState& state, int frame, const Pose& joint_frame) {
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

RelativeMotion relative_motion(const CutJoint& cut, const KinematicState& state) {
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

// Rows of one cut from a translation part and a rotation part.
template <class Out>
void put_rows(JointType type, const Vector3& translation, const Vector3& rotation, Out&& out) {
  int rows[3];
  const int n = translation_rows(type, rows);
  for (int i = 0; i < n; ++i) out[i] = translation[rows[i]];
  for (int i = 0; i < num_rotation_rows(type); ++i) out[n + i] = rotation[i];
}

void copy_rows(const CutJoint& cut, const Vector6& rows, double* column) {
  for (int i = 0; i < cut.num_rows; ++i) column[i] = rows[i];
}

// World twist at the point of M due to a unit rate of one coordinate (8).
struct UnitTwist {
  Vector3 velocity, angular_velocity;
};

UnitTwist unit_twist(const Mechanism& mechanism, int frame, const KinematicState& state, const Vector3& p_WM) {
  const TreeFrame& tree_frame = mechanism.frames()[frame];
  const Pose& X = state.in_world[frame];
  const Vector3 w = X.rotation * tree_frame.unit_angular_velocity;
  return {X.rotation * tree_frame.unit_velocity + w.cross(p_WM - X.position), w};
}

// Columns of ∂Ψ/∂β of one cut joint, handed to `put(k, rows)` (8).
template <class Put>
void each_column(const Mechanism& mechanism, const CutJoint& cut, const KinematicState& state, const Put& put) {
  const Pose X_WF = state.pose(cut.parent_frame) * cut.frame_in_parent;
  const Pose X_WM = state.pose(cut.child_frame) * cut.frame_in_child;
  const Matrix3 R_FW = X_WF.rotation.transpose();
  const Matrix3 W = sine_rows(cut.type, R_FW * X_WM.rotation) * R_FW;
  for (size_t k = 0; k < cut.coordinates.size(); ++k) {
    const LoopCoordinate& member = cut.coordinates[k];
    const UnitTwist twist = unit_twist(mechanism, member.frame, state, X_WM.position);
    Vector6 rows;
    put_rows(cut.type, member.sign * (R_FW * twist.velocity), member.sign * (W * twist.angular_velocity), rows);
    put(static_cast<int>(k), rows);
  }
}

// Rate of those columns (9).
template <class Put>
void each_column_rate(const Mechanism& mechanism, const CutJoint& cut, const KinematicState& state, const Put& put) {
  const WorldMotion F = side_motion(state, cut.parent_frame, cut.frame_in_parent);
  const WorldMotion M = side_motion(state, cut.child_frame, cut.frame_in_child);
  const Matrix3 R_FW = F.orientation.transpose();
  const Matrix3 R_FM = R_FW * M.orientation;
  const Vector3 relative = R_FW * (M.angular_velocity - F.angular_velocity);
  const Matrix3 W = sine_rows(cut.type, R_FM);
  const Matrix3 W_rate = sine_rows(cut.type, skew(relative) * R_FM);
  for (size_t k = 0; k < cut.coordinates.size(); ++k) {
    const LoopCoordinate& member = cut.coordinates[k];
    const TreeFrame& frame = mechanism.frames()[member.frame];
    const WorldMotion C = motion_of_point(state, member.frame, Vector3::Zero());
    const UnitTwist twist = unit_twist(mechanism, member.frame, state, M.position);
    const Vector3& w = twist.angular_velocity;
    const Vector3 w_rate = C.angular_velocity.cross(w);
    const Vector3 u_rate = C.angular_velocity.cross(C.orientation * frame.unit_velocity) +
                           w_rate.cross(M.position - C.position) + w.cross(M.velocity - C.velocity);
    const Vector3 translation = R_FW * (u_rate - F.angular_velocity.cross(twist.velocity));
    const Vector3 rotation = W_rate * (R_FW * w) + W * (R_FW * (w_rate - F.angular_velocity.cross(w)));
    Vector6 rows;
    put_rows(cut.type, member.sign * translation, member.sign * rotation, rows);
    put(static_cast<int>(k), rows);
  }
}

}  // namespace

RelativePose relative_pose(const CutJoint& cut, const KinematicState& state) {
  const Pose X_FM = (state.pose(cut.parent_frame) * cut.frame_in_parent).inverse() *
                    (state.pose(cut.child_frame) * cut.frame_in_child);
  return {X_FM.rotation, X_FM.position};
}

void closure_residual(const Mechanism& mechanism, const KinematicState& state, Eigen::Ref<VectorX> residual) {
  for (const CutJoint& cut : mechanism.cuts()) {
    const RelativePose pose = relative_pose(cut, state);
    put_rows(cut.type, pose.position, sines(cut.type, pose.rotation), residual.segment(cut.first_row, cut.num_rows));
  }
}

void closure_rate(const Mechanism& mechanism, const KinematicState& state, Eigen::Ref<VectorX> rate) {
  for (const CutJoint& cut : mechanism.cuts()) {
    const RelativeMotion m = relative_motion(cut, state);
    put_rows(cut.type, m.velocity, sine_rows(cut.type, m.pose.rotation) * m.angular_velocity,
             rate.segment(cut.first_row, cut.num_rows));
  }
}

void closure_acceleration(const Mechanism& mechanism, const KinematicState& state, Eigen::Ref<VectorX> acceleration) {
  for (const CutJoint& cut : mechanism.cuts()) {
    const RelativeMotion m = relative_motion(cut, state);
    const Matrix3 R_rate = skew(m.angular_velocity) * m.pose.rotation;
    const Vector3 rotation = sine_rows(cut.type, m.pose.rotation) * m.angular_acceleration +
                             sine_rows(cut.type, R_rate) * m.angular_velocity;
    put_rows(cut.type, m.acceleration, rotation, acceleration.segment(cut.first_row, cut.num_rows));
  }
}

void closure_block(const Mechanism& mechanism, const CutJoint& cut, const KinematicState& state, ClosureBlock block) {
  each_column(mechanism, cut, state, [&](int k, const Vector6& rows) { copy_rows(cut, rows, block.col(k).data()); });
}

void closure_block_rate(const Mechanism& mechanism, const CutJoint& cut, const KinematicState& state,
                        ClosureBlock block) {
  each_column_rate(mechanism, cut, state,
                   [&](int k, const Vector6& rows) { copy_rows(cut, rows, block.col(k).data()); });
}

void closure_jacobian(const Mechanism& mechanism, const KinematicState& state, Eigen::Ref<MatrixX> jacobian) {
  jacobian.setZero();
  for (const CutJoint& cut : mechanism.cuts())
    each_column(mechanism, cut, state, [&](int k, const Vector6& rows) {
      copy_rows(cut, rows, &jacobian(cut.first_row, cut.coordinates[k].coordinate));
    });
}

void closure_jacobian_rate(const Mechanism& mechanism, const KinematicState& state, Eigen::Ref<MatrixX> rate) {
  rate.setZero();
  for (const CutJoint& cut : mechanism.cuts())
    each_column_rate(mechanism, cut, state, [&](int k, const Vector6& rows) {
      copy_rows(cut, rows, &rate(cut.first_row, cut.coordinates[k].coordinate));
    });
}

std::string describe_loop(const Mechanism& mechanism, const CutJoint& cut) {
  std::string names;
  for (int joint : cut.loop) names += (names.empty() ? "'" : ", '") + mechanism.joint_name(joint) + "'";
  return "the loop of joints " + names;
}

}  // namespace lithe
