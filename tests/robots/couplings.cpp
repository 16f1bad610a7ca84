// Couplings of joints against elimination by hand, closed forms and each other.
#include <Eigen/Dense>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "lithe/analyse/analyses.h"
#include "lithe/analyse/condense/condense.h"
#include "lithe/analyse/contributions.h"
#include "lithe/analyse/modes/modes.h"
#include "lithe/base/text.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/read/read_model.h"
#include "lithe/read/urdf/robot_parts.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

constexpr const char* all_formulations[] = {"erls-cms", "erls-fem", "floating-frame", "corotational",
                                            "transfer-functions"};

std::string rigid_link(const std::string& name, double mass, double inertia) {
  return cat("[[links]]\nname = \"", name, "\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0], b = [0.5, 0.1, 0.2]}\n",
             "mass = ", mass, "\ncentre = [0.2, 0.05, -0.1]\ninertia = [", inertia, ", ", 1.3 * inertia, ", ",
             1.1 * inertia, "]\n");
}

std::string hinge(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& more = "") {
  const std::string from = parent.empty() ? "" : cat("parent = \"", parent, "\"\nparent_node = \"b\"\n");
  return cat("[[joints]]\nname = \"", name, "\"\n", from, "child = \"", child, "\"\nchild_node = \"a\"\n", more);
}

const std::string start_of_file = "lithe = 1\ngravity = [1, -9.81, 2]\n";

// Two pendulums on the ground, one about z, one about a tilted axis.
std::string two_pendulums(const std::string& first = "", const std::string& second = "") {
  return start_of_file + rigid_link("p", 2, 0.1) + rigid_link("q", 3, 0.2) + hinge("one", "", "p", first) +
         hinge("two", "", "q", "axis = [0, 0.6, 0.8]\n" + second);
}

// An arm with three joints and a slide that carries it, and two motors on the ground: a differential moves joints two
// and three.
std::string differential_arm() {
  return start_of_file + rigid_link("cart", 4, 0.3) + rigid_link("upper", 2, 0.1) + rigid_link("lower", 1.5, 0.05) +
         rigid_link("hand", 1, 0.02) + rigid_link("left", 0.5, 0.01) + rigid_link("right", 0.6, 0.012) +
         hinge("rail", "", "cart", "type = \"prismatic\"\naxis = [1, 0, 0]\n") +
         hinge("one", "cart", "upper", "axis = [0, 1, 0]\n") +
         hinge("two", "upper", "lower", "axis = [0, 0.8, 0.6]\n") +
         hinge("three", "lower", "hand", "axis = [1, 0, 0]\n") + hinge("m1", "", "left", "inertia = 0.04\n") +
         hinge("m2", "", "right", "inertia = 0.05\n");
}
const std::string differential =
    "[[couplings]]\njoint = \"two\"\nterms = [{joint = \"m1\", factor = 0.3}, {joint = \"m2\", factor = 0.2}]\n"
    "[[couplings]]\njoint = \"three\"\noffset = 0.25\n"
    "terms = [{joint = \"m1\", factor = 0.4}, {joint = \"m2\", factor = -0.5}, {joint = \"one\", factor = 0.1}]\n"
    "[[couplings]]\nname = \"rack\"\njoint = \"rail\"\nof = \"one\"\nfactor = \"50 mm/rad\"\n";

// Joints of one freedom: their values as N x + offsets of the independent ones, by elimination.
struct Elimination {
  Eigen::MatrixXd N;
  Eigen::VectorXd offsets;
};

Elimination eliminate(const Model& model, const std::vector<int>& independent) {
  const auto n = static_cast<Eigen::Index>(model.joints.size());
  const auto rows = static_cast<Eigen::Index>(model.couplings.size());
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
  for (Eigen::Index k = 0; k < rows; ++k) {
    const Coupling& coupling = model.couplings[static_cast<std::size_t>(k)];
    C(k, coupling.joint) = 1;
    for (const CoupledFreedom& term : coupling.terms) C(k, term.joint) -= term.factor;
    b[k] = coupling.offset;
  }
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(n, n - rows);
  for (Eigen::Index i = 0; i < n - rows; ++i) {
    C(rows + i, independent[static_cast<std::size_t>(i)]) = 1;
    right(rows + i, i) = 1;
  }
  return {C.partialPivLu().solve(right), C.partialPivLu().solve(b)};
}

// Accelerations of the joints of the mechanism without couplings for given values, speeds and torques.
Eigen::VectorXd free_accelerations(Model model, const Eigen::VectorXd& values, const Eigen::VectorXd& speeds,
                                   const Eigen::VectorXd& torques) {
  model.couplings.clear();
  for (Eigen::Index j = 0; j < values.size(); ++j) {
    model.joints[static_cast<std::size_t>(j)].initial_value = {values[j]};
    model.joints[static_cast<std::size_t>(j)].initial_speed = {speeds[j]};
  }
  Formulated system(model, {.formulation = "erls-cms"});
  for (Eigen::Index j = 0; j < torques.size(); ++j)
    system.inputs.joint_forces[static_cast<std::size_t>(j)] = {torques[j]};
  system.evaluate();
  Eigen::VectorXd result(values.size());
  for (Eigen::Index j = 0; j < values.size(); ++j) result[j] = system.joint(static_cast<int>(j)).acceleration;
  return result;
}

// Nᵀ M N ẍ = Nᵀ M q̈_free: linear couplings have no velocity terms.
Eigen::VectorXd coupled_accelerations(const Model& model, const Elimination& e, const Eigen::VectorXd& values,
                                      const Eigen::VectorXd& speeds, const Eigen::VectorXd& torques) {
  const Eigen::Index n = values.size();
  const Eigen::VectorXd own = free_accelerations(model, values, speeds, torques);
  Eigen::MatrixXd inverse_mass(n, n);
  for (Eigen::Index j = 0; j < n; ++j)
    inverse_mass.col(j) =
        free_accelerations(model, values, speeds, torques + Eigen::VectorXd(Eigen::VectorXd::Unit(n, j))) - own;
  const Eigen::MatrixXd M = inverse_mass.inverse();
  return e.N * (e.N.transpose() * M * e.N).ldlt().solve(e.N.transpose() * M * own);
}

void expect_elimination(const std::string& text, const std::vector<int>& independent) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto draw = [&](Eigen::Index size) {
    Eigen::VectorXd v(size);
    for (double& x : v) x = uniform(random);
    return v;
  };
  for (int trial = 0; trial < 3; ++trial) {
    Model model = read_model_text(text, "coupled.toml");
    const auto n = static_cast<Eigen::Index>(model.joints.size());
    const Elimination e = eliminate(model, independent);
    const Eigen::VectorXd x = draw(e.N.cols()), rates = draw(e.N.cols()), torques = 20 * draw(n);
    const Eigen::VectorXd values = e.N * x + e.offsets, speeds = e.N * rates;
    const Eigen::VectorXd expected = coupled_accelerations(model, e, values, speeds, torques);
    for (std::size_t i = 0; i < independent.size(); ++i) {
      Joint& joint = model.joints[static_cast<std::size_t>(independent[i])];
      joint.initial_value = {x[static_cast<Eigen::Index>(i)]};
      joint.initial_value_given = {true};
      joint.initial_speed = {rates[static_cast<Eigen::Index>(i)]};
    }
    for (const char* formulation : all_formulations) {
      Formulated system(model, {.formulation = formulation});
      for (Eigen::Index j = 0; j < n; ++j) system.inputs.joint_forces[static_cast<std::size_t>(j)] = {torques[j]};
      system.evaluate();
      for (Eigen::Index j = 0; j < n; ++j) {
        const SignalValue joint = system.joint(static_cast<int>(j));
        EXPECT_NEAR(joint.value, values[j], 1e-10) << formulation << " " << j;
        EXPECT_NEAR(joint.rate, speeds[j], 1e-10) << formulation << " " << j;
        EXPECT_NEAR(joint.acceleration, expected[j], 1e-8 * expected.cwiseAbs().maxCoeff()) << formulation << " " << j;
      }
    }
  }
}

TEST(Coupling, TwoPendulumsAccelerateAsWithTheSecondEliminated) {
  expect_elimination(
      two_pendulums() + "[[couplings]]\njoint = \"two\"\nof = \"one\"\nfactor = -1\noffset = \"20 deg\"\n", {0});
}

TEST(Coupling, ADifferentialOnAMovingArmAcceleratesAsEliminated) {
  expect_elimination(differential_arm() + differential, {1, 4, 5});
}

// (J1 + J2) q̈ = -(m1 c1 cos q + m2 c2 cos q) g for planar pendulums with q2 = -q1: period of small swings about the
// lowest point, integrated in every formulation against the elliptic integral's series.
TEST(Coupling, MirroredPendulumsSwingWithTheirCommonPeriod) {
  const auto pendulum = [](const std::string& name, double mass, double length) {
    return cat("[[links]]\nname = \"", name, "\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0]}\nmass = ", mass,
               "\ncentre = [0, ", -length, ", 0]\ninertia = [0.01, 0.01, 0.01]\n");
  };
  const double m1 = 2, c1 = 0.4, m2 = 1, c2 = 0.7, g = 9.81, start = 0.3;
  const std::string text = "lithe = 1\ngravity = [0, -9.81, 0]\n" + pendulum("p", m1, c1) + pendulum("q", m2, c2) +
                           hinge("one", "", "p", cat("value = ", start, "\n")) + hinge("two", "", "q") +
                           "[[couplings]]\njoint = \"two\"\nof = \"one\"\nfactor = -1\n";
  const double inertia = 0.02 + m1 * c1 * c1 + m2 * c2 * c2, weight = (m1 * c1 + m2 * c2) * g;
  const double k2 = std::pow(std::sin(start / 2), 2);  // of the complete elliptic integral K
  const double series = 1 + k2 / 4 + 9 * k2 * k2 / 64 + 25 * std::pow(k2, 3) / 256 + 1225 * std::pow(k2, 4) / 16384;
  const double period = 2 * 3.14159265358979323846 * std::sqrt(inertia / weight) * series;
  Model model = read_model_text(text, "pendulums.toml");
  for (const char* formulation : all_formulations) {
    // Bodies in absolute coordinates keep the energy of the same pendulums without a coupling no better at 1e-9.
    const Trajectory motion = run(model, {.formulation = formulation}, period, {.tolerance = 1e-12, .samples = 4});
    for (std::size_t i = 0; i < motion.times.size(); ++i) {
      EXPECT_NEAR(motion.columns[1].values[i], -motion.columns[0].values[i], 1e-10) << formulation;
      const double quarter[] = {start, 0, -start, 0, start};
      EXPECT_NEAR(motion.columns[0].values[i], quarter[i], 2e-6)
          << formulation << " " << i;  // next of the series: 1e-7
    }
    EXPECT_LT(std::abs(motion.energy.imbalance()), 1e-7 * motion.energy.largest_kinetic) << formulation;
  }
}

std::string beam(const std::string& name, double length) {
  return cat("[[links]]\nname = \"", name, "\"\nnodes = {a = [0, 0, 0], b = [", length,
             ", 0, 0]}\npath = [\"a\", \"b\"]\n",
             "material = \"al\"\nsection = \"tube\"\nelements = 1\nmasses = [{node = \"b\", mass = 1}]\n");
}

// A flexible arm whose second joint follows the first, as a parallelogram would have it, and a geared wheel.
std::string flexible_arm(const std::string& drive) {
  return "lithe = 1\ngravity = [0, 0, -9.81]\n"
         "materials.al = {density = 2700, young_modulus = 70e9, poisson_ratio = 0.33}\n"
         "sections.tube = {shape = \"tube\", diameter = 0.03, thickness = 0.002}\n" +
         beam("upper", 0.5) + beam("lower", 0.4) + rigid_link("wheel", 0.4, 0.002) +
         hinge("shoulder", "", "upper", "axis = [0, 1, 0]\n") + hinge("elbow", "upper", "lower", "axis = [0, 1, 0]\n") +
         hinge("gear", "upper", "wheel", "axis = [0, 1, 0]\n") +
         "[[couplings]]\njoint = \"elbow\"\nof = \"shoulder\"\nfactor = -2\n"
         "[[couplings]]\njoint = \"gear\"\nterms = [{joint = \"elbow\", factor = 3}, {joint = \"shoulder\", factor = "
         "1}]\n" +
         drive;
}

TEST(Coupling, FormulationsAgreeOnAFlexibleArmAndKeepItsEnergy) {
  const Model model =
      with_tips(read_model_text(flexible_arm("[[drives]]\njoint = \"shoulder\"\ntorque = -8\n"), "arm.toml"));
  const Trajectory first = run(model, {.formulation = "erls-cms"}, 0.01, {.tolerance = 1e-8, .samples = 3});
  EXPECT_LT(std::abs(first.energy.imbalance()), 1e-6 * first.energy.largest_kinetic);
  for (const char* formulation : {"erls-fem", "floating-frame", "transfer-functions"}) {
    const Trajectory other = run(model, {.formulation = formulation}, 0.01, {.tolerance = 1e-8, .samples = 3});
    EXPECT_LT(std::abs(other.energy.imbalance()), 1e-6 * other.energy.largest_kinetic) << formulation;
    // Deflections of 5 mm on 0.5 m: formulations differ in the second order, (5e-3 / 0.5)² of the deflection's size.
    EXPECT_LT(largest_difference(first, other), 5e-5) << formulation;
  }
}

// ω² = (k1 + a² k2) / (J1 + a² J2).
TEST(Coupling, FrequencyOfCoupledSprungPendulums) {
  const std::string text =
      "lithe = 1\n[[links]]\nname = \"p\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0]}\nmass = 1\ninertia = [1, 1, 0.2]\n"
      "[[links]]\nname = \"q\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0]}\nmass = 1\ninertia = [1, 1, 0.05]\n" +
      hinge("one", "", "p", "stiffness = 30\n") + hinge("two", "", "q", "stiffness = 4\n") +
      "[[couplings]]\njoint = \"two\"\nof = \"one\"\nfactor = -2.5\n";
  const double omega = std::sqrt((30 + 6.25 * 4) / (0.2 + 6.25 * 0.05));
  for (const char* formulation : all_formulations) {
    const auto equations = make_equations(read_model_text(text, "springs.toml"), {.formulation = formulation});
    const ModesResult found = mechanism_modes(*equations, equations->initial_state());
    ASSERT_EQ(found.status, EvaluationStatus::ok) << formulation;
    ASSERT_EQ(found.modes.frequencies.size(), 1) << formulation;
    EXPECT_NEAR(found.modes.frequencies[0], omega / (2 * 3.14159265358979323846), 1e-9 * omega) << formulation;
  }
}

Model model_without_drives(Model model) {
  model.drives.clear();
  return model;
}

// The torque of a prescribed motion carries the coupled joint, too: Nᵀ (M q̈ - f) of the elimination.
TEST(Coupling, ThePrescribedMotionOfOneJointMovesTheOther) {
  for (const bool leads : {true, false}) {
    const std::string motion = "motion = {sine = {amplitude = 0.4, frequency = 0.7, phase = 0.5}}";
    const Model model = read_model_text(
        two_pendulums() + "[[couplings]]\njoint = \"two\"\nof = \"one\"\nfactor = -0.8\noffset = 0.1\n" +
            cat("[[drives]]\njoint = \"", leads ? "one" : "two", "\"\n", motion, "\n"),
        "prescribed.toml");
    const SignalValue signal = evaluate(model.drives[0].signal, 0);
    const double share = leads ? 1 : -1 / 0.8, place = leads ? 0 : 0.1 / 0.8;
    const Eigen::Vector2d N(share, -0.8 * share);
    const Eigen::Vector2d values(share * signal.value + place, -0.8 * (share * signal.value + place) + 0.1);
    const Eigen::Vector2d speeds = N * signal.rate, accelerations = N * signal.acceleration;
    const Eigen::Vector2d own =
        free_accelerations(model_without_drives(model), values, speeds, Eigen::Vector2d::Zero());
    Eigen::Matrix2d inverse;
    for (int j = 0; j < 2; ++j)
      inverse.col(j) = free_accelerations(model_without_drives(model), values, speeds, Eigen::Vector2d::Unit(j)) - own;
    const double torque = N.dot(inverse.inverse() * (accelerations - own));
    for (const char* formulation : all_formulations) {
      Formulated system(model, {.formulation = formulation});
      system.evaluate();
      for (int j = 0; j < 2; ++j) {
        EXPECT_NEAR(system.joint(j).value, values[j], 1e-10) << formulation;
        EXPECT_NEAR(system.joint(j).acceleration, accelerations[j], 1e-8) << formulation;
      }
      EXPECT_NEAR(system.equations->prescribed_force(system.state, system.inputs, system.accelerations, leads ? 0 : 1,
                                                     0, *system.workspace),
                  torque, 1e-8 * std::abs(torque))
          << formulation;
    }
  }
}

// A lead screw: a cylindrical joint whose slide follows its turn. m ẍ = F - weight, x = h φ, so that
// (J + m h²) φ̈ = τ - m g h.
TEST(Coupling, ACylindricalJointCanBeAScrew) {
  const Model model = read_model_text(
      "lithe = 1\ngravity = [0, 0, -9.81]\n[[links]]\nname = \"nut\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0]}\n"
      "mass = 3\ninertia = [1, 1, 0.01]\n[[joints]]\nname = \"screw\"\ntype = \"cylindrical\"\nchild = \"nut\"\n"
      "child_node = \"a\"\n[[couplings]]\njoint = \"screw\"\nterms = [{joint = \"screw\", freedom = 2, factor = \"20 "
      "mm/rev\"}]\n[[drives]]\njoint = \"screw\"\nfreedom = 2\ntorque = 0.5\n",
      "screw.toml");
  const double lead = 0.02 / (2 * 3.14159265358979323846);
  const double turning = (0.5 - 3 * 9.81 * lead) / (0.01 + 3 * lead * lead);
  for (const char* formulation : all_formulations) {
    Formulated system(model, {.formulation = formulation});
    system.evaluate();
    EXPECT_NEAR(system.joint(0, 1).acceleration, turning, 1e-9 * turning) << formulation;
    EXPECT_NEAR(system.joint(0, 0).acceleration, lead * turning, 1e-9 * turning) << formulation;
  }
}

// In a four-bar whose rocker turns a wheel by gears; the loop and the coupling hold together.
TEST(Coupling, HoldsBesideALoop) {
  const auto bar = [](const std::string& name, double length) {
    return cat("[[links]]\nname = \"", name, "\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0], b = [", length,
               ", 0, 0]}\nmass = 1\ncentre = [", length / 2, ", 0, 0]\ninertia = [0.01, 0.02, 0.02]\n");
  };
  const std::string text =
      "lithe = 1\ngravity = [0, -9.81, 0]\n" + bar("crank", 0.2) + bar("coupler", 0.6) + bar("rocker", 0.4) +
      bar("wheel", 0.1) +
      "[[joints]]\nname = \"A\"\nchild = \"crank\"\nchild_node = \"a\"\nvalue = 0.7\n"
      "[[joints]]\nname = \"B\"\nparent = \"crank\"\nparent_node = \"b\"\nchild = \"coupler\"\nchild_node = \"a\"\n"
      "[[joints]]\nname = \"C\"\nparent = \"coupler\"\nparent_node = \"b\"\nchild = \"rocker\"\nchild_node = \"b\"\n"
      "guess = 1\n[[joints]]\nname = \"D\"\nparent_point = [0.6, 0, 0]\nchild = \"rocker\"\nchild_node = \"a\"\n"
      "guess = 1\n[[joints]]\nname = \"W\"\nparent_point = [1, 0, 0]\nchild = \"wheel\"\nchild_node = \"a\"\n"
      "[[couplings]]\njoint = \"W\"\nof = \"D\"\nfactor = -3\noffset = 0.5\n";
  const Model model = read_model_text(text, "four_bar.toml");
  std::vector<Eigen::VectorXd> found;
  for (const char* formulation : all_formulations) {
    Formulated system(model, {.formulation = formulation});
    system.evaluate();
    EXPECT_NEAR(system.joint(4).value, -3 * system.joint(3).value + 0.5, 1e-9) << formulation;
    EXPECT_NEAR(system.joint(4).acceleration, -3 * system.joint(3).acceleration, 1e-8) << formulation;
    Eigen::VectorXd accelerations(5);
    for (int j = 0; j < 5; ++j) accelerations[j] = system.joint(j).acceleration;
    found.push_back(accelerations);
    EXPECT_LT((accelerations - found.front()).norm(), 1e-8 * found.front().norm()) << formulation;
  }
}

// A parallelogram could fold into an antiparallelogram where its bars line up, which a belt between its cranks
// prevents: it says nothing that the loop does not say, but there.
TEST(Coupling, HoldsAParallelogramWhereItsBarsLineUp) {
  const auto bar = [](const std::string& name, double length) {
    return cat("[[links]]\nname = \"", name, "\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0], b = [", length,
               ", 0, 0]}\nmass = 1\ncentre = [", length / 2, ", 0, 0]\ninertia = [0.01, 0.02, 0.02]\n");
  };
  const Model model = read_model_text(
      "lithe = 1\ngravity = [0, -9.81, 0]\n" + bar("crank", 0.2) + bar("coupler", 0.6) + bar("rocker", 0.2) +
          "[[joints]]\nname = \"A\"\nchild = \"crank\"\nchild_node = \"a\"\nvalue = 0.7\n"
          "[[joints]]\nname = \"B\"\nparent = \"crank\"\nparent_node = \"b\"\nchild = \"coupler\"\nchild_node = "
          "\"a\"\nguess = -0.7\n[[joints]]\nname = \"C\"\nparent = \"coupler\"\nparent_node = \"b\"\nchild = "
          "\"rocker\"\nchild_node = \"b\"\nguess = 0.7\n[[joints]]\nname = \"D\"\nparent_point = [0.6, 0, 0]\nchild = "
          "\"rocker\"\nchild_node = \"a\"\nguess = 0.7\n[[couplings]]\njoint = \"D\"\nof = \"A\"\n",
      "parallelogram.toml");
  const double weight = (2 * 0.1 + 0.2) * 9.81;  // of both cranks at half, of the coupler at the whole length
  for (const char* formulation : all_formulations) {
    const Trajectory motion = run(model, {.formulation = formulation}, 1.0, {.tolerance = 1e-9, .samples = 10});
    const std::vector<double>&A = motion.columns[0].values, &D = motion.columns[3].values;
    EXPECT_LT(A.back(), -1) << formulation;
    for (std::size_t i = 0; i < A.size(); ++i) EXPECT_NEAR(D[i], A[i], 1e-9) << formulation;
    const double kinetic = motion.columns[4].values[5], fallen = weight * (std::sin(0.7) - std::sin(A[5]));
    EXPECT_NEAR(kinetic, fallen, 1e-5 * fallen) << formulation;
  }
}

TEST(Coupling, StartsWhereItHolds) {
  const std::string coupling =
      "[[couplings]]\nname = \"belt\"\njoint = \"two\"\nof = \"one\"\nfactor = 2\noffset = 0.1\n";
  const auto starts = [&](const std::string& first, const std::string& second) {
    const Model model = read_model_text(two_pendulums(first, second) + coupling, "start.toml");
    return initial_configuration(Mechanism(model), model).coordinates;
  };
  EXPECT_NEAR(starts("value = 0.3\n", "")[1], 0.7, 1e-12);
  EXPECT_NEAR(starts("", "value = 0.5\n")[0], 0.2, 1e-12);
  EXPECT_NEAR(starts("guess = 0.4\n", "")[0], 0.4, 1e-12);
  EXPECT_NEAR(starts("guess = 0.4\n", "")[1], 0.9, 1e-12);
  try {
    starts("value = 0.3\n", "value = -0.4\n");
    FAIL() << "contradicting values were accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("the initial values given for"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("contradict coupling 'belt' by 1.1 rad"), std::string::npos)
        << error.what();
  }
}

// A belt: the pulley turns on a spring, the cart follows with r m/rad.
TEST(Coupling, CondensesToTheClosedFormOfABelt) {
  constexpr double r = 0.05, k = 300, J = 0.2, m = 4;
  const Model model = read_model_text("lithe = 1\n" + rigid_link("pulley", 1, J / 1.1) + rigid_link("cart", m, 0.3) +
                                          hinge("axle", "", "pulley", "stiffness = 300\n") +
                                          hinge("rail", "", "cart", "type = \"prismatic\"\naxis = [1, 0, 0]\n") +
                                          "[[couplings]]\njoint = \"rail\"\nof = \"axle\"\nfactor = \"50 mm/rad\"\n",
                                      "belt.toml");
  const double about_axle = J + 1 * (0.2 * 0.2 + 0.05 * 0.05);
  for (const char* route : {"superelements", "direct"}) {
    const CondenseResult found = condense(model, {.tool = "cart:a", .route = route, .full = true});
    ASSERT_EQ(found.condensed.status, CondenseStatus::ok) << found.condensed.message;
    EXPECT_NEAR(found.condensed.tool->compliance->coeff(0, 0), r * r / k, 1e-12 * r * r / k) << route;
    EXPECT_NEAR(found.full_frequencies()[0], std::sqrt(k / (about_axle + m * r * r)) / (2 * M_PI), 1e-9) << route;
  }
}

// A belt along a link that bends keeps the angle of the hand: its two joints lie on either side of the link.
TEST(Coupling, CondensesAcrossALinkThatBends) {
  const Model model = read_model_text(
      "lithe = 1\ngravity = [0, 0, 0]\n[materials.steel]\ndensity = 7800\nyoung_modulus = 2e11\npoisson_ratio = "
      "0.3\n[sections.bar]\n"
      "shape = \"rectangle\"\nwidth = 0.01\nheight = 0.02\n[[links]]\nname = \"arm\"\n"
      "nodes = {a = [0, 0, 0], b = [0.5, 0, 0]}\npath = [\"a\", \"b\"]\nmaterial = \"steel\"\nsection = \"bar\"\n" +
          rigid_link("hand", 2, 0.02) + rigid_link("far", 1, 0.01) + hinge("shoulder", "", "arm", "stiffness = 900\n") +
          hinge("wrist", "arm", "hand") + hinge("end", "hand", "far", "stiffness = 500\n") +
          "[[couplings]]\njoint = \"wrist\"\nterms = [{joint = \"shoulder\", factor = -1.5}, {joint = \"end\", factor "
          "= 0.4}]\n",
      "belt.toml");
  const ContributionResult expected = contributions(model, {}, {.tool = "far:b", .held = {}});
  ASSERT_EQ(expected.failure, "");
  for (const char* route : {"superelements", "direct"}) {
    const CondenseResult found = condense(model, {.tool = "far:b", .route = route, .full = true});
    ASSERT_EQ(found.condensed.status, CondenseStatus::ok) << found.condensed.message;
    const Matrix3 compliance = found.condensed.tool->compliance->topLeftCorner<3, 3>();
    EXPECT_LT((compliance - expected.compliance_matrix).norm(), 1e-7 * compliance.norm()) << route;
    for (const std::size_t k : {0, 1})
      EXPECT_NEAR(found.full_frequencies()[static_cast<Eigen::Index>(k)], expected.frequencies[k],
                  1e-5 * expected.frequencies[k])
          << route;
  }
}

TEST(Coupling, OfAJointWithSixDegreesOfFreedomIsRefusedByCondensation) {
  const Model model =
      read_model_text(start_of_file + rigid_link("p", 2, 0.1) + rigid_link("q", 3, 0.2) +
                          hinge("one", "", "p", "type = \"free\"\n") + hinge("two", "", "q") +
                          "[[couplings]]\njoint = \"two\"\nterms = [{joint = \"one\", freedom = 1, factor = 2}]\n",
                      "condense.toml");
  try {
    const Condenser condenser(model, CondenseOptions{});
    FAIL() << "it was accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("condensation knows no couplings of joint 'one'"), std::string::npos)
        << error.what();
  }
}

const std::filesystem::path folder = LITHE_TESTS_DIR "/robots";

Model gripper(const std::string& more) {
  return read_model_text("lithe = 1\ngravity = [0, 0, -9.81]\n[robot]\nfile = \"gripper.urdf\"\n" + more,
                         (folder / "gripper.toml").string());
}

int joint_of(const Model& model, const std::string& name) {
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (model.joints[j].name == name) return static_cast<int>(j);
  ADD_FAILURE() << "no " << name;
  return 0;
}

// q = left: right = -q - 0.005, pinion = 40 q. (m_l + m_r + 1600 J) q̈ = F on the left finger, hand at rest, level.
TEST(MimicJoint, IsSimulatedAsDescribed) {
  const Model model = gripper("[joints.left]\nvalue = 0.02\n[[drives]]\njoint = \"left\"\nforce = 3\n");
  ASSERT_EQ(model.couplings.size(), 2u);
  const double acceleration = 3 / (0.1 + 0.12 + 1600 * 1e-5);  // the wheel turns about its x axis
  for (const char* formulation : all_formulations) {
    Formulated system(model, {.formulation = formulation});
    system.evaluate();
    const SignalValue left = system.joint(joint_of(model, "left")), right = system.joint(joint_of(model, "right")),
                      pinion = system.joint(joint_of(model, "pinion"));
    EXPECT_NEAR(left.value, 0.02, 1e-12) << formulation;
    EXPECT_NEAR(right.value, -0.025, 1e-12) << formulation;
    EXPECT_NEAR(pinion.value, 0.8, 1e-12) << formulation;
    EXPECT_NEAR(left.acceleration, acceleration, 1e-8 * acceleration) << formulation;
    EXPECT_NEAR(right.acceleration, -acceleration, 1e-8 * acceleration) << formulation;
    EXPECT_NEAR(pinion.acceleration, 40 * acceleration, 1e-8 * 40 * acceleration) << formulation;
  }
}

TEST(MimicJoint, FollowsAMove) {
  const Model model = gripper(
      "[joints.left]\nvalue = 0.01\n[[moves]]\njoints = [\"left\"]\nduration = 0.4\n"
      "waypoints = [{joints = [0.04]}]\n");
  for (const Drive& drive : model.drives) EXPECT_NE(drive.joint, joint_of(model, "right"));
  const Trajectory motion = run(model, {}, 0.4, {.samples = 8});
  const std::size_t left = static_cast<std::size_t>(joint_of(model, "left")),
                    right = static_cast<std::size_t>(joint_of(model, "right"));
  std::size_t left_column = 0, right_column = 0;
  for (std::size_t c = 0; c < motion.columns.size(); ++c) {
    if (motion.columns[c].name == model.joints[left].name) left_column = c;
    if (motion.columns[c].name == model.joints[right].name) right_column = c;
  }
  EXPECT_NEAR(motion.columns[left_column].values.back(), 0.04, 1e-9);
  for (std::size_t i = 0; i < motion.times.size(); ++i)
    EXPECT_NEAR(motion.columns[right_column].values[i], -motion.columns[left_column].values[i] - 0.005, 1e-10);
}

// The description speaks of the link, which an elastic gearbox separates from the motor.
TEST(MimicJoint, FollowsTheLinkBehindAGearbox) {
  const Model model = gripper("[[motors]]\njoint = \"left\"\nrotor_inertia = 1e-6\nratio = 500\nstiffness = 2e4\n");
  const Coupling& coupling = model.couplings[0];
  ASSERT_EQ(coupling.terms.size(), 2u);
  EXPECT_EQ(coupling.terms[1].joint, joint_of(model, "left gear"));
  EXPECT_EQ(coupling.terms[1].factor, -1);
}

TEST(MimicJoint, OfAnImportedDescriptionIsACoupling) {
  std::ifstream stream(folder / "gripper.urdf");
  std::ostringstream text;
  text << stream.rdbuf();
  const Model imported =
      read_model_text(model_file_of(read_description(text.str(), "gripper.urdf", {}), false), "r.toml");
  const Model used = gripper("");
  ASSERT_EQ(imported.couplings.size(), used.couplings.size());
  for (std::size_t k = 0; k < used.couplings.size(); ++k) {
    EXPECT_EQ(imported.couplings[k].joint, used.couplings[k].joint);
    EXPECT_EQ(imported.couplings[k].terms[0].joint, used.couplings[k].terms[0].joint);
    EXPECT_EQ(imported.couplings[k].terms[0].factor, used.couplings[k].terms[0].factor);
    EXPECT_EQ(imported.couplings[k].offset, used.couplings[k].offset);
  }
}

// A falling five-bar under a tilted gravity, in MuJoCo with an equality constraint of the time constants 1 and 0.5 ms,
// 20 steps of RK4 each (solref "TAU 1", solimp 0.9999). Its joints tend to the limit by the square of the time
// constant.
TEST(LoopsOfDescriptions, MoveAsMuJoCosInTheStiffLimit) {
  const std::vector<std::string> joints = {"a", "elbow_a", "b", "elbow_b"};
  const double soft[] = {0.0711896573527471, 1.4155555523736525, 1.400458419279621, -2.070813953912202};
  const double stiff[] = {0.07118966008658031, 1.4155555525348906, 1.400458416260974, -2.070813955857494};
  std::string text = "lithe = 1\ngravity = [2, 0, -9.81]\n[robot]\nfile = \"five_bar.xml\"\n";
  for (const std::string& joint : joints)
    text += cat("[[sensors]]\nname = \"", joint, "\"\nquantity = \"joint_value\"\njoint = \"", joint, "\"\n");
  const Model model = read_model_text(text, LITHE_TESTS_DIR "/robots/model.toml");
  for (const char* formulation : all_formulations) {
    const Trajectory motion = run(model, {.formulation = formulation}, 0.3, {.tolerance = 1e-9, .samples = 3});
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const double limit = stiff[k] + (stiff[k] - soft[k]) / 3;
      EXPECT_NEAR(motion.column(joints[k])->values.back(), limit, 1e-9) << formulation << ", " << joints[k];
      EXPECT_NEAR(motion.column(joints[k])->values.back(), stiff[k], 2 * std::abs(limit - stiff[k]) + 1e-9);
    }
  }
}

}  // namespace
}  // namespace lithe
