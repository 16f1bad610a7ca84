// What some formulations know beside the contract about their coordinates.
#pragma once

#include "lithe/formulate/contract/equations.h"

namespace lithe {

// Formulations whose states may choose other coordinates than coordinate_names() lists.
class NamedCoordinates {
 public:
  virtual ~NamedCoordinates() = default;
  // Coordinates and speeds as coordinate_names() has them.
  virtual void named_coordinates(const State&, const Inputs&, Workspace&, VectorX& coordinates,
                                 VectorX& speeds) const = 0;
};

}  // namespace lithe
