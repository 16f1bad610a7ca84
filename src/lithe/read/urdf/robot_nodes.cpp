#include <algorithm>

#include "lithe/base/text.h"
#include "lithe/read/urdf/robot_to_model.h"

namespace lithe {

std::string base_joint_name(const RobotDescription& robot) {
  std::string name = "base";
  while (robot.find_joint(name) >= 0) name += "_ground";
  return name;
}

std::vector<Node> nodes_of(const RobotDescription& robot, int link, const std::string& base_name) {
  std::vector<Node> nodes;
  const auto add = [&](std::string name, const Vector3& position) {
    const auto taken = [&](const std::string& candidate) {
      return std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) { return node.name == candidate; });
    };
    while (taken(name)) name += "_point";
    nodes.push_back({name, position});
  };
  if (link == robot.root) add(base_name, Vector3::Zero());
  for (const DescribedJoint& joint : robot.joints)
    if (joint.child == link) add(joint.name, Vector3::Zero());
  for (const DescribedJoint& joint : robot.joints)
    if (joint.parent == link) add(joint.name, joint.origin.position);
  for (const DescribedPoint& point : robot.links[static_cast<std::size_t>(link)].points) add(point.name, point.position);
  return nodes;
}

double initial_value(const RobotDescription& robot, const DescribedJoint& joint) {
  if (joint.mimic) {
    const int of = robot.find_joint(joint.mimic->of);
    if (of >= 0)
      return joint.mimic->factor * initial_value(robot, robot.joints[static_cast<std::size_t>(of)]) +
             joint.mimic->offset;
  }
  if (!joint.limits || (joint.limits->first <= 0 && joint.limits->second >= 0)) return 0;
  return (joint.limits->first + joint.limits->second) / 2;
}

}  // namespace lithe
