// Linear equations between motions of nodes, eliminated exactly (docs/theory/solid_elements.md, "Equations").
#pragma once

#include <string>
#include <vector>

#include "lithe/model/finite_element_body.h"
#include "lithe/model/mesh/mesh.h"

namespace lithe {

struct BodyEquation {
  std::string name;               // "*EQUATION in line 12"
  std::vector<MotionTerm> terms;  // of nodes of the body
  SourcePlace place;
  bool if_all_turn = false;  // as in MeshEquation
};

// Takes one dof away for each equation that does not follow from the others: dof_starts, dof_components and
// node_motions of the body change. Dofs of its first `num_kept` nodes stay. Throws InputError for equations that hold
// a motion of those, or name a rotation that a node has not.
void eliminate(const std::vector<BodyEquation>& equations, int num_kept, FiniteElementBody& body);

}  // namespace lithe
