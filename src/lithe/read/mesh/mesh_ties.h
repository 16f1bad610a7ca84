// Nodes that are glued to faces of a mesh which does not fit theirs.
#pragma once

#include <string>
#include <vector>

#include "lithe/read/mesh/mesh_builder.h"

namespace lithe {

struct TiedNodes {
  std::vector<MeshEquation> equations;
  std::vector<std::int64_t> left_out;  // numbers of nodes that are too far away
  double tolerance = 0;                // that was used
};

// (14) of the theory of solids: each slave follows the nearest point of the master faces. A node of a master face is
// no slave. `tolerance`: as in MeshBuilder::Tie.
TiedNodes tie_nodes(const Mesh& mesh, const std::vector<int>& slaves, const std::vector<MeshBuilder::Face>& masters,
                    double tolerance, const std::string& name);

}  // namespace lithe
