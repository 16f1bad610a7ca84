// Springs, dampers, friction and drives at joints against closed forms; what goes wrong is said.
#include <limits>
#include <numbers>

#include "lithe/analyse/motion/simulate.h"
#include "support/flexible_models.h"
#include "support/motion.h"

namespace lithe {
namespace {

using namespace testing;

constexpr double body_inertia = 0.03 + 0.7 * 0.4 * 0.4;  // about the joint

// A rigid arm about a vertical axis: gravity does not act.
Model arm_on_a_joint(double stiffness, double damping, double friction) {
  ModelBuilder b;
  const int arm = b.link("arm");
  b.model().links[arm].rigid_inertia = {0.7, {0.4, 0, 0}, Vector3(0.1, 0.1, 0.03).asDiagonal()};
  b.pin("joint", -1, {0, 0, 0}, arm);
  b.give(0, {0.5});
  Joint& joint = b.model().joints[0];
  joint.stiffness = {stiffness};
  joint.rest_value = {0.1};
  joint.damping = {damping};
  joint.friction = {friction};
  joint.friction_speed = 1e-3;
  b.model().gravity = {0, 0, -9.81};
  return b.model();
}

TEST(JointElements, ASpringSwingsAtItsAnalyticFrequency) {
  Watched system(arm_on_a_joint(5, 0, 0));
  const double omega = std::sqrt(5 / body_inertia), quarter = std::numbers::pi / 2 / omega;
  const State end = move(system, system.equations.initial_state(), quarter, quarter / 400);
  // A quarter of a period from the greatest stretch: at rest value, with the greatest speed. Error (ω h)^5 = 1e-12.
  EXPECT_NEAR(end.coordinates(0), 0.1, 1e-11);
  EXPECT_NEAR(end.speeds(0), -0.4 * omega, 1e-10);
}

TEST(JointElements, ADamperLetsTheSwingDecayAtItsAnalyticRate) {
  const double stiffness = 5, damping = 0.1;
  Watched system(arm_on_a_joint(stiffness, damping, 0));
  const double decay = damping / (2 * body_inertia), omega = std::sqrt(stiffness / body_inertia - decay * decay);
  const double t = 2.5;
  const State end = move(system, system.equations.initial_state(), t, 1e-3);
  const double expected =
      0.1 + 0.4 * std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
  EXPECT_NEAR(end.coordinates(0), expected, 1e-10);
}

TEST(JointElements, FrictionSlowsAtAConstantRateAndOnlyTakesEnergy) {
  Model model = arm_on_a_joint(0, 0, 0.05);
  model.joints[0].initial_speed = {3.0};
  Watched system(model);
  double energy = system.energy(system.equations.initial_state());
  bool falls = true;
  const State end = move_watched(system, system.equations.initial_state(), 1.0, 1e-3, [&](const State& state) {
    const double now = system.energy(state);
    falls = falls && now < energy;
    energy = now;
  });
  EXPECT_TRUE(falls);
  // tanh(3 / 1e-3) is 1: a constant torque.
  EXPECT_NEAR(end.speeds(0), 3.0 - 0.05 / body_inertia * 1.0, 1e-12);
}

TEST(JointElements, FrictionTakesEnergyFromAVibratingArm) {
  Model model = spatial_2r(7e9, 3);
  for (Joint& joint : model.joints) {
    joint.friction = {0.02};
    joint.friction_speed = 0.05;
  }
  Watched system(model);
  double energy = system.energy(system.equations.initial_state());
  const double start = energy;
  double rise = 0;
  move_watched(system, system.equations.initial_state(), 0.1, 5e-5, [&](const State& state) {
    const double now = system.energy(state);
    rise = std::max(rise, now - energy);
    energy = now;
  });
  EXPECT_LT(rise, 1e-11);
  EXPECT_LT(energy, start - 1e-3);
}

// The torque that gives joint `joint` the wanted acceleration at a state: accelerations are affine in it.
double inverse_dynamics_torque(Watched& system, const State& state, int joint, double wanted) {
  double answers[2];
  for (int k = 0; k < 2; ++k) {
    system.inputs.joint_forces[joint][0] = k;
    EXPECT_EQ(system.evaluate(state), EvaluationStatus::ok);
    answers[k] = system.accelerations.values(joint);
  }
  system.inputs.joint_forces[joint][0] = 0;
  return (wanted - answers[0]) / (answers[1] - answers[0]);
}

TEST(PrescribedMotion, EqualsTheMotionThatTheInverseDynamicsTorqueProduces) {
  const SignalSine sine{0.3, 1.5, 0.2, 0.4, -10};
  const SignalValue begin = evaluate(Signal(sine), 0);
  Model free = spatial_2r(7e9, 3);
  free.joints[0].initial_value = {begin.value};
  free.joints[0].initial_speed = {begin.rate};
  Model driven = free;
  Drive drive;
  drive.name = "motor";
  drive.joint = 0;
  drive.prescribes_motion = true;
  drive.signal = sine;
  driven.drives.push_back(drive);

  Watched prescribed(driven), forced(free), calculator(free);
  ASSERT_EQ(prescribed.equations.num_coordinates() + 1, forced.equations.num_coordinates());
  const double end = 0.2, step = 5e-5;
  const State a = move(prescribed, prescribed.equations.initial_state(), end, step,
                       [&](double time, const State&, Inputs& inputs) { evaluate_inputs(driven, time, inputs); });
  const State b =
      move(forced, forced.equations.initial_state(), end, step, [&](double time, const State& state, Inputs& inputs) {
        const double wanted = evaluate(Signal(sine), time).acceleration;
        inputs.joint_forces[0][0] = inverse_dynamics_torque(calculator, state, 0, wanted);
      });
  evaluate_inputs(driven, end, prescribed.inputs);
  EXPECT_NEAR(b.coordinates(0), evaluate(Signal(sine), end).value, 1e-10);
  EXPECT_LT(largest_distance(prescribed.positions(a), forced.positions(b)), 1e-9);
}

Model long_chain(int links) {
  FlexibleBuilder b(7e10);
  int previous = -1;
  for (int i = 0; i < links; ++i) {
    const int link = b.beam("link" + std::to_string(i), {{0, 0, 0}, {0.1, 0, 0}}, 1, 2);
    b.hinge("joint" + std::to_string(i), JointType::revolute, previous, {previous < 0 ? 0 : 0.1, 0, 0}, link, {0, 0, 0},
            i % 2 ? Vector3::UnitY() : Vector3::UnitZ(), {0.001}, {0.0});
    previous = link;
  }
  return b.model();
}

TEST(LongChain, OfAThousandFlexibleLinksEvaluates) {
  Watched system(long_chain(1000));
  EXPECT_EQ(system.equations.num_coordinates(), 3000);
  ASSERT_EQ(system.evaluate(system.equations.initial_state()), EvaluationStatus::ok);
  EXPECT_TRUE(system.accelerations.values.allFinite());
}

TEST(LongChain, OfHundredsOfFlexibleLinksMovesAndKeepsItsEnergy) {
  const ErlsCms equations(reduce(long_chain(200)));
  SimulateOptions options;
  options.end_time = options.output_step = 1e-4;
  const Trajectory motion = simulate(equations, equations.initial_state(), options);
  ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
  EXPECT_EQ(motion.integrator, "dormand_prince");
  EXPECT_GT(motion.energy.largest_kinetic, 0);
  EXPECT_LT(std::abs(motion.energy.imbalance()), 1e-6 * motion.energy.largest_kinetic);
}

TEST(Failure, ANumberThatIsNoneIsReportedAsNotFinite) {
  Watched open(spatial_2r());
  State state = open.equations.initial_state();
  state.coordinates(0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(open.evaluate(state), EvaluationStatus::ok);
  state = open.equations.initial_state();
  state.speeds(1) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(open.evaluate(state), EvaluationStatus::not_finite);
  Watched closed(flexible_four_bar());
  state = closed.equations.initial_state();
  state.coordinates(0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(closed.evaluate(state), EvaluationStatus::ok);
  EXPECT_NE(describe(EvaluationStatus::not_finite).find("not finite"), std::string::npos);
}

TEST(Failure, AFreedomWithoutInertiaIsReportedAsSingularMass) {
  ModelBuilder b;
  const int arm = b.link("arm");
  b.model().links[arm].rigid_inertia = {0.5, {0, 0, 0.3}, Matrix3::Zero()};  // a point on the axis
  b.pin("joint", -1, {0, 0, 0}, arm);
  Watched system(b.model());
  EXPECT_EQ(system.evaluate(system.equations.initial_state()), EvaluationStatus::singular_mass);
  EXPECT_NE(describe(EvaluationStatus::singular_mass).find("without inertia"), std::string::npos);
}

// A parallelogram stretched out flat: the rocker could turn either way.
TEST(Failure, ASingularConfigurationOfALoopIsReported) {
  Watched system(four_bar(1.0, 0.4, 1.0, 0.4, 1.0));
  State state = system.equations.initial_state();
  ASSERT_EQ(system.evaluate(state), EvaluationStatus::ok);
  state.coordinates(0) = 0;
  state.configuration.coordinates.setZero();
  EXPECT_EQ(system.evaluate(state), EvaluationStatus::loop_not_closed);
  EXPECT_NE(describe(EvaluationStatus::loop_not_closed).find("singular"), std::string::npos);
}

}  // namespace
}  // namespace lithe
