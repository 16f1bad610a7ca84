// What a formulation that overrides nothing tells about forces: nothing.
#include <limits>

#include "lithe/formulate/equations.h"

namespace lithe {

double Equations::prescribed_force(const State&, const Inputs&, const Accelerations&, int, int, Workspace&) const {
  return std::numeric_limits<double>::quiet_NaN();
}

bool Equations::reaction(const State&, const Inputs&, const Accelerations&, int, Vector3&, Vector3&, Workspace&) const {
  return false;
}

bool Equations::section_load(const State&, const Inputs&, const Accelerations&, int, int, Vector3&, Vector3&,
                             Workspace&) const {
  return false;
}

double Equations::dissipated_power(const State&, const Inputs&, Workspace&) const {
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace lithe
