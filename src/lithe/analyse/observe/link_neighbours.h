// How links hang together: where a link is held, and which links move as one body.
#pragma once

#include <vector>

#include "lithe/model/model.h"

namespace lithe {

// Nodes of a link at which the rest of the mechanism holds it: in a loop its two joints of that loop that are farthest
// apart; else the joint towards the ground alone. -1: none.
struct HeldNodes {
  int inboard = -1, outboard = -1;
};
HeldNodes held_nodes(const Model& model, int link);

// Links that hang on a link at one node and are held by nothing else.
struct CarriedLinks {
  int node = -1;
  std::vector<int> links;
};
std::vector<CarriedLinks> carried_links(const Model& model, int link);

// Per link, the first of the links that fixed joints make one body with it; itself where there is none.
std::vector<int> first_of_body(const Model& model);

}  // namespace lithe
