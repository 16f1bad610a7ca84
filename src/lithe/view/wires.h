// A mechanism as lines between its nodes, for drawing.
#pragma once

#include <vector>

#include "lithe/model/model.h"

namespace lithe {

struct Wire {
  int link = 0;
  int from = 0, to = 0;  // nodes of the link, named ones first, then those of its mesh
};

// Beam links by their elements; rigid links by their drawn path, or from their first node to every other.
std::vector<Wire> wires(const Model& model);

}  // namespace lithe
