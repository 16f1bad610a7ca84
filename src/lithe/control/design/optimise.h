// The least value of a function of a few parameters without derivatives, for tuning.
#pragma once

#include <functional>

#include "lithe/base/math.h"

namespace lithe {

struct SimplexResult {
  VectorX point;
  double value = 0;
  int evaluations = 0;
};

// Nelder and Mead's simplex, restarted once about its result. `step`: first side lengths. The function may return
// infinity where a point is not allowed.
SimplexResult minimise(const std::function<double(const VectorX&)>& function, const VectorX& start, const VectorX& step,
                       int max_evaluations = 1000, double tolerance = 1e-6);

}  // namespace lithe
