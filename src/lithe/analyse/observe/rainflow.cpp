#include "lithe/analyse/observe/rainflow.h"

#include <algorithm>
#include <cmath>

namespace lithe {
namespace {

struct Reversal {
  double time, value;
};

// First and last value and every peak and valley between them.
std::vector<Reversal> reversals_of(const std::vector<double>& times, const std::vector<double>& values) {
  std::vector<Reversal> result;
  for (std::size_t i = 0; i < values.size() && i < times.size(); ++i) {
    const Reversal now{times[i], values[i]};
    const std::size_t n = result.size();
    if (n > 0 && result[n - 1].value == now.value) continue;
    const bool goes_on = n > 1 && (result[n - 1].value > result[n - 2].value) == (now.value > result[n - 1].value);
    if (goes_on)
      result[n - 1] = now;
    else
      result.push_back(now);
  }
  return result;
}

RainflowCycle between(const Reversal& a, const Reversal& b, double count) {
  return {std::abs(b.value - a.value), 0.5 * (a.value + b.value), count, a.time, b.time};
}

}  // namespace

std::vector<RainflowCycle> rainflow(const std::vector<double>& times, const std::vector<double>& values,
                                    double smallest_range) {
  std::vector<RainflowCycle> cycles;
  const auto found = [&](const Reversal& a, const Reversal& b, double count) {
    const RainflowCycle cycle = between(a, b, count);
    if (cycle.range > smallest_range) cycles.push_back(cycle);
  };
  std::vector<Reversal> open;  // the standard's S, ..., with the ranges Y and X at the end
  for (const Reversal& reversal : reversals_of(times, values)) {
    open.push_back(reversal);
    while (open.size() >= 3) {
      const std::size_t n = open.size();
      const double x = std::abs(open[n - 1].value - open[n - 2].value);
      const double y = std::abs(open[n - 2].value - open[n - 3].value);
      if (x < y) break;
      if (n == 3) {  // Y contains the starting point
        found(open[0], open[1], 0.5);
        open.erase(open.begin());
      } else {
        found(open[n - 3], open[n - 2], 1);
        open.erase(open.end() - 3, open.end() - 1);
      }
    }
  }
  for (std::size_t k = 0; k + 1 < open.size(); ++k) found(open[k], open[k + 1], 0.5);
  return cycles;
}

RainflowHistogram rainflow_histogram(const std::vector<RainflowCycle>& cycles, int num_bins) {
  RainflowHistogram result;
  const auto bins = static_cast<std::size_t>(std::max(1, num_bins));
  double largest = 0;
  for (const RainflowCycle& cycle : cycles) largest = std::max(largest, cycle.range);
  for (std::size_t k = 0; k <= bins; ++k)
    result.edges.push_back(largest * static_cast<double>(k) / static_cast<double>(bins));
  result.counts.assign(bins, 0);
  result.means.assign(bins, 0);
  for (const RainflowCycle& cycle : cycles) {
    const auto above = std::lower_bound(result.edges.begin() + 1, result.edges.end(), cycle.range);
    const auto bin = std::min<std::size_t>(static_cast<std::size_t>(above - result.edges.begin()) - 1, bins - 1);
    result.counts[bin] += cycle.count;
    result.means[bin] += cycle.count * cycle.mean;
  }
  for (std::size_t k = 0; k < bins; ++k)
    if (result.counts[k] > 0) result.means[k] /= result.counts[k];
  return result;
}

}  // namespace lithe
