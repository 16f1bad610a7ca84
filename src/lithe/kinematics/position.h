// Poses, velocities and accelerations of all frames of the tree, in stages: each function uses what the one before left
// in the state. No stage allocates.
#pragma once

#include <vector>

#include "lithe/kinematics/mechanism.h"

namespace lithe {

// Per frame of the tree. Velocities and accelerations are in the frame's own axes (docs/theory/kinematics.md, (3) to
// (5)): v = Rᵀ Ṗ, ω = Rᵀ ω_W, a = Rᵀ P̈, α = Rᵀ ω̇_W. Note a = v̇ + ω × v.
struct KinematicState {
  explicit KinematicState(const Mechanism& mechanism);

  // computed by update_position
  VectorX coordinates;          // β
  std::vector<Pose> in_parent;  // X_PC
  std::vector<Pose> in_world;   // X_WC
  // computed by update_velocity
  VectorX rates;  // β̇
  std::vector<Vector3> velocity, angular_velocity;
  // computed by update_acceleration
  VectorX accelerations;  // β̈
  std::vector<Vector3> acceleration, angular_acceleration;

  // The pose of a frame, -1 being the ground.
  Pose pose(int frame) const { return frame < 0 ? Pose{} : in_world[frame]; }
};

void update_position(const Mechanism& mechanism, const Configuration& configuration, KinematicState& state);
// Rates β̇ of all tree coordinates.
void update_velocity(const Mechanism& mechanism, const Eigen::Ref<const VectorX>& rates, KinematicState& state);
// β̈ of all tree coordinates. With β̈ = γ (see independent.h) this gives (a, α) = J̇ θ̇, the part not due to θ̈.
void update_acceleration(const Mechanism& mechanism, const Eigen::Ref<const VectorX>& accelerations,
                         KinematicState& state);

// Motion of a frame in world axes; the ground (-1) does not move.
struct WorldMotion {
  Vector3 position = Vector3::Zero(), velocity = Vector3::Zero(), acceleration = Vector3::Zero();
  Matrix3 orientation = Matrix3::Identity();
  Vector3 angular_velocity = Vector3::Zero(), angular_acceleration = Vector3::Zero();
};
// Of a point fixed in the frame, `offset` in the frame's axes.
WorldMotion motion_of_point(const KinematicState& state, int frame, const Vector3& offset);

}  // namespace lithe
