// Planar models against the same mechanisms in space, and against formulations that share no derivation with ERLS.
#include <gtest/gtest.h>

#include <cmath>

#include "lithe/analyse/condense/condense.h"
#include "lithe/analyse/condense/full.h"
#include "lithe/analyse/linear/linear_modes.h"
#include "lithe/analyse/modes/modes.h"
#include "lithe/analyse/stability/steady_motion.h"
#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/read/read_model.h"
#include "lithe/reduce/reduce.h"
#include "support/formulations.h"

namespace lithe::testing {
namespace {

Model file(const std::string& name) { return read_model(std::string(LITHE_MODELS_DIR) + "/" + name + ".toml"); }

Model with_all_modes(Model model, Space space) {
  model.space = space;
  for (Link& link : model.links) {
    link.reduction = {};
    link.damping = {};
    for (BeamSegment& segment : link.segments) segment.num_elements = 2;
  }
  return model;
}

// In-plane modes of the spatial mechanism: those that move no node out of the plane.
std::vector<double> in_plane(const MechanismModes& modes) {
  std::vector<double> frequencies;
  for (int k = 0; k < modes.num_modes(); ++k) {
    double out = 0, all = 0;
    for (std::size_t link = 0; link < modes.translations.size(); ++link)
      for (Eigen::Index row = 0; row < modes.translations[link].rows(); ++row) {
        const double u = modes.translations[link](row, k), r = 0.1 * modes.rotations[link](row, k);
        all += u * u + r * r;
        out += row % 3 == 2 ? u * u : r * r;
      }
    if (out < 0.5 * all) frequencies.push_back(modes.frequencies(k));
  }
  return frequencies;
}

class Planar : public ::testing::TestWithParam<const char*> {};

TEST_P(Planar, HasTheInPlaneFrequenciesOfTheSpatialMechanism) {
  const Formulated spatial(with_all_modes(file(GetParam()), Space::spatial));
  const Formulated planar(with_all_modes(file(GetParam()), Space::planar));
  EXPECT_LT(planar.equations->num_coordinates(), spatial.equations->num_coordinates());
  const ModesResult in_space = mechanism_modes(*spatial.equations, spatial.state);
  const ModesResult in_the_plane = mechanism_modes(*planar.equations, planar.state);
  ASSERT_EQ(in_space.status, EvaluationStatus::ok);
  ASSERT_EQ(in_the_plane.status, EvaluationStatus::ok);
  const std::vector<double> expected = in_plane(in_space.modes);
  ASSERT_GE(expected.size(), 8u);
  for (std::size_t k = 0; k < 8; ++k)
    EXPECT_NEAR(in_the_plane.modes.frequencies(static_cast<Eigen::Index>(k)), expected[k], 1e-6 * expected[7]) << k;
}

// Corotational beams have nodes in space; modes of a planar model stay in the plane all the same.
TEST_P(Planar, CorotationalModesAreThoseOfThePlane) {
  Model model = with_all_modes(file(GetParam()), Space::planar);
  model.gravity.setZero();  // it acts on what is no equilibrium; what holds it there is a choice of the coordinates
  const Formulated erls(model), corotational(model, {.formulation = "corotational"});
  const ModesResult expected = mechanism_modes(*erls.equations, erls.state);
  const ModesResult found = mechanism_modes(*corotational.equations, corotational.state);
  ASSERT_EQ(found.status, EvaluationStatus::ok);
  ASSERT_EQ(found.modes.num_modes(), expected.modes.num_modes());
  for (Eigen::Index k = 0; k < 6; ++k)
    EXPECT_NEAR(found.modes.frequencies(k), expected.modes.frequencies(k), 1e-3 * expected.modes.frequencies(5)) << k;
}

// With a rigid mode each for ux, uy and the rotation about z, and three freedoms per node.
TEST_P(Planar, HasThreeFreedomsPerNode) {
  const Model model = with_all_modes(file(GetParam()), Space::planar);
  const ReducedModel reduced = reduce(model);
  for (std::size_t k = 0; k < model.links.size(); ++k) {
    if (model.links[k].rigid) continue;
    EXPECT_EQ(reduced.bodies[k].num_finite_element_dofs, 3 * reduced.meshes[k].num_nodes());
    EXPECT_EQ(reduced.bodies[k].nodal_shapes.cols(), 3 * reduced.meshes[k].num_nodes() - 3);
  }
}

// One element a beam, so that the fastest vibrations are slow enough for an explicit method.
Model coarse(const std::string& name) {
  Model model = with_tips(with_all_modes(file(name), Space::spatial));
  for (Link& link : model.links)
    for (BeamSegment& segment : link.segments) segment.num_elements = 1;
  return model;
}

TEST_P(Planar, MovesAsTheSpatialMechanism) {
  const Model spatial = coarse(GetParam());
  Model planar = spatial;
  planar.space = Space::planar;
  EXPECT_LT(largest_difference(run(spatial, {}, 0.003), run(planar, {}, 0.003)), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Models, Planar, ::testing::Values("planar_2r", "four_bar", "slider_crank", "five_bar"),
                         [](const auto& named) { return std::string(named.param); });

// The floating frame shares the modal bodies with ERLS and nothing else.
TEST(PlanarFourBar, MovesAsInTheFloatingFrame) {
  Model model = coarse("four_bar");
  model.space = Space::planar;
  RunSettings implicit;
  implicit.integrator = "automatic";
  implicit.tolerance = 1e-7;
  EXPECT_LT(largest_difference(run(model, {}, 0.01), run(model, {.formulation = "floating-frame"}, 0.01, implicit)),
            1e-6);
}

// Locked cranks: the linear model with brakes against the static condensation's full model, which shares neither
// kinematics nor assembly with it.
TEST(LockedCrank, FrequenciesAgreeWithTheFullFiniteElementModel) {
  for (const auto& [name, cranks] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"four_bar", {"crank bearing"}}, {"five_bar", {"left crank", "right crank"}}}) {
    Model model = with_all_modes(file(name), Space::spatial);
    model.gravity.setZero();
    CondenseOptions options;
    for (const std::string& crank : cranks) {
      const int joint = find_joint(model, crank);
      options.held_joints.push_back(joint);
      Drive brake;
      brake.name = crank;
      brake.joint = joint;
      brake.prescribes_motion = true;
      brake.signal = SignalConstant{model.joints[joint].initial_value[0]};
      model.drives.push_back(brake);
    }
    for (Joint& joint : model.joints) joint.initial_speed.assign(joint.initial_speed.size(), 0.0);
    const Condenser condenser(model, options);
    const Mechanism mechanism(model);
    const FullModel full = full_model(condenser, initial_configuration(mechanism, model), 6);
    const auto equations = make_equations(model, {.formulation = "erls-fem"});
    Inputs inputs = make_inputs(model);
    evaluate_inputs(model, 0, inputs);
    const LinearResult linear = linearise(*equations, equations->initial_state(), inputs, {}, LinearAbout::held);
    LinearModes modes;
    ASSERT_TRUE(linear_modes(linear.model, modes));
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(modes.frequency(k) / full.frequencies[k], 1, 1e-8) << name << " " << k;
  }
}

// A four-bar in space is overconstrained: three elastic modes follow from the others. With modes of several links among
// them, the choice made in one configuration is impossible in others, where the mass matrix grows without bound.
TEST(OverconstrainedFourBar, TurnsRightRoundWithFewAndWithAllModes) {
  for (const bool all_modes : {false, true}) {
    Model model = file("four_bar");
    if (all_modes) model = with_all_modes(model, model.space);
    const ErlsCms equations(reduce(model));
    const auto workspace = equations.make_workspace();
    const Inputs inputs = make_inputs(model);
    State state = equations.initial_state();
    MatrixX mass;
    ASSERT_EQ(equations.mass_matrix(state, inputs, *workspace, mass), EvaluationStatus::ok);
    const double at_start = mass.cwiseAbs().maxCoeff();
    for (int i = 0; i < 1260; ++i) {
      state.coordinates[0] += 0.005;
      ASSERT_EQ(equations.mass_matrix(state, inputs, *workspace, mass), EvaluationStatus::ok) << state.coordinates[0];
      EXPECT_LT(mass.cwiseAbs().maxCoeff(), 100 * at_start) << state.coordinates[0];
      equations.accept(state, inputs, *workspace);
    }
  }
}

}  // namespace
}  // namespace lithe::testing
