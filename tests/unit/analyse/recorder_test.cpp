#include "lithe/analyse/motion/recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "lithe/analyse/motion/keep_instants.h"
#include "lithe/analyse/motion/output_times.h"
#include "lithe/formulate/formulation.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

// All of them in a list, as the definition says.
std::vector<double> listed_times(double start, double end, double step) {
  std::vector<double> times;
  for (long k = std::lround(std::floor(start / step));; ++k) {
    const double time = static_cast<double>(k) * step;
    if (time > end * (1 + 1e-12)) break;
    times.push_back(std::min(time, end));
  }
  if (times.back() < end * (1 - 1e-9)) times.push_back(end);
  std::erase_if(times, [=](double time) { return time <= start || time > end; });
  return times;
}

TEST(OutputTimes, AreTheMultiplesOfTheStepAndTheEnd) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int trial = 0; trial < 2000; ++trial) {
    const double step = trial % 2 ? 0.001 : 0.01 * (0.1 + uniform(random));
    const double start = trial % 3 ? 0 : trial % 5 ? uniform(random) : step * std::floor(100 * uniform(random));
    const double end = start + (trial % 4 ? step * std::ceil(1 + 50 * uniform(random)) : 0.5 * uniform(random) + 1e-6);
    const std::vector<double> expected = listed_times(start, end, step);
    OutputTimes times(start, end, step);
    for (const double time : expected) {
      ASSERT_EQ(times.next(), time) << start << " " << end << " " << step;
      times.advance();
    }
    ASSERT_EQ(times.next(), INFINITY);
    for (int k = 0; k < 20; ++k) {
      const double probe = k % 2 && !expected.empty() ? expected[static_cast<std::size_t>(k) % expected.size()]
                                                      : start + 1.2 * (end - start) * uniform(random);
      const auto found = std::lower_bound(expected.begin(), expected.end(), probe);
      ASSERT_EQ(times.at_or_after(probe), found == expected.end() ? INFINITY : *found);
    }
  }
}

TEST(EvenChoice, KeepsEverySecondWhereThereAreTooMany) {
  for (const std::size_t most : {2u, 3u, 8u, 100u})
    for (int count = 1; count < 500; count += 7) {
      EvenChoice choice(most);
      std::vector<int> kept;
      for (int i = 0; i < count; ++i) {
        const bool takes = choice.take();
        if (choice.halve())
          for (std::size_t k = kept.size(); k-- > 0;)
            if (k % 2 == 1) kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(k));
        if (takes) kept.push_back(i);
      }
      ASSERT_LE(kept.size(), most);
      ASSERT_GE(2 * kept.size(), std::min<std::size_t>(most, static_cast<std::size_t>(count)));
      const int stride = kept.size() > 1 ? kept[1] : 1;
      for (std::size_t k = 0; k < kept.size(); ++k) ASSERT_EQ(kept[k], static_cast<int>(k) * stride);
    }
}

class Listing : public Recorder {
 public:
  void begin(const std::vector<Channel>& columns, const std::vector<std::string>&) override {
    num_columns = columns.size();
  }
  void add(const RecordedInstant& instant) override {
    times.push_back(instant.state.time);
    last = instant.values;
  }
  void flush() override { num_safe = times.size(); }
  std::size_t num_columns = 0, num_safe = 0;
  std::vector<double> times, last;
};

TEST(Recorder, GetsEveryInstantWhileTheTrajectoryKeepsAFew) {
  const auto equations = make_equations(read_model(LITHE_MODELS_DIR "/l_shape.toml"));
  SimulateOptions options;
  options.end_time = 0.05;
  options.output_step = 1e-4;
  const Trajectory whole = simulate(*equations, equations->initial_state(), options);
  Listing listing;
  options.recorder = &listing;
  options.max_rows = 100;
  options.max_states = 20;
  const Trajectory few = simulate(*equations, equations->initial_state(), options);
  EXPECT_EQ(listing.times, whole.times);
  EXPECT_EQ(listing.num_safe, whole.times.size());
  EXPECT_EQ(listing.num_columns, whole.columns.size());
  EXPECT_EQ(few.num_recorded, 501);
  EXPECT_LE(few.times.size(), 101u);
  EXPECT_LE(few.states.size(), 21u);
  EXPECT_EQ(few.times.back(), whole.times.back());
  EXPECT_EQ(few.states.back().coordinates, whole.states.back().coordinates);
  for (std::size_t i = 0; i < whole.columns.size(); ++i) {
    const std::vector<double>& values = whole.columns[i].values;
    const ColumnRange range = few.range(i);
    EXPECT_EQ(range.first, values.front());
    EXPECT_EQ(range.last, values.back());
    EXPECT_EQ(range.least, *std::min_element(values.begin(), values.end()));
    EXPECT_EQ(range.most, *std::max_element(values.begin(), values.end()));
    EXPECT_EQ(listing.last[i], values.back());
  }
}

TEST(Recorder, ACheckpointCarriesWhatTheRunSaysOfItself) {
  const auto equations = make_equations(read_model(LITHE_MODELS_DIR "/l_shape.toml"));
  SimulateOptions options;
  options.end_time = 0.1;
  options.checkpoint_interval = 0.04;
  options.watch_deformation = true;
  std::vector<Checkpoint> saved;
  options.checkpoint = [&](const Checkpoint& c) { saved.push_back(c); };
  const Trajectory whole = simulate(*equations, equations->initial_state(), options);
  ASSERT_EQ(saved.size(), 2u);
  const Trajectory rest = simulate(*equations, saved[1], options);
  EXPECT_EQ(rest.num_recorded, whole.num_recorded);
  EXPECT_EQ(rest.integrator, whole.integrator);
  EXPECT_EQ(rest.counters.steps, whole.counters.steps);
  EXPECT_EQ(rest.counters.rejected, whole.counters.rejected);
  EXPECT_EQ(rest.counters.evaluations, whole.counters.evaluations);
  EXPECT_EQ(rest.energy.end, whole.energy.end);
  EXPECT_EQ(rest.energy.largest_kinetic, whole.energy.largest_kinetic);
  ASSERT_EQ(rest.deformations.size(), whole.deformations.size());
  for (std::size_t i = 0; i < rest.deformations.size(); ++i)
    EXPECT_EQ(rest.deformations[i].deflection, whole.deformations[i].deflection);
}

}  // namespace
}  // namespace lithe
