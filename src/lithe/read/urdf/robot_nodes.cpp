#include <map>

#include "lithe/base/text.h"
#include "lithe/read/urdf/robot_to_model.h"

namespace lithe {

std::string base_joint_name(const RobotDescription& robot) {
  std::string name = "base";
  while (robot.find_joint(name) >= 0) name += "_ground";
  return name;
}

std::vector<std::vector<Node>> nodes_of_links(const RobotDescription& robot, const std::string& base_name) {
  std::vector<std::vector<Node>> nodes(robot.links.size());
  std::vector<std::map<std::string, int>> taken(robot.links.size());  // how often each name was wanted
  const auto add = [&](int link, const std::string& name, const Vector3& position) {
    const auto l = static_cast<std::size_t>(link);
    int& wanted = taken[l][name];
    std::string own = name;
    bool is_new = ++wanted == 1;
    for (; !is_new; ++wanted) {
      own = cat(name, "_point", wanted == 2 ? "" : cat(wanted - 1));
      is_new = taken[l].try_emplace(own, 1).second;
    }
    nodes[l].push_back({own, position});
  };
  if (robot.root >= 0) add(robot.root, base_name, Vector3::Zero());
  for (const DescribedJoint& joint : robot.joints) add(joint.child, joint.name, Vector3::Zero());
  for (const DescribedJoint& joint : robot.joints) add(joint.parent, joint.name, joint.origin.position);
  for (int link = 0; link < static_cast<int>(robot.links.size()); ++link)
    for (const DescribedPoint& point : robot.links[static_cast<std::size_t>(link)].points)
      add(link, point.name, point.position);
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
