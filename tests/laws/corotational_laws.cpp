// Next to its rest shape a corotational beam has the mass and stiffness of the linear element, whatever the mesh. So it
// agrees with ERLS, which keeps all modes of the same elements, up to terms of second order in the deflection.
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/modes/modes.h"
#include "support/formulations.h"

namespace lithe::testing {
namespace {

const FormulationChoice corotational{.formulation = "corotational"};

Model at_rest_without_weight(Model model) {
  model.gravity.setZero();
  for (Joint& joint : model.joints) joint.initial_speed.assign(joint.initial_speed.size(), 0.0);
  return model;
}

Model with_all_modes(Model model) {
  for (Link& link : model.links) link.reduction = {};
  return model;
}

// In the plane x-z, with weight along it.
Model planar_2r(double young_modulus) {
  FlexibleBuilder b(young_modulus);
  const int upper = b.beam("upper", {{0, 0, 0}, {0.5, 0, 0}}, 2), fore = b.beam("fore", {{0, 0, 0}, {0.4, 0, 0}}, 2);
  b.hinge("shoulder", JointType::revolute, -1, {0, 0, 0}, upper, {0, 0, 0}, Vector3::UnitY(), {0.3});
  b.hinge("elbow", JointType::revolute, upper, {0.5, 0, 0}, fore, {0, 0, 0}, Vector3::UnitY(), {0.8});
  b.model().links[fore].lumped_masses.push_back({1, 0.05, 1e-5 * Matrix3::Identity()});
  return b.model();
}

Model spatial_3r(double young_modulus) {
  FlexibleBuilder b(young_modulus);
  const int post = b.beam("post", {{0, 0, 0}, {0, 0, 0.3}}, 2), upper = b.beam("upper", {{0, 0, 0}, {0.4, 0, 0}}, 2),
            fore = b.beam("fore", {{0, 0, 0}, {0.3, 0, 0}, {0.3, 0.1, 0.05}}, 1);
  b.hinge("waist", JointType::revolute, -1, {0, 0, 0}, post, {0, 0, 0}, Vector3::UnitZ(), {0.2});
  b.hinge("shoulder", JointType::revolute, post, {0, 0, 0.3}, upper, {0, 0, 0}, Vector3::UnitY(), {-0.5});
  b.hinge("elbow", JointType::revolute, upper, {0.4, 0, 0}, fore, {0, 0, 0}, Vector3(0.2, 1, 0.3).normalized(), {1.1});
  b.model().joints[0].inertia = {2e-3};
  return b.model();
}

Model resting_four_bar(double young_modulus) {
  Model model = with_all_modes(flexible_four_bar(young_modulus));
  model.joints[0].initial_speed = {0};
  return model;
}

void expect_frequencies_of_erls(const Model& given, const std::string& what) {
  const Model model = at_rest_without_weight(given);
  VectorX found[2];
  for (const bool ours : {false, true}) {
    const auto equations = make_equations(model, ours ? corotational : FormulationChoice{});
    const ModesResult result = mechanism_modes(*equations, equations->initial_state(), 0);
    ASSERT_EQ(result.status, EvaluationStatus::ok) << what;
    found[ours] = result.modes.frequencies;
  }
  ASSERT_EQ(found[0].size(), found[1].size()) << what;
  // ω² is an eigenvalue of a matrix as large as the largest ω²: rounding shows in the lowest frequencies.
  const double largest = found[0].tail(1)[0], rounding = 1e3 * 2.2e-16 * largest * largest;
  for (Eigen::Index k = 0; k < found[0].size(); ++k) {
    const double squared = found[0][k] * found[0][k];
    EXPECT_NEAR(found[1][k] * std::abs(found[1][k]), squared, 1e-9 * squared + rounding) << what << " mode " << k;
  }
}

TEST(CorotationalAtRest, HasAllFrequenciesOfTheLinearElements) {
  for (const BeamTheory theory : {BeamTheory::euler_bernoulli, BeamTheory::timoshenko, BeamTheory::linear_timoshenko})
    for (const MassModel mass : {MassModel::consistent, MassModel::lumped}) {
      Model model = l_shape(7e10, 1);
      for (BeamSegment& segment : model.links[0].segments) segment.theory = theory, segment.mass_model = mass;
      model.sections[0] = rectangle(0.05, 0.09);  // stout, so that shear and rotary inertia count
      model.sections[0].shear_factor_y = model.sections[0].shear_factor_z = 0.85;
      expect_frequencies_of_erls(model, "L-shape, theory " + std::to_string(static_cast<int>(theory)));
    }
  expect_frequencies_of_erls(planar_2r(7e10), "planar 2R");
  expect_frequencies_of_erls(spatial_3r(7e10), "spatial 3R");
  expect_frequencies_of_erls(with_all_modes(flexible_four_bar(7e10)), "four-bar");
}

Trajectory motion_of(const Model& model, const FormulationChoice& choice, double end, double tolerance) {
  const auto equations = make_equations(model, choice);
  SimulateOptions options;
  options.end_time = end;
  options.output_step = end / 10;
  options.integrator = "dormand_prince";
  options.integration.tolerance = tolerance;
  Trajectory motion = simulate(*equations, start_state(*equations), options);
  EXPECT_EQ(motion.end, RunEnd::finished) << motion.message;
  return motion;
}

// How much less the tips of ERLS differ from those of another formulation when E is 16 times larger.
double fall_of_difference(Model (*model)(double), const FormulationChoice& other, double soft, const double (&ends)[2],
                          const double (&tolerances)[2]) {
  double difference[2];
  for (const bool stiff : {false, true}) {
    const Model watched = with_tips(model(stiff ? 16 * soft : soft));
    difference[stiff] = largest_difference(motion_of(watched, {}, ends[stiff], tolerances[stiff]),
                                           motion_of(watched, other, ends[stiff], tolerances[stiff]));
  }
  EXPECT_GT(difference[0], 1e-8);  // the deflection is visible in it
  ::testing::Test::RecordProperty("falls", std::to_string(difference[0] / difference[1]));
  return difference[0] / difference[1];
}

// Released from an unstrained configuration, over the same number of vibrations: E is 16 times larger, the time a
// quarter. Deflections are 16 times smaller, what is left out of ERLS 256 times; a mass that differs from the linear
// element's by the mesh alone would fall 16-fold.
double fall_per_vibration(Model (*model)(double), double end) {
  return fall_of_difference(model, corotational, 2e10, {end, end / 4}, {1e-8, 1e-10});
}

TEST(CorotationalInMotion, PlanarArmDiffersFromErlsAtSecondOrder) {
  EXPECT_NEAR(fall_per_vibration(planar_2r, 0.01), 256, 25);
}

TEST(CorotationalInMotion, SpatialArmDiffersFromErlsAtSecondOrder) {
  EXPECT_NEAR(fall_per_vibration(spatial_3r, 0.01), 256, 25);
}

TEST(CorotationalInMotion, FourBarDiffersFromErlsAtSecondOrder) {
  EXPECT_NEAR(fall_per_vibration(resting_four_bar, 0.006), 256, 25);
}

// Pulled at its last tip in all directions, its joints held meanwhile, and let go: a start that vibrates about links
// without load.
Model let_go(Model model) {
  model.gravity.setZero();
  model.initial_configuration.static_equilibrium = true;
  const int last = static_cast<int>(model.links.size()) - 1;
  for (int axis = 0; axis < 3; ++axis) {
    Load load;
    load.link = last;
    load.node = static_cast<int>(model.links[last].nodes.size()) - 1;
    load.direction = Vector3::Unit(axis);
    load.signal = SignalSteps{{0, 1e-5}, {0.3 + 0.1 * axis, 0}};
    model.loads.push_back(load);
  }
  return model;
}

// Over the same time the stiff links vibrate four times as often. About links without load the difference still falls
// 256-fold; about links that stay bent by a load, frequencies differ at first order in the deflection, and that adds up
// with every vibration: 64-fold in the end, also between a floating frame and corotational beams
// (docs/theory/erls_cms.md, section 9).
TEST(CorotationalInMotion, AVibratingArmDiffersAtSecondOrderOverTheSameTime) {
  const auto arm = [](double young_modulus) { return let_go(planar_2r(young_modulus)); };
  EXPECT_NEAR(fall_of_difference(arm, corotational, 5e9, {0.015, 0.015}, {1e-7, 1e-9}), 256, 50);
  EXPECT_NEAR(fall_of_difference(arm, {.formulation = "floating-frame"}, 5e9, {0.015, 0.015}, {1e-7, 1e-9}), 256, 50);
}

TEST(CorotationalInMotion, AVibratingFourBarDiffersAtSecondOrderOverTheSameTime) {
  const auto loop = [](double young_modulus) { return let_go(resting_four_bar(young_modulus)); };
  EXPECT_GT(fall_of_difference(loop, {.formulation = "floating-frame"}, 5e9, {0.01, 0.01}, {1e-8, 1e-10}), 150);
}

Model rope(double side, int elements) {
  FlexibleBuilder b(7e5, 5540, side, side);
  const int link = b.beam("rope", {{0, 0, 0}, {1.2, 0, 0}}, elements);
  b.hinge("pivot", JointType::spherical, -1, {0, 0, 0}, link, {0, 0, 0}, Vector3::UnitZ(), {0, 0, 0}, {1, 0.5, 2});
  return with_tips(b.model());
}

// Large turns and bending in space: the energy shows every error in the velocity terms.
TEST(CorotationalInMotion, ASwingingRopeKeepsItsEnergy) {
  const Trajectory motion = run(rope(0.01, 8), corotational, 0.5, {.tolerance = 1e-6, .samples = 4});
  const double weight = 5540 * 1e-4 * 1.2 * 9.81;
  EXPECT_LT(std::abs(motion.energy.imbalance()), 1e-6 * weight * 1.2);
}

// On a mesh that is much too coarse elements fold over. The strain jumps there; the mass keeps its sign.
TEST(CorotationalInMotion, ARopeThatFoldsGoesOn) {
  run(rope(0.02, 4), corotational, 1.5, {.tolerance = 1e-4, .samples = 4});
}

}  // namespace
}  // namespace lithe::testing
