#include "lithe/analyse/motion/speed_jumps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/formulate/formulation.h"
#include "support/flexible_models.h"

namespace lithe {
namespace {

using namespace lithe::testing;

// A cart on rails that stops dead at 0.2 s, with a pendulum on it: (m l² + J) Δθ̇ + m l cosθ Δv = 0.
TEST(SpeedJumps, StrikeAPendulumOnACart) {
  constexpr double length = 0.5, speed = 0.8, mass = 2, inertia = 0.05;
  ModelBuilder builder;
  builder.model().gravity = {0, 0, -9.81};
  const int cart = builder.link("cart"), bob = builder.link("bob");
  builder.model().links[bob].rigid_inertia = {mass, {0, 0, -length}, inertia * Matrix3::Identity()};
  const Pose rail{z_along({1, 0, 0}), Vector3::Zero()}, axis{z_along({0, -1, 0}), Vector3::Zero()};
  const int slide = builder.joint("slide", JointType::prismatic, -1, rail, cart, rail);
  const int pin = builder.joint("pin", JointType::revolute, cart, axis, bob, axis);
  builder.give(pin, {0.4});
  builder.model().joints[slide].initial_speed = {speed};
  builder.drive(slide, 0, true);
  builder.model().drives[0].signal = SignalRamp{0, 0.2, 0, 0.2 * speed};
  for (const std::string formulation : {"erls-cms", "floating-frame"}) {
    const auto equations = make_equations(builder.model(), {.formulation = formulation});
    SimulateOptions options;
    options.end_time = 0.4;
    options.integrator = "dormand_prince";
    options.integration.tolerance = 1e-9;
    options.output_times = {0.2 - 1e-9, 0.2};
    const Trajectory motion = simulate(*equations, start_state(*equations), options);
    ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
    const auto workspace = equations->make_workspace();
    Inputs inputs = make_inputs(builder.model());
    Accelerations none;
    none.values.setZero(equations->num_coordinates());
    SignalValue angle[2];
    for (int i = 0; i < 2; ++i) {
      evaluate_inputs(builder.model(), motion.states[i + 1].time, inputs);
      angle[i] = equations->joint_motion(motion.states[i + 1], inputs, none, pin, 0, *workspace);
    }
    EXPECT_NEAR(angle[1].value, angle[0].value, 1e-7);
    EXPECT_NEAR(angle[1].rate - angle[0].rate,
                mass * length * std::cos(angle[1].value) * speed / (mass * length * length + inertia), 1e-6)
        << formulation;
    EXPECT_NEAR(motion.energy.imbalance(), 0, 1e-6) << formulation;
    ASSERT_EQ(motion.events.size(), 1u);
    EXPECT_EQ(motion.events[0].name, "drive0: speed jumps");
  }
}

// Nothing follows a jump at the end of a run: what is recorded there is the motion that led to it.
TEST(SpeedJumps, AtTheEndOfARunAreNotInIt) {
  constexpr double speed = 0.8, inertia = 0.05, end = 0.25;
  ModelBuilder builder;
  const int bar = builder.link("bar");
  builder.model().links[bar].rigid_inertia = {1, Vector3::Zero(), inertia * Matrix3::Identity()};
  const Pose axis{z_along({0, 0, 1}), Vector3::Zero()};
  const int pin = builder.joint("pin", JointType::revolute, -1, axis, bar, axis);
  builder.model().joints[pin].initial_speed = {speed};
  builder.drive(pin, 0, true);
  builder.model().drives[0].signal = SignalRamp{0, end, 0, end * speed};
  for (const std::string formulation : {"erls-cms", "floating-frame"}) {
    const auto equations = make_equations(builder.model(), {.formulation = formulation});
    SimulateOptions options;
    options.end_time = end;
    const Trajectory motion = simulate(*equations, start_state(*equations), options);
    ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
    EXPECT_NEAR(motion.energy.end, inertia * speed * speed / 2, 1e-12) << formulation;
    EXPECT_NEAR(motion.energy.imbalance(), 0, 1e-12) << formulation;
  }
}

TEST(SpeedJumps, AreNotTheEndsOfSmoothMoves) {
  Model model = spatial_2r();
  Drive drive;
  drive.joint = 0;
  drive.prescribes_motion = true;
  drive.signal = SignalSmoothMove{0.1, 0.4, 0.2, 1.3};
  model.drives = {drive};
  for (const double time : {0.1, 0.25, 0.4}) EXPECT_TRUE(speed_jumps(model, time).empty()) << time;
  model.drives[0].signal = SignalRamp{0.1, 0.4, 0.2, 1.3};
  for (const double time : {0.1, 0.4}) EXPECT_EQ(speed_jumps(model, time).size(), 1u) << time;
}

// Elastic links are left behind: the blow reaches them through the joint alone.
TEST(SpeedJumps, BendFlexibleLinksAlikeInBothFormulations) {
  Model model = spatial_2r(7e12, 3);
  Drive drive;
  drive.name = "motor";
  drive.joint = 0;
  drive.prescribes_motion = true;
  const double start = model.joints[0].initial_value[0];
  drive.signal = SignalTable{{0, 0.02, 0.05}, {start, start + 0.02, start + 0.02}, false, {}};
  model.joints[0].initial_speed = {1.0};
  model.drives.push_back(drive);
  std::vector<Vector3> tips;
  for (const std::string formulation : {"erls-cms", "floating-frame"}) {
    const auto equations = make_equations(model, {.formulation = formulation});
    SimulateOptions options;
    options.end_time = 0.04;
    options.integrator = "dormand_prince";
    const Trajectory motion = simulate(*equations, start_state(*equations), options);
    ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
    EXPECT_NEAR(motion.energy.imbalance(), 0, 1e-4 * motion.energy.largest_kinetic) << formulation;
    Inputs inputs = make_inputs(model);
    evaluate_inputs(model, options.end_time, inputs);
    Accelerations none;
    none.values.setZero(equations->num_coordinates());
    const auto workspace = equations->make_workspace();
    const int last = static_cast<int>(model.links[1].nodes.size()) - 1;
    tips.push_back(equations->node_motion(motion.states.back(), inputs, none, 1, last, *workspace).position);
  }
  EXPECT_LT((tips[1] - tips[0]).norm(), 2e-6);  // second order in the deflection, at 100 times a metal's stiffness
}

}  // namespace
}  // namespace lithe
