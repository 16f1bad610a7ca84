// Bennett's linkage: four bars with skew hinges that move although they are overconstrained, and in which no choice of
// closure rows and dependent modes serves all the way round.
#include <numbers>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/results/recording/checkpoint.h"
#include "support/formulations.h"

namespace lithe::testing {
namespace {

// Opposite bars have equal lengths a, b and twists α, β with sin α / a = sin β / b (Bennett 1903). The crank is bar a,
// the ground bar b.
// Ten modes, one of which stretches the bar: where all bars lie along one line nothing else can close the loop.
Model bennett(double young_modulus, double crank_angle = 0.6) {
  constexpr double a = 0.4, b = 0.3, alpha = 1.0;
  constexpr int kept_modes = 10;
  const double beta = std::asin(b / a * std::sin(alpha));
  const double next_angle =
      2 * std::atan(std::sin((beta + alpha) / 2) / std::sin((beta - alpha) / 2) / std::tan(crank_angle / 2));
  const Matrix3 twist_a = rotation(Vector3::UnitX(), alpha), twist_b = rotation(Vector3::UnitX(), beta);
  FlexibleBuilder builder(young_modulus);
  const int crank = builder.beam("crank", {{0, 0, 0}, {a, 0, 0}}, 2, kept_modes);
  const int coupler = builder.beam("coupler", {{0, 0, 0}, {b, 0, 0}}, 2, kept_modes);
  const int rocker = builder.beam("rocker", {{0, 0, 0}, {a, 0, 0}}, 2, kept_modes);
  builder.joint("crank_pin", JointType::revolute, -1, {}, crank);
  builder.joint("coupler_pin", JointType::revolute, crank, {twist_a, {a, 0, 0}}, coupler);
  builder.joint("rocker_pin", JointType::revolute, coupler, {twist_b, {b, 0, 0}}, rocker);
  builder.joint("ground_pin", JointType::revolute, -1, {twist_b.transpose(), {-b, 0, 0}}, rocker, {twist_a, {a, 0, 0}});
  builder.give(0, {crank_angle}).guess(1, {next_angle}).guess(2, {-crank_angle}).guess(3, {next_angle});
  Model& model = builder.model();
  model.joints[0].inertia = {0.02};
  model.joints[0].initial_speed = {20};
  model.joints[0].independent = true;
  model.gravity = {0, 0, -2};
  return with_tips(model);
}

Sensor crank_sensor() {
  Sensor sensor;
  sensor.name = "angle";
  sensor.quantity = Quantity::joint_value;
  sensor.joint = 0;
  return sensor;
}

void expect_a_whole_turn(const char* formulation, double tolerance, double crank_angle, double energy_error) {
  Model model = bennett(7e11, crank_angle);
  model.sensors.push_back(crank_sensor());
  const RunSettings settings{.integrator = "exponential", .tolerance = tolerance, .samples = 60};
  const Trajectory motion = run(model, {.formulation = formulation}, 0.42, settings);
  const std::vector<double>& angle = motion.column("angle")->values;
  EXPECT_GT(angle.back() - angle.front(), 2 * std::numbers::pi);
  EXPECT_LT(std::abs(motion.energy.imbalance()), energy_error * motion.energy.largest_kinetic);
  EXPECT_FALSE(motion.states.back().configuration.split.empty());  // other rows or modes than at the start
  EXPECT_FALSE(motion.renamed.empty());
}

// Energy: 0.1e-4 to 2e-4 of the kinetic one, as the last digits of the mass matrix fall; 10e-4 with ten times the
// tolerance.
TEST(BennettLinkage, TurnsRightRoundAndKeepsItsEnergyInErlsCms) { expect_a_whole_turn("erls-cms", 1e-5, 0.6, 4e-4); }

TEST(BennettLinkage, TurnsRightRoundAndKeepsItsEnergyInErlsFem) { expect_a_whole_turn("erls-fem", 1e-5, 0.6, 4e-4); }

// Dependent modes that just suffice let a large step, or the last digit of a number, decide whether it goes on.
TEST(BennettLinkage, TurnsRightRoundWithALooseToleranceFromAnywhere) {
  for (const double crank_angle : {0.60, 0.61, 0.62}) expect_a_whole_turn("erls-cms", 1e-4, crank_angle, 2e-3);
}

// Long steps across configurations in which the rows chosen so far are singular: all rows together still say where the
// joints are. With the chosen ones alone the run stopped after most of a turn, or went on in another way of closing
// them.
TEST(BennettLinkage, StaysOnItsBranchAtACoarseTolerance) {
  for (const double tolerance : {1e-4, 3e-5}) {
    const RunSettings settings{.integrator = "exponential", .tolerance = tolerance, .samples = 20};
    const Trajectory motion = run(bennett(7e11), {}, 0.38, settings);
    EXPECT_LT(std::abs(motion.energy.imbalance()), 1e-3 * motion.energy.largest_kinetic) << tolerance;
  }
}

// Across configurations in which rows and modes are chosen anew. What is left is of second order in the deflection:
// with 16 times the stiffness it falls to a 47th (over the same time, four times as many vibrations).
TEST(BennettLinkage, MovesAsInTheFloatingFrame) {
  const Model model = bennett(7e11);
  const RunSettings settings{.integrator = "exponential", .tolerance = 1e-6, .samples = 20};
  const Trajectory erls = run(model, {}, 0.08, settings);
  EXPECT_FALSE(erls.states.back().configuration.split.empty());
  EXPECT_LT(largest_difference(erls, run(model, {.formulation = "floating-frame"}, 0.08, settings)), 2e-5);
}

TEST(BennettLinkage, GoesOnBitByBitFromACheckpointAfterAnotherChoice) {
  const Model model = bennett(7e11);
  const auto equations = make_equations(model, {});
  SimulateOptions options;
  options.end_time = 0.4;
  options.output_step = 0.01;
  options.integration.tolerance = 1e-5;
  options.checkpoint_interval = 0.1;
  std::vector<Checkpoint> saved;
  options.checkpoint = [&](const Checkpoint& c) { saved.push_back(c); };
  const Trajectory whole = simulate(*equations, start_state(*equations), options);
  ASSERT_EQ(whole.end, RunEnd::finished) << whole.message;
  ASSERT_EQ(saved.size(), 3u);
  ASSERT_FALSE(saved[2].state.configuration.split.empty());
  const auto path = std::filesystem::temp_directory_path() / "lithe_bennett.checkpoint";
  write_checkpoint(saved[2], path);
  const Trajectory rest = simulate(*equations, read_checkpoint(path), options);
  std::filesystem::remove(path);
  ASSERT_FALSE(rest.times.empty());
  EXPECT_EQ(rest.states.back().coordinates, whole.states.back().coordinates);
  EXPECT_EQ(rest.states.back().speeds, whole.states.back().speeds);
}

}  // namespace
}  // namespace lithe::testing
