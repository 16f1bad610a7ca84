// The nodes at the bottom and the top of shells: between them a shell's mass moves as that of a solid does, and there
// its stress is (docs/theory/shell_elements.md).
#pragma once

#include <array>
#include <vector>

#include "lithe/model/mesh/mesh.h"

namespace lithe {

struct ShellLayers {
  struct LayerNode {
    int mesh_node = 0;
    Vector3 arm = Vector3::Zero();  // from the mesh node, with whose rotation it turns
  };
  std::vector<LayerNode> nodes;
  std::vector<int> first;                   // per element of the mesh, index into `corners`; -1: no shell
  std::vector<std::array<int, 2>> corners;  // bottom and top of each node of each shell, index into `nodes`
  const std::array<int, 2>& corner(std::size_t element, int node) const {
    return corners[static_cast<std::size_t>(first[element] + node)];
  }
};

// Shells that meet at a node share its bottom and top where their normals are nearly the same.
ShellLayers shell_layers(const MeshPart& part);

// Triangles of layer nodes: bottoms, tops and the rims of free edges, seen from outside counterclockwise.
std::vector<std::array<int, 3>> layer_triangles(const MeshPart& part, const ShellLayers& layers);

}  // namespace lithe
