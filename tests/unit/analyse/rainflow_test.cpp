#include "lithe/analyse/observe/rainflow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace lithe {
namespace {

std::vector<double> times_of(const std::vector<double>& values) {
  std::vector<double> times;
  for (std::size_t k = 0; k < values.size(); ++k) times.push_back(static_cast<double>(k));
  return times;
}

struct Expected {
  double range, mean, count;
};

void expect_cycles(const std::vector<RainflowCycle>& cycles, const std::vector<Expected>& expected) {
  ASSERT_EQ(cycles.size(), expected.size());
  for (std::size_t k = 0; k < cycles.size(); ++k) {
    EXPECT_EQ(cycles[k].range, expected[k].range) << k;
    EXPECT_EQ(cycles[k].mean, expected[k].mean) << k;
    EXPECT_EQ(cycles[k].count, expected[k].count) << k;
  }
}

// ASTM E1049-85 (2017), figure 6: A to I.
const std::vector<double> standard_history{-2, 1, -3, 5, -1, 3, -4, 4, -2};

TEST(Rainflow, CountsTheExampleOfTheStandard) {
  // Its table: ranges 3, 4, 8, 9, 8, 6 as halves, E-F of range 4 as a whole cycle.
  expect_cycles(rainflow(times_of(standard_history), standard_history),
                {{3, -0.5, 0.5}, {4, -1, 0.5}, {4, 1, 1}, {8, 1, 0.5}, {9, 0.5, 0.5}, {8, 0, 0.5}, {6, 1, 0.5}});
}

TEST(Rainflow, SumsOfTheStandardsTableFollow) {
  std::map<double, double> counts;
  for (const RainflowCycle& cycle : rainflow(times_of(standard_history), standard_history))
    counts[cycle.range] += cycle.count;
  EXPECT_EQ(counts, (std::map<double, double>{{3, 0.5}, {4, 1.5}, {6, 0.5}, {8, 1.0}, {9, 0.5}}));
}

TEST(Rainflow, PointsBetweenReversalsChangeNothing) {
  std::vector<double> fine;
  for (std::size_t k = 0; k + 1 < standard_history.size(); ++k)
    for (int part = 0; part < 4; ++part)
      fine.push_back(standard_history[k] + 0.25 * part * (standard_history[k + 1] - standard_history[k]));
  fine.insert(fine.end(), 3, standard_history.back());  // and a plateau at the end
  const auto coarse_cycles = rainflow(times_of(standard_history), standard_history);
  const auto fine_cycles = rainflow(times_of(fine), fine);
  ASSERT_EQ(fine_cycles.size(), coarse_cycles.size());
  for (std::size_t k = 0; k < fine_cycles.size(); ++k) {
    EXPECT_EQ(fine_cycles[k].range, coarse_cycles[k].range);
    EXPECT_EQ(fine_cycles[k].start_time, 4 * coarse_cycles[k].start_time);
  }
}

TEST(Rainflow, ASmallVibrationOnALargeSwingIsCountedBesideIt) {
  // 0 -> 10 with an interruption 6 -> 5 -> 10 -> 0: the interruption is one closed cycle, the swing is whole.
  const std::vector<double> values{0, 6, 5, 10, 0};
  expect_cycles(rainflow(times_of(values), values), {{1, 5.5, 1}, {10, 5, 0.5}, {10, 5, 0.5}});
  expect_cycles(rainflow(times_of(values), values, 1), {{10, 5, 0.5}, {10, 5, 0.5}});
}

TEST(Rainflow, ASineOfNPeriodsHasNCyclesOfTwiceItsAmplitude) {
  std::vector<double> times, values;
  constexpr int periods = 7, samples = 400;
  for (int k = 0; k <= periods * samples; ++k) {
    times.push_back(static_cast<double>(k) / samples);
    values.push_back(1 + 3 * std::cos(2 * M_PI * times.back()));
  }
  const auto cycles = rainflow(times, values);
  double sum = 0;
  for (const RainflowCycle& cycle : cycles) {
    EXPECT_NEAR(cycle.range, 6, 1e-12);
    EXPECT_NEAR(cycle.mean, 1, 1e-12);
    sum += cycle.count;
  }
  EXPECT_EQ(sum, periods);
}

// Σ count = half of the ranges between reversals, whatever the history: each reversal but the last begins one.
TEST(Rainflow, EveryHalfCycleIsCountedOnce) {
  std::vector<double> values;
  unsigned state = 12345;
  for (int k = 0; k < 3000; ++k) {
    state = state * 1664525u + 1013904223u;
    values.push_back(static_cast<double>(state >> 8));
  }
  std::size_t reversals = 2;
  for (std::size_t k = 1; k + 1 < values.size(); ++k)
    if ((values[k] > values[k - 1]) != (values[k + 1] > values[k])) ++reversals;
  const auto cycles = rainflow(times_of(values), values);
  double sum = 0, largest = 0;
  for (const RainflowCycle& cycle : cycles) {
    sum += cycle.count;
    largest = std::max(largest, cycle.range);
  }
  EXPECT_EQ(2 * sum, static_cast<double>(reversals - 1));
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  EXPECT_EQ(largest, *high - *low);
}

TEST(Rainflow, NothingIsCountedWhereNothingChanges) {
  EXPECT_TRUE(rainflow({}, {}).empty());
  EXPECT_TRUE(rainflow({0, 1, 2}, {4, 4, 4}).empty());
}

TEST(Rainflow, HistogramsKeepCountsAndMeans) {
  const auto cycles = rainflow(times_of(standard_history), standard_history);
  const RainflowHistogram histogram = rainflow_histogram(cycles, 3);  // up to 3, 6 and 9
  EXPECT_EQ(histogram.edges, (std::vector<double>{0, 3, 6, 9}));
  EXPECT_EQ(histogram.counts, (std::vector<double>{0.5, 2.0, 1.5}));
  EXPECT_DOUBLE_EQ(histogram.means[1], (0.5 * -1 + 1 * 1 + 0.5 * 1) / 2.0);
}

}  // namespace
}  // namespace lithe
