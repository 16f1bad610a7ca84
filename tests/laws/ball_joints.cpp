// Spherical and free joints whose angles, or whose turning, something acts on.
#include <numbers>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/kinematics/charts.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

constexpr const char* formulations[] = {"erls-cms", "erls-fem", "floating-frame", "corotational", "transfer-functions"};

// Hangs straight down where its second angle is a right angle.
Model ball_pendulum(JointType type = JointType::spherical, bool backwards = false) {
  ModelBuilder b;
  const int bob = b.link("bob");
  b.model().gravity = {0, 0, -9.81};
  b.model().links[bob].rigid_inertia = {1, {0.3, 0, 0}, Vector3(0.01, 0.02, 0.02).asDiagonal()};
  if (backwards) {  // the ground is the child: the pose of the ground as seen from the bob
    b.joint("ball", type, bob, {}, -1, {});
    b.give(0, {0.1, -0.2, 0.3});
    b.model().joints[0].initial_speed = {0.2, -3, 0.5};
  } else {
    b.joint("ball", type, -1, {}, bob, {});
    const std::vector<double> still(type == JointType::free ? 3 : 0, 0.0);
    std::vector<double> value = still, speed = still;
    value.insert(value.end(), {0.1, 0.2, 0.3});
    speed.insert(speed.end(), {0.2, 3, 0.5});
    b.give(0, value);
    b.model().joints[0].initial_speed = speed;
  }
  b.node(bob, {0.3, 0.1, 0.05});
  return with_tips(b.model());
}

Trajectory until_the_end(const Model& model, const std::string& formulation, double end,
                         const std::string& integrator = "automatic") {
  const auto equations = make_equations(model, {.formulation = formulation});
  SimulateOptions options;
  options.end_time = end;
  options.output_step = end / 20;
  options.integrator = integrator;
  return simulate(*equations, start_state(*equations), options);
}

TEST(BallJoints, ChartsStayWhereSomethingActsOnTheAngles) {
  const auto fixed = [](const Model& model) { return Mechanism(model).charts()[0].fixed; };
  const Model passive = ball_pendulum();
  EXPECT_FALSE(fixed(passive));
  Model damped = passive, sprung = passive, rough = passive, heavy = passive, limited = passive, driven = passive;
  damped.joints[0].damping = {1, 1, 1};
  EXPECT_FALSE(fixed(damped));
  sprung.joints[0].stiffness[2] = rough.joints[0].friction[0] = heavy.joints[0].inertia[1] = 1;
  limited.joints[0].limits[1] = std::pair(-1.0, 1.0);
  driven.drives.push_back({"motor", {}, 0, 2, false, SignalConstant{1}});
  for (const Model& model : {sprung, rough, heavy, limited, driven}) EXPECT_TRUE(fixed(model));
  Model slides = ball_pendulum(JointType::free);
  slides.joints[0].stiffness[2] = 5;
  EXPECT_FALSE(fixed(slides));
  slides.joints[0].stiffness[3] = 5;
  EXPECT_TRUE(fixed(slides));

  Configuration configuration = unclosed_configuration(Mechanism(sprung));
  configuration.coordinates << 0.3, 1.3, -0.2;
  VectorX rates = VectorX::Ones(3);
  EXPECT_FALSE(recentre_charts(Mechanism(sprung), configuration, rates));
  EXPECT_EQ(configuration.coordinates[1], 1.3);
}

// The second angle swings beyond 1 rad, where charts that may move would.
TEST(BallJoints, EnergyStaysWithSpringsAndMotorsThroughLargeTurns) {
  Model sprung = ball_pendulum();
  sprung.gravity.setZero();
  sprung.joints[0].stiffness = {3, 2, 3};
  sprung.joints[0].rest_value = {0.1, 0.4, 0.2};
  Model heavy = sprung;
  heavy.joints[0].stiffness = {0, 3, 0};
  heavy.joints[0].rest_value = {0, 0.5, 0};
  heavy.joints[0].inertia = {0.02, 0.03, 0.01};
  for (const Model& model : {sprung, heavy})
    for (const char* formulation : formulations) {
      const auto equations = make_equations(model, {.formulation = formulation});
      SimulateOptions options;
      options.end_time = 1;
      options.output_step = 0.01;
      options.integrator = "dormand_prince";
      options.integration.tolerance = 1e-9;
      const Trajectory motion = simulate(*equations, start_state(*equations), options);
      ASSERT_EQ(motion.end, RunEnd::finished) << formulation << ": " << motion.message;
      EXPECT_LT(std::abs(motion.energy.imbalance()), 1e-7 * motion.energy.largest_kinetic) << formulation;
      double furthest = 0;
      const auto workspace = equations->make_workspace();
      Accelerations none;
      none.values.setZero(equations->num_coordinates());
      const Inputs inputs = make_inputs(model);
      for (const State& state : motion.states)
        furthest = std::max(furthest, std::abs(equations->joint_motion(state, inputs, none, 0, 1, *workspace).value));
      EXPECT_GT(furthest, 1.05) << formulation;
    }
}

TEST(BallJoints, ASpringAtARightAngleOfTheSecondAngleIsSaid) {
  Model model = ball_pendulum();
  model.joints[0].stiffness = {0.5, 0.5, 0.5};
  for (const char* formulation : formulations)
    for (const char* integrator : {"exponential", "dormand_prince", "generalised_alpha"}) {
      const Trajectory motion = until_the_end(model, formulation, 2, integrator);
      EXPECT_EQ(motion.end, RunEnd::failed);
      EXPECT_EQ(motion.report.cause, EvaluationStatus::singular_angles) << formulation << " " << integrator;
      EXPECT_NEAR(motion.report.time, 0.25871, 1e-4) << formulation << " " << integrator;
      EXPECT_GT(motion.times.size(), 2u);
      EXPECT_NE(motion.message.find("right angle, where its three angles are singular); joint 'ball'"),
                std::string::npos)
          << motion.message;
    }
}

// Beyond 1 rad equations go on in other charts; what a sensor reads does not know of them.
TEST(BallJoints, AnglesReadAlikeInAllFormulations) {
  Model model = ball_pendulum();
  model.sensors.clear();
  for (int freedom = 0; freedom < 3; ++freedom)
    for (const Quantity quantity : {Quantity::joint_value, Quantity::joint_speed, Quantity::joint_acceleration}) {
      Sensor sensor;
      sensor.name = std::to_string(model.sensors.size());
      sensor.quantity = quantity;
      sensor.joint = 0;
      sensor.freedom = freedom;
      model.sensors.push_back(sensor);
    }
  const Trajectory expected = run(model, {.formulation = "floating-frame"}, 0.4, {.tolerance = 1e-9, .samples = 20});
  for (const char* formulation : {"erls-cms", "transfer-functions"}) {
    const Trajectory motion = run(model, {.formulation = formulation}, 0.4, {.tolerance = 1e-9, .samples = 20});
    for (std::size_t c = 0; c < 9; ++c)
      for (std::size_t i = 0; i < motion.times.size(); ++i) {
        const double off = motion.columns[c].values[i] - expected.columns[c].values[i];
        const double size = 1 + std::abs(expected.columns[c].values[i]);
        EXPECT_LT(std::abs(c % 3 == 0 ? std::remainder(off, 2 * std::numbers::pi) : off), 1e-5 * size)
            << formulation << " " << c << " at " << motion.times[i];
      }
  }
}

// A ball with equal inertias and equal damping: its angular velocity keeps its direction and falls with exp(-d t / J).
TEST(BallJoints, DampingSlowsASpinDownAboutAnyAxis) {
  for (const char* formulation : formulations) {
    Model model = ball_pendulum();
    model.gravity.setZero();
    model.links[0].rigid_inertia = {1, Vector3::Zero(), 0.02 * Matrix3::Identity()};
    model.joints[0].damping = {0.01, 0.01, 0.01};
    model.sensors[0].quantity = Quantity::velocity;
    const Trajectory motion = until_the_end(model, formulation, 2, "dormand_prince");
    ASSERT_EQ(motion.end, RunEnd::finished) << formulation << ": " << motion.message;
    Formulated start(model, {.formulation = formulation});
    start.evaluate();
    const NodeMotion first = start.node(0, static_cast<int>(model.links[0].nodes.size()) - 1);
    const Vector3 omega = first.angular_velocity;
    for (std::size_t i = 0; i < motion.times.size(); ++i) {
      const double rest = std::exp(-0.5 * motion.times[i]);
      const double turn = omega.norm() * (1 - rest) / 0.5;
      const Vector3 arm = Eigen::AngleAxisd(turn, omega.normalized()) * first.position;
      const Vector3 expected = rest * omega.cross(arm);
      for (int k = 0; k < 3; ++k)
        EXPECT_NEAR(motion.columns[static_cast<std::size_t>(k)].values[i], expected[k], 2e-5) << formulation;
    }
  }
}

// Through the configuration in which the three angles are singular, with a different damping about each axis of the
// child.
TEST(BallJoints, DampedPendulumsMoveAlikeInAllFormulations) {
  for (const JointType type : {JointType::spherical, JointType::free})
    for (const bool backwards : {false, true}) {
      if (type == JointType::free && backwards) continue;
      Model model = ball_pendulum(type, backwards);
      for (std::size_t f = 0; f < model.joints[0].damping.size(); ++f) model.joints[0].damping[f] = 0.02 + 0.01 * f;
      std::vector<Trajectory> motions;
      for (const char* formulation : formulations) {
        motions.push_back(run(model, {.formulation = formulation}, 1.0, {.tolerance = 1e-8, .samples = 20}));
        const EnergyBalance& energy = motions.back().energy;
        EXPECT_GT(energy.dissipated, 0.05) << formulation;
        EXPECT_NEAR(energy.end, energy.start + energy.input_work - energy.dissipated, 1e-5) << formulation;
        EXPECT_LT(largest_difference(motions.front(), motions.back()), 1e-5) << formulation << " " << backwards;
      }
    }
}

// Stiff dampers: the implicit methods have their derivatives.
TEST(BallJoints, StrongDampersAreFollowedImplicitly) {
  Model model = ball_pendulum();
  model.joints[0].damping = {40, 60, 80};
  const Trajectory exact = run(model, {.formulation = "erls-cms"}, 0.05, {.tolerance = 1e-8, .samples = 5});
  for (const char* formulation : {"erls-cms", "floating-frame", "transfer-functions"}) {
    const Trajectory motion =
        run(model, {.formulation = formulation}, 0.05, {.integrator = "generalised_alpha", .step = 1e-3, .samples = 5});
    EXPECT_LT(largest_difference(exact, motion), 2e-4) << formulation;
  }
}

TEST(BallJoints, AStartAtARightAngleOrBeyondIsSaid) {
  for (const double second : {89.5, 90.0, 120.0, -100.0}) {
    Model model = ball_pendulum();
    model.joints[0].initial_value[1] = second * std::numbers::pi / 180;
    model.joints[0].limits[0] = std::pair(-1.0, 1.0);
    for (const char* formulation : formulations) {
      Formulated system(model, {.formulation = formulation});
      EXPECT_EQ(system.equations->evaluate(system.state, system.inputs, *system.workspace, system.accelerations),
                EvaluationStatus::singular_angles)
          << formulation << " at " << second;
    }
  }
}

// A free joint's slides may have springs and its turns none: then its angles may be anything.
TEST(BallJoints, SpringsOfAFreeJointsSlidesLetItTurnFreely) {
  Model model = ball_pendulum(JointType::free);
  for (int k = 0; k < 3; ++k) model.joints[0].stiffness[k] = 200;
  const Trajectory first = run(model, {.formulation = formulations[0]}, 1);
  for (const char* formulation : formulations) {
    const Trajectory motion = run(model, {.formulation = formulation}, 1);
    EXPECT_LT(largest_difference(motion, first), 1e-6) << formulation;
    EXPECT_LT(std::abs(motion.energy.imbalance()), 1e-7 * motion.energy.largest_kinetic) << formulation;
  }
}

}  // namespace
}  // namespace lithe
