// What integrators know of the motion inside their last step besides dense output: for integrals along the motion that
// need no evaluation of their own. docs/simulate.md, "Energy balance".
#pragma once

#include <array>

#include "lithe/formulate/contract/equations.h"

namespace lithe {

// Nodes of a quadrature of the last step, the end of it the last one, with the accelerations of the motion there.
struct KnownInstants {
  static constexpr std::size_t count = 3;
  std::array<State, count> states;
  std::array<Accelerations, count> accelerations;
  std::array<double, count> weights{};  // in parts of the step
  bool begins_with_step = false;        // the first one is the end of the step before
};

class KnowsInstants {
 public:
  virtual ~KnowsInstants() = default;
  // False: nothing is known of this step.
  virtual bool known_instants(KnownInstants& result) const = 0;
};

}  // namespace lithe
