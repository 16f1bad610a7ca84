// Where joints sit on the links of a model.
#pragma once

#include <vector>

#include "lithe/model/model.h"

namespace lithe {

// Nodes with joints of every link, in the order of the joints. One walk for all links: models may have 10^5 of them.
inline std::vector<std::vector<int>> nodes_with_joints(const Model& model) {
  std::vector<std::vector<int>> nodes(model.links.size());
  const auto add = [&](int link, int node) {
    if (link >= 0 && link < static_cast<int>(nodes.size())) nodes[static_cast<std::size_t>(link)].push_back(node);
  };
  for (const Joint& joint : model.joints) {
    add(joint.parent, joint.parent_node);
    add(joint.child, joint.child_node);
  }
  return nodes;
}

}  // namespace lithe
