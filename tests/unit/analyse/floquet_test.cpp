#include "lithe/analyse/stability/floquet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <sstream>

#include "lithe/analyse/linear/linear_modes.h"
#include "lithe/analyse/stability/steady_motion.h"
#include "lithe/base/diagnostics.h"
#include "lithe/formulate/formulation.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

constexpr double pi = std::numbers::pi;

std::string exact_text(double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

// Mathieu's equation y'' + (a - 2 q cos 2τ) y = 0 as a pendulum of length 1 m (a point mass on a massless rod) whose
// pivot slides up and down, z = A cos(w t): θ'' + (g - A w² cos(w t)) θ = 0 about hanging down, τ = w t / 2, so that
// a = 4 g / w² and q = 2 A. With gravity upwards (a < 0) it is the inverted pendulum.
Model mathieu(double a, double q, double frequency = 5) {
  const double w = 2 * pi * frequency, gravity = a * w * w / 4, amplitude = q / 2;
  std::string text = R"(lithe = 1
name = "mathieu"
gravity = [0, 0, )" + exact_text(-gravity) +
                     R"(]
[[links]]
name = "slide"
type = "rigid"
mass = 1
inertia = [1, 1, 1]
nodes = {o = [0, 0, 0]}
[[links]]
name = "bob"
type = "rigid"
mass = 1
centre = [0, 0, -1]
inertia = [1e-9, 1e-9, 1e-9]
nodes = {o = [0, 0, 0]}
[[joints]]
name = "lift"
type = "prismatic"
axis = [0, 0, 1]
child = "slide"
child_node = "o"
value = )" + exact_text(amplitude) +
                     R"(
[[joints]]
name = "pivot"
axis = [0, 1, 0]
parent = "slide"
parent_node = "o"
child = "bob"
child_node = "o"
[[drives]]
name = "shaker"
joint = "lift"
motion = {sine = {amplitude = )" +
                     exact_text(amplitude) + ", frequency = " + exact_text(frequency) + R"(, phase = )" +
                     exact_text(pi / 2) + "}}\n";
  return read_model_text(text, "mathieu.toml");
}

// Half the trace of the monodromy matrix of Mathieu's equation over τ = 0 to π, by the classical Runge-Kutta method.
double half_trace(double a, double q) {
  constexpr int steps = 20000;
  const double h = pi / steps;
  double y[2] = {1, 0}, v[2] = {0, 1};
  const auto force = [&](double tau, double value) { return -(a - 2 * q * std::cos(2 * tau)) * value; };
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < steps; ++i) {
      const double t = i * h;
      const double k1 = v[k], l1 = force(t, y[k]);
      const double k2 = v[k] + h / 2 * l1, l2 = force(t + h / 2, y[k] + h / 2 * k1);
      const double k3 = v[k] + h / 2 * l2, l3 = force(t + h / 2, y[k] + h / 2 * k2);
      const double k4 = v[k] + h * l3, l4 = force(t + h, y[k] + h * k3);
      y[k] += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      v[k] += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
  return (y[0] + v[1]) / 2;
}

FloquetResult multipliers(const Model& model, const std::string& formulation = "erls-cms") {
  return floquet(*make_equations(model, {.formulation = formulation}), {});
}

TEST(Floquet, MultipliersOfAShakenPendulumAreThoseOfMathieusEquation) {
  const std::vector<std::pair<double, double>> places = {{0.6, 0.3}, {1.1, 0.4}, {2.6, 0.5}, {3.9, 1.5}, {-0.1, 0.7}};
  for (const auto& [a, q] : places)
    for (const char* formulation : {"erls-cms", "transfer-functions", "floating-frame", "corotational"}) {
      const FloquetResult result = multipliers(mathieu(a, q), formulation);
      ASSERT_TRUE(result.found) << formulation << ": " << result.message;
      EXPECT_NEAR(result.period, 0.2, 1e-12);
      ASSERT_EQ(result.multipliers.size(), 2u);
      const std::complex<double> sum = result.multipliers[0] + result.multipliers[1],
                                 product = result.multipliers[0] * result.multipliers[1];
      const double expected = half_trace(a, q);
      EXPECT_NEAR(sum.real() / 2, expected, 1e-6 * std::max(1.0, std::abs(expected))) << a << " " << q;
      EXPECT_NEAR(std::abs(product - 1.0), 0, 1e-6) << a << " " << q;
      EXPECT_EQ(result.verdict(), std::abs(expected) > 1 ? FloquetVerdict::unstable : FloquetVerdict::neutral) << a;
    }
}

// The characteristic values of Mathieu's equation for q = 1, Abramowitz and Stegun, Handbook of Mathematical Functions,
// table 20.1: a0 = -0.45513860, b1 = -0.11024882, a1 = 1.85910807, b2 = 3.91702477. Between a0 and b1 the inverted
// pendulum stands, between b1 and a1 the hanging one is driven up, between a1 and b2 it hangs.
TEST(Floquet, PublishedBoundariesOfStabilityAreMet) {
  constexpr double off = 2e-3;
  for (const char* formulation : {"erls-cms", "floating-frame", "corotational"}) {
    const auto stable = [&](double a) {
      return multipliers(mathieu(a, 1), formulation).verdict() != FloquetVerdict::unstable;
    };
    EXPECT_FALSE(stable(-0.45513860 - off));
    EXPECT_TRUE(stable(-0.45513860 + off));
    EXPECT_TRUE(stable(-0.11024882 - off));
    EXPECT_FALSE(stable(-0.11024882 + off));
    EXPECT_FALSE(stable(1.85910807 - off));
    EXPECT_TRUE(stable(1.85910807 + off));
    EXPECT_TRUE(stable(3.91702477 - off));
    EXPECT_FALSE(stable(3.91702477 + off));
  }
}

// A steady motion has constant coefficients in turning coordinates: multipliers are exp(λ T). A mass on unequal springs
// on a turning table is unstable exactly between the two natural frequencies.
Model turning_table(double speed) {
  return read_model_text(R"(lithe = 1
name = "rotor"
[[links]]
name = "table"
type = "rigid"
mass = 1
inertia = [1, 1, 1]
nodes = {o = [0, 0, 0]}
[[links]]
name = "slide"
type = "rigid"
mass = 0
inertia = [0, 0, 0]
nodes = {o = [0, 0, 0]}
[[links]]
name = "disc"
type = "rigid"
mass = 2
inertia = [1e-3, 1e-3, 1e-3]
nodes = {o = [0, 0, 0]}
[[joints]]
name = "spin"
child = "table"
child_node = "o"
[[joints]]
name = "x"
type = "prismatic"
axis = [1, 0, 0]
parent = "table"
parent_node = "o"
child = "slide"
child_node = "o"
stiffness = 200
[[joints]]
name = "y"
type = "prismatic"
axis = [0, 1, 0]
parent = "slide"
parent_node = "o"
child = "disc"
child_node = "o"
stiffness = 288
[[drives]]
joint = "spin"
motion = {ramp = {start_time = 0, end_time = 1000, start_value = 0, end_value = )" +
                             exact_text(1000 * speed) + "}}\n",
                         "rotor.toml");
}

TEST(Floquet, OfASteadyMotionAreTheExponentialsOfItsEigenvalues) {
  for (const auto& [speed, formulation] : std::vector<std::pair<double, std::string>>{{8.0, "erls-cms"},
                                                                                      {11.0, "erls-cms"},
                                                                                      {13.0, "erls-cms"},
                                                                                      {8.0, "floating-frame"},
                                                                                      {11.0, "floating-frame"},
                                                                                      {11.0, "corotational"}}) {
    const auto equations = make_equations(turning_table(speed), {.formulation = formulation});
    const FloquetResult result = floquet(*equations, {});
    ASSERT_TRUE(result.found) << result.message;
    EXPECT_NEAR(result.period, 2 * pi / speed, 1e-9);
    EXPECT_EQ(result.verdict() == FloquetVerdict::unstable, speed > 10 && speed < 12) << speed;
    // (10² - Ω² + λ²)(12² - Ω² + λ²) + 4 Ω² λ² = 0
    const double p = 100 - speed * speed, r = 144 - speed * speed, b = p + r + 4 * speed * speed, c = p * r;
    const std::complex<double> root = std::sqrt(std::complex<double>(b * b - 4 * c));
    double largest = 0;
    for (const std::complex<double>& squared : {(-b + root) / 2.0, (-b - root) / 2.0})
      largest = std::max(largest, std::abs(std::sqrt(squared).real()));
    EXPECT_NEAR(result.growth(), largest, 1e-5) << speed;
  }
}

TEST(Floquet, ThePeriodIsThatOfDrivesAndLoads) {
  Model model = mathieu(0.6, 0.3);
  EXPECT_NEAR(drive_period(model, 0), 0.2, 1e-12);
  model.loads.push_back({"push", {}, 1, 0, false, false, Vector3::UnitX(), SignalSine{1, 7.5, 0, 0, 0}});
  EXPECT_NEAR(drive_period(model, 0), 0.4, 1e-9);
  model.loads.push_back({"pull", {}, 1, 0, false, false, Vector3::UnitX(), SignalSmoothMove{0, 1, 0, 1}});
  EXPECT_THROW(drive_period(model, 0), InputError);
  EXPECT_NEAR(drive_period(model, 1), 0.4, 1e-9);
  model.loads.pop_back();
  model.loads.back().signal = SignalSine{1, 5 * std::numbers::sqrt2, 0, 0, 0};
  EXPECT_THROW(drive_period(model, 0), InputError);
  model.loads.clear();
  model.drives[0].signal = SignalConstant{0};
  EXPECT_THROW(drive_period(model, 0), InputError);
}

// A forced and damped pendulum: the motion that repeats is found, whatever it starts from.
TEST(Floquet, FindsTheMotionThatRepeats) {
  Model model = mathieu(0.6, 0.1);
  model.joints[1].damping = {3.0};
  model.loads.push_back({"push", {}, 1, 0, true, false, Vector3::UnitY(), SignalSine{40, 5, 0.4, 0, 0}});
  for (const char* formulation : {"erls-cms", "floating-frame", "corotational"}) {
    const auto equations = make_equations(model, {.formulation = formulation});
    const FloquetResult result = floquet(*equations, {});
    ASSERT_TRUE(result.found) << formulation << ": " << result.message;
    EXPECT_LT(result.closure, 1e-6);
    EXPECT_GT(result.start.coordinates.norm() + result.start.speeds.norm(), 0.1);
    EXPECT_EQ(result.verdict(), FloquetVerdict::stable);
    // Liouville: the product of all is exp of the trace, -damping / (m L²) T.
    EXPECT_NEAR(std::abs(result.multipliers[0] * result.multipliers[1]), std::exp(-3.0 * 0.2), 1e-6);
  }
}

TEST(Floquet, RefusesWhatIsNoPeriod) {
  const auto equations = make_equations(mathieu(0.6, 0.3), {});
  EXPECT_THROW(floquet(*equations, {.period = -1}), InputError);
}

}  // namespace
}  // namespace lithe
