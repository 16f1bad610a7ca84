// Derivatives of the equations of bodies joined by multipliers; shared by the sources that implement them.
#pragma once

#include "lithe/formulate/absolute/work.h"
#include "lithe/formulate/joints/ball_damper.h"
#include "lithe/model/joint_law.h"

namespace lithe {

// About a state, ν̇ and λ: of r = M ν̇ - f + Jᵀ λ and of the rows' rates and accelerations, by small motions of the
// frames in their own axes and of the elastic coordinates ("place"), and by ν ("speed").
struct AbsoluteDerivatives {
  MatrixX mass, by_place, by_speed;                                     // of r; ∂r/∂ν̇ is the mass
  MatrixX rows;                                                         // J: of the rows' values
  MatrixX rate_by_place, acceleration_by_place, acceleration_by_speed;  // of the rows
};

// Changes of places (own axes), ν and ν̇, one motion per column.
struct AbsoluteEquations::BodyMotions {
  MatrixX place, speed, acceleration;
};

// What derivatives of all sensors need.
struct AbsoluteEquations::JacobianWork {
  Work& work;
  VectorX about;  // ν̇
  BodyMotions motions;
  Inputs inputs;  // with the forces that hold what is not at rest by itself
  // λ and their derivatives, rows x motions, where a sensor needs them.
  VectorX multipliers;
  MatrixX multiplier_jacobians;

  Eigen::Index size() const { return motions.place.cols(); }
};

// Drive, spring, damper and friction of a freedom.
template <class S>
S force_on_freedom(const Joint& joint, int k, const JointRowOf<S>& row, double continuous_value, double drive) {
  S value = row.value;
  value.value = continuous_value;
  const S stretch = value - freedom_value(joint.rest_value, k);
  const S force = drive - freedom_value(joint.stiffness, k) * stretch - freedom_damping(joint, k) * row.rate -
                  freedom_value(joint.friction, k) * tanh(row.rate * (1 / joint.friction_speed));
  if (!joint.law) return force;
  return force - spring_excess<S>(*joint.law, stretch) - friction_excess<S>(*joint.law, row.rate, joint.friction_speed);
}

}  // namespace lithe
