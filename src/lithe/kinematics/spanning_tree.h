// Which joints form the tree and which are cut.
#pragma once

#include <vector>

#include "lithe/model/model.h"

namespace lithe {

struct TreeJoint {
  int joint = -1;
  bool backwards = false;  // from the joint's child to its parent
};

struct CutChoice {
  int joint = -1;
  bool carried = false;  // something acts on the joint's freedoms, so that they have to be coordinates
};

struct SpanningTree {
  std::vector<TreeJoint> order;  // parents before children
  std::vector<CutChoice> cuts;   // joints left over, in model order
};

// Throws InputError with every error of the topology.
SpanningTree span(const Model& model);

}  // namespace lithe
