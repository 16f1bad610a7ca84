// Damping of the turns of a spherical or free joint: the torque -diag(d) ω on the child, with the joint's angular
// velocity ω = E(β) β̇ in the joint axes of its child side (kinematics.md, (17)). Neither the chart of the angles nor
// the direction in which a tree runs through the joint matters.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "lithe/base/math.h"
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

// E(β): the columns are the axes of the three angles in the joint axes of the child side.
template <class S>
Eigen::Matrix<S, 3, 3> ball_axes(const Eigen::Matrix<S, 3, 1>& angles) {
  using std::cos;
  using std::sin;
  const S c2 = cos(angles[1]), s2 = sin(angles[1]), c3 = cos(angles[2]), s3 = sin(angles[2]);
  Eigen::Matrix<S, 3, 3> E;
  E << c2 * c3, s3, S(0.0), -(c2 * s3), c3, S(0.0), s2, S(0.0), S(1.0);
  return E;
}

// Eᵀ diag(d) E β̇: what the damper takes from the forces on the angles.
template <class S>
Eigen::Matrix<S, 3, 1> ball_damper_force(const BallDamper& damper, const Eigen::Matrix<S, 3, 1>& angles,
                                         const Eigen::Matrix<S, 3, 1>& rates) {
  const Eigen::Matrix<S, 3, 3> E = ball_axes<S>(angles);
  Eigen::Matrix<S, 3, 1> torque = E * rates;
  for (int k = 0; k < 3; ++k) torque[k] = torque[k] * damper.damping[k];
  return E.transpose() * torque;
}

// The slope of that force by the rates, Eᵀ diag(d) E.
Matrix3 ball_damper_matrix(const BallDamper& damper, const Vector3& angles);
// ωᵀ diag(d) ω
double ball_damper_power(const BallDamper& damper, const Vector3& angles, const Vector3& rates);

}  // namespace lithe
