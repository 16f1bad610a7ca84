// Formulations that leave out geometric stiffening somewhere say how much it would matter.
#pragma once

#include "lithe/formulate/equations.h"

namespace lithe {

// What the geometric stiffening that a formulation leaves out would do to the bending stiffness of a link, as a part of
// it, and of which link.
struct LeftOutStiffening {
  double part = 0;
  int link = -1;
};

class LeavesOutStiffening {
 public:
  virtual ~LeavesOutStiffening() = default;
  // The part of a link's second-order displacements that is left out: 0 none, 1 all.
  virtual double left_out_part(int link) const = 0;
  // An estimate for the state and its accelerations; 0 where everything is contained.
  virtual LeftOutStiffening left_out_stiffening(const State&, const Inputs&, const Accelerations&,
                                                Workspace&) const = 0;
};

inline double left_out_part(const Equations& equations, int link) {
  const auto* some = dynamic_cast<const LeavesOutStiffening*>(&equations);
  return some ? some->left_out_part(link) : 0;
}

// Of any formulation; 0 of those that contain it.
inline LeftOutStiffening left_out_stiffening(const Equations& equations, const State& state, const Inputs& inputs,
                                             const Accelerations& accelerations, Workspace& workspace) {
  const auto* some = dynamic_cast<const LeavesOutStiffening*>(&equations);
  return some ? some->left_out_stiffening(state, inputs, accelerations, workspace) : LeftOutStiffening{};
}

}  // namespace lithe
