#include "lithe/control/design/tuning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/control/linear/discretise.h"
#include "lithe/control/linear/linear_analysis.h"

namespace lithe {
namespace {

// A motor and a load on a shaft, seen at the motor.
StateSpace axis(double motor, double load, double frequency, double damping_ratio) {
  const double omega = 2 * std::numbers::pi * frequency, stiffness = omega * omega * motor * load / (motor + load);
  const double damping = 2 * damping_ratio * stiffness / omega;
  StateSpace s;
  s.a = MatrixX::Zero(4, 4);
  s.a.topRightCorner(2, 2).setIdentity();
  s.a.bottomLeftCorner(2, 2) << -stiffness / motor, stiffness / motor, stiffness / load, -stiffness / load;
  s.a.bottomRightCorner(2, 2) << -damping / motor, damping / motor, damping / load, -damping / load;
  s.b = MatrixX::Zero(4, 1);
  s.b(2, 0) = 1 / motor;
  s.c = MatrixX::Zero(1, 4);
  s.c(0, 0) = 1;
  s.d = MatrixX::Zero(1, 1);
  return s;
}

StateSpace closed(const StateSpace& plant, const PidTuning& tuned, const PidGoal& goal, double factor = 1) {
  std::vector<PidGains> gains = tuned.gains;
  for (PidGains& g : gains) g = {factor * g.proportional, factor * g.integral, factor * g.derivative};
  return feedback(zero_order_hold(plant, goal.sample_time), pid_system(gains, tuned.filter_time, goal.sample_time));
}

// A constant torque must be made up for, too: what an impulse of torque hardly shows.
TEST(PidTuning, LeavesNoIntegralIdle) {
  const PidGoal goal{.settling_time = 0.6, .filter_time = 0.003, .sample_time = 1e-3};
  for (const double frequency : {8.0, 30.0, 130.0}) {
    const StateSpace plant = axis(0.01, 0.02, frequency, 0.01);
    const PidTuning tuned = tune_pid(plant, {0}, goal);
    ASSERT_TRUE(tuned.found) << tuned.message;
    const StateSpace loop = closed(plant, tuned, goal);
    VectorX x = VectorX::Zero(loop.num_states());
    double peak = 0, last = 0;
    const int samples = static_cast<int>(2 * std::max(tuned.settling_time, goal.settling_time) / goal.sample_time);
    for (int k = 0; k < samples; ++k) {
      x = (loop.a * x + loop.b.col(0)).eval();
      last = std::abs((loop.c * x)(0));
      peak = std::max(peak, last);
    }
    EXPECT_LT(last, 0.1 * peak) << frequency;
  }
}

// A lightly damped mode near half the sample rate, where the lag of hold and filter turns damping into its opposite.
TEST(PidTuning, KeepsAMarginOfTheGains) {
  const PidGoal goal{
      .settling_time = 0.4, .filter_time = 0.003, .sample_time = 1e-3, .other_filter_times = {0.001, 0.01}};
  for (const double frequency : {250.0, 433.0}) {
    const StateSpace plant = axis(0.002, 0.008, frequency, 0.0005);
    const PidTuning tuned = tune_pid(plant, {0}, goal);
    ASSERT_TRUE(tuned.found) << tuned.message;
    EXPECT_TRUE(std::isfinite(tuned.settling_time)) << frequency << " Hz: " << tuned.message;
    EXPECT_TRUE(is_robust({plant}, {0}, tuned, goal)) << frequency;
    for (const double factor : {1.0, 1.5}) EXPECT_TRUE(is_stable(closed(plant, tuned, goal, factor))) << frequency;
  }
}

// One set of gains for configurations of different inertia and frequency.
TEST(PidTuning, ServesEveryConfiguration) {
  const PidGoal goal{.settling_time = 1, .filter_time = 0.006, .sample_time = 2e-3};
  const std::vector<StateSpace> configurations{axis(0.002, 0.01, 40, 0.005), axis(0.002, 0.004, 150, 0.002)};
  const PidTuning tuned = tune_pid(configurations, {0}, goal);
  ASSERT_TRUE(tuned.found) << tuned.message;
  EXPECT_TRUE(is_robust(configurations, {0}, tuned, goal)) << tuned.message;
}

TEST(PidTuning, TellsTheTimeThatCanBeReached) {
  // a pendulum slower than its own mode allows to be damped from the motor, which is nearly locked
  const StateSpace plant = axis(0.5, 0.001, 2, 0.001);
  const PidTuning tuned = tune_pid(plant, {0}, {.settling_time = 0.02, .filter_time = 0.03, .sample_time = 0.01});
  EXPECT_NE(tuned.message.find("the settling time of 0.02 s is out of reach"), std::string::npos) << tuned.message;
}

}  // namespace
}  // namespace lithe
