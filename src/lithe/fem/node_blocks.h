// Sparse matrices of solid meshes, filled in place: which nodes meet is known before anything is computed.
#pragma once

#include <vector>

#include "lithe/model/finite_element_body.h"
#include "lithe/model/mesh/mesh.h"

namespace lithe {

// Stiffness, mass and node mass of solids whose nodes carry three dofs of their own, or six. Blocks of nodes that
// follow a spider are left to the caller.
class NodeBlocks {
 public:
  // `place`: node of the body for every node of the mesh. Elements with material < 0 do not count.
  NodeBlocks(const MeshPart& part, const std::vector<int>& place, const FiniteElementBody& body);

  // Whether the node's three displacements are dofs.
  bool plain(int node) const { return first_dof_[static_cast<std::size_t>(node)] >= 0; }
  // Adds ∫ρ N_i N_j to node_mass, and for plain nodes the 3 x 3 block of the stiffness and the mass times identity.
  void add(int row_node, int column_node, const Eigen::Ref<const Matrix3, 0, Eigen::OuterStride<>>& stiffness,
           double mass);
  void move_to(FiniteElementBody& body);

 private:
  void find_neighbours(const MeshPart& part, const std::vector<int>& place, int num_nodes);
  void set_pattern(const FiniteElementBody& body);

  std::vector<int> first_dof_;  // of every node, -1 where it is not plain
  // Neighbours of node j, itself among them, ascending: neighbours_[starts_[j] ... starts_[j + 1]).
  std::vector<std::size_t> starts_;
  std::vector<int> neighbours_;
  std::vector<int> plain_before_;  // plain ones among the neighbours of the same node before this one
  SparseMatrix stiffness_, mass_, node_mass_;
};

}  // namespace lithe
