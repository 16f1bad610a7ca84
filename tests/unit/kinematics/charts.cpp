// Spherical joints through gimbal lock.
#include "lithe/kinematics/charts.h"

#include <gtest/gtest.h>

#include "lithe/kinematics/position.h"
#include "support/model_builder.h"

namespace lithe {
namespace {

Model ball(bool backwards, JointType type) {
  testing::ModelBuilder b;
  std::mt19937 random(3);
  const int link = b.link("link");
  const Pose F = testing::random_pose(random), M = testing::random_pose(random);
  b.joint("ball", type, backwards ? link : -1, F, backwards ? -1 : link, M);
  return b.model();
}

TEST(Charts, KeepPoseAndVelocityWhenTheyMove) {
  for (JointType type : {JointType::spherical, JointType::free})
    for (bool backwards : {false, true}) {
      const Mechanism mechanism(ball(backwards, type));
      Configuration configuration = unclosed_configuration(mechanism);
      VectorX rates = VectorX::LinSpaced(mechanism.num_coordinates(), 0.5, 2);
      configuration.coordinates = VectorX::LinSpaced(mechanism.num_coordinates(), 0.2, 0.9);
      configuration.coordinates[mechanism.charts()[0].coordinates[1]] = 1.2;
      KinematicState before(mechanism), after(mechanism);
      update_position(mechanism, configuration, before);
      update_velocity(mechanism, rates, before);
      ASSERT_TRUE(charts_need_recentring(mechanism, configuration));
      const Vector3 read = whole_angles(mechanism, configuration, 0);
      ASSERT_TRUE(recentre_charts(mechanism, configuration, rates));
      EXPECT_FALSE(recentre_charts(mechanism, configuration, rates));
      EXPECT_LT((whole_angles(mechanism, configuration, 0) - read).norm(), 1e-14);
      update_position(mechanism, configuration, after);
      update_velocity(mechanism, rates, after);
      const int f = mechanism.frame_of_link(0);
      EXPECT_LT((before.in_world[f].rotation - after.in_world[f].rotation).norm(), 1e-14);
      EXPECT_LT((before.in_world[f].position - after.in_world[f].position).norm(), 1e-14);
      EXPECT_LT((before.velocity[f] - after.velocity[f]).norm(), 1e-14);
      EXPECT_LT((before.angular_velocity[f] - after.angular_velocity[f]).norm(), 1e-14);
    }
}

// A body turning steadily about y passes β2 = 90°, 270°, ... where the fixed chart has no rates. Integrated with the
// midpoint rule in the moving chart, the pose stays that of a steady turn.
TEST(Charts, FollowASteadyTurnThroughGimbalLock) {
  testing::ModelBuilder b;
  const int link = b.link("link");
  b.joint("ball", JointType::spherical, -1, {}, link);
  const Mechanism mechanism(b.model());
  const Vector3 omega = Vector3(0.3, 2.0, -0.1);  // in world axes, constant
  const auto error_after_two_turns = [&](int steps) {
    Configuration configuration = unclosed_configuration(mechanism);
    const double end = 2 * 2 * std::numbers::pi / omega.norm(), h = end / steps;
    int moves = 0;
    KinematicState state(mechanism);
    const auto rates_at = [&](const Configuration& p) -> VectorX {
      update_position(mechanism, p, state);
      const Vector3 local = state.in_world[0 + mechanism.frame_of_link(link)].rotation.transpose() * omega;
      return chart_rate_map(p.coordinates).inverse() * local;
    };
    for (int k = 0; k < steps; ++k) {
      VectorX rates = rates_at(configuration);
      Configuration middle = configuration;
      middle.coordinates += h / 2 * rates;
      configuration.coordinates += h * rates_at(middle);
      rates = rates_at(configuration);
      if (recentre_charts(mechanism, configuration, rates)) ++moves;
      EXPECT_LT((rates_at(configuration) - rates).norm(), 1e-12);  // renamed rates mean the same angular velocity
    }
    EXPECT_GE(moves, 8);
    update_position(mechanism, configuration, state);
    return (state.in_world[mechanism.frame_of_link(link)].rotation - Matrix3::Identity()).norm();
  };
  const double coarse = error_after_two_turns(2000), fine = error_after_two_turns(4000);
  EXPECT_LT(fine, 1e-4);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.2);
}

}  // namespace
}  // namespace lithe
