// Which unknowns a body with spiders has, and how all of its nodes move with them (docs/theory/solid_elements.md).
#pragma once

#include <string>
#include <vector>

#include "lithe/fem/motion_equations.h"
#include "lithe/model/finite_element_body.h"

namespace lithe {

struct BodySpider {
  SpiderKind kind = SpiderKind::rigid;
  int reference = 0;  // node of the body; has rotations
  std::vector<int> nodes;
  std::vector<double> weights;  // of an averaging spider; empty: all alike
  std::string name;             // "interface 'bearing'"
  SourcePlace place;
  bool turns_nodes = true;  // a rigid one: nodes with rotations turn with it
};

// Sets dof_starts, dof_components and node_motions of a body from its positions. `rotations`: whether a node has
// rotations where no spider takes them. The first `num_kept` nodes keep dofs of their own. Spiders whose nodes others
// hold, too, become equations. Throws InputError for spiders that do not hold their reference, for two rigid ones of
// kept nodes that share a node, and as `eliminate` does.
void set_node_motions(const std::vector<bool>& rotations, const std::vector<BodySpider>& spiders,
                      std::vector<BodyEquation> equations, int num_kept, FiniteElementBody& body);

}  // namespace lithe
