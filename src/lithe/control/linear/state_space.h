// A linear time-invariant system  ẋ = A x + B u,  y = C x + D u  (continuous), or x⁺ = A x + B u (sampled).
#pragma once

#include <vector>

#include "lithe/base/channel.h"
#include "lithe/base/math.h"

namespace lithe {

// The four matrices with names of their signals.
struct StateSpace {
  MatrixX a, b, c, d;
  double sample_time = 0;                        // s; 0: continuous
  std::vector<Channel> states, inputs, outputs;  // names; empty when nobody gave any

  Eigen::Index num_states() const { return a.rows(); }
  Eigen::Index num_inputs() const { return b.cols(); }
  Eigen::Index num_outputs() const { return c.rows(); }
  bool is_continuous() const { return sample_time == 0; }
};

}  // namespace lithe
