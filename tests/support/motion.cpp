#include "support/motion.h"

namespace lithe::testing {

State move(const Watched& system, const State& start, double end, double step, const InputFunction& inputs) {
  return move_watched(
      system, start, end, step, [](const State&) {}, inputs);
}

double largest_distance(const std::vector<Vector3>& a, const std::vector<Vector3>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
  return largest;
}

}  // namespace lithe::testing
