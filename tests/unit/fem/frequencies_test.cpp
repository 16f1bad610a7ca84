// Natural frequencies against beam theory, with the order at which finite elements must approach them.
#include <gtest/gtest.h>

#include "support/beams.h"

namespace lithe {
namespace {

using namespace test;

// The part of the beam's ends that is held.
enum class Ends { free_free, clamped_free, supported };

std::vector<int> free_dofs(const FiniteElementBody& body, Motion motion, Ends ends) {
  const std::vector<int> all = dofs_of(body, motion);
  const int tip = 6;  // dofs of node 1, the far end
  if (ends == Ends::free_free) return all;
  if (ends == Ends::clamped_free) return without(all, {0, 1, 2, 3, 4, 5});
  return without(all, {0, 1, 2, tip + 0, tip + 1, tip + 2});  // pinned: translations held
}

// Roots β L of the characteristic equations of the Euler-Bernoulli beam, by Newton on smooth forms of them.
double wave_number(Ends ends, int mode) {
  if (ends == Ends::supported) return mode * pi;
  const double sign = ends == Ends::clamped_free ? 1 : -1;  // cos x cosh x ± 1 = 0
  double x = ends == Ends::clamped_free ? (mode - 0.5) * pi : (mode + 0.5) * pi;
  for (int k = 0; k < 50; ++k)
    x -= (std::cos(x) + sign / std::cosh(x)) / (-std::sin(x) - sign * std::tanh(x) / std::cosh(x));
  return x;
}

int num_rigid(Motion motion, Ends ends) {
  if (ends != Ends::free_free) return 0;
  return motion == Motion::axial || motion == Motion::torsion ? 1 : 2;
}

struct Case {
  Material material;
  Section section;
  double length;
};

// Slender, so that rotary inertia (which the elements have and Euler's formula lacks) stays below the differences.
std::vector<Case> slender_beams() {
  return {{steel(), rectangle(1e-5, 3e-5), 2.0},
          {aluminium(), tube(2e-5, 1e-5), 0.9},
          {steel(), rectangle(5e-5, 2e-5), 3.1}};
}

double bending_frequency(const Case& beam, Motion motion, Ends ends, int mode) {
  const double second_moment =
      motion == Motion::bending_xy ? beam.section.second_moment_z : beam.section.second_moment_y;
  const double k = wave_number(ends, mode) / beam.length;
  return k * k * std::sqrt(beam.material.young_modulus * second_moment / (beam.material.density * beam.section.area));
}

double observed_order(double coarse_error, double fine_error) { return std::log2(coarse_error / fine_error); }

class Bending : public ::testing::TestWithParam<std::tuple<Motion, Ends>> {};
INSTANTIATE_TEST_SUITE_P(All, Bending,
                         ::testing::Combine(::testing::Values(Motion::bending_xy, Motion::bending_xz),
                                            ::testing::Values(Ends::free_free, Ends::clamped_free, Ends::supported)));

TEST_P(Bending, OfEulerBernoulliBeamsConvergesFromAboveWithFourthOrder) {
  const auto [motion, ends] = GetParam();
  for (const Case& beam : slender_beams())
    for (int mode = 1; mode <= 3; ++mode) {
      const double exact = bending_frequency(beam, motion, ends, mode);
      std::vector<double> errors;
      for (const int n : {10, 20}) {
        const FiniteElementBody body = straight_beam(beam.length, n, beam.material, beam.section);
        const VectorX omega = frequencies(body, free_dofs(body, motion, ends));
        errors.push_back(omega(num_rigid(motion, ends) + mode - 1) / exact - 1);
      }
      // Interpolation theory for cubic elements: ω_h/ω - 1 = (β h)⁴/1440 + O(h⁶).
      const double leading = std::pow(wave_number(ends, mode) / 20, 4) / 1440;
      EXPECT_GT(errors[1], 0);
      EXPECT_NEAR(errors[1] / leading, 1, 0.1);
      EXPECT_NEAR(observed_order(errors[0], errors[1]), 4, 0.15);
    }
}

class Bars : public ::testing::TestWithParam<std::tuple<Motion, Ends>> {};
INSTANTIATE_TEST_SUITE_P(All, Bars,
                         ::testing::Combine(::testing::Values(Motion::axial, Motion::torsion),
                                            ::testing::Values(Ends::free_free, Ends::clamped_free)));

// Linear elements: the frequency of a wave number k on a mesh of width h is known in closed form,
// ω² = (6 c²/h²) (1 - cos kh)/(2 + cos kh), and second-order accurate.
TEST_P(Bars, VibrateAsTheTheoryOfLinearElementsSaysWithSecondOrder) {
  const auto [motion, ends] = GetParam();
  const Case beam{aluminium(), rectangle(0.02, 0.06), 1.7};
  const Section& s = beam.section;
  const double speed_squared = motion == Motion::axial
                                   ? beam.material.young_modulus / beam.material.density
                                   : beam.material.shear_modulus * s.torsion_constant /
                                         (beam.material.density * (s.second_moment_y + s.second_moment_z));
  for (int mode = 1; mode <= 3; ++mode) {
    const double k = (ends == Ends::free_free ? mode : mode - 0.5) * pi / beam.length;
    std::vector<double> errors;
    for (const int n : {16, 32}) {
      const FiniteElementBody body = straight_beam(beam.length, n, beam.material, s);
      const double omega = frequencies(body, free_dofs(body, motion, ends))(num_rigid(motion, ends) + mode - 1);
      const double h = beam.length / n, c = std::cos(k * h);
      EXPECT_NEAR(omega / (std::sqrt(6 * speed_squared * (1 - c) / (2 + c)) / h), 1, 1e-10);
      errors.push_back(omega / (k * std::sqrt(speed_squared)) - 1);
    }
    EXPECT_GT(errors[1], 0);
    EXPECT_NEAR(observed_order(errors[0], errors[1]), 2, 0.05);
  }
}

// Stocky simply supported beam, Timoshenko's frequency equation with k = nπ/L:
//   (ρI ρA/κGA) ω⁴ - (ρA + ρI k² + ρA EI k²/κGA) ω² + EI k⁴ = 0;   κGA = ∞: Rayleigh's beam.
double supported_frequency(const Case& beam, Motion motion, int mode, bool shear) {
  const bool xy = motion == Motion::bending_xy;
  const double second_moment = xy ? beam.section.second_moment_z : beam.section.second_moment_y;
  const double factor = xy ? beam.section.shear_factor_y : beam.section.shear_factor_z;
  const double rho_a = beam.material.density * beam.section.area, rho_i = beam.material.density * second_moment;
  const double ei = beam.material.young_modulus * second_moment;
  const double flexibility = shear ? 1 / (factor * beam.material.shear_modulus * beam.section.area) : 0;
  const double k2 = std::pow(mode * pi / beam.length, 2);
  const double b = rho_a + rho_i * k2 + rho_a * ei * k2 * flexibility, c = ei * k2 * k2;
  return std::sqrt(2 * c / (b + std::sqrt(b * b - 4 * rho_i * rho_a * flexibility * c)));
}

std::vector<Case> stocky_beams() {
  return {{steel(), rectangle(0.05, 0.12), 0.8},
          {aluminium(), tube(0.05, 0.04), 0.6},
          {aluminium(), rectangle(0.1, 0.04), 0.5}};
}

TEST(Timoshenko, ReachesTheFrequenciesOfTimoshenkosTheory) {
  for (const Case& beam : stocky_beams())
    for (const Motion motion : {Motion::bending_xy, Motion::bending_xz})
      for (int mode = 1; mode <= 3; ++mode) {
        const double exact = supported_frequency(beam, motion, mode, true);
        std::vector<double> errors;
        for (const int n : {16, 32}) {
          const FiniteElementBody body = straight_beam(beam.length, n, beam.material, beam.section,
                                                       {BeamTheory::timoshenko, MassModel::consistent});
          errors.push_back(frequencies(body, free_dofs(body, motion, Ends::supported))(mode - 1) / exact - 1);
        }
        EXPECT_GT(errors[1], 0);
        EXPECT_LT(errors[1], 2e-3);
        EXPECT_GT(observed_order(errors[0], errors[1]), 1.9);
        // Shear matters here: the theory without it is farther off than the elements.
        EXPECT_GT(supported_frequency(beam, motion, mode, false) / exact, 1.004);
      }
}

TEST(EulerBernoulli, WithRotaryInertiaReachesRayleighsFrequencies) {
  for (const Case& beam : stocky_beams())
    for (const Motion motion : {Motion::bending_xy, Motion::bending_xz})
      for (int mode = 1; mode <= 3; ++mode) {
        const double exact = supported_frequency(beam, motion, mode, false);
        std::vector<double> errors;
        for (const int n : {8, 16}) {
          const FiniteElementBody body = straight_beam(beam.length, n, beam.material, beam.section);
          errors.push_back(frequencies(body, free_dofs(body, motion, Ends::supported))(mode - 1) / exact - 1);
        }
        EXPECT_GT(errors[1], 0);
        EXPECT_NEAR(observed_order(errors[0], errors[1]), 4, 0.15);
      }
}

class LinearBeam : public ::testing::TestWithParam<MassModel> {};
INSTANTIATE_TEST_SUITE_P(Mass, LinearBeam, ::testing::Values(MassModel::consistent, MassModel::lumped));

TEST_P(LinearBeam, ConvergesToTimoshenkosFrequenciesWithSecondOrder) {
  for (const Case& beam : stocky_beams())
    for (const Motion motion : {Motion::bending_xy, Motion::bending_xz})
      for (int mode = 1; mode <= 2; ++mode) {
        const double exact = supported_frequency(beam, motion, mode, true);
        std::vector<double> errors;
        for (const int n : {32, 64}) {
          const FiniteElementBody body =
              straight_beam(beam.length, n, beam.material, beam.section, {BeamTheory::linear_timoshenko, GetParam()});
          errors.push_back(std::abs(frequencies(body, free_dofs(body, motion, Ends::supported))(mode - 1) / exact - 1));
        }
        EXPECT_LT(errors[1], 1e-2);
        EXPECT_NEAR(observed_order(errors[0], errors[1]), 2, 0.1);
      }
}

TEST(Frequencies, DoNotDependOnWhereAndHowTheBeamLies) {
  const Model model = polyline(frame_points(), 3, steel(), rectangle(0.02, 0.05));
  const Model other = moved(model, skew_pose());
  const auto all = [](const FiniteElementBody& body) {
    const VectorX squares = natural_modes(MatrixX(body.stiffness), MatrixX(body.mass)).squared_frequencies;
    return VectorX(squares.tail(squares.size() - 6).cwiseSqrt());
  };
  const VectorX here = all(assemble(model, model.links[0])), there = all(assemble(other, other.links[0]));
  EXPECT_GT(here(0), 1);
  EXPECT_LT(((there - here).array() / here.array()).abs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace lithe
