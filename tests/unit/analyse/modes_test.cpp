// Natural modes of mechanisms against closed forms.
#include "lithe/analyse/modes/modes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/formulate/formulation.h"
#include "support/flexible_models.h"

namespace lithe {
namespace {

using namespace testing;

constexpr double two_pi = 2 * std::numbers::pi;

// Pinned-free Euler-Bernoulli beam: tan βL = tanh βL, βL = 3.926602312, 7.068582746.
TEST(MechanismModes, OfAHingedBeamArePinnedFree) {
  FlexibleBuilder b;
  b.model().gravity.setZero();
  const int beam = b.beam("beam", {{0, 0, 0}, {1.0, 0, 0}}, 16);
  b.hinge("pin", JointType::revolute, -1, {0, 0, 0}, beam, {0, 0, 0}, Vector3::UnitY());
  const auto equations = make_equations(b.model());
  const ModesResult result = mechanism_modes(*equations, equations->initial_state(), 6);
  ASSERT_EQ(result.status, EvaluationStatus::ok);
  EXPECT_EQ(result.modes.num_rigid, 1);
  EXPECT_TRUE(result.modes.at_rest);
  const Section& section = b.model().sections[0];
  const double wave = std::sqrt(7e10 * section.second_moment_y / (2700 * section.area)) / two_pi;
  // In the plane of the hinge; out of it the pin clamps: βL = 1.875104069, 4.694091133.
  const double clamped = std::sqrt(7e10 * section.second_moment_z / (2700 * section.area)) / two_pi;
  // Rotary inertia lowers the frequencies by about (βL)² I / (2 A L²): 1e-4 for these modes.
  for (double expected : {wave * 3.926602312 * 3.926602312, wave * 7.068582746 * 7.068582746,
                          clamped * 1.875104069 * 1.875104069, clamped * 4.694091133 * 4.694091133}) {
    double nearest = 0;
    for (double f : result.modes.frequencies)
      if (std::abs(f - expected) < std::abs(nearest - expected)) nearest = f;
    EXPECT_NEAR(nearest, expected, 1e-3 * expected);
  }
}

TEST(MechanismModes, OfARigidPendulumOnASpringAreAnalytic) {
  FlexibleBuilder b;
  const int bob = b.link("bob");
  b.model().links[bob].rigid_inertia = {2.0, {0.3, 0, 0}, Matrix3::Identity() * 0.01};
  const int pin =
      b.hinge("pin", JointType::revolute, -1, {0, 0, 0}, bob, {0, 0, 0}, Vector3::UnitY(), {std::numbers::pi / 2});
  b.model().joints[pin].stiffness = {7.0};
  b.model().joints[pin].rest_value = {std::numbers::pi / 2};
  b.model().joints[pin].inertia = {0.05};
  b.model().joints[pin].damping = {0.4};
  const auto equations = make_equations(b.model());
  const ModesResult result = mechanism_modes(*equations, equations->initial_state());
  ASSERT_EQ(result.status, EvaluationStatus::ok);
  const double inertia = 0.01 + 2.0 * 0.09 + 0.05, stiffness = 7.0 + 2.0 * 9.81 * 0.3;
  const double omega = std::sqrt(stiffness / inertia);
  EXPECT_NEAR(result.modes.frequencies(0), omega / two_pi, 1e-12);
  EXPECT_NEAR(result.modes.damping_ratios(0), 0.4 / inertia / (2 * omega), 1e-12);
}

// The shape is what moves: node displacements of a mode satisfy M-normalisation in the rigid case.
TEST(MechanismModes, ShapesAreMassNormalised) {
  FlexibleBuilder b;
  const int bob = b.link("bob");
  b.model().links[bob].rigid_inertia = {2.0, {0.3, 0, 0}, Matrix3::Identity() * 0.01};
  b.model().links[bob].nodes.push_back({"centre", {0.3, 0, 0}});
  b.hinge("pin", JointType::revolute, -1, {0, 0, 0}, bob, {0, 0, 0}, Vector3::UnitY(), {1.0});
  const auto equations = make_equations(b.model());
  const MechanismModes modes = mechanism_modes(*equations, equations->initial_state()).modes;
  const Vector3 centre = modes.translations[0].block<3, 1>(0, 0), turn = modes.rotations[0].block<3, 1>(0, 0);
  EXPECT_NEAR(2.0 * centre.squaredNorm() + 0.01 * turn.squaredNorm(), 1.0, 1e-12);
}

// Every freedom is prescribed and nothing bends: no mode, and no crash of what draws them.
TEST(MechanismModes, OfWhatCannotMoveByItselfAreNone) {
  for (const char* formulation : {"erls-cms", "floating-frame"}) {
    ModelBuilder b;
    const int bar = b.link("bar");
    b.joint("axis", JointType::revolute, -1, {}, bar, {});
    Drive drive;
    drive.prescribes_motion = true;
    drive.signal = SignalRamp{0, 1, 0, 2};
    b.model().drives = {drive};
    const auto equations = make_equations(b.model(), {.formulation = formulation});
    const ModesResult result = mechanism_modes(*equations, equations->initial_state());
    EXPECT_EQ(result.status, EvaluationStatus::ok);
    EXPECT_EQ(result.modes.num_modes(), 0);
    ASSERT_EQ(result.modes.translations.size(), 1u);
    EXPECT_EQ(result.modes.translations[0].cols(), 0);
  }
}

}  // namespace
}  // namespace lithe
