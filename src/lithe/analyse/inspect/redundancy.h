// Redundant constraints of loops: which of them only say that a loop moves in a plane, and what they change.
#pragma once

#include <string>

#include "lithe/analyse/inspect/inspect.h"

namespace lithe {

struct Redundancy {
  bool planar = false;       // the model is: the counts are those of the plane
  int num_redundant = 0;     // conditions beyond the rank
  int out_of_plane = 0;      // of these, in a spatial model: of loops that move in a plane, out of it
  bool rigid_loops = false;  // no link of a loop is flexible

  std::string sentence() const;  // empty where nothing is redundant
};

Redundancy find_redundancy(const Model& model, const MechanismInfo& info);

}  // namespace lithe
