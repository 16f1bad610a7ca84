// Feedforward of elastic gearboxes against the flexible-joint model of Spong (1987) in closed form.
#include "lithe/analyse/studies/elastic_feedforward.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/partial_model.h"

namespace lithe {
namespace {

constexpr double m = 3, c = 0.3, inertia = 0.09, k = 4000, J = 100 * 100 * 1e-4, g = 9.81;
constexpr double amplitude = 0.4, hertz = 0.8, viscous = 0.7, coulomb = 0.5;

std::string pendulum(double damping, const std::string& motion) {
  return cat(
      "lithe = 1\ngravity = [0, -9.81, 0]\n[[links]]\nname = \"arm\"\ntype = \"rigid\"\nmass = 3\n"
      "nodes = {root = [0, 0, 0]}\ncentre = [0.3, 0, 0]\ninertia = [0.01, 0.09, 0.09]\n"
      "[[joints]]\nname = \"turn\"\nchild = \"arm\"\nchild_node = \"root\"\ndamping = ",
      viscous,
      "\n[[motors]]\njoint = \"turn\"\nrotor_inertia = 1e-4\nratio = 100\nstiffness = 4000\nfriction = ", coulomb,
      damping > 0 ? cat("\ndamping = ", damping) : "", "\n", motion);
}

std::string sine_motion() {
  return cat("[[drives]]\njoint = \"turn\"\nmotion = {sine = {amplitude = ", amplitude, ", frequency = ", hertz,
             "}}\n");
}

FeedforwardResult feedforward(const std::string& text, const FeedforwardSpec& spec) {
  const PartialModel robot = read_text_partly(text, "pendulum.toml");
  if (!robot.errors.empty()) throw InputError(robot.errors);
  return elastic_feedforward(robot.model, robot.drive_trains, spec);
}

// τ = I q̈ + m g c cos q with its first two derivatives, q = A sin ωt; θ = q + τ/k; u = J θ̈ + τ + b θ̇ + F tanh(θ̇/v).
TEST(ElasticFeedforward, OfASineIsThatOfSpongsEquations) {
  const FeedforwardResult found = feedforward(pendulum(0, sine_motion()), {.end_time = 1.3});
  ASSERT_EQ(found.failure, "");
  ASSERT_EQ(found.joints.size(), 1u);
  const FeedforwardJoint& joint = found.joints[0];
  EXPECT_TRUE(joint.elastic);
  EXPECT_EQ(joint.ratio, 100);
  const double omega = 2 * std::numbers::pi * hertz, whole = inertia + m * c * c, weight = m * g * c;
  for (std::size_t i = 0; i < found.times.size(); ++i) {
    const double t = found.times[i], s = std::sin(omega * t), co = std::cos(omega * t);
    const double q0 = amplitude * s, q1 = amplitude * omega * co, q2 = -omega * omega * q0, q3 = -omega * omega * q1,
                 q4 = -omega * omega * q2;
    const double load = whole * q2 + weight * std::cos(q0);
    const double load1 = whole * q3 - weight * std::sin(q0) * q1;
    const double load2 = whole * q4 - weight * (std::cos(q0) * q1 * q1 + std::sin(q0) * q2);
    const double theta1 = q1 + load1 / k, theta2 = q2 + load2 / k;
    EXPECT_NEAR(joint.gear_torque[i], load, 1e-9) << t;
    EXPECT_NEAR(joint.motor[i], q0 + load / k, 1e-12) << t;
    EXPECT_NEAR(joint.motor_speed[i], theta1, 1e-9) << t;
    const double torque = J * theta2 + load + viscous * theta1 + coulomb * std::tanh(theta1 / 1e-3);
    EXPECT_NEAR(joint.torque[i], torque / 100, 1e-7) << t;
  }
  EXPECT_LT(joint.error, 1e-7);  // simulated with these motor values
  EXPECT_GT(joint.uncorrected, 1e-3);
  EXPECT_TRUE(found.warnings.empty());
}

// With damping, k w + d ẇ = τ: the simulation of the gearbox itself is the reference.
TEST(ElasticFeedforward, WithDampingTheLinkFollowsInASimulation) {
  const FeedforwardResult found = feedforward(pendulum(8, sine_motion()), {.end_time = 1.3});
  ASSERT_EQ(found.failure, "");
  // ε = d/k = 2 ms; what is left is of the order (ε ω)³ = 1e-6 of the windup.
  EXPECT_LT(found.joints[0].error, 2e-3 * found.joints[0].uncorrected);
}

TEST(ElasticFeedforward, AMoveOfContinuousAccelerationLeavesNoVibration) {
  const auto move = [](const std::string& profile) {
    return cat("[[moves]]\njoints = [\"turn\"]\nwaypoints = [{joints = [1]}]\nprofile = \"", profile,
               "\"\nduration = 0.4\n");
  };
  const FeedforwardResult smooth = feedforward(pendulum(2, move("s_curve")), {});
  ASSERT_EQ(smooth.failure, "");
  EXPECT_DOUBLE_EQ(smooth.times.back(), 0.4);
  EXPECT_LT(smooth.joints[0].error, 0.1 * smooth.joints[0].uncorrected);  // without the impulses
  ASSERT_EQ(smooth.warnings.size(), 1u);
  EXPECT_NE(smooth.warnings[0].find("where the jerk jumps"), std::string::npos);
  const FeedforwardResult jumping = feedforward(pendulum(2, move("trapezoid")), {});
  ASSERT_FALSE(jumping.warnings.empty());
  EXPECT_NE(jumping.warnings[0].find("which no motor can do"), std::string::npos) << jumping.warnings[0];
}

TEST(ElasticFeedforward, ErrorsNameWhatIsMissing) {
  const auto error_of = [](const std::string& motion) {
    try {
      return feedforward(pendulum(0, motion), {}).failure;
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(error_of(""), "error: pendulum.toml: elastic feedforward needs a prescribed motion");
  EXPECT_EQ(error_of(sine_motion()), "error: pendulum.toml: no prescribed motion ends; give --end");
}

// Exact for polynomials of the nodes' degree.
TEST(DifferenceWeights, DifferentiatePolynomials) {
  const std::vector<double> nodes = {0, 0.1, 0.25, 0.4, 0.55, 0.7};
  const MatrixX weights = difference_weights(0.33, nodes, 3);
  VectorX sums = VectorX::Zero(4);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    sums += std::pow(nodes[i], 5) * weights.row(static_cast<Eigen::Index>(i)).transpose();
  EXPECT_NEAR(sums[0], std::pow(0.33, 5), 1e-14);
  EXPECT_NEAR(sums[1], 5 * std::pow(0.33, 4), 1e-12);
  EXPECT_NEAR(sums[2], 20 * std::pow(0.33, 3), 1e-11);
  EXPECT_NEAR(sums[3], 60 * 0.33 * 0.33, 1e-9);
}

}  // namespace
}  // namespace lithe
