// Stress of links of solid elements at the points that sensors read (model/mesh/stress_points.h).
#pragma once

#include "lithe/formulate/contract/equations.h"

namespace lithe {

// Beside Equations, for formulations that know all points of a link at less cost than one after the other.
class SolidStress {
 public:
  virtual ~SolidStress() = default;
  // One column per point: xx yy zz xy yz zx in link axes. False where the formulation does not provide them.
  virtual bool stresses(const State&, const Inputs&, const Accelerations&, int link, Matrix6X& values,
                        Workspace&) const = 0;
};

// The same of any formulation whose section_load() gives the halves of the tensor at a point as force and moment.
bool solid_stresses(const Equations& equations, const State&, const Inputs&, const Accelerations&, int link,
                    int num_points, Matrix6X& values, Workspace&);

}  // namespace lithe
