// What the model and the model file of a described robot have in common: names of nodes, initial values.
#pragma once

#include "lithe/read/urdf/robot_description.h"

namespace lithe {

// Nodes of every link: one per joint, named after it, and its points. The first is at the joint that leads to the link.
std::vector<std::vector<Node>> nodes_of_links(const RobotDescription& robot, const std::string& base_name);
// The name of the joint with the ground: "base", or another that no joint has.
std::string base_joint_name(const RobotDescription& robot);
// Where a joint starts: at zero, or in the middle of limits that exclude it; a mimic joint where its coupling says.
double initial_value(const RobotDescription& robot, const DescribedJoint& joint);

}  // namespace lithe
