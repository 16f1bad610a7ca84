// Geometric stiffening is left to the analysis by default: it comes in where it matters, and changes nothing elsewhere.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/analyse/analyses.h"
#include "lithe/read/read_model.h"
#include "support/flexible_models.h"
#include "support/formulations.h"
#include "support/rotating_beams.h"

namespace lithe {
namespace {

using namespace testing;

SimulateSpec short_run(const char* formulation, Stiffening stiffening, double end) {
  SimulateSpec spec;
  spec.formulation.formulation = formulation;
  spec.formulation.geometric_stiffening = stiffening;
  spec.end_time = end;
  spec.output_step = end / 20;
  spec.integrator = "dormand_prince";
  spec.tolerance = 1e-7;
  return spec;
}

// The crank of a four-bar at about 1,000 rpm, and at 10 rpm.
Model four_bar_at(double speed) {
  Model model = with_tips(flexible_four_bar(7e10, false));
  model.gravity.setZero();
  model.joints[0].initial_speed = {speed};
  return model;
}

// The run that begins again is the one with geometric stiffening from the beginning, to the last bit.
TEST(AutomaticStiffening, IsInAFastRunFromItsBeginning) {
  const Model model = four_bar_at(100);
  for (const char* formulation : {"erls-cms", "floating-frame"}) {
    const SimulatedMotion chosen = simulate(model, short_run(formulation, Stiffening::automatic, 0.002));
    ASSERT_EQ(chosen.end, RunEnd::finished) << chosen.message;
    ASSERT_EQ(chosen.notes.size(), 1u);
    EXPECT_NE(chosen.notes[0].find("of its Euler load"), std::string::npos);
    EXPECT_TRUE(chosen.equations->has_geometric_stiffening());
    const SimulatedMotion on = simulate(model, short_run(formulation, Stiffening::on, 0.002));
    const SimulatedMotion off = simulate(model, short_run(formulation, Stiffening::off, 0.002));
    EXPECT_EQ(largest_difference(chosen, on), 0) << formulation;
    EXPECT_GT(largest_difference(chosen, off), 1e-7) << formulation;
    EXPECT_TRUE(on.notes.empty());
    EXPECT_TRUE(off.notes.empty());
  }
}

// The published L-shape of two lumped elements per beam cannot be followed with the terms, which matter in it after 2
// s.
TEST(AutomaticStiffening, LeavesARunThatWouldFailWithItAndSaysSo) {
  const Model model = read_model(LITHE_MODELS_DIR "/l_shape_cmp.toml");
  SimulateSpec spec;
  spec.end_time = 3;
  spec.output_step = 0.1;
  const SimulatedMotion motion = simulate(model, spec);
  EXPECT_EQ(motion.end, RunEnd::finished) << motion.message;
  EXPECT_FALSE(motion.equations->has_geometric_stiffening());
  ASSERT_FALSE(motion.warnings.empty());
  EXPECT_EQ(motion.warnings.back().find("without geometric stiffening, which matters here (link 'arm'"), 0u);
}

TEST(AutomaticStiffening, LeavesASlowRunAsItIs) {
  const Model model = four_bar_at(1);
  const SimulatedMotion chosen = simulate(model, short_run("erls-cms", Stiffening::automatic, 0.01));
  EXPECT_TRUE(chosen.notes.empty());
  EXPECT_FALSE(chosen.equations->has_geometric_stiffening());
  EXPECT_EQ(largest_difference(chosen, simulate(model, short_run("erls-cms", Stiffening::off, 0.01))), 0);
}

// A strip of 1 m that hangs and vibrates in 0.6 m/s²: its weight is 0.7 % of its Euler load, far below the limit, and
// still shifts the phase of its vibration by ½ ω ∫N/N_E dt = 0.036 rad in 2 s.
TEST(AutomaticStiffening, ASmallForceInTheLongRunIsTold) {
  FlexibleBuilder b(2e11, 7800, 0.002, 0.02);
  const int strip = b.beam("strip", {{0, 0, 0}, {1, 0, 0}}, 4);
  b.hinge("hook", JointType::fixed, -1, {0, 0, 0}, strip, {0, 0, 0}, Vector3::UnitZ());
  b.model().gravity = Vector3(0.6, 0.1, 0);
  SimulateSpec spec = short_run("erls-cms", Stiffening::automatic, 2);
  spec.tolerance = 1e-6;
  spec.output_step = 0.1;
  const SimulatedMotion motion = simulate(b.model(), spec);
  EXPECT_FALSE(motion.equations->has_geometric_stiffening());
  ASSERT_FALSE(motion.notes.empty());
  EXPECT_EQ(motion.notes[0].find("without geometric"), 0u) << motion.notes[0];
  EXPECT_NE(motion.notes[0].find("which shifts its vibration by 0.036"), std::string::npos) << motion.notes[0];
}

// Without it an arm that turns fast is called unstable. Wright's beams by Ritz' method: 0.7 % with 4 elements, as
// transfer-functions.
TEST(AutomaticStiffening, TurningBeamsAreRightInEveryFormulation) {
  const BeamOnHub beam{.slenderness = 300};
  for (const char* formulation : {"erls-cms", "erls-fem", "floating-frame"})
    for (const double speed : {2.0, 6.0}) {
      LineariseSpec spec;
      spec.formulation.formulation = formulation;
      spec.speed = speed;
      const Model model = rotating_beam(beam, 4);
      spec.spin = model.joints[0].name;
      const LineariseResult found = linearise(model, spec);
      ASSERT_EQ(found.failure, "") << formulation;
      EXPECT_FALSE(found.lacks_stiffening) << formulation;
      for (const bool in_plane : {false, true}) {
        const VectorX exact = ritz_squared_frequencies(beam, speed, in_plane, 10);
        for (int k = 0; k < 2; ++k) {
          double nearest = 1;
          for (const std::complex<double>& value : found.modes.front().eigenvalues)
            nearest = std::min(nearest, std::abs(value.imag() / std::sqrt(exact[k]) - 1));
          EXPECT_LT(nearest, 0.007) << formulation << " " << speed << " " << in_plane << " mode " << k + 1;
        }
      }
    }
}

// A steel strip of 1 m, 20 mm x 2 mm, that hangs from a hinge with a mass at its end.
Model hanging(double mass) {
  FlexibleBuilder b(2e11, 7800, 0.02, 0.002);
  const int strip = b.beam("strip", {{0, 0, 0}, {0, 0, -0.5}, {0, 0, -1}}, 4);
  b.hinge("hook", JointType::revolute, -1, {0, 0, 0}, strip, {0, 0, 0}, Vector3::UnitY());
  b.model().links[0].lumped_masses.push_back({.node = 2, .mass = mass});
  return b.model();
}

VectorX frequencies(const Model& model, const char* formulation, Stiffening stiffening = Stiffening::automatic) {
  ModesSpec spec;
  spec.formulation.formulation = formulation;
  spec.formulation.geometric_stiffening = stiffening;
  const NaturalModesResult found = natural_modes(model, spec);
  EXPECT_EQ(found.failure, "") << formulation;
  return found.mechanism ? found.mechanism->frequencies : VectorX();
}

// The lowest frequency above the pendulum's own.
double first_bending(const VectorX& all) {
  for (const double f : all)
    if (f > 1.5) return f;
  return 0;
}

// 10 kg pull at the strip with 37 % of its Euler load in the direction in which it bends.
TEST(AutomaticStiffening, AHangingMassPullsAPendulumStraight) {
  const Model model = hanging(10);
  const double exact = first_bending(frequencies(model, "transfer-functions"));
  for (const char* formulation : {"erls-cms", "erls-fem", "floating-frame"}) {
    EXPECT_NEAR(first_bending(frequencies(model, formulation)), exact, 5e-3 * exact) << formulation;
    EXPECT_LT(first_bending(frequencies(model, formulation, Stiffening::off)), 0.95 * exact) << formulation;
  }
}

// A cantilever column under P at its tip: a small force across it bends it by 1/(1 - P/P_cr) as much, within 2 % of
// that below 0.7 P_cr (Timoshenko and Gere: the exact factor of a tip force is 3 (tan u - u)/u³, u = ½ π sqrt(P/P_cr)).
TEST(AutomaticStiffening, AColumnBendsMoreTheNearerItIsToBuckling) {
  const double length = 1, pi = std::numbers::pi;
  FlexibleBuilder b(2e11, 7800, 0.02, 0.004);
  b.model().gravity.setZero();
  const int column = b.beam("column", {{0, 0, 0}, {length, 0, 0}}, 8);
  b.hinge("foot", JointType::fixed, -1, {0, 0, 0}, column, {0, 0, 0}, Vector3::UnitZ());
  const Section& section = b.model().sections[0];
  const double bending = 2e11 * std::min(section.second_moment_y, section.second_moment_z);
  const Vector3 across = section.second_moment_y < section.second_moment_z ? Vector3::UnitZ() : Vector3::UnitY();
  const double critical = bending * std::pow(pi / (2 * length), 2), push = 1e-2;
  const double alone = push * std::pow(length, 3) / (3 * bending);
  for (const double part : {0.3, 0.7}) {
    Model model = b.model();
    Load load;
    load.link = column;
    load.node = 1;
    load.name = "weight";
    load.direction = -Vector3::UnitX();
    load.signal = SignalConstant{part * critical};
    model.loads.push_back(load);
    load.name = "push";
    load.direction = across;
    load.signal = SignalConstant{push};
    model.loads.push_back(load);
    const double u = pi / 2 * std::sqrt(part), factor = 3 * (std::tan(u) - u) / std::pow(u, 3);
    for (const char* formulation : {"erls-cms", "floating-frame"}) {
      EquilibriumSpec spec;
      spec.formulation.formulation = formulation;
      const EquilibriumResult found = find_equilibrium(model, spec);
      ASSERT_TRUE(found.found.converged) << formulation << " " << found.found.message;
      ASSERT_EQ(found.summary.links.size(), 1u);
      EXPECT_NEAR(found.summary.links[0].deflection, factor * alone, 0.01 * factor * alone) << formulation << part;
    }
  }
}

}  // namespace
}  // namespace lithe
