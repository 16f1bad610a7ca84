// Which process holds which dofs of a body.
#pragma once

#include <vector>

#include "lithe/model/finite_element_body.h"
#include "lithe/model/mesh/mesh.h"

namespace lithe {

// Inner dofs are rows of the distributed matrices, those of a process in a run. Dofs of the interface are few: every
// process knows them all.
struct DofLayout {
  std::vector<int> row;             // of every dof of the body; -1 - k for the k-th of the interface
  std::vector<int> starts;          // the first row of every process and, at the end, their number
  std::vector<int> interface_dofs;  // ascending by node

  int num_inner() const { return starts.back(); }
  int num_interface() const { return static_cast<int>(interface_dofs.size()); }
  int process_of(int row_number) const;
};

// The dofs of a node are with the first process that has one of its elements; nodes without elements are with the
// first. `nodes`: the body without matrices, mesh_nodes_of(link).
DofLayout lay_out_dofs(const FiniteElementBody& nodes, const MeshPart& part, const std::vector<int>& part_of_element,
                       int num_parts, const std::vector<int>& interface_nodes);

}  // namespace lithe
