// The tolerance is what users see at nodes, also where links vibrate faster than steps could follow and the modes
// change with the configuration: nothing that the stages of a step tell of then shows what it has missed.
#include <numbers>

#include "support/formulations.h"
#include "support/random_mechanisms.h"

namespace lithe::testing {
namespace {

// Stiff links without damping that start with the speeds given: the jump of their loads at the start makes them ring.
Model ringing_chain(const std::vector<JointType>& types, const std::vector<std::vector<double>>& speeds) {
  FlexibleBuilder b;
  const Vector3 along[] = {{0.4, 0.05, -0.06}, {0.3, 0.09, 0.1}, {0.35, -0.08, 0.02}};
  const Vector3 axes[] = {{-0.16, 0.65, -0.48}, {0.54, 0.96, 0.94}, {0.69, -0.33, -0.22}};
  int parent = -1;
  Vector3 joint = Vector3::Zero();
  for (std::size_t i = 0; i < types.size(); ++i) {
    const int link = b.beam("link " + std::to_string(i), {{0, 0, 0}, along[i]}, 1);
    b.hinge("joint " + std::to_string(i), types[i], parent, joint, link, {0, 0, 0}, axes[i].normalized());
    b.model().joints.back().initial_speed = speeds[i];
    parent = link;
    joint = along[i];
  }
  return with_tips(b.model());
}

void expect_tolerance_holds(const Model& model, const std::string& what) {
  constexpr double end = 0.2;
  const Trajectory reference = run(model, {}, end, {.integrator = "dormand_prince", .tolerance = 1e-10});
  for (const double tolerance : {1e-5, 1e-6, 1e-7})
    for (const char* integrator : {"exponential", "automatic"}) {
      const Trajectory motion = run(model, {}, end, {.integrator = integrator, .tolerance = tolerance});
      EXPECT_LT(largest_difference(motion, reference), tolerance * end)
          << what << ", " << integrator << ' ' << tolerance;
    }
}

TEST(Tolerance, HoldsOnRingingChainsWithEveryKindOfJoint) {
  using enum JointType;
  expect_tolerance_holds(ringing_chain({revolute, revolute}, {{1}, {1.8}}), "revolute");
  expect_tolerance_holds(ringing_chain({cylindrical, cylindrical}, {{-0.4, 2}, {0.1, -2.5}}), "cylindrical");
  expect_tolerance_holds(ringing_chain({revolute, revolute, spherical}, {{2.1}, {-1.5}, {0.3, -1.2, 2.5}}),
                         "spherical");
  expect_tolerance_holds(ringing_chain({planar, prismatic}, {{0.3, -0.5, 2}, {0.4}}), "planar");
}

// Which of the two methods takes less depends on the tolerance.
TEST(Tolerance, IsMetByTheMethodThatTakesFewerEvaluations) {
  const Model model = ringing_chain({JointType::spherical, JointType::cylindrical}, {{1, -2, 1.5}, {0.2, 2.5}});
  for (const double tolerance : {1e-4, 1e-9}) {
    const auto run_with = [&](const char* integrator) {
      return run(model, {}, 0.4, {.integrator = integrator, .tolerance = tolerance});
    };
    const auto fewest =
        std::min(run_with("exponential").counters.evaluations, run_with("dormand_prince").counters.evaluations);
    const Trajectory chosen = run_with("automatic");
    EXPECT_LT(static_cast<double>(chosen.counters.evaluations), 1.2 * static_cast<double>(fewest)) << tolerance;
    EXPECT_TRUE(chosen.integrator.starts_with("exponential")) << chosen.integrator;
    EXPECT_EQ(chosen.integrator.find("dormand_prince") == std::string::npos, tolerance > 1e-6) << chosen.integrator;
  }
}

// A rigid bar that falls from the horizontal is upright after K(sin 45 deg) sqrt(J / m g c), K = 1.8540746773.
TEST(Tolerance, HoldsForAFallingPendulum) {
  constexpr double mass = 1, centre = 0.5, inertia = 0.0833, gravity = 9.81,
                   about_pin = inertia + mass * centre * centre;
  ModelBuilder builder;
  builder.model().gravity = {0, 0, -gravity};
  const int bar = builder.link("bar");
  builder.model().links[bar].rigid_inertia = {mass, {centre, 0, 0}, inertia * Matrix3::Identity()};
  const Pose pin{z_along({0, 1, 0}), Vector3::Zero()};
  builder.joint("pin", JointType::revolute, -1, pin, bar, pin);
  const double quarter = 1.8540746773013719 * std::sqrt(about_pin / (mass * gravity * centre));
  for (const double tolerance : {1e-5, 1e-6, 1e-7}) {
    const Trajectory motion = run(builder.model(), {}, quarter, {.tolerance = tolerance});
    EXPECT_LT(std::abs(motion.last.state.coordinates(0) - std::numbers::pi / 2), tolerance * quarter) << tolerance;
  }
}

// What is reached is what was asked for: less than the tolerance, and not a thousandth of it.
TEST(Tolerance, IsMetAndUsedByRadauOnLoopsAndGearboxes) {
  constexpr double end = 0.1;
  for (const RandomMechanism& choice :
       {RandomMechanism{MechanismKind::geared, 3, 3, 1}, RandomMechanism{MechanismKind::closed, 7, 2, 1},
        RandomMechanism{MechanismKind::sliding, 5, 3, 1, 0.3, 0.01}}) {
    const Model model = random_mechanism(choice);
    const Trajectory reference = run(model, {}, end, {.integrator = "dormand_prince", .tolerance = 1e-8});
    for (const double tolerance : {1e-4, 1e-5}) {
      const Trajectory motion = run(model, {}, end, {.integrator = "radau", .tolerance = tolerance});
      const double error = largest_difference(motion, reference) / (tolerance * end);
      EXPECT_LT(error, 1) << describe(choice.kind) << ' ' << tolerance;
      EXPECT_GT(error, 1e-3) << describe(choice.kind) << ' ' << tolerance;
    }
  }
}

}  // namespace
}  // namespace lithe::testing
