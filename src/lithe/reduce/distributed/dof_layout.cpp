#include "lithe/reduce/distributed/dof_layout.h"

#include <algorithm>

namespace lithe {
namespace {

// Of every node of the mesh, `num_parts` of those without elements.
std::vector<int> first_part(const MeshPart& part, const std::vector<int>& part_of_element, int num_parts) {
  std::vector<int> first(part.mesh.positions.size(), num_parts);
  for (std::size_t e = 0; e < part.mesh.elements.size(); ++e) {
    if (part_of_element[e] < 0) continue;
    const MeshElement& element = part.mesh.elements[e];
    for (int k = 0; k < info(element.shape).num_nodes; ++k) {
      int& own = first[static_cast<std::size_t>(part.mesh.nodes_of(element)[k])];
      own = std::min(own, part_of_element[e]);
    }
  }
  return first;
}

}  // namespace

int DofLayout::process_of(int row_number) const {
  return static_cast<int>(std::upper_bound(starts.begin(), starts.end(), row_number) - starts.begin()) - 1;
}

DofLayout lay_out_dofs(const FiniteElementBody& nodes, const MeshPart& part, const std::vector<int>& part_of_element,
                       int num_parts, const std::vector<int>& interface_nodes) {
  const std::vector<int> first = first_part(part, part_of_element, num_parts);
  DofLayout layout;
  layout.row.assign(static_cast<std::size_t>(nodes.num_dofs()), 0);
  for (const int node : interface_nodes)
    for (int dof = nodes.first_dof(node); dof < nodes.first_dof(node + 1); ++dof) {
      layout.row[static_cast<std::size_t>(dof)] = -1 - layout.num_interface();
      layout.interface_dofs.push_back(dof);
    }
  const auto process = [&](int node) {
    const int in_mesh = nodes.mesh_nodes[static_cast<std::size_t>(node)];
    const int found = in_mesh < 0 ? num_parts : first[static_cast<std::size_t>(in_mesh)];
    return found == num_parts ? 0 : found;
  };
  const auto each_inner = [&](const auto& action) {
    for (int node = 0; node < nodes.num_nodes(); ++node)
      for (int dof = nodes.first_dof(node); dof < nodes.first_dof(node + 1); ++dof)
        if (int& row = layout.row[static_cast<std::size_t>(dof)]; row >= 0) action(row, process(node));
  };
  layout.starts.assign(static_cast<std::size_t>(num_parts) + 1, 0);
  each_inner([&](int&, int owner) { ++layout.starts[static_cast<std::size_t>(owner) + 1]; });
  for (std::size_t p = 0; p < static_cast<std::size_t>(num_parts); ++p) layout.starts[p + 1] += layout.starts[p];
  std::vector<int> next = layout.starts;
  each_inner([&](int& row, int owner) { row = next[static_cast<std::size_t>(owner)]++; });
  return layout;
}

}  // namespace lithe
