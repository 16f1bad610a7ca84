// Elastic gearboxes against the flexible-joint model of M. W. Spong (Journal of Dynamic Systems, Measurement, and
// Control 109 (1987) 310-319), whose equations for a planar arm with two joints are written here.
#include <Eigen/Dense>
#include <random>

#include "lithe/analyse/analyses.h"
#include "lithe/base/text.h"
#include "lithe/read/read_model.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

constexpr double m1 = 4, m2 = 2.5, l1 = 0.5, c1 = 0.22, c2 = 0.2, I1 = 0.1, I2 = 0.05, g = 9.81;
constexpr double J1 = 100 * 100 * 3e-5, J2 = 80 * 80 * 1e-5, k1 = 12000, k2 = 7000, d1 = 3, d2 = 2;

Model arm() {
  return read_model_text(
      cat("lithe = 1\ngravity = [0, -9.81, 0]\n"
          "[[links]]\nname = \"upper\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0], b = [0.5, 0, 0]}\nmass = 4\n"
          "centre = [0.22, 0, 0]\ninertia = [0.1, 0.1, 0.1]\n"
          "[[links]]\nname = \"lower\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0]}\nmass = 2.5\ncentre = [0.2, 0, 0]\n"
          "inertia = [0.05, 0.05, 0.05]\n"
          "[[joints]]\nname = \"one\"\nchild = \"upper\"\nchild_node = \"a\"\n"
          "[[joints]]\nname = \"two\"\nparent = \"upper\"\nparent_node = \"b\"\nchild = \"lower\"\nchild_node = \"a\"\n"
          "[[motors]]\njoint = \"one\"\nrotor_inertia = \"0.3 kg cm^2\"\nratio = 100\nstiffness = 12000\ndamping = 3\n"
          "[[motors]]\njoint = \"two\"\nrotor_inertia = 1e-5\nratio = 80\nstiffness = 7000\ndamping = 2\n"),
      "arm.toml");
}

// Spong (5): M(q) q̈ + C q̇ + g = k (θ - q) + d (θ̇ - q̇),  J θ̈ + k (θ - q) + d (θ̇ - q̇) = u.
TEST(DriveTrain, AcceleratesAsTheFlexibleJointModelInEveryFormulation) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 5; ++trial) {
    const Eigen::Vector2d theta(2 * uniform(random), 2 * uniform(random)), theta_rate(uniform(random), uniform(random));
    const Eigen::Vector2d twist(0.02 * uniform(random), 0.02 * uniform(random)),
        twist_rate(uniform(random), uniform(random));
    const Eigen::Vector2d u(50 * uniform(random), 20 * uniform(random));
    const Eigen::Vector2d q = theta + twist, q_rate = theta_rate + twist_rate;
    const Eigen::Vector2d spring(k1 * twist[0] + d1 * twist_rate[0], k2 * twist[1] + d2 * twist_rate[1]);
    const double c = std::cos(q[1]), s = std::sin(q[1]), a = m2 * l1 * c2;
    Eigen::Matrix2d M;
    M << I1 + I2 + m1 * c1 * c1 + m2 * (l1 * l1 + c2 * c2) + 2 * a * c, I2 + m2 * c2 * c2 + a * c,
        I2 + m2 * c2 * c2 + a * c, I2 + m2 * c2 * c2;
    const Eigen::Vector2d coriolis(-a * s * (2 * q_rate[0] * q_rate[1] + q_rate[1] * q_rate[1]),
                                   a * s * q_rate[0] * q_rate[0]);
    const double lower = m2 * g * c2 * std::cos(q[0] + q[1]);
    const Eigen::Vector2d weight((m1 * c1 + m2 * l1) * g * std::cos(q[0]) + lower, lower);
    const Eigen::Vector2d q_acceleration = M.inverse() * (-spring - coriolis - weight);
    const Eigen::Vector2d motor((u[0] + spring[0]) / J1, (u[1] + spring[1]) / J2);
    Model model = arm();
    ASSERT_EQ(model.joints.size(), 4u);
    ASSERT_EQ(model.joints[2].name, "one gear");
    for (int j = 0; j < 2; ++j) {
      model.joints[static_cast<std::size_t>(j)].initial_value = {theta[j]};
      model.joints[static_cast<std::size_t>(j)].initial_speed = {theta_rate[j]};
      model.joints[static_cast<std::size_t>(j + 2)].initial_value = {twist[j]};
      model.joints[static_cast<std::size_t>(j + 2)].initial_speed = {twist_rate[j]};
    }
    for (const char* formulation : {"erls-cms", "erls-fem", "floating-frame", "corotational", "transfer-functions"}) {
      Formulated system(model, {.formulation = formulation});
      system.inputs.joint_forces[0] = {u[0]};
      system.inputs.joint_forces[1] = {u[1]};
      system.evaluate();
      for (int j = 0; j < 2; ++j) {
        const double scale = std::max(motor.cwiseAbs().maxCoeff(), q_acceleration.cwiseAbs().maxCoeff());
        EXPECT_NEAR(system.joint(j).acceleration, motor[j], 1e-9 * scale) << formulation << " motor " << j;
        EXPECT_NEAR(system.joint(j).acceleration + system.joint(j + 2).acceleration, q_acceleration[j], 1e-9 * scale)
            << formulation << " link " << j;
      }
    }
  }
}

// Rotors that carry gearboxes have no mass of their own. Beside links of kilograms that costs digits in formulations
// with absolute coordinates, until they find no accelerations.
TEST(DriveTrain, SevenElasticGearboxesInSeriesMoveInFloatingFrames) {
  const Model model = read_model(LITHE_MODELS_DIR "/light_arm_7.toml");
  SimulateSpec spec;
  spec.end_time = 0.016;
  spec.tolerance = 1e-5;
  const SimulatedMotion expected = simulate(model, spec);
  spec.formulation.formulation = "floating-frame";
  const SimulatedMotion found = simulate(model, spec);
  ASSERT_EQ(found.end, RunEnd::finished) << found.message;
  for (const char* name : {"tool.x", "tool.y", "tool.z"})
    EXPECT_NEAR(found.column(name)->values.back(), expected.column(name)->values.back(), 2e-6) << name;
}

TEST(DriveTrain, ARigidGearboxAddsTheReflectedInertia) {
  const Model model = read_model_text(
      "lithe = 1\n[[links]]\nname = \"slide\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0]}\nmass = 5\n"
      "[[joints]]\nname = \"screw\"\ntype = \"prismatic\"\nchild = \"slide\"\nchild_node = \"a\"\n"
      "[[motors]]\njoint = \"screw\"\nrotor_inertia = 1e-4\nratio = \"0.1 rev/mm\"\nfriction = 12\n",
      "slide.toml");
  const double ratio = 0.1 * 2 * 3.14159265358979323846 * 1000;  // rad/m
  EXPECT_NEAR(model.joints[0].inertia[0], ratio * ratio * 1e-4, 1e-10);
  EXPECT_EQ(model.joints[0].friction[0], 12);
  EXPECT_EQ(model.joints.size(), 1u);
}

TEST(DriveTrain, ErrorsNameTheKey) {
  const auto error_of = [](const std::string& motors) {
    try {
      read_model_text(
          "lithe = 1\n[[links]]\nname = \"l\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0]}\nmass = 1\n"
          "inertia = [1, 1, 1]\n[[joints]]\nname = \"j\"\nchild = \"l\"\nchild_node = \"a\"\n" +
              motors,
          "m.toml");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error_of("[[motors]]\njoint = \"k\"\n"), "m.toml:13:9: error: motor 1: unknown joint \"k\"; known are 'j'");
  EXPECT_EQ(error_of("[[motors]]\njoint = \"j\"\nstiffness = 100\n"),
            "m.toml:14:13: error: motor 1: an elastic gearbox needs 'rotor_inertia': without it nothing turns on its "
            "motor side");
  EXPECT_EQ(error_of("[[motors]]\njoint = \"j\"\nrotor_inertia = 1\n[[motors]]\njoint = \"j\"\n"),
            "m.toml:16:9: error: motor 2: the joint has a motor already");
}

}  // namespace
}  // namespace lithe
