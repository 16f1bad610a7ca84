#include "lithe/analyse/linear/linearise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/analyse/linear/linear_modes.h"
#include "lithe/analyse/observe/sensors.h"
#include "lithe/analyse/stability/steady_motion.h"
#include "lithe/base/diagnostics.h"
#include "lithe/formulate/formulation.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

Model model_file(const std::string& name) { return read_model(std::string(LITHE_MODELS_DIR) + "/" + name + ".toml"); }

// A mass that slides along x and y on springs, on a table that turns: the rotor of the textbooks, in the rotating
// frame.
Model rotor(double stiffness_x, double stiffness_y, double damping = 0, bool prescribed = true) {
  std::string text = R"(lithe = 1
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
stiffness = )";
  text += std::to_string(stiffness_x) + "\ndamping = " + std::to_string(damping);
  text += R"(
[[joints]]
name = "y"
type = "prismatic"
axis = [0, 1, 0]
parent = "slide"
parent_node = "o"
child = "disc"
child_node = "o"
stiffness = )";
  text += std::to_string(stiffness_y) + "\ndamping = " + std::to_string(damping) + "\n";
  if (prescribed) text += "[[drives]]\njoint = \"spin\"\nmotion = 0\n";
  return read_model_text(text, "rotor.toml");
}

CampbellOptions over(double to, int count) {
  CampbellOptions options;
  options.freedom = {0, 0};
  for (int i = 0; i < count; ++i) options.speeds.push_back(to * i / (count - 1));
  return options;
}

// (λ = ±i(ω ± Ω)): two circular whirls as a turning observer sees them.
TEST(Campbell, FollowsTheWhirlsOfASymmetricRotor) {
  const auto equations = make_equations(rotor(800, 800));  // ω = 20 rad/s
  const CampbellDiagram diagram = campbell_diagram(*equations, equations->initial_state(), over(15, 31));
  ASSERT_TRUE(diagram.message.empty()) << diagram.message;
  ASSERT_EQ(diagram.speeds.size(), 31u);
  for (std::size_t i = 0; i < diagram.speeds.size(); ++i) {
    std::vector<double> found{diagram.eigenvalues[i][0].imag(), diagram.eigenvalues[i][1].imag()};
    std::sort(found.begin(), found.end());
    EXPECT_NEAR(found[0], 20 - diagram.speeds[i], 1e-9);
    EXPECT_NEAR(found[1], 20 + diagram.speeds[i], 1e-9);
  }
  // Followed by shape: each branch is monotonic, though the two start together.
  const bool first_rises = diagram.eigenvalues.back()[0].imag() > 20;
  for (std::size_t i = 2; i < diagram.speeds.size(); ++i)
    EXPECT_EQ(diagram.eigenvalues[i][0].imag() > diagram.eigenvalues[i - 1][0].imag(), first_rises);
  EXPECT_TRUE(diagram.unstable.empty());
}

// One branch per whirl, |ω ± Ω|, past the critical speed, where the second one begins to turn the other way round.
void expect_whirls(const CampbellDiagram& diagram, double omega, double tolerance) {
  ASSERT_TRUE(diagram.message.empty()) << diagram.message;
  const std::size_t rising = diagram.eigenvalues.back()[0].imag() > diagram.eigenvalues.back()[1].imag() ? 0 : 1;
  for (std::size_t i = 0; i < diagram.speeds.size(); ++i) {
    const double speed = diagram.speeds[i];
    EXPECT_NEAR(diagram.eigenvalues[i][rising].imag(), omega + speed, tolerance) << speed;
    EXPECT_NEAR(diagram.eigenvalues[i][1 - rising].imag(), std::abs(omega - speed), tolerance) << speed;
  }
}

TEST(Campbell, FollowsWhirlsPastTheCriticalSpeed) {
  const auto equations = make_equations(rotor(800, 800));
  expect_whirls(campbell_diagram(*equations, equations->initial_state(), over(203, 30)), 20, 1e-8);
}

// The same of a round shaft with a mass at its end: whirls in equal pairs, whose shapes are any in a plane, and high
// modes that must not be errorn for them. Rotary inertia of sections is (radius/length)² of the mass.
TEST(Campbell, FollowsWhirlsOfAShaftAmongItsOtherModes) {
  const auto equations = make_equations(read_model_text(R"(
lithe = 1
[materials.steel]
density = 7800
young_modulus = 2e11
poisson_ratio = 0.3
[sections.round]
shape = "circle"
radius = 0.005
[[links]]
name = "shaft"
nodes = {root = [0, 0, 0], tip = [0, 0, 1]}
path = ["root", "tip"]
material = "steel"
section = "round"
theory = "euler_bernoulli"
elements = 3
masses = [{node = "tip", mass = 5}]
[[joints]]
name = "spin"
child = "shaft"
child_node = "root"
[[drives]]
joint = "spin"
motion = 0
)",
                                                        "shaft.toml"));
  const CampbellDiagram diagram = campbell_diagram(*equations, equations->initial_state(), over(60, 25));
  const double omega = diagram.eigenvalues.front()[0].imag();
  const double bending = 2e11 * std::numbers::pi * std::pow(0.005, 4) / 4, shaft = 7800 * std::numbers::pi * 25e-6;
  EXPECT_NEAR(omega, std::sqrt(3 * bending / (5 + 33.0 / 140 * shaft)), 1e-3 * omega);  // Rayleigh
  expect_whirls(diagram, omega, 2e-3 * omega);
}

// Unequal stiffness: unstable exactly between the two critical speeds √(k/m).
TEST(Campbell, FindsTheUnstableSpeedsOfAnUnsymmetricRotor) {
  const auto equations = make_equations(rotor(648, 968));  // 18 and 22 rad/s
  const CampbellDiagram diagram = campbell_diagram(*equations, equations->initial_state(), over(40, 41));
  ASSERT_EQ(diagram.unstable.size(), 1u) << diagram.message;
  EXPECT_NEAR(diagram.unstable[0].first, 18, 1e-6);
  EXPECT_NEAR(diagram.unstable[0].second, 22, 1e-6);
}

// Critical speeds that differ by 2e-4, between two of the speeds asked for: the motion grows at a rate of 1e-5 of the
// larger eigenvalues, and both neighbours are stable.
TEST(Campbell, FindsASliverOfUnstableSpeeds) {
  const auto equations = make_equations(rotor(2 * 20.003 * 20.003, 2 * 20.0032 * 20.0032));
  const CampbellDiagram diagram = campbell_diagram(*equations, equations->initial_state(), over(40, 41));
  ASSERT_EQ(diagram.unstable.size(), 1u) << diagram.message;
  EXPECT_NEAR(diagram.unstable[0].first, 20.003, 1e-6);
  EXPECT_NEAR(diagram.unstable[0].second, 20.0032, 1e-6);
}

TEST(Campbell, EqualCriticalSpeedsAreNoInstability) {
  const auto equations = make_equations(rotor(2 * 20.003 * 20.003, 2 * 20.003 * 20.003));
  EXPECT_TRUE(campbell_diagram(*equations, equations->initial_state(), over(40, 41)).unstable.empty());
}

// Damping that turns with the rotor drives it unstable above √(k/m) for good.
TEST(Campbell, RotatingDampingIsUnstableAboveTheCriticalSpeed) {
  const auto equations = make_equations(rotor(800, 800, 1.5));
  const CampbellDiagram diagram = campbell_diagram(*equations, equations->initial_state(), over(40, 21));
  ASSERT_EQ(diagram.unstable.size(), 1u) << diagram.message;
  EXPECT_NEAR(diagram.unstable[0].first, 20, 1e-3);
  EXPECT_EQ(diagram.unstable[0].second, 40);
}

// A table that spins freely instead of at a prescribed speed: angular momentum is kept instead, so the whirls differ,
// but the rest of a mass in the middle stays an equilibrium.
TEST(SteadyMotion, LetsAFreeJointSpin) {
  const auto equations = make_equations(rotor(800, 800, 0, false));
  Inputs inputs = make_inputs(equations->model());
  const SteadyMotion motion = steady_motion(*equations, equations->initial_state(), inputs, SteadyFreedom{0, 0}, 12.0);
  ASSERT_TRUE(motion.found) << motion.message;
  EXPECT_EQ(motion.state.speeds[0], 12.0);
  const auto workspace = equations->make_workspace();
  Accelerations accelerations;
  ASSERT_EQ(equations->evaluate(motion.state, motion.inputs, *workspace, accelerations), EvaluationStatus::ok);
  EXPECT_LT(accelerations.values.cwiseAbs().maxCoeff(), 1e-10);
}

// An eccentric disc settles where spring and centrifugal force balance: x = Ω² e / (ω² - Ω²).
TEST(SteadyMotion, BalancesSpringsAndCentrifugalForce) {
  Model model = rotor(800, 800);
  model.links[2].rigid_inertia.centre = {0.01, 0, 0};
  const auto equations = make_equations(model);
  Inputs inputs = make_inputs(model);
  const SteadyMotion motion = steady_motion(*equations, equations->initial_state(), inputs, SteadyFreedom{0, 0}, 10.0);
  ASSERT_TRUE(motion.found) << motion.message;
  EXPECT_NEAR(motion.state.coordinates[0], 100 * 0.01 / (400 - 100), 1e-12);
  EXPECT_NEAR(motion.state.coordinates[1], 0, 1e-12);
}

TEST(LinearModes, GiveFrequencyAndDampingOfAnOscillator) {
  const Model model = rotor(800, 1800, 4);
  const auto equations = make_equations(model);
  const LinearResult linear =
      linearise(*equations, equations->initial_state(), make_inputs(model), {}, LinearAbout::held);
  LinearModes modes;
  ASSERT_TRUE(linear_modes(linear.model, modes));
  ASSERT_EQ(modes.eigenvalues.size(), 2u);
  EXPECT_NEAR(modes.frequency(0), 20 / (2 * std::numbers::pi), 1e-12);
  EXPECT_NEAR(modes.damping_ratio(0), 4 / (2 * 2 * 20.0), 1e-12);
  EXPECT_NEAR(modes.frequency(1), 30 / (2 * std::numbers::pi), 1e-12);
}

TEST(FrequencyResponse, IsThatOfAnOscillator) {
  Model model = rotor(800, 1800, 4);
  const auto equations = make_equations(model);
  const auto inputs = inputs_by_name(*equations, {"x"});
  const LinearResult linear =
      linearise(*equations, equations->initial_state(), make_inputs(model), inputs, LinearAbout::held);
  for (const double omega : {0.0, 7.0, 20.0, 55.0}) {
    const MatrixXc response = frequency_response(linear.model, {omega}).front();
    const std::complex<double> expected =
        1.0 / std::complex<double>(800 - 2 * omega * omega, 4 * omega);  // outputs: spin, x, y
    EXPECT_LT(std::abs(response(1, 0) - expected), 1e-14);
    EXPECT_LT(std::abs(response(2, 0)), 1e-16);
  }
}

// Sensors of every kind against differences of fourth order through the whole nonlinear model, in motion.
class OutputsAgainstDifferences {
 public:
  explicit OutputsAgainstDifferences(Model model) : equations_(make_equations(model)), reader_(*equations_) {
    inputs_ = make_inputs(equations_->model());
    evaluate_inputs(equations_->model(), 0, inputs_);
    state_ = equations_->initial_state();
    workspace_ = equations_->make_workspace();
    for (Eigen::Index k = 0; k < state_.coordinates.size(); ++k) {
      state_.coordinates[k] += 1e-4 * std::sin(1.0 + static_cast<double>(k));
      state_.speeds[k] = 0.02 * std::cos(2.0 + static_cast<double>(k));
    }
  }
  void check(double tolerance) {
    const auto linear_inputs = default_inputs(*equations_);
    const LinearResult linear = linearise(*equations_, state_, inputs_, linear_inputs, LinearAbout::motion);
    ASSERT_EQ(linear.status, EvaluationStatus::ok) << linear.message;
    const VectorX scale = read(state_, inputs_).cwiseAbs().cwiseMax(1.0);
    for (Eigen::Index k = 0; k < linear.model.size(); ++k) {
      compare(linear.model.position_output.col(k),
              jacobian(1e-4, [&](double h) { return read(moved(h, k, 0), inputs_); }), scale, tolerance, "position", k);
      compare(linear.model.speed_output.col(k), jacobian(1e-3, [&](double h) { return read(moved(0, k, h), inputs_); }),
              scale, tolerance, "speed", k);
    }
  }

 private:
  State moved(double by, Eigen::Index k, double speed) const {
    State state = state_;
    state.coordinates[k] += by;
    state.speeds[k] += speed;
    return state;
  }
  VectorX read(const State& state, const Inputs& inputs) {
    Accelerations accelerations;
    EXPECT_EQ(equations_->evaluate(state, inputs, *workspace_, accelerations), EvaluationStatus::ok);
    std::vector<double> values;
    reader_.read(state, inputs, accelerations, *workspace_, values);
    return Eigen::Map<VectorX>(values.data(), static_cast<Eigen::Index>(values.size()));
  }
  template <class Function>
  VectorX jacobian(double h, const Function& f) {
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
  }
  void compare(const VectorX& exact, const VectorX& differences, const VectorX& scale, double tolerance,
               const char* what, Eigen::Index k) {
    for (Eigen::Index row = 0; row < exact.size(); ++row)
      EXPECT_NEAR(exact[row], differences[row], tolerance * (std::abs(differences[row]) + scale[row]))
          << what << " " << k << " of " << reader_.channels()[row].name;
  }

  std::unique_ptr<Equations> equations_;
  SensorReader reader_;
  std::unique_ptr<Workspace> workspace_;
  Inputs inputs_;
  State state_;
};

Model with_sensors(Model model) {
  model.sensors.clear();
  const int link = static_cast<int>(model.links.size()) - 1;
  for (const Quantity quantity :
       {Quantity::position, Quantity::velocity, Quantity::acceleration, Quantity::displacement, Quantity::joint_value,
        Quantity::joint_speed, Quantity::joint_acceleration, Quantity::kinetic_energy, Quantity::reaction_force}) {
    Sensor sensor;
    sensor.name = "s" + std::to_string(static_cast<int>(quantity));
    sensor.quantity = quantity;
    sensor.link = link;
    sensor.node = static_cast<int>(model.links[link].nodes.size()) - 1;
    sensor.joint = 0;
    model.sensors.push_back(sensor);
  }
  return model;
}

TEST(LinearOutputs, AgreeWithDifferencesOnAnOpenChain) {
  OutputsAgainstDifferences(with_sensors(model_file("l_shape"))).check(1e-6);
}

TEST(LinearOutputs, AgreeWithDifferencesOnAClosedChain) {
  OutputsAgainstDifferences(with_sensors(model_file("four_bar"))).check(1e-6);
}

TEST(Linearise, NamesTheInputsThatThereAre) {
  const auto equations = make_equations(model_file("planar_2r"));
  try {
    inputs_by_name(*equations, {"nothing"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("there is no input 'nothing'; there are: '"), std::string::npos);
  }
}

// E ẋ = A x + B u with E = diag(1, M), A = [0 1; -K -C], B = [0; B].
struct DescriptorForm {
  MatrixX e, a, b;
};
DescriptorForm descriptor_form(const LinearModel& model) {
  const Eigen::Index n = model.size();
  DescriptorForm form{MatrixX::Identity(2 * n, 2 * n), MatrixX::Zero(2 * n, 2 * n),
                      MatrixX::Zero(2 * n, model.input.cols())};
  form.e.bottomRightCorner(n, n) = model.mass;
  form.a.topRightCorner(n, n).setIdentity();
  form.a.bottomLeftCorner(n, n) = -model.stiffness;
  form.a.bottomRightCorner(n, n) = -model.damping;
  form.b.bottomRows(n) = model.input;
  return form;
}

// Poles of the state space are the eigenvalues of the second-order form.
TEST(StateSpaceForm, HasThePolesOfTheMechanism) {
  const auto equations = make_equations(model_file("planar_2r"));
  const LinearResult linear = linearise(*equations, equations->initial_state(), make_inputs(equations->model()),
                                        default_inputs(*equations), LinearAbout::held);
  const StateSpace system = state_space(linear.model);
  const DescriptorForm form = descriptor_form(linear.model);
  EXPECT_LT((form.e * system.a - form.a).norm(), 1e-9 * form.a.norm());
  EXPECT_LT((form.e * system.b - form.b).norm(), 1e-9 * form.b.norm());
  EXPECT_EQ(system.states.size(), static_cast<std::size_t>(system.num_states()));
  EXPECT_EQ(system.inputs.size(), static_cast<std::size_t>(system.num_inputs()));
  EXPECT_EQ(system.outputs.size(), static_cast<std::size_t>(system.num_outputs()));
}

Model column(int elements) {
  std::string text = R"(lithe = 1
name = "column"
[materials.steel]
density = 7800
young_modulus = 2e11
poisson_ratio = 0.3
[sections.strip]
shape = "rectangle"
width = 0.02
height = 0.01
[[links]]
name = "column"
nodes = {foot = [0, 0, 0], head = [1, 0, 0]}
path = ["foot", "head"]
material = "steel"
section = "strip"
elements = )";
  text += std::to_string(elements);
  text += R"(
[[joints]]
name = "clamp"
type = "fixed"
child = "column"
child_node = "foot"
[[loads]]
name = "weight"
link = "column"
node = "head"
force = 1
direction = [-1, 0, 0]
)";
  return read_model_text(text, "column.toml");
}

// Euler's column, clamped below and free above: P = π² E I / (4 L²), about the weak axis first. Corotational beams
// without a geometric stiffness of their own converge with the square of the element's length: (π / 4 N)² / 3.
TEST(Buckling, FindsEulersLoad) {
  const double weak = std::numbers::pi * std::numbers::pi * 2e11 * (0.02 * 1e-6 / 12) / 4;
  for (const int elements : {2, 4}) {
    const auto equations = make_equations(column(elements), {.formulation = "corotational"});
    const Buckling buckling = buckling_factors(*equations, equations->initial_state(), 2);
    ASSERT_EQ(buckling.factors.size(), 2u) << buckling.message;
    const double expected = std::pow(std::numbers::pi / (4 * elements), 2) / 3;
    EXPECT_NEAR(buckling.factors[0] / weak - 1, expected, 0.1 * expected);
    EXPECT_NEAR(buckling.factors[1] / (4 * weak) - 1, expected, 0.1 * expected);
  }
}

TEST(Buckling, SaysThatAFormulationWithoutGeometricStiffnessCannot) {
  const auto equations = make_equations(column(2), {.formulation = "erls-cms"});
  const Buckling buckling = buckling_factors(*equations, equations->initial_state(), 1, 1e6);
  EXPECT_TRUE(buckling.factors.empty());
  EXPECT_NE(buckling.message.find("cannot buckle"), std::string::npos);
}

}  // namespace
}  // namespace lithe
