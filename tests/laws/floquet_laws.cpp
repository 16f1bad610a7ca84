// Floquet multipliers of a loop that turns, in two formulations, and of a column under a pulsating force.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <string>

#include "lithe/analyse/stability/floquet.h"
#include "lithe/base/text.h"
#include "lithe/formulate/formulation.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

using Complex = std::complex<double>;

// A slider-crank with an elastic, damped rod, the crank turning steadily at so many rad/s, in the plane.
Model turning_crank(double speed) {
  return read_model_text(cat(R"(lithe = 1
name = "crank"
space = "planar"
[materials.steel]
density = 7800
young_modulus = 2e11
poisson_ratio = 0.3
[sections.bar]
shape = "rectangle"
width = 0.006
height = 0.02
[[links]]
name = "crank"
type = "rigid"
mass = 1
inertia = [1e-3, 1e-3, 1e-3]
nodes = {a = [0, 0, 0], b = [0.05, 0, 0]}
[[links]]
name = "rod"
nodes = {b = [0, 0, 0], c = [0.3, 0, 0]}
path = ["b", "c"]
material = "steel"
section = "bar"
elements = 2
damping = {stiffness_factor = 2e-5}
reduction = {internal_modes = 2}
[[links]]
name = "slider"
type = "rigid"
mass = 0.3
inertia = [1e-4, 1e-4, 1e-4]
nodes = {c = [0, 0, 0]}
[[joints]]
name = "bearing"
child = "crank"
child_node = "a"
value = 0.0
[[joints]]
name = "pin"
parent = "crank"
parent_node = "b"
child = "rod"
child_node = "b"
[[joints]]
name = "guide"
type = "prismatic"
axis = [1, 0, 0]
child = "slider"
child_node = "c"
guess = 0.35
[[joints]]
name = "wrist"
parent = "rod"
parent_node = "c"
child = "slider"
child_node = "c"
[[drives]]
joint = "bearing"
motion = {ramp = {start_time = 0, end_time = 100, start_value = 0, end_value = )",
                             100 * speed, "}}\n"),
                         "crank.toml");
}

FloquetResult multipliers_of(const Model& model, const std::string& formulation, Stiffening stiffening) {
  return floquet(*make_equations(model, {.formulation = formulation, .geometric_stiffening = stiffening}), {});
}

// The multipliers belong to the motion, not to coordinates: a loop that turns, in independent coordinates and in
// those of bodies joined by constraints, with the same modes of the rod and all second-order terms.
TEST(FloquetMultipliers, OfALoopAreThoseOfEveryFormulation) {
  const Model crank = turning_crank(60);
  const FloquetResult expected = multipliers_of(crank, "erls-cms", Stiffening::on);
  ASSERT_TRUE(expected.found) << expected.message;
  const FloquetResult result = multipliers_of(crank, "floating-frame", Stiffening::on);
  ASSERT_TRUE(result.found) << result.message;
  ASSERT_EQ(result.multipliers.size(), expected.multipliers.size());
  EXPECT_EQ(result.verdict(), FloquetVerdict::stable);
  const double accuracy = result.accuracy + expected.accuracy;  // a few 1e-5 of a largest multiplier of 0.38
  EXPECT_LT(accuracy, 1e-4);
  Complex sum = 0, expected_sum = 0;
  for (std::size_t k = 0; k < result.multipliers.size(); ++k) {
    EXPECT_NEAR(std::abs(result.multipliers[k]), std::abs(expected.multipliers[k]), accuracy) << k;
    sum += result.multipliers[k];
    expected_sum += expected.multipliers[k];
  }
  EXPECT_NEAR(std::abs(sum - expected_sum), 0, accuracy);
}

// Without these terms formulations differ by what the force along the rod does to its stiffness. It grows with the
// square of the speed, and so does the difference of the exponents, ln(multiplier) / period.
TEST(FloquetMultipliers, WithoutSecondOrderTermsDifferBySecondOrderInTheSpeed) {
  const auto difference = [](double speed) {
    const Model crank = turning_crank(speed);
    const FloquetResult a = multipliers_of(crank, "erls-cms", Stiffening::off),
                        b = multipliers_of(crank, "floating-frame", Stiffening::off);
    EXPECT_TRUE(a.found && b.found) << a.message << b.message;
    if (!a.found || !b.found) return 0.0;
    const auto upper = [](const FloquetResult& result) {  // of the slowest pair
      return result.multipliers[0].imag() > 0 ? result.multipliers[0] : result.multipliers[1];
    };
    return std::abs(std::log(upper(b) / upper(a))) / a.period;
  };
  const double slow = difference(15), fast = difference(30);
  EXPECT_GT(slow, 1e-3);  // far above the accuracy, 1e-5 of a multiplier of 0.02 in 0.42 s
  // A term of fourth order adds to the 4: measured 0.17 here and 0.66, four times that, from 30 to 60 rad/s.
  EXPECT_NEAR(fast / slow, 4, 0.4);
}

// A pinned column under P = P0 + P1 sin(θ t): every mode obeys q'' + ω² (1 - P / P_cr) q = 0 (V. V. Bolotin, The
// dynamic stability of elastic systems, 1964, chapter 1).
struct ShakenColumn {
  static constexpr double E = 2e11, width = 0.02, thickness = 0.005, density = 7800;
  static double stiffness() { return E * width * std::pow(thickness, 3) / 12; }
  static double buckling_load() { return std::pow(std::numbers::pi, 2) * stiffness(); }
  static double omega() {
    return std::pow(std::numbers::pi, 2) * std::sqrt(stiffness() / (density * width * thickness));
  }
};

// P0 and P1 in parts of the buckling load, θ in parts of ω.
Model column(double steady, double pulsating, double ratio) {
  const double frequency = ratio * ShakenColumn::omega() / (2 * std::numbers::pi);
  return read_model_text(cat(R"(lithe = 1
space = "planar"
materials.steel = {density = 7800, young_modulus = "200 GPa", poisson_ratio = 0.3}
sections.strip = {shape = "rectangle", width = "5 mm", height = "20 mm"}
[[links]]
name = "column"
nodes = {a = [0, 0, 0], b = [1, 0, 0]}
path = ["a", "b"]
material = "steel"
section = "strip"
theory = "euler_bernoulli"
[[links]]
name = "head"
type = "rigid"
nodes = {p = [0, 0, 0]}
mass = 1e-3
inertia = [1e-7, 1e-7, 1e-7]
[[joints]]
name = "foot"
child = "column"
child_node = "a"
[[joints]]
name = "guide"
type = "prismatic"
axis = [1, 0, 0]
child = "head"
child_node = "p"
guess = 1
[[joints]]
name = "top"
parent = "head"
parent_node = "p"
child = "column"
child_node = "b"
[[loads]]
link = "head"
node = "p"
direction = [-1, 0, 0]
force = {sine = {offset = )",
                             steady * ShakenColumn::buckling_load(), ", amplitude = ",
                             pulsating * ShakenColumn::buckling_load(), ", frequency = ", frequency, "}}\n"),
                         "column.toml");
}

// Half the trace of the first mode's monodromy matrix, by the classical Runge-Kutta method.
double half_trace(double steady, double pulsating, double ratio) {
  constexpr int steps = 4000;
  const double w = ShakenColumn::omega(), rate = ratio * w, h = 2 * std::numbers::pi / rate / steps;
  const auto force = [&](double t, double q) { return -w * w * (1 - steady - pulsating * std::sin(rate * t)) * q; };
  double trace = 0;
  for (const bool second : {false, true}) {
    double q = second ? 0 : 1, v = second ? 1 : 0;
    for (int i = 0; i < steps; ++i) {
      const double t = i * h;
      const double k1 = v, l1 = force(t, q), k2 = v + h / 2 * l1, l2 = force(t + h / 2, q + h / 2 * k1);
      const double k3 = v + h / 2 * l2, l3 = force(t + h / 2, q + h / 2 * k2), k4 = v + h * l3,
                   l4 = force(t + h, q + h * k3);
      q += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    trace += second ? v : q;
  }
  return trace / 2;
}

// The first mode's frequency on four elements is (π/4)^4/1440 = 2.6e-4 too high, which is 2.6e-4 times the phase of a
// period, at most 4; the column's own vibration along its axis adds (θ/ω_axial)² P1/2, 3e-5.
TEST(FloquetMultipliers, OfAPulsatingColumnAreThoseOfBolotin) {
  struct Place {
    double steady, pulsating, ratio;
    bool stable;
  };
  // In the middle of the main region of instability, below it, and beside that of twice the period.
  for (const Place& place :
       {Place{0.1, 0.2, 2 * std::sqrt(0.9), false}, Place{0.1, 0.2, 1.6, true}, Place{0, 0.3, 2.3, true}})
    for (const char* formulation : {"erls-cms", "transfer-functions"}) {
      const FloquetResult result =
          multipliers_of(column(place.steady, place.pulsating, place.ratio), formulation, Stiffening::on);
      ASSERT_TRUE(result.found) << formulation << ": " << result.message;
      const double expected = half_trace(place.steady, place.pulsating, place.ratio);
      EXPECT_EQ(result.verdict() != FloquetVerdict::unstable, place.stable) << formulation;
      double nearest = 1e300;  // of the modes' half traces, (μ + 1/μ)/2
      for (const Complex& mu : result.multipliers)
        nearest = std::min(nearest, std::abs((mu + 1.0 / mu) / 2.0 - expected));
      EXPECT_LT(nearest, 4 * 2.6e-4 + 3e-5 + 1e-5) << formulation << " " << place.ratio;
    }
}

}  // namespace
}  // namespace lithe
