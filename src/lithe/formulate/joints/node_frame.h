// The frame of a node in the world, as joints see it.
#pragma once

#include "lithe/base/math.h"

namespace lithe {

// The frame of a node in the world, and what the body's velocity does to it: (velocity, angular velocity) =
// jacobian · ν[first ...]. The biases are its accelerations when ν̇ = 0. The ground has no columns.
struct NodeFrame {
  Vector3 position = Vector3::Zero();
  Matrix3 rotation = Matrix3::Identity();
  Vector3 velocity = Vector3::Zero(), angular_velocity = Vector3::Zero();
  Vector3 acceleration_bias = Vector3::Zero(), angular_bias = Vector3::Zero();
  int first = 0;
  Matrix6X jacobian = Matrix6X(6, 0);
};

}  // namespace lithe
