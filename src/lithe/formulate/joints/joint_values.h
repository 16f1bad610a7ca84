#pragma once

#include <vector>

namespace lithe {

// Values of a joint's freedoms (inertia, stiffness, damping, ...) as the model file gives them: what is not given is
// zero.
inline double freedom_value(const std::vector<double>& values, int freedom) {
  return freedom < static_cast<int>(values.size()) ? values[freedom] : 0.0;
}

}  // namespace lithe
