// Nodes of a link from elsewhere by name, number and geometry.
#pragma once

#include <optional>
#include <vector>

#include "lithe/model/mesh/mesh.h"
#include "lithe/read/tables/table_reader.h"

namespace lithe {

// What interfaces choose from.
struct NodeChoice {
  const std::vector<Vector3>& positions;
  const Mesh* mesh = nullptr;        // none: imported matrices, which have neither groups nor faces
  std::vector<bool> surface;         // per node
  std::vector<SurfaceFace> faces{};  // of the mesh
  double size = 0;                   // of its bounding box
};
NodeChoice choice_of(const std::vector<Vector3>& positions, const Mesh* mesh);

// Reads [[links.interfaces]]: nodes of the mesh that become named nodes, and spiders. `plain`: the mesh node of each
// of link.nodes so far, to which nodes chosen by number are added.
void read_interfaces(const TableReader& reader, const NodeChoice& choice, std::vector<int>& plain, NameList& names,
                     Link& link);

// Only their names, where there is nothing to choose from: joints find their nodes, and no follow-up errors are listed.
void name_interfaces(const TableReader& reader, NameList& names, Link& link);

// The node at a position, which a node of the model file must have; reports and returns nothing where there is none.
std::optional<int> node_at(const TableReader& reader, const NodeChoice& choice, const Node& node);

}  // namespace lithe
