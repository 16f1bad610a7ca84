// A model that starts in another configuration: what analyses with equations of motion need over a grid of
// configurations.
#pragma once

#include <string>
#include <vector>

#include "lithe/kinematics/mechanism.h"
#include "lithe/model/model.h"

namespace lithe {

enum class SpringRest {
  follows,  // moves along with the joint: a servo, or a spring that is relaxed in every configuration
  stays,    // as in the model: moving the joint loads it
};

// Every joint has the value of the configuration, pose targets are gone, and prescribed motions begin where their joint
// is: the same motion, shifted. Throws InputError for a motion that cannot be shifted (a chirp). `home`: the model's
// own configuration, from which springs follow.
Model in_configuration(const Model& model, const Mechanism& mechanism, const Configuration& home,
                       const Configuration& configuration, SpringRest springs = SpringRest::follows);

// The joints (by name, all freedoms; "joint.2": its second freedom) stay where the model's initial values have them. A
// joint whose motion is prescribed keeps that. Throws InputError for unknown names.
Model with_held_joints(Model model, const std::vector<std::string>& names);

struct JointFreedom {
  int joint = 0;
  int freedom = 0;
};
// By "joint", where it has one freedom, or "joint.2". Throws InputError.
JointFreedom joint_freedom(const Model& model, const std::string& name);

}  // namespace lithe
