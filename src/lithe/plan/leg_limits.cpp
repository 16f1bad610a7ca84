#include "lithe/plan/leg_limits.h"

#include <algorithm>
#include <cmath>

namespace lithe {
namespace {

// Size, first, second and third derivative in time of something.
struct Rates {
  double speed, acceleration, jerk;
};

void compare(const Rates& rates, const MotionLimits& limits, int joint, LegExcess& worst) {
  const double values[] = {rates.speed, rates.acceleration, rates.jerk};
  const double allowed[] = {limits.speed, limits.acceleration, limits.jerk};
  for (int order = 0; order < 3; ++order) {
    if (!std::isfinite(allowed[order])) continue;
    const double ratio = values[order] / allowed[order];
    const double factor = order == 0 ? ratio : order == 1 ? std::sqrt(ratio) : std::cbrt(ratio);
    const bool equal = std::abs(factor - worst.factor) <= 1e-6 * worst.factor;  // then the speed is said, not the jerk
    if (equal ? order < worst.order : factor > worst.factor)
      worst = {factor, joint, order, values[order], allowed[order]};
  }
}

}  // namespace

LegExcess leg_excess(const JointPath& path, const TimeLaw& law, const PathLimits& limits, bool of_tool) {
  constexpr int samples = 24;  // per piece; peaks of polynomials that lie between are missed by less than 0.2 %
  std::vector<double> times = law.times();
  for (std::size_t k = 1; k + 1 < path.nodes().size(); ++k)
    times.push_back(law.time_at(path.nodes()[k] - path.start()));
  std::sort(times.begin(), times.end());
  LegExcess worst;
  const auto state = [&](double time, bool before, SignalValue& s) {
    s = law.at(time, before);
    PathNode node = path.at(path.start() + s.value, before);
    node.second = node.second * (s.rate * s.rate) + node.first * s.acceleration;
    node.first *= s.rate;
    return node;
  };
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] - times[i - 1] < 1e-6 * law.duration()) continue;  // too short to tell jerk from rounding
    const double step = (times[i] - times[i - 1]) / samples;
    SignalValue s0, s1;
    PathNode from = state(times[i - 1], false, s0);
    for (int k = 1; k <= samples; ++k) {
      const PathNode to = state(times[i - 1] + step * k, k == samples, s1);
      for (std::size_t j = 0; j < limits.coordinates.size(); ++j) {
        const int c = limits.coordinates[j];
        compare({std::max(std::abs(from.first[c]), std::abs(to.first[c])),
                 std::max(std::abs(from.second[c]), std::abs(to.second[c])),
                 std::abs(to.second[c] - from.second[c]) / step},
                limits.motions[j], static_cast<int>(j), worst);
      }
      if (of_tool)
        compare({std::max(s0.rate, s1.rate), std::max(std::abs(s0.acceleration), std::abs(s1.acceleration)),
                 std::abs(s1.acceleration - s0.acceleration) / step},
                limits.tool, -1, worst);
      from = to;
      s0 = s1;
    }
  }
  return worst;
}

}  // namespace lithe
