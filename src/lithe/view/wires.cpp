#include "lithe/view/wires.h"

#include "lithe/fem/assemble.h"

namespace lithe {

std::vector<Wire> wires(const Model& model) {
  std::vector<Wire> result;
  for (int i = 0; i < static_cast<int>(model.links.size()); ++i) {
    const Link& link = model.links[i];
    if (!link.rigid && !link.from_elsewhere()) {
      for (const BeamElement& element : assemble(model, link, true).elements)
        result.push_back({i, element.node_a, element.node_b});
    } else if (!link.segments.empty()) {
      for (const BeamSegment& segment : link.segments) result.push_back({i, segment.from, segment.to});
    } else {
      for (int node = 1; node < static_cast<int>(link.nodes.size()); ++node) result.push_back({i, 0, node});
    }
  }
  return result;
}

}  // namespace lithe
