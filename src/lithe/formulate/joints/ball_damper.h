// Damping of the turns of a spherical or free joint: the torque -diag(d) ω on the child, with the joint's angular
// velocity ω = E(β) β̇ in the joint axes of its child side (kinematics.md, (17)). Neither the chart of the angles nor
// the direction in which a tree runs through the joint matters.
#pragma once

#include <array>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/formulate/joints/ball_motion.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/model/model.h"

namespace lithe {

struct BallDamper {
  std::array<int, 3> coordinates = {-1, -1, -1};  // β of the three angles
  Vector3 damping = Vector3::Zero();
};

// Of all joints in the tree that have any.
std::vector<BallDamper> ball_dampers(const Model& model, const Mechanism& mechanism);

// d of the three turns of a spherical or free joint; zero for other joints.
Vector3 turn_damping(const Joint& joint);
// Damping that acts on the rate of a freedom itself: none on the angles of a spherical or free joint.
double freedom_damping(const Joint& joint, int freedom);

// Eᵀ diag(d) E β̇: what the damper takes from the forces on the angles.
template <class S>
Eigen::Matrix<S, 3, 1> ball_damper_force(const BallDamper& damper, const BallMotion<S>& motion) {
  const Eigen::Matrix<S, 3, 3> E = ball_axes<S>(motion.angles);
  Eigen::Matrix<S, 3, 1> torque = E * motion.rates;
  for (int k = 0; k < 3; ++k) torque[k] = torque[k] * damper.damping[k];
  return E.transpose() * torque;
}

// The derivative of that force by the rates, Eᵀ diag(d) E.
Matrix3 ball_damper_matrix(const BallDamper& damper, const Vector3& angles);
// ωᵀ diag(d) ω
double ball_damper_power(const BallDamper& damper, const BallMotion<double>& motion);

}  // namespace lithe
