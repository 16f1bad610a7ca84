// Initial configurations: given values, pose targets, what cannot be met.
#include "lithe/kinematics/configuration.h"

#include <gtest/gtest.h>

#include "lithe/base/diagnostics.h"
#include "lithe/kinematics/cut_motion.h"
#include "support/loop_motion.h"
#include "support/model_builder.h"

namespace lithe {
namespace {

using testing::ModelBuilder;

Vector3 node_position(const Mechanism& mechanism, const Model& model, const Configuration& configuration, int link,
                      int node) {
  KinematicState state(mechanism);
  update_position(mechanism, configuration, state);
  return state.in_world[mechanism.frame_of_link(link)] * model.links[link].nodes[node].position;
}

// Two bars of 1 m and 0.7 m in a plane.
Model two_link_arm(const Vector3& target) {
  ModelBuilder b;
  const int upper = b.link("upper"), fore = b.link("forearm");
  b.pin("shoulder", -1, {0, 0, 0}, upper);
  b.pin("elbow", upper, {1, 0, 0}, fore);
  PoseTarget wanted;
  wanted.place = {"test.toml", 42, 3};
  wanted.link = fore;
  wanted.node = b.node(fore, {0.7, 0, 0});
  wanted.position = target;
  b.model().initial_configuration.targets.push_back(wanted);
  return b.model();
}

std::string error_text(const Model& model) {
  try {
    initial_configuration(Mechanism(model), model);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(InitialConfiguration, ReachesATargetFromAStretchedStart) {
  const Model model = two_link_arm({1.2, 0, 0});  // along the arm: the start is singular
  const Mechanism mechanism(model);
  const Configuration configuration = initial_configuration(mechanism, model);
  EXPECT_LT((node_position(mechanism, model, configuration, 1, 1) - Vector3(1.2, 0, 0)).norm(), 1e-9);
  // Law of cosines for the elbow.
  const double elbow = std::acos((1.2 * 1.2 - 1 - 0.49) / 1.4);
  EXPECT_NEAR(std::abs(std::remainder(configuration.coordinates[1], 2 * std::numbers::pi)), elbow, 1e-8);
}

TEST(InitialConfiguration, NamesATargetOutOfReachAndTheRemainingDistance) {
  const Model model = two_link_arm({2.0, 0, 0});
  const Mechanism mechanism(model);
  Configuration configuration = unclosed_configuration(mechanism);
  const ConfigurationReport report = solve_configuration(mechanism, model, configuration);
  ASSERT_EQ(report.targets.size(), 1u);
  EXPECT_FALSE(report.targets_reached());
  EXPECT_NEAR(report.targets[0].distance, 0.3, 1e-6);
  const std::string text = error_text(model);
  for (const char* part : {"test.toml:42:3: error:", "'forearm'", "(2, 0, 0) m", "m remain"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
}

TEST(InitialConfiguration, KeepsGivenValuesAndMovesTheOthers) {
  const Model model = testing::four_bar(4, 1.5, 3.5, 2.5, 0.8);
  const Mechanism mechanism(model);
  const Configuration configuration = initial_configuration(mechanism, model);
  EXPECT_EQ(configuration.coordinates[mechanism.coordinate_of(0, 0)], 0.8);
  KinematicState state(mechanism);
  update_position(mechanism, configuration, state);
  VectorX residual(mechanism.num_closure_rows());
  closure_residual(mechanism, state, residual);
  EXPECT_LT(residual.norm(), 1e-12);
}

TEST(InitialConfiguration, RefusesGivenValuesThatContradictALoop) {
  Model model = testing::four_bar(4, 1.5, 3.5, 2.5, 0.8);
  model.joints[1].initial_value_given = {true};
  model.joints[3].initial_value_given = {true};
  const std::string text = error_text(model);
  for (const char* part :
       {"test.toml:20", "'crank_pin'", "'coupler_pin'", "do not close the loop of joints", "a gap of "})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
}

TEST(InitialConfiguration, ForgivesRoundingOfGivenValues) {
  Model model = testing::four_bar(4, 1.5, 3.5, 2.5, 0.8);
  const Mechanism mechanism(model);
  const Configuration exact = initial_configuration(mechanism, model);
  for (int j : {0, 1, 3}) {
    model.joints[j].initial_value = {std::round(exact.coordinates[mechanism.coordinate_of(j, 0)] * 1e3) / 1e3};
    model.joints[j].initial_value_given = {true};
  }
  const Configuration configuration = initial_configuration(Mechanism(model), model);
  EXPECT_LT((configuration.coordinates - exact.coordinates).norm(), 5e-3);
}

TEST(InitialConfiguration, ReportsALoopThatCannotBeClosedAtItsJoint) {
  const std::string text = error_text(testing::four_bar(4, 1, 1, 1, 0.5));
  for (const char* part : {"test.toml:202:1: error:", "'rocker_pin' a gap of", "out of reach"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
}

TEST(InitialConfiguration, SolvesForThePoseOfAPlatformThroughItsLoops) {
  // Planar platform on three legs of two bars; its position is asked for and every leg must follow.
  ModelBuilder b;
  const int platform = b.link("platform");
  for (int k = 0; k < 3; ++k) {
    const double angle = 2 * std::numbers::pi / 3 * k;
    const Vector3 foot(2 * std::cos(angle), 2 * std::sin(angle), 0),
        corner(0.4 * std::cos(angle), 0.4 * std::sin(angle), 0);
    const std::string n = std::to_string(k);
    const int lower = b.link("lower" + n), upper = b.link("upper" + n);
    b.guess(b.pin("foot" + n, -1, foot, lower), {angle + 2.3});
    b.guess(b.pin("knee" + n, lower, {1.2, 0, 0}, upper), {1.2});
    b.pin("corner" + n, upper, {1.2, 0, 0}, platform, corner);
  }
  PoseTarget wanted;
  wanted.link = platform;
  wanted.node = b.node(platform, {0, 0, 0});
  wanted.position = {0.15, -0.1, 0};
  wanted.orientation = testing::rotation(Vector3::UnitZ(), 0.25);
  b.model().initial_configuration.targets.push_back(wanted);
  const Mechanism mechanism(b.model());
  ASSERT_EQ(mechanism.cuts().size(), 2u);
  const Configuration configuration = initial_configuration(mechanism, b.model());
  KinematicState state(mechanism);
  update_position(mechanism, configuration, state);
  const Pose found = state.in_world[mechanism.frame_of_link(platform)];
  EXPECT_LT((found.position - wanted.position).norm(), 1e-9);
  EXPECT_LT((found.rotation - *wanted.orientation).norm(), 1e-8);
  // Each leg spans from its foot to its corner.
  for (int k = 0; k < 3; ++k) {
    const double angle = 2 * std::numbers::pi / 3 * k;
    const Vector3 tip = state.in_world[mechanism.frame_of_link(2 + 2 * k)] * Vector3(1.2, 0, 0);
    EXPECT_LT((tip - found * Vector3(0.4 * std::cos(angle), 0.4 * std::sin(angle), 0)).norm(), 1e-9);
  }
}

TEST(InitialConfiguration, MeetsAGivenValueOfACutJoint) {
  Model model = testing::four_bar(4, 1.5, 3.5, 2.5, 0.8, 3);
  model.joints[0].initial_value_given = {false};
  model.joints[3].initial_value = {2.0};
  model.joints[3].initial_value_given = {true};
  const Mechanism mechanism(model);
  ASSERT_EQ(mechanism.cuts()[0].joint, 3);
  const Configuration configuration = initial_configuration(mechanism, model);
  KinematicState state(mechanism);
  update_position(mechanism, configuration, state);
  EXPECT_NEAR(cut_values(mechanism.cuts()[0], state)[0], 2.0, 1e-9);
}

TEST(InitialRates, FollowFromTheSpeedOfOneJoint) {
  Model model = testing::four_bar(4, 1.5, 3.5, 2.5, 0.8);
  model.joints[3].initial_speed = {0.5};  // the rocker's, while the crank is the independent joint
  model.joints[0].independent = true;
  const Mechanism mechanism(model);
  const Configuration configuration = initial_configuration(mechanism, model);
  const IndependentCoordinates independent = choose_independent(mechanism, model, configuration);
  const VectorX rates = initial_rates(mechanism, model, independent, configuration);
  EXPECT_NEAR(rates[mechanism.coordinate_of(3, 0)], 0.5, 1e-12);
  KinematicState state(mechanism);
  update_position(mechanism, configuration, state);
  update_velocity(mechanism, rates, state);
  EXPECT_LT(testing::closure_rate(mechanism, state).norm(), 1e-12);
  model.joints[0].initial_speed = {7};
  const Mechanism again(model);
  EXPECT_THROW(initial_rates(again, model, independent, configuration), InputError);
}

}  // namespace
}  // namespace lithe
