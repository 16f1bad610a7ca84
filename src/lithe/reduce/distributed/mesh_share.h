// What one process holds of a mesh: its elements' matrices, over the nodes and dofs that they touch.
#pragma once

#include <vector>

#include "lithe/model/finite_element_body.h"

namespace lithe {

struct MeshShare {
  // Its own nodes and dofs alone: positions, node_motions, mass, stiffness, node_mass, mass_points. The dofs of a node
  // are not listed (dof_starts).
  FiniteElementBody body;
  std::vector<int> dofs;  // ascending: dof k here is dofs[k] of the whole body
  int num_elements = 0;
};

// The elements whose entry of `part_of_element` is `part`. Spiders act on each element as in the whole body, so that
// the shares' matrices add up to its matrices. Point masses are in share 0. Throws InputError for a mesh that is no
// body, wherever it is wrong.
MeshShare mesh_share(const Link& link, const std::vector<int>& part_of_element, int part);

}  // namespace lithe
