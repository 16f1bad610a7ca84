#include "lithe/analyse/condense/sets.h"

#include <algorithm>
#include <limits>
#include <set>

#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"

namespace lithe {
namespace {

// Nodes of a subsystem: ends of its joints, its root, and what of flexible links is seen.
struct SubsystemNodes {
  std::set<std::pair<int, int>> of_links;  // link, node
  std::vector<std::string> on_ground;      // one for every joint there
};

SubsystemNodes nodes_of(const Model& model, const CondenseTopology& topology, const Subsystem& subsystem) {
  SubsystemNodes nodes;
  for (const int j : subsystem.joints) {
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    for (const NodeOfLink& end : {parent_end(joint), child_end(joint)}) {
      if (end.link >= 0)
        nodes.of_links.insert({end.link, end.node});
      else
        nodes.on_ground.push_back(cat("ground at '", joint.name, "'"));
    }
  }
  if (subsystem.root.link >= 0) nodes.of_links.insert({subsystem.root.link, subsystem.root.node});
  for (const int b : subsystem.bodies) {
    const TiedBody& body = topology.bodies()[static_cast<std::size_t>(b)];
    if (body.link >= 0 && body.node >= 0) nodes.of_links.insert({body.link, body.node});
  }
  return nodes;
}

SubsystemCount count(const Model& model, const Subsystem& subsystem, const SubsystemNodes& nodes) {
  SubsystemCount result;
  result.role = subsystem.role;
  result.root = subsystem.root;
  int last = -1;
  std::set<int> rigid_links;
  for (const auto& [link, node] : nodes.of_links) {
    const Link& of = model.links[static_cast<std::size_t>(link)];
    if (link != last) result.name += cat(result.name.empty() ? "" : ", ", of.name);
    last = link;
    if (of.rigid && !rigid_links.insert(link).second) ++result.rigid;
  }
  if (result.name.empty()) result.name = "ground";
  result.num_joint_nodes = static_cast<int>(nodes.of_links.size() + nodes.on_ground.size());
  result.mobile = static_cast<int>(subsystem.joints.size());
  result.imposed = static_cast<int>(nodes.on_ground.size()) + (subsystem.role == SubsystemRole::imposed ? 1 : 0);
  // A connected group of n bodies needs n - 1 joints; the ground is one body.
  const auto bodies = static_cast<int>(subsystem.bodies.size());
  result.loops = std::max(0, result.mobile - (bodies - 1));
  return result;
}

}  // namespace

ToolStiffness stiffness_by_direction(const ToolMatrices& tool) {
  ToolStiffness result;
  if (tool.stiffness) result.locked = tool.stiffness->diagonal();
  if (!tool.compliance) return result;
  const double floor = 1e-14 * tool.compliance->diagonal().cwiseAbs().maxCoeff();
  for (int k = 0; k < 6; ++k) {
    const double compliance = (*tool.compliance)(k, k);
    result.free[k] = compliance > floor ? 1 / compliance : std::numeric_limits<double>::infinity();
  }
  return result;
}

NodeSets node_sets(const Condenser& condenser) {
  const Model& model = condenser.model();
  const CondenseTopology& topology = condenser.topology();
  NodeSets sets;
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    if (model.links[i].rigid) continue;
    const std::vector<int>& seen = topology.boundary(static_cast<int>(i));
    for (const int node : seen) sets.boundary.push_back({static_cast<int>(i), node});
    sets.num_inner += assemble(model, model.links[i]).num_nodes() - static_cast<int>(seen.size());
  }
  for (const Subsystem& subsystem : topology.subsystems()) {
    const SubsystemNodes nodes = nodes_of(model, topology, subsystem);
    if (nodes.of_links.empty() && nodes.on_ground.empty()) continue;
    for (const auto& [link, node] : nodes.of_links) sets.joint.push_back(node_text(model, {link, node}));
    sets.joint.insert(sets.joint.end(), nodes.on_ground.begin(), nodes.on_ground.end());
    sets.subsystems.push_back(count(model, subsystem, nodes));
    const SubsystemCount& own = sets.subsystems.back();
    for (int SubsystemCount::*part : {&SubsystemCount::num_joint_nodes, &SubsystemCount::mobile, &SubsystemCount::rigid,
                                      &SubsystemCount::imposed, &SubsystemCount::loops})
      sets.total.*part += own.*part;
  }
  sets.independent = topology.independent_nodes();
  return sets;
}

}  // namespace lithe
