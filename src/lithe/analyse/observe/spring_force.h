// What spring and damper of a joint of one freedom exert against its value and speed, with derivatives.
#pragma once

#include "lithe/formulate/joints/joint_values.h"
#include "lithe/model/joint_law.h"
#include "lithe/model/model.h"

namespace lithe {

struct SpringForce {
  double force = 0, by_value = 0, by_speed = 0;
};

inline SpringForce spring_force(const Joint& joint, const SignalValue& motion) {
  SpringForce result{0, freedom_value(joint.stiffness, 0), freedom_value(joint.damping, 0)};
  const double stretch = motion.value - freedom_value(joint.rest_value, 0);
  result.force = result.by_value * stretch + result.by_speed * motion.rate;
  if (!joint.law) return result;
  result.force += spring_excess<double>(*joint.law, stretch);
  result.by_value += spring_excess_stiffness(*joint.law, stretch);
  return result;
}

}  // namespace lithe
