// What integrators offer whose steps may be longer than the vibrations in them.
#pragma once

#include <array>

#include "lithe/formulate/contract/equations.h"

namespace lithe {

class SmoothedSteps {
 public:
  virtual ~SmoothedSteps() = default;

  // The motion of a part of the last step without vibrations faster than it, at its three Gauss points: whatever is
  // linear in the motion, times a parabola in time, keeps its integral. Returns the energy that damped modes lose by
  // the vibrations left out.
  virtual double smooth(double from, double to, std::array<State, 3>& result) const = 0;
};

}  // namespace lithe
