// What acts along one joint freedom beside drives: motor inertia, spring, damper and friction.
#pragma once

#include <memory>

#include "lithe/formulate/joints/ball_damper.h"
#include "lithe/formulate/joints/joint_values.h"
#include "lithe/model/joint_law.h"
#include "lithe/model/model.h"

namespace lithe {

struct JointElement {
  double inertia = 0, stiffness = 0, rest_value = 0, damping = 0, friction = 0, friction_speed = 1e-3;
  std::shared_ptr<const JointLaw> law;  // beside them; none: nothing
};

inline JointElement joint_element(const Joint& joint, int freedom) {
  return {.inertia = freedom_value(joint.inertia, freedom),
          .stiffness = freedom_value(joint.stiffness, freedom),
          .rest_value = freedom_value(joint.rest_value, freedom),
          .damping = freedom_damping(joint, freedom),
          .friction = freedom_value(joint.friction, freedom),
          .friction_speed = joint.friction_speed,
          .law = joint.law};
}

}  // namespace lithe
