#include "lithe/reduce/interface_nodes.h"

#include <algorithm>

namespace lithe {
namespace {

std::vector<int> each_once(std::vector<int> nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  std::erase_if(nodes, [](int node) { return node < 0; });
  return nodes;
}

}  // namespace

std::vector<int> joint_nodes(const Model& model, int link) {
  std::vector<int> nodes;
  for (const Joint& joint : model.joints) {
    if (joint.parent == link) nodes.push_back(joint.parent_node);
    if (joint.child == link) nodes.push_back(joint.child_node);
  }
  return each_once(std::move(nodes));
}

std::vector<int> interface_nodes(const Model& model, int link) {
  std::vector<int> nodes = joint_nodes(model, link);
  for (const Load& load : model.loads)
    if (load.link == link) nodes.push_back(load.node);
  for (const LumpedMass& mass : model.links.at(static_cast<std::size_t>(link)).lumped_masses)
    nodes.push_back(mass.node);
  for (const Sensor& sensor : model.sensors)
    if (needs_node(sensor.quantity) && sensor.link == link) nodes.push_back(sensor.node);
  for (const AnalysisRequest& analysis : model.analyses)
    for (const ImposedDisplacement& imposed : analysis.imposed)
      if (imposed.link == link) nodes.push_back(imposed.node);
  return each_once(std::move(nodes));
}

}  // namespace lithe
