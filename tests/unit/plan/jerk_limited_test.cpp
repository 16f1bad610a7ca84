// Time-optimal moves with limits of jerk: closed forms on a line, limits of torque and of tools on their ways.
#include <gtest/gtest.h>

#include <cmath>

#include "lithe/base/text.h"
#include "lithe/plan/time_optimal.h"
#include "lithe/read/partial_model.h"
#include "unit/plan/two_link_arm.h"

namespace lithe {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

double duration(double length, const MotionLimits& limits) {
  const PathLimits all{{0}, {limits}, {}, {}};
  const FastestLaw found =
      time_optimal(straight_path(VectorX::Zero(1), VectorX::Constant(1, length)), all, nullptr, 1000);
  EXPECT_TRUE(found.failure.empty()) << found.failure;
  EXPECT_NEAR(found.law.at(found.law.duration(), true).value, 1, 1e-12);
  return found.law.duration();
}

// On a line with constant limits nothing is faster than seven phases of constant jerk.
TEST(JerkLimited, TakesTheTimeOfTheSCurveOnALine) {
  for (const auto& [length, limits] :
       {std::pair(2.0, MotionLimits{0.8, 5, 60}), std::pair(2.0, MotionLimits{unlimited, 5, 60}),
        std::pair(0.3, MotionLimits{unlimited, unlimited, 60}), std::pair(2.0, MotionLimits{0.8, 5, 2000}),
        std::pair(30.0, MotionLimits{0.5, 5, 60})}) {
    const MotionLimits closed{std::min(limits.speed, 1e6), std::min(limits.acceleration, 1e6), limits.jerk};
    const double shortest = fastest_law(MoveProfile::s_curve, length, closed).duration();
    // A jerk of 2000 lasts for 2.5 ms, less than an interval.
    EXPECT_NEAR(duration(length, limits), shortest, (limits.jerk > 1000 ? 6e-3 : 1e-3) * shortest) << length;
    EXPECT_GT(duration(length, limits), shortest * (1 - 1e-6)) << length;
  }
}

PartialModel read(const std::string& moves) {
  PartialModel model = read_text_partly(two_link_arm + moves, "arm.toml");
  EXPECT_TRUE(model.errors.empty()) << model.errors[0].text();
  return model;
}

// The largest jerk of a joint, from accelerations close to each other.
double largest_jerk(const PartialModel& model, std::size_t joint) {
  const double end = model.moves.back().end_time, step = end / 20000;
  const Signal& signal = model.model.drives.at(joint).signal;
  double largest = 0;
  for (double t = step; t < end; t += step)
    largest =
        std::max(largest, std::abs(evaluate(signal, t).acceleration - evaluate(signal, t - step).acceleration) / step);
  return largest;
}

std::string torque_move(const std::string& jerk) {
  return "[[moves]]\njoints = [\"j1\", \"j2\"]\nwaypoints = [{joints = [0.9, 0.6]}]\nprofile = \"time_optimal\"\n"
         "joint_torque = [40, 15]\n" +
         jerk;
}

TEST(JerkLimited, KeepsLimitsOfTorqueAndTendsToTheMoveWithoutLimitsOfJerk) {
  const double free = read(torque_move("")).moves[0].end_time;
  double before = 10 * free;
  for (const double jerk : {200.0, 1000.0, 5000.0, 1e5}) {
    const PartialModel model = read(torque_move(cat("joint_jerk = ", jerk, "\n")));
    const double time = model.moves[0].end_time;
    EXPECT_GT(time, free * (1 - 1e-4));
    EXPECT_LT(time, before);
    EXPECT_LT(std::max(largest_jerk(model, 0), largest_jerk(model, 1)), 1.005 * jerk);
    before = time;
  }
  EXPECT_LT(before, 1.01 * free);
}

std::string tool_move(const std::string& profile) {
  return R"([[moves]]
link = "fore"
node = "tool"
waypoints = [{position = [0.3, 0.45, 0], blend = "5 cm"}, {position = [0.5, 0.45, 0], blend = "2 cm"},
             {position = [0.5, 0.2, 0]}]
joint_speed = 4
joint_acceleration = 60
joint_jerk = 3000
speed = 0.8
acceleration = 6
jerk = 200
profile = ")" +
         profile + "\"\n";
}

TEST(JerkLimited, ToolsKeepAllLimitsRoundCornersAndAreFasterThanAnSCurve) {
  const PartialModel fast = read(tool_move("time_optimal")), even = read(tool_move("s_curve"));
  EXPECT_LT(fast.moves[0].end_time, 0.9 * even.moves[0].end_time);
  for (const std::size_t joint : {0, 1}) EXPECT_LT(largest_jerk(fast, joint), 1.005 * 3000);
}

TEST(JerkLimited, SaysWhichMotorCannotHoldTheArm) {
  std::string weak = torque_move("joint_jerk = 100\n");
  weak.replace(weak.find("[40, 15]"), 8, "[10, 15]");
  const PartialModel failed = read_text_partly(two_link_arm + weak, "arm.toml");
  ASSERT_FALSE(failed.errors.empty());
  EXPECT_NE(failed.errors[0].message.find("the torque limit of joint 'j1' cannot hold it at rest"), std::string::npos);
}

}  // namespace
}  // namespace lithe
