#include "lithe/analyse/motion/end_stops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/formulate/formulation.h"
#include "support/flexible_models.h"
#include "support/small_systems.h"

namespace lithe {
namespace {

using namespace lithe::testing;
using std::numbers::pi;

// Two point masses on rods, mirror images of each other, that fall from the horizontal.
Model mirrored_pendulums() {
  ModelBuilder builder;
  builder.model().gravity = {0, 0, -9.81};
  for (const double side : {1.0, -1.0}) {
    const int link = builder.link(side > 0 ? "right" : "left");
    builder.model().links[link].rigid_inertia = {1, {0.3 * side, 0, 0}, Matrix3::Zero()};
    const Pose frame{z_along({0, side, 0}), Vector3::Zero()};
    const int joint = builder.joint(side > 0 ? "right" : "left", JointType::revolute, -1, frame, link, frame);
    builder.model().joints[joint].limits[0] = {-2.0, 1.0};
  }
  return builder.model();
}

double most(const Trajectory& motion, const std::string& name) {
  const std::vector<double>& values = motion.column(name)->values;
  return *std::max_element(values.begin(), values.end());
}

void watch_joint(Model& model, int joint) {
  Sensor sensor;
  sensor.name = model.joints[joint].name;
  sensor.quantity = Quantity::joint_value;
  sensor.joint = joint;
  model.sensors.push_back(sensor);
}

TEST(EndStops, HoldJointsThatTouchAtTheSameInstant) {
  Model model = mirrored_pendulums();
  watch_joint(model, 0);
  watch_joint(model, 1);
  const auto equations = make_equations(model);
  for (const std::string integrator : {"exponential", "dormand_prince", "generalised_alpha"}) {
    SimulateOptions options;
    options.end_time = 0.35;
    options.integrator = integrator;
    const Trajectory motion = simulate(*equations, start_state(*equations), options);
    ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
    // Speed of the fall at 1 rad, and the depth v/ω that a spring of 100 Hz allows it.
    const double depth = std::sqrt(2 * 9.81 / 0.3 * std::sin(1.0)) / (200 * pi);
    for (const std::string name : {"right", "left"}) {
      EXPECT_GT(most(motion, name), 1.0) << integrator;
      EXPECT_LT(most(motion, name), 1.0 + 1.1 * depth) << integrator << " " << name;
    }
    ASSERT_EQ(motion.events.size(), 4u) << integrator;
    EXPECT_EQ(motion.events[0].time, motion.events[1].time);
  }
}

// A mass on a slide without gravity against its stop: x'' + 2ζω x' + ω² x = 0 until the force is zero, not the depth.
TEST(EndStops, PushButDoNotPull) {
  ModelBuilder builder;
  const int link = builder.link("mass");
  const Pose frame{z_along({1, 0, 0}), Vector3::Zero()};
  const int joint = builder.joint("slide", JointType::prismatic, -1, frame, link, frame);
  Model& model = builder.model();
  model.joints[joint].initial_speed = {2.0};
  model.joints[joint].limits[0] = {-1.0, 0.1};
  const auto equations = make_equations(model);
  SimulateOptions options;
  options.end_time = 0.1;
  options.integration.tolerance = 1e-9;
  options.integrator = "dormand_prince";
  const Trajectory motion = simulate(*equations, start_state(*equations), options);
  ASSERT_EQ(motion.events.size(), 2u);
  const double zeta = options.end_stop_damping, root = std::sqrt(1 - zeta * zeta);
  const double angle = pi - std::atan(2 * zeta * root / (1 - 2 * zeta * zeta));
  EXPECT_NEAR(motion.events[0].time, 0.05, 1e-9);
  EXPECT_NEAR(motion.events[1].time - motion.events[0].time, angle / (200 * pi * root), 1e-8);
  EXPECT_NEAR(motion.states.back().speeds[0], -2.0 * std::exp(-zeta / root * angle), 1e-7);
  EXPECT_NEAR(motion.energy.imbalance(), 0, 1e-7);  // of 2 J, most of which the stop takes
}

// A rod that falls on its stop and bounces until it lies there: the default against steps of 20 us.
TEST(EndStops, AreLeftWhenSmallStepsLeaveThem) {
  ModelBuilder builder;
  builder.model().gravity = {0, 0, -9.81};
  const int link = builder.link("rod");
  builder.model().links[link].rigid_inertia = {1.2, {0.3, 0, 0}, 0.03 * Matrix3::Identity()};
  const Pose frame{z_along({0, 1, 0}), Vector3::Zero()};
  const int joint = builder.joint("hinge", JointType::revolute, -1, frame, link, frame);
  builder.model().joints[joint].limits[0] = {-1.0, 0.4};
  const auto equations = make_equations(builder.model());
  SimulateOptions options;
  options.end_time = 1;
  const Trajectory motion = simulate(*equations, start_state(*equations), options);
  options.integrator = "dormand_prince";
  options.integration.fixed_step = 2e-5;
  const Trajectory reference = simulate(*equations, start_state(*equations), options);
  ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
  EXPECT_NE(motion.integrator.find("radau"), std::string::npos) << motion.integrator;
  EXPECT_NE(motion.message.find("on end stops"), std::string::npos) << motion.message;
  ASSERT_EQ(motion.events.size(), reference.events.size());
  EXPECT_GT(motion.events.size(), 12u);
  for (std::size_t i = 0; i < motion.events.size(); ++i) {
    EXPECT_EQ(motion.events[i].name, reference.events[i].name);
    EXPECT_NEAR(motion.events[i].time, reference.events[i].time, 1e-5);
  }
  EXPECT_NEAR(motion.states.back().coordinates[0], reference.states.back().coordinates[0], 1e-6);
  EXPECT_LT(motion.counters.evaluations, 6000);
}

// An arm whose light gripper jaw has a damper follows it within 2 us, and lies on its stop from the start.
TEST(EndStops, TakeAStiffMethodWhereDampersAreStiff) {
  ModelBuilder builder;
  builder.model().gravity = {0, 0, -9.81};
  const int arm = builder.link("arm"), jaw = builder.link("jaw");
  builder.model().links[arm].rigid_inertia = {4, {0.3, 0, 0}, 0.2 * Matrix3::Identity()};
  builder.model().links[jaw].rigid_inertia = {0.01, {0.01, 0, 0}, 1e-6 * Matrix3::Identity()};
  const Pose frame{z_along({0, 1, 0}), Vector3::Zero()}, tip{frame.rotation, {0.6, 0, 0}};
  const int shoulder = builder.joint("shoulder", JointType::revolute, -1, frame, arm, frame);
  const int grip = builder.joint("grip", JointType::revolute, arm, tip, jaw, frame);
  builder.model().joints[shoulder].limits[0] = {-1.0, 0.0};
  builder.model().joints[grip].limits[0] = {-1.0, 1.0};
  builder.model().joints[grip].damping = {1.0};
  const auto equations = make_equations(builder.model());
  SimulateOptions options;
  options.end_time = 0.5;
  options.checkpoint_interval = 0.2;
  std::vector<Checkpoint> saved;
  options.checkpoint = [&](const Checkpoint& now) { saved.push_back(now); };
  const Trajectory motion = simulate(*equations, start_state(*equations), options);
  ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
  EXPECT_NE(motion.integrator.find("radau"), std::string::npos) << motion.integrator;
  // The stop's spring under the weight: k = I (200 pi)^2 with the inertia that the shoulder feels beside a free jaw.
  const double along = 0.6 * 0.01 * 0.01, jaw_inertia = 1e-6 + 0.01 * 1e-4;
  const double arm_inertia = 0.2 + 4 * 0.09 + 0.01 * 0.36;
  const double felt = arm_inertia - along * along / jaw_inertia;
  const double depth = 9.81 * (4 * 0.3 + 0.01 * 0.61) / (felt * std::pow(200 * pi, 2));
  EXPECT_NEAR(motion.states.back().coordinates[0], depth, 2e-6);
  ASSERT_EQ(saved.size(), 2u);
  options.checkpoint = {};
  for (const Checkpoint& checkpoint : saved) {
    const Trajectory rest = simulate(*equations, checkpoint, options);
    EXPECT_EQ(motion.states.back().coordinates, rest.states.back().coordinates);
  }
  options.integrator = "dormand_prince";
  options.end_time = 0.02;  // a 25th of the motion
  const Trajectory explicitly = simulate(*equations, start_state(*equations), options);
  EXPECT_GT(explicitly.counters.evaluations, 2 * motion.counters.evaluations);
}

// A mode more makes the surroundings of a joint lighter, but the stop no softer.
TEST(EndStops, AreAsStiffWhateverTheNumberOfModes) {
  for (const int modes : {0, 2, 8}) {
    FlexibleBuilder builder;
    const int arm = builder.beam("arm", {{0, 0, 0}, {0.4, 0, 0}}, 3, modes);
    const int joint = builder.hinge("joint", JointType::revolute, -1, Vector3::Zero(), arm, Vector3::Zero(), {0, 1, 0});
    builder.model().joints[joint].limits[0] = {-1.0, 0.3};
    watch_joint(builder.model(), joint);
    const auto equations = make_equations(builder.model());
    SimulateOptions options;
    options.end_time = 0.25;
    const Trajectory motion = simulate(*equations, start_state(*equations), options);
    ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
    const double speed = std::sqrt(2 * 1.5 * 9.81 / 0.4 * std::sin(0.3));  // of a falling rod
    EXPECT_LT(most(motion, "joint"), 0.3 + 1.1 * speed / (200 * pi)) << modes << " modes";
    EXPECT_NEAR(motion.energy.imbalance(), 0, 1e-5) << modes << " modes";
  }
}

TEST(EndStops, AreTheSameAfterARestart) {
  FlexibleBuilder builder;
  const int arm = builder.beam("arm", {{0, 0, 0}, {0.4, 0, 0}}, 2, 3);
  const int joint = builder.hinge("joint", JointType::revolute, -1, Vector3::Zero(), arm, Vector3::Zero(), {0, 1, 0});
  builder.model().joints[joint].limits[0] = {-1.0, 0.3};
  const int fore = builder.beam("fore", {{0, 0, 0}, {0.2, 0.1, 0}}, 2, 3);
  builder.hinge("elbow", JointType::revolute, arm, {0.4, 0, 0}, fore, Vector3::Zero(), {0, 1, 0});
  const auto equations = make_equations(builder.model());
  SimulateOptions options;
  options.end_time = 0.2;
  options.checkpoint_interval = 0.05;
  std::vector<Checkpoint> saved;
  options.checkpoint = [&](const Checkpoint& now) { saved.push_back(now); };
  const Trajectory whole = simulate(*equations, start_state(*equations), options);
  ASSERT_FALSE(whole.events.empty());
  options.checkpoint = {};
  for (const Checkpoint& checkpoint : saved) {
    const Trajectory rest = simulate(*equations, checkpoint, options);
    EXPECT_EQ(whole.states.back().coordinates, rest.states.back().coordinates);
    EXPECT_EQ(whole.energy.input_work, rest.energy.input_work);
  }
}

// A swing that goes beyond the mark for a twentieth of a step.
TEST(Events, AreFoundWhereTheRateTells) {
  const LinearSystem equations = oscillator(2 * pi);
  IntegratorOptions options;
  options.fixed_step = 0.4;
  Event event;
  event.value = [](const State& state) { return state.coordinates[0] - std::cos(2 * pi * 0.01); };
  event.rate = [](const State& state) { return state.speeds[0]; };
  for (const bool with_rate : {true, false}) {
    if (!with_rate) event.rate = {};
    EventFinder finder({event});
    const auto integrator = make_integrator("exponential", {&equations, {}, {}}, options);
    ASSERT_TRUE(integrator->start(state_of({0}, {2 * pi})).ok());  // sine, largest at 0.25 s
    finder.start(integrator->state());
    ASSERT_TRUE(integrator->step(0.4).ok());
    const FoundEvent found = finder.find(*integrator);
    if (with_rate) {
      EXPECT_EQ(found.event, 0);
      EXPECT_NEAR(found.time, 0.24, 1e-6);
    }
    EXPECT_EQ(found.event >= 0, with_rate);
  }
}

}  // namespace
}  // namespace lithe
