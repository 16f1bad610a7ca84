// What damping means is the same in every formulation: docs/theory/modal_body.md, "Damping".
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/analyse/modes/modes.h"
#include "lithe/model/mechanism_damping.h"
#include "support/formulations.h"

namespace lithe::testing {
namespace {

const std::vector<FormulationChoice> all_of_them = {{.formulation = "erls-cms"},
                                                    {.formulation = "erls-fem"},
                                                    {.formulation = "erls-cms", .gauge = "minimum_norm"},
                                                    {.formulation = "floating-frame"},
                                                    {.formulation = "floating-frame", .reference = "chord"},
                                                    {.formulation = "floating-frame", .reference = "free"},
                                                    {.formulation = "corotational"},
                                                    {.formulation = "transfer-functions"}};

std::string named(const FormulationChoice& choice) { return choice.formulation + " " + choice.reference; }

Model cantilever() {
  FlexibleBuilder b;
  const int beam = b.beam("beam", {{0, 0, 0}, {1, 0, 0}}, 4);
  b.hinge("clamp", JointType::fixed, -1, {0, 0, 0}, beam, {0, 0, 0}, Vector3::UnitZ());
  b.model().gravity.setZero();
  return b.model();
}

Model arm(bool locked) {
  Model model = spatial_2r(7e10, -1);
  model.gravity.setZero();
  for (Joint& joint : model.joints) joint.initial_speed.assign(joint.initial_speed.size(), 0.0);
  if (locked)
    for (int j = 0; j < 2; ++j)
      model.drives.push_back(
          {"brake", {}, j, 0, true, SignalConstant{model.joints[static_cast<std::size_t>(j)].initial_value[0]}});
  return model;
}

MechanismModes modes_of(const Model& model, const FormulationChoice& choice) {
  const auto equations = make_equations(model, choice);
  const ModesResult result = mechanism_modes(*equations, equations->initial_state());
  EXPECT_EQ(result.status, EvaluationStatus::ok) << named(choice);
  return result.modes;
}

// `expected` of the angular frequency. Beams of transfer-functions have a mass matrix of their own, so that modes of
// the link's finite elements are theirs to a part in a thousand only (with lumped masses: transfer_damping.cpp).
template <class Expected>
void expect_ratios(const Model& model, const FormulationChoice& choice, int count, const Expected& expected) {
  const MechanismModes modes = modes_of(model, choice);
  ASSERT_GE(modes.num_modes(), modes.num_rigid + count) << named(choice);
  for (int k = 0; k < modes.num_rigid + count; ++k) {
    const double omega = 2 * std::numbers::pi * modes.frequencies(k);
    const double ratio = k < modes.num_rigid ? 0.0 : expected(omega);
    const double tolerance = choice.formulation == "transfer-functions" ? 2e-3 : 1e-6;
    EXPECT_NEAR(modes.damping_ratios(k), ratio, tolerance * ratio + 1e-12) << named(choice) << ", mode " << k + 1;
  }
}

// Rayleigh's α of [EVO] (20) on the elastic velocity of a link relative to its rigid-link frame: α / 2ω.
TEST(DampingLaws, MassFactorOfACantileverGivesAlphaOverTwoOmega) {
  Model model = cantilever();
  model.links[0].damping.mass_factor = 10;
  for (const FormulationChoice& choice : all_of_them)
    expect_ratios(model, choice, 8, [](double omega) { return 5 / omega; });
}

TEST(DampingLaws, ModalRatiosAreThoseOfTheLinkAsMounted) {
  Model model = cantilever();
  model.links[0].damping.modal_ratios = {0.02};
  for (const FormulationChoice& choice : all_of_them) expect_ratios(model, choice, 8, [](double) { return 0.02; });
}

TEST(DampingLaws, StiffnessFactorIsHalfTheFrequencyTimesIt) {
  Model model = cantilever();
  model.links[0].damping.stiffness_factor = 1e-5;
  for (const FormulationChoice& choice : all_of_them)
    expect_ratios(model, choice, 8, [](double omega) { return 0.5e-5 * omega; });
}

// Every mode of the mechanism as assembled has the ratio, with joints free and with joints held; free motion has none.
TEST(DampingLaws, OneRatioForAllModesOfTheMechanism) {
  for (const bool locked : {false, true}) {
    Model model = arm(locked);
    set_mechanism_damping(model, {.mass_factor = 0, .stiffness_factor = 0, .modal_ratios = {0.01}});
    for (const FormulationChoice& choice : all_of_them) expect_ratios(model, choice, 10, [](double) { return 0.01; });
  }
}

TEST(DampingLaws, RayleighFactorsOfTheMechanismAreThoseOfThePaper) {
  Model model = arm(false);
  set_mechanism_damping(model, {.mass_factor = 8, .stiffness_factor = 2e-6, .modal_ratios = {}});
  for (const FormulationChoice& choice : all_of_them)
    expect_ratios(model, choice, 10, [](double omega) { return 4 / omega + 1e-6 * omega; });
}

// In a loop the dependent joints follow; the mechanism's modes have the ratio all the same.
TEST(DampingLaws, OneRatioForAllModesOfALoop) {
  Model model = flexible_four_bar(7e10, false);
  model.gravity.setZero();
  set_mechanism_damping(model, {.mass_factor = 0, .stiffness_factor = 0, .modal_ratios = {0.01}});
  for (const FormulationChoice& choice : all_of_them) expect_ratios(model, choice, 6, [](double) { return 0.01; });
}

// A free body that spins as a rigid one loses nothing, whatever is damped.
TEST(DampingLaws, RigidMotionLosesNothing) {
  Model model = free_frame();
  for (Link& link : model.links) link.damping = {.mass_factor = 10, .stiffness_factor = 1e-4, .modal_ratios = {0.1}};
  set_mechanism_damping(model, {.mass_factor = 10, .stiffness_factor = 0, .modal_ratios = {0.1}});
  for (const FormulationChoice& choice : all_of_them) {
    Formulated system(model, choice);
    system.evaluate();
    EXPECT_GT(system.energies().kinetic, 1e-3) << named(choice);
    EXPECT_LT(system.equations->dissipated_power(system.state, system.inputs, *system.workspace),
              1e-12 * system.energies().kinetic)
        << named(choice);
  }
}

// The vibration of a damped arm that is let go decays alike in all formulations, and energy is accounted for.
TEST(DampingLaws, AnArmDecaysAlikeInAllFormulations) {
  Model model = arm(true);
  model.gravity = {0, 0, -9.81};
  model.links[0].damping.mass_factor = 20;
  model.links[1].damping.modal_ratios = {0.02};
  set_mechanism_damping(model, {.mass_factor = 0, .stiffness_factor = 0, .modal_ratios = {0.01}});
  const Model seen = with_tips(model);
  constexpr double end = 0.004;
  const Trajectory first = run(seen, all_of_them.front(), end);
  EXPECT_GT(first.energy.dissipated, 1e-3 * first.energy.largest_kinetic);
  for (const char* formulation : {"floating-frame", "corotational", "transfer-functions"}) {
    const FormulationChoice choice{.formulation = formulation};
    const Trajectory motion = run(seen, choice, end);
    ASSERT_EQ(motion.end, RunEnd::finished) << named(choice) << ": " << motion.message;
    EXPECT_LT(std::abs(motion.energy.imbalance()), 1e-5 * motion.energy.largest_kinetic) << named(choice);
    EXPECT_NEAR(motion.energy.dissipated, first.energy.dissipated, 2e-3 * first.energy.dissipated) << named(choice);
  }
}

}  // namespace
}  // namespace lithe::testing
