// Cycles of a recorded quantity as fatigue needs them: rainflow counting, ASTM E1049-85, section 5.4.4.
#pragma once

#include <vector>

namespace lithe {

// Half a cycle where it begins at the start of the record or is never closed, otherwise a whole one.
struct RainflowCycle {
  double range = 0;
  double mean = 0;
  double count = 1;                     // 1 or 0.5
  double start_time = 0, end_time = 0;  // of its first and second reversal
};

// In the order in which they are found; the halves that are left at the end come last. Cycles of a range of
// `smallest_range` and less are left out of the list, not of the counting. Values must be finite.
std::vector<RainflowCycle> rainflow(const std::vector<double>& times, const std::vector<double>& values,
                                    double smallest_range = 0);

// Counts of ranges: `count[k]` cycles with a range above edges[k] and up to edges[k + 1].
struct RainflowHistogram {
  std::vector<double> edges;  // ascending from zero, one more than counts
  std::vector<double> counts;
  std::vector<double> means;  // of the cycles of each bin, weighted by their count; 0 where there are none
};
RainflowHistogram rainflow_histogram(const std::vector<RainflowCycle>& cycles, int num_bins);

}  // namespace lithe
