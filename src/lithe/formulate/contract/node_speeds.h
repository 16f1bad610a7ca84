// What some formulations know beside the contract about their coordinates.
#pragma once

#include "lithe/formulate/contract/equations.h"

namespace lithe {

// How far coordinates move the mechanism, from one pass along it.
class NodeSpeeds {
 public:
  virtual ~NodeSpeeds() = default;
  // Speed of the fastest named node per unit speed of each coordinate, prescribed joints at rest; zeros where the loops
  // cannot be closed.
  virtual VectorX node_speeds(const State&, const Inputs&, Workspace&) const = 0;
  // The same of the material: the root mean square over the link that moves most, deflections aside, which its fastest
  // point reaches whether it has a name or not. Empty: not known.
  virtual VectorX material_speeds(const State&, const Inputs&, Workspace&) const { return {}; }
};

// Formulations whose states may choose other coordinates than coordinate_names() lists.
class NamedCoordinates {
 public:
  virtual ~NamedCoordinates() = default;
  // Coordinates and speeds as coordinate_names() has them.
  virtual void named_coordinates(const State&, const Inputs&, Workspace&, VectorX& coordinates,
                                 VectorX& speeds) const = 0;
};

}  // namespace lithe
