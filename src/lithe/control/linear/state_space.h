// A linear time-invariant system  ẋ = A x + B u,  y = C x + D u  (continuous), or x⁺ = A x + B u (sampled).
#pragma once

#include <string>
#include <vector>

#include "lithe/base/math.h"

namespace lithe {

// What a number of the system's input, output or state means: "motor" [N m].
struct LinearSignal {
  std::string name, unit;
};

// The four matrices with names of their signals.
struct StateSpace {
  MatrixX a, b, c, d;
  double sample_time = 0;                             // s; 0: continuous
  std::vector<LinearSignal> states, inputs, outputs;  // names; empty when nobody gave any

  Eigen::Index num_states() const { return a.rows(); }
  Eigen::Index num_inputs() const { return b.cols(); }
  Eigen::Index num_outputs() const { return c.rows(); }
  bool is_continuous() const { return sample_time == 0; }
};

}  // namespace lithe
