#include "lithe/kinematics/position.h"

namespace lithe {
namespace {

// motion(β) of (1)
Pose moved(const TreeFrame& frame, double coordinate) {
  Pose pose;
  if (frame.motion == FrameMotion::revolute)
    pose.rotation = Eigen::AngleAxisd(coordinate, frame.axis).toRotationMatrix();
  else if (frame.motion == FrameMotion::prismatic)
    pose.position = frame.axis * coordinate;
  return pose;
}

}  // namespace

KinematicState::KinematicState(const Mechanism& mechanism)
    : coordinates(VectorX::Zero(mechanism.num_coordinates())),
      in_parent(mechanism.num_frames()),
      in_world(mechanism.num_frames()),
      rates(VectorX::Zero(mechanism.num_coordinates())),
      velocity(mechanism.num_frames(), Vector3::Zero()),
      angular_velocity(mechanism.num_frames(), Vector3::Zero()),
      accelerations(VectorX::Zero(mechanism.num_coordinates())),
      acceleration(mechanism.num_frames(), Vector3::Zero()),
      angular_acceleration(mechanism.num_frames(), Vector3::Zero()) {}

// (1), (3)
void update_position(const Mechanism& mechanism, const Configuration& configuration, KinematicState& state) {
  state.coordinates = configuration.coordinates;
  for (int i = 0; i < mechanism.num_frames(); ++i) {
    const TreeFrame& frame = mechanism.frames()[i];
    Pose X_PC = frame.before;
    if (frame.chart >= 0) {
      const Matrix3 R_ref = configuration.references[frame.chart].toRotationMatrix();
      X_PC.rotation = X_PC.rotation * (frame.backwards ? Matrix3(R_ref.transpose()) : R_ref);
    }
    if (frame.coordinate >= 0) X_PC = X_PC * moved(frame, configuration.coordinates[frame.coordinate]);
    if (frame.link >= 0) X_PC = X_PC * frame.after;
    state.in_parent[i] = X_PC;
    state.in_world[i] = frame.parent < 0 ? X_PC : state.in_world[frame.parent] * X_PC;
  }
}

// (4)
void update_velocity(const Mechanism& mechanism, const Eigen::Ref<const VectorX>& rates, KinematicState& state) {
  state.rates = rates;
  for (int i = 0; i < mechanism.num_frames(); ++i) {
    const TreeFrame& frame = mechanism.frames()[i];
    Vector3 v = Vector3::Zero(), omega = Vector3::Zero();
    if (frame.parent >= 0) {
      const Pose& X_PC = state.in_parent[i];
      const Vector3& omega_P = state.angular_velocity[frame.parent];
      omega = X_PC.rotation.transpose() * omega_P;
      v = X_PC.rotation.transpose() * (state.velocity[frame.parent] + omega_P.cross(X_PC.position));
    }
    if (frame.coordinate >= 0) {
      const double rate = rates[frame.coordinate];
      omega += frame.unit_angular_velocity * rate;
      v += frame.unit_velocity * rate;
    }
    state.velocity[i] = v;
    state.angular_velocity[i] = omega;
  }
}

// (5)
void update_acceleration(const Mechanism& mechanism, const Eigen::Ref<const VectorX>& accelerations,
                         KinematicState& state) {
  state.accelerations = accelerations;
  for (int i = 0; i < mechanism.num_frames(); ++i) {
    const TreeFrame& frame = mechanism.frames()[i];
    Vector3 a = Vector3::Zero(), alpha = Vector3::Zero(), carried = Vector3::Zero();
    if (frame.parent >= 0) {
      const Pose& X_PC = state.in_parent[i];
      const Vector3& omega_P = state.angular_velocity[frame.parent];
      const Vector3& alpha_P = state.angular_acceleration[frame.parent];
      const Vector3& p = X_PC.position;
      carried = X_PC.rotation.transpose() * omega_P;
      alpha = X_PC.rotation.transpose() * alpha_P;
      a = X_PC.rotation.transpose() *
          (state.acceleration[frame.parent] + alpha_P.cross(p) + omega_P.cross(omega_P.cross(p)));
    }
    if (frame.coordinate >= 0) {
      const double rate = state.rates[frame.coordinate], acceleration = accelerations[frame.coordinate];
      const Vector3& omega = state.angular_velocity[i];
      alpha += frame.unit_angular_velocity * acceleration + omega.cross(frame.unit_angular_velocity) * rate;
      a += frame.unit_velocity * acceleration + (carried + omega).cross(frame.unit_velocity) * rate;
    }
    state.acceleration[i] = a;
    state.angular_acceleration[i] = alpha;
  }
}

WorldMotion motion_of_point(const KinematicState& state, int frame, const Vector3& offset) {
  WorldMotion motion;
  motion.position = offset;
  if (frame < 0) return motion;
  const Pose& X = state.in_world[frame];
  const Vector3 &omega = state.angular_velocity[frame], &alpha = state.angular_acceleration[frame];
  motion.position = X * offset;
  motion.orientation = X.rotation;
  motion.velocity = X.rotation * (state.velocity[frame] + omega.cross(offset));
  motion.angular_velocity = X.rotation * omega;
  motion.angular_acceleration = X.rotation * alpha;
  motion.acceleration =
      X.rotation * (state.acceleration[frame] + alpha.cross(offset) + omega.cross(omega.cross(offset)));
  return motion;
}

}  // namespace lithe
