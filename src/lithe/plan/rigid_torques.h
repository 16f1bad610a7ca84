// Drive torques of the mechanism as if its links were rigid and its springs held: recursive Newton-Euler equations over
// the frames of an open chain.
#pragma once

#include <vector>

#include "lithe/kinematics/position.h"
#include "lithe/plan/joint_path.h"

namespace lithe {

// τ = inertia s̈ + velocity ṡ² + rest along a path, per coordinate.
struct PathTorques {
  VectorX inertia, velocity, rest;
};

class RigidTorques {
 public:
  // Throws InputError for links that cannot be meshed.
  RigidTorques(const Model& model, const Mechanism& mechanism, std::vector<Quaternion> references);
  // Per coordinate: what drives must exert for these accelerations, with `gravity`.
  VectorX inverse_dynamics(const VectorX& coordinates, const VectorX& rates, const VectorX& accelerations,
                           const Vector3& gravity) const;
  // With rotors, springs of joints, and Coulomb friction of motion along the path; without viscous damping.
  PathTorques along(const PathNode& node) const;

 private:
  struct Body {
    double mass = 0;
    Vector3 first_moment = Vector3::Zero();
    Matrix3 inertia = Matrix3::Zero();  // about the link's origin
  };
  const Model& model_;
  const Mechanism& mechanism_;
  std::vector<Body> bodies_;  // per link
  mutable Configuration configuration_;
  mutable KinematicState state_;
};

}  // namespace lithe
