#include "lithe/reduce/interface_nodes.h"

#include <algorithm>

#include "lithe/model/joint_nodes.h"

namespace lithe {
namespace {

std::vector<int> each_once(std::vector<int> nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  std::erase_if(nodes, [](int node) { return node < 0; });
  return nodes;
}

// A stress of solid elements is read where it is: the static shape of a displacement of a single node would be all
// peak.
bool reads_solid(const Model& model, const Sensor& sensor) {
  return sensor.quantity == Quantity::stress && sensor.link >= 0 &&
         sensor.link < static_cast<int>(model.links.size()) && model.links[static_cast<std::size_t>(sensor.link)].mesh;
}

}  // namespace

std::vector<InterfaceNodes> interface_nodes(const Model& model) {
  std::vector<InterfaceNodes> result(model.links.size());
  const auto add = [&](int link, int node) {
    if (link >= 0 && link < static_cast<int>(result.size())) result[static_cast<std::size_t>(link)].all.push_back(node);
  };
  const std::vector<std::vector<int>> with_joints = nodes_with_joints(model);
  for (std::size_t k = 0; k < result.size(); ++k) {
    result[k].joints = result[k].all = each_once(with_joints[k]);
    for (const LumpedMass& mass : model.links[k].lumped_masses) result[k].all.push_back(mass.node);
  }
  for (const Load& load : model.loads) add(load.link, load.node);
  for (const Sensor& sensor : model.sensors)
    if (needs_node(sensor.quantity) && !reads_solid(model, sensor)) add(sensor.link, sensor.node);
  for (const AnalysisRequest& analysis : model.analyses)
    for (const ImposedDisplacement& imposed : analysis.imposed) add(imposed.link, imposed.node);
  for (InterfaceNodes& nodes : result) nodes.all = each_once(std::move(nodes.all));
  return result;
}

std::vector<int> interface_nodes(const Model& model, int link) {
  return interface_nodes(model).at(static_cast<std::size_t>(link)).all;
}

std::vector<int> joint_nodes(const Model& model, int link) {
  return interface_nodes(model).at(static_cast<std::size_t>(link)).joints;
}

}  // namespace lithe
