// Signals: values by their definition, derivatives against finite differences.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/model/model.h"

namespace lithe {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<Signal> smooth_signals() {
  return {SignalConstant{3},
          SignalRamp{0.5, 2.5, 1, -2},
          SignalSine{2, 1.5, 0.3, 0.7, 0.1},
          SignalChirp{1.3, 0.5, 4, 0.1, 2.6},
          SignalSmoothMove{0.2, 2.2, 1, 4},
          smooth_table({0, 0.4, 1.1, 1.7, 3}, {0, 2, -1, 1, 0.5}),
          SignalTable{{0, 1, 3}, {1, 5, -1}, false, {}}};
}

// Central differences of step h: error h²/6 f''' + eps/h; the bounds hold with the largest derivatives of these
// signals.
TEST(Signal, DerivativesAreThoseOfTheValue) {
  const double h = 1e-5;
  for (const Signal& signal : smooth_signals()) {
    for (const double time : {0.61, 0.93, 1.313, 1.91, 2.05}) {
      const SignalValue before = evaluate(signal, time - h), now = evaluate(signal, time),
                        after = evaluate(signal, time + h);
      EXPECT_NEAR(now.rate, (after.value - before.value) / (2 * h), 1e-6) << signal.index();
      EXPECT_NEAR(now.acceleration, (after.rate - before.rate) / (2 * h), 1e-5) << signal.index();
    }
  }
}

TEST(Signal, StepsHoldFromTheirTime) {
  const Signal steps = SignalSteps{{0.5, 1, 2}, {3, -1, 7}};
  EXPECT_EQ(evaluate(steps, 0.49).value, 0);
  EXPECT_EQ(evaluate(steps, 0.5).value, 3);
  EXPECT_EQ(evaluate(steps, 1.99).value, -1);
  EXPECT_EQ(evaluate(steps, 100).value, 7);
  EXPECT_EQ(break_times(steps), (std::vector<double>{0.5, 1, 2}));
}

TEST(Signal, SmoothMoveRestsAtBothEnds) {
  const Signal move = SignalSmoothMove{1, 3, 2, 5};
  EXPECT_EQ(evaluate(move, 0).value, 2);
  EXPECT_EQ(evaluate(move, 4).value, 5);
  EXPECT_DOUBLE_EQ(evaluate(move, 2).value, 3.5);
  for (const double end : {1.0, 3.0}) {
    for (const double side : {-1e-9, 1e-9}) {
      EXPECT_NEAR(evaluate(move, end + side).rate, 0, 1e-15);
      EXPECT_NEAR(evaluate(move, end + side).acceleration, 0, 3e-8);
    }
  }
  // Peak speed of the quintic: 15/8 of the mean one.
  EXPECT_DOUBLE_EQ(evaluate(move, 2).rate, 15.0 / 8 * 3 / 2);
}

TEST(Signal, ChirpReachesItsEndFrequency) {
  const Signal chirp = SignalChirp{2, 1, 5, 0, 2};
  // Just before the end the phase grows with the end frequency: rate² + (ω value)² = (A ω)².
  const SignalValue last = evaluate(chirp, 2 - 1e-12);
  EXPECT_NEAR(std::hypot(last.rate / (2 * pi * 5), last.value), 2, 1e-9);
  EXPECT_EQ(evaluate(chirp, 2.1).value, 0);
  EXPECT_EQ(evaluate(chirp, -0.1).value, 0);
}

// The natural spline through (0, 0), (1, 1), (2, 0) by hand: second derivatives 0, -3, 0, so t (3 - t²) / 2 on [0, 1].
TEST(SmoothTable, IsTheNaturalSplineByHand) {
  const Signal table = smooth_table({0, 1, 2}, {0, 1, 0});
  EXPECT_DOUBLE_EQ(evaluate(table, 0.5).value, 0.5 * (3 - 0.25) / 2);
  EXPECT_DOUBLE_EQ(evaluate(table, 0.5).rate, (3 - 3 * 0.25) / 2);
  EXPECT_DOUBLE_EQ(evaluate(table, 0.5).acceleration, -1.5);
  EXPECT_DOUBLE_EQ(evaluate(table, 1.5).value, evaluate(table, 0.5).value);
}

TEST(SmoothTable, ThroughALineIsTheLine) {
  const Signal line = smooth_table({0, 0.3, 0.7, 1}, {-2, -0.5, 1.5, 3});
  EXPECT_NEAR(evaluate(line, 0.5).value, 0.5, 1e-15);
  EXPECT_NEAR(evaluate(line, 0.5).rate, 5, 1e-14);
}

// Fourth-order convergence inside, for a function whose second derivative vanishes at both ends.
TEST(SmoothTable, ConvergesWithFourthOrder) {
  const auto error_with = [](int intervals) {
    std::vector<double> times, values;
    for (int i = 0; i <= intervals; ++i) {
      times.push_back(pi * i / intervals);
      values.push_back(std::sin(times.back()));
    }
    const Signal table = smooth_table(times, values);
    double worst = 0;
    for (int i = 0; i < 1000; ++i) {
      const double time = pi * (i + 0.5) / 1000;
      worst = std::max(worst, std::abs(evaluate(table, time).value - std::sin(time)));
    }
    return worst;
  };
  const double order = std::log2(error_with(16) / error_with(32));
  EXPECT_NEAR(order, 4, 0.1);
}

TEST(SmoothTable, OfOneOrTwoPointsIsConstantOrLinear) {
  EXPECT_EQ(evaluate(smooth_table({1}, {5}), 3).value, 5);
  EXPECT_DOUBLE_EQ(evaluate(smooth_table({0, 2}, {1, 5}), 0.5).value, 2);
}

TEST(Signal, TableIsHeldOutsideItsTimes) {
  const Signal table = SignalTable{{1, 2}, {3, 4}, false, {}};
  EXPECT_EQ(evaluate(table, 0).value, 3);
  EXPECT_EQ(evaluate(table, 5).value, 4);
  EXPECT_EQ(evaluate(table, 5).rate, 0);
  EXPECT_EQ(break_times(table), (std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace lithe
