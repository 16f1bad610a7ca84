// Moves of an arm of two links in the plane, whose kinematics and dynamics are written here.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/model/control_setup.h"
#include "lithe/plan/rigid_torques.h"
#include "lithe/plan/time_optimal.h"
#include "lithe/read/partial_model.h"
#include "unit/plan/two_link_arm.h"

namespace lithe {
namespace {

constexpr double l1 = 0.4, l2 = 0.3, m1 = 3, m2 = 2, c1 = 0.2, c2 = 0.1, i1 = 0.05, i2 = 0.02, g = 9.81;

const std::string arm = cat(two_link_arm, "limits = [-2.5, 2.5]\n");

PartialModel read(const std::string& moves) { return read_text_partly(arm + moves, "arm.toml"); }

std::string message(const std::string& moves) {
  const PartialModel model = read(moves);
  return model.errors.empty() ? "" : model.errors[0].message;
}

SignalValue at(const PartialModel& model, std::size_t joint, double time) {
  return evaluate(model.model.drives.at(joint).signal, time);
}

Eigen::Vector2d tool(double q1, double q2) {
  return {l1 * std::cos(q1) + l2 * std::cos(q1 + q2), l1 * std::sin(q1) + l2 * std::sin(q1 + q2)};
}

struct Dynamics {
  Eigen::Matrix2d mass;
  Eigen::Vector2d bias, gravity;
};
Dynamics dynamics(const Eigen::Vector2d& q, const Eigen::Vector2d& v) {
  const double c = std::cos(q[1]), s = std::sin(q[1]);
  const double a = i1 + i2 + m1 * c1 * c1 + m2 * (l1 * l1 + c2 * c2), b = m2 * l1 * c2, d = i2 + m2 * c2 * c2;
  Dynamics result;
  result.mass << a + 2 * b * c, d + b * c, d + b * c, d;
  result.bias << -b * s * (2 * v[0] * v[1] + v[1] * v[1]), b * s * v[0] * v[0];
  const double outer = m2 * c2 * g * std::cos(q[0] + q[1]);
  result.gravity << (m1 * c1 + m2 * l1) * g * std::cos(q[0]) + outer, outer;
  return result;
}

TEST(Moves, OfJointsArriveTogetherAtTheSlowestJointsLimits) {
  const PartialModel model = read(R"(
[[moves]]
joints = ["j1", "j2"]
waypoints = [{joints = [1.3, 0.6]}]
joint_speed = [2, 0.4]
joint_acceleration = [10, 10]
joint_jerk = [200, 100]
)");
  ASSERT_TRUE(model.errors.empty()) << model.errors[0].text();
  // Along the line both joints share s from 0 to 1: s' <= min(2/1, 0.4/0.5), s'' <= min(10, 20), s''' <= min(200, 200).
  const double speed = 0.8, acceleration = 10, jerk = 200;
  const double ramp = speed < acceleration * acceleration / jerk ? 2 * std::sqrt(speed / jerk)
                                                                 : speed / acceleration + acceleration / jerk;
  EXPECT_NEAR(model.moves[0].end_time, 1 / speed + ramp, 1e-12);
  EXPECT_EQ(model.moves[0].limited_by, "the speed of joint 'j2'");
  const double end = model.moves[0].end_time;
  EXPECT_NEAR(at(model, 0, end).value, 1.3, 1e-14);
  EXPECT_NEAR(at(model, 1, end / 2).value, 0.85, 1e-13);
  EXPECT_NEAR(at(model, 1, end / 2).rate, -0.4, 1e-12);
}

TEST(Moves, WithADurationTooShortSayTheShortest) {
  const std::string text = message(R"(
[[moves]]
name = "dash"
joints = ["j1"]
waypoints = [{joints = [1.3]}]
profile = "minimum_jerk"
duration = 0.5
joint_speed = 2
)");
  // The peak speed of degree five is 1.875 / 0.5 = 3.75.
  EXPECT_EQ(text,
            "move 'dash' is too fast for the speed of joint 'j1': 3.75 of 2 rad/s allowed; its shortest duration is "
            "0.9375 s");
}

TEST(Moves, ThroughASplineHitTheirPointsAndKeepTheirAccelerationContinuous) {
  const PartialModel model = read(R"(
[[moves]]
joints = ["j1", "j2"]
waypoints = [{joints = [0.8, 0.6]}, {joints = [1.1, 1.4]}, {joints = [0.2, 0.9]}]
profile = "spline"
duration = 2
)");
  ASSERT_TRUE(model.errors.empty()) << model.errors[0].text();
  // Knots as the largest change of a joint: 0.5, 0.8 and 0.9 of 2.2.
  const double knots[] = {0, 0.5 / 2.2 * 2, 1.3 / 2.2 * 2, 2};
  const double q1[] = {0.3, 0.8, 1.1, 0.2}, q2[] = {1.1, 0.6, 1.4, 0.9};
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(at(model, 0, knots[k]).value, q1[k], 1e-13);
    EXPECT_NEAR(at(model, 1, knots[k]).value, q2[k], 1e-13);
  }
  for (const double t : {knots[1], knots[2]})
    for (std::size_t j = 0; j < 2; ++j) {
      const SignalValue before = at(model, j, t - 1e-9), after = at(model, j, t + 1e-9);
      EXPECT_NEAR(before.rate, after.rate, 1e-7);
      EXPECT_NEAR(before.acceleration, after.acceleration, 1e-6);
    }
  EXPECT_NEAR(at(model, 0, 0).rate, 0, 1e-13);
  EXPECT_NEAR(at(model, 0, 2 - 1e-9).rate, 0, 1e-7);
}

TEST(Moves, KeepTheToolOnItsLineAndOnItsBranch) {
  const PartialModel model = read(R"(
[[moves]]
link = "fore"
node = "tool"
waypoints = [{position = [0.1, 0.5, 0]}, {position = [0.3, 0.5, 0], blend = 0.05}, {position = [0.3, 0.3, 0]}]
speed = 0.5
acceleration = 5
jerk = 100
)");
  ASSERT_TRUE(model.errors.empty()) << model.errors[0].text();
  const Eigen::Vector2d start = tool(0.3, 1.1), first(0.1, 0.5);
  const double leg = (first - start).norm() / 0.5 + 0.5 / 5 + 5.0 / 100;  // at full speed in between
  const Eigen::Vector2d along = (first - start).normalized();
  for (double t = 0; t <= model.moves[0].end_time; t += 0.003) {
    const Eigen::Vector2d p = tool(at(model, 0, t).value, at(model, 1, t).value);
    EXPECT_GT(at(model, 1, t).value, 0) << "the elbow stays on its side";
    if (t <= leg) {
      EXPECT_LT(std::abs(along.x() * (p - start).y() - along.y() * (p - start).x()), 1e-8);
    }
    const double h = 1e-5;
    const double speed = (tool(at(model, 0, t + h).value, at(model, 1, t + h).value) -
                          tool(at(model, 0, t - h).value, at(model, 1, t - h).value))
                             .norm() /
                         (2 * h);
    EXPECT_LT(speed, 0.5 + 1e-6);
    // Rates are the derivatives of values, accelerations those of rates.
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR((at(model, j, t + h).value - at(model, j, t - h).value) / (2 * h), at(model, j, t).rate, 1e-3);
    }
  }
  EXPECT_NEAR((tool(at(model, 0, leg).value, at(model, 1, leg).value) - first).norm(), 0, 1e-8);
  const double end = model.moves[0].end_time;
  EXPECT_NEAR((tool(at(model, 0, end).value, at(model, 1, end).value) - Eigen::Vector2d(0.3, 0.3)).norm(), 0, 1e-9);
}

TEST(Moves, NameThePlaceAndTheTimeWhereTheToolCannotGoOn) {
  const std::string text = message(R"(
[[moves]]
name = "reach out"
link = "fore"
node = "tool"
waypoints = [{position = [0.6, 0.6, 0]}]
profile = "trapezoid"
speed = 0.5
acceleration = 5
)");
  EXPECT_NE(text.find("move 'reach out', waypoint 1: the tool does not get beyond ["), text.npos) << text;
  EXPECT_NE(text.find(" m along its way there, at "), text.npos) << text;
}

TEST(Moves, StayWithinTheLimitsOfJoints) {
  const std::string text = message(R"(
[[moves]]
joints = ["j2"]
waypoints = [{joints = ["170 deg"]}]
duration = 1
)");
  EXPECT_NE(text.find("joint 'j2' leaves its limits of -2.5 to 2.5 rad at"), text.npos) << text;
}

TEST(RigidTorques, AreThoseOfTheArmsEquations) {
  const PartialModel model = read("");
  const Mechanism mechanism(model.model);
  const RigidTorques torques(model.model, mechanism, {});
  const Eigen::Vector2d q(0.4, 1.2), v(1.3, -0.7), a(2.1, 3.4);
  const Dynamics own = dynamics(q, v);
  const VectorX found = torques.inverse_dynamics(q, v, a, model.model.gravity);
  EXPECT_LT((found - (own.mass * a + own.bias + own.gravity)).norm(), 1e-13 * found.norm());
}

// The time of the fastest way along q(s) = q0 + s Δ, by brute force: from rest with the largest acceleration forwards,
// to rest with the largest braking backwards, in small steps of s of the equations above; the slower of both holds.
double brute_force(const Eigen::Vector2d& q0, const Eigen::Vector2d& delta, const Eigen::Vector2d& limit) {
  constexpr int n = 200000;
  const auto span = [&](double s, double x) {
    const Dynamics d = dynamics(q0 + s * delta, delta);
    const Eigen::Vector2d inertia = d.mass * delta, rest = x * d.bias + d.gravity;
    std::array<double, 2> range{-1e300, 1e300};
    for (int k = 0; k < 2; ++k) {
      const double low = (-limit[k] - rest[k]) / inertia[k], high = (limit[k] - rest[k]) / inertia[k];
      range[0] = std::max(range[0], std::min(low, high));
      range[1] = std::min(range[1], std::max(low, high));
    }
    return range;
  };
  std::vector<double> forwards(n + 1, 0.0), backwards(n + 1, 0.0);
  for (int i = 0; i < n; ++i)
    forwards[i + 1] =
        forwards[i] + 2.0 / n * span((i + 0.5) / n, forwards[i] + span(double(i) / n, forwards[i])[1] / n)[1];
  for (int i = n; i > 0; --i)
    backwards[i - 1] =
        backwards[i] - 2.0 / n * span((i - 0.5) / n, backwards[i] - span(double(i) / n, backwards[i])[0] / n)[0];
  double time = 0;
  for (int i = 0; i < n; ++i)
    time += 2.0 / n /
            (std::sqrt(std::min(forwards[i], backwards[i])) + std::sqrt(std::min(forwards[i + 1], backwards[i + 1])));
  return time;
}

TEST(TimeOptimal, TakesTheTimeThatABruteForceSearchFinds) {
  const PartialModel model = read(R"(
[[moves]]
joints = ["j1", "j2"]
waypoints = [{joints = [0.9, 0.6]}]
profile = "time_optimal"
joint_torque = [40, 15]
)");
  ASSERT_TRUE(model.errors.empty()) << model.errors[0].text();
  const Eigen::Vector2d q0(0.3, 1.1), delta(0.6, -0.5), limit(40, 15);
  // The switch from driving to braking falls somewhere into one of 1000 intervals, an error of second order of it.
  EXPECT_NEAR(model.moves[0].end_time, brute_force(q0, delta, limit), 1e-4 * model.moves[0].end_time);
  double most = 0;
  for (double t = 0; t < model.moves[0].end_time; t += 1e-3) {
    const SignalValue a = at(model, 0, t), b = at(model, 1, t);
    const Dynamics d = dynamics({a.value, b.value}, {a.rate, b.rate});
    const Eigen::Vector2d torque = d.mass * Eigen::Vector2d(a.acceleration, b.acceleration) + d.bias + d.gravity;
    const double part = torque.cwiseAbs().cwiseQuotient(limit).maxCoeff();
    most = std::max(most, part);
    EXPECT_GT(part, 0.95) << "one motor is always at its limit, at " << t;
  }
  EXPECT_LT(most, 1.005);
}

TEST(TimeOptimal, WithAccelerationAloneIsTheBangBangMove) {
  JointPath path = straight_path(VectorX::Zero(1), VectorX::Constant(1, 2.0));
  const PathLimits limits{{0}, {{std::numeric_limits<double>::infinity(), 5}}, {}, {}};
  const FastestLaw fastest = time_optimal(path, limits, nullptr, 400);
  EXPECT_TRUE(fastest.failure.empty());
  EXPECT_NEAR(fastest.law.duration(), 2 * std::sqrt(2.0 / 5), 1e-10);
  const PathLimits slow{{0}, {{0.8, 5}}, {}, {}};
  // The switch to constant speed falls between two points of the grid.
  EXPECT_NEAR(time_optimal(path, slow, nullptr, 400).law.duration(), 2 / 0.8 + 0.8 / 5, 1e-4);
}

// A rotor of inertia J on a motor with the line τ = τ₀ (1 - ω/ω₀) and no other limit, driving alone: ω follows
// ω₀ (1 - exp(-t τ₀ / (J ω₀))), and the braking is at the peak torque.
TEST(TimeOptimal, KeepsTheTorqueSpeedLineOfTheMotor) {
  const PartialModel model = read_text_partly(R"(
lithe = 1
[[links]]
name = "wheel"
type = "rigid"
nodes = {in = [0, 0, 0]}
mass = 1
inertia = [0.2, 0.2, 0.2]
[[joints]]
name = "axle"
child = "wheel"
child_node = "in"
[[motors]]
joint = "axle"
ratio = 10
rotor_inertia = 0.003
max_torque = 2
stall_torque = 1.5
no_load_speed = 60
[[moves]]
joints = ["axle"]
waypoints = [{joints = [4]}]
profile = "time_optimal"
)",
                                              "wheel.toml");
  ASSERT_TRUE(model.errors.empty()) << model.errors[0].text();
  constexpr double J = 0.2 + 0.3, stall = 15, fastest = 6, brake = 20;
  // Drives until t₁, then brakes to rest: x(t₁) + J ω₁²/(2 brake) = 4.
  const double tau = J * fastest / stall;
  const auto speed = [&](double t) { return fastest * (1 - std::exp(-t / tau)); };
  double low = 0, high = 10;
  for (int k = 0; k < 100; ++k) {
    const double t = (low + high) / 2, x = fastest * (t - tau * (1 - std::exp(-t / tau)));
    (x + J * speed(t) * speed(t) / (2 * brake) < 4 ? low : high) = t;
  }
  const double expected = low + J * speed(low) / brake;
  EXPECT_NEAR(model.moves[0].end_time, expected, 2e-3 * expected);
  for (double t = 0; t < model.moves[0].end_time; t += 1e-3) {
    const SignalValue a = at(model, 0, t);
    EXPECT_LT(J * a.acceleration, 1.01 * stall * (1 - a.rate / fastest) + 1e-9) << "at " << t;
    EXPECT_GT(J * a.acceleration, -1.005 * brake) << "at " << t;
  }
}

// The motors of a delta robot, whose arms are in loops, take no part of their way from their gearboxes.
TEST(ToolMoves, ElasticGearboxesInLoopsStayRelaxedInThePlan) {
  std::ifstream stream(LITHE_MODELS_DIR "/delta.toml");
  std::stringstream text;
  text << stream.rdbuf();
  std::string rigid = text.str();
  for (const std::string line : {"stiffness = 12000\n", "damping = 4\n"})
    for (std::size_t at; (at = rigid.find(line)) != rigid.npos;) rigid.erase(at, line.size());
  const PartialModel expected = read_text_partly(rigid, "rigid.toml"),
                     found = read_text_partly(text.str(), "delta.toml");
  ASSERT_TRUE(expected.errors.empty() && found.errors.empty());
  ASSERT_EQ(found.moves.size(), 2u);
  const double end = expected.moves.back().end_time;
  EXPECT_NEAR(found.moves.back().end_time, end, 1e-9);
  for (std::size_t joint = 0; joint < 3; ++joint)
    for (double t = 0; t <= end; t += 0.01)
      EXPECT_NEAR(at(found, joint, t).value, at(expected, joint, t).value, 1e-8) << joint << " at " << t;
}

// Three links in the plane reach a point in many ways; the shortest change of joints turns the second by 1.6 rad.
TEST(ToolMoves, RedundantJointsStayWithinTheirLimits) {
  const auto plan = [](const std::string& limits) {
    std::string text = "lithe = 1\nspace = \"planar\"\n";
    const char* names[] = {"a", "b", "c"};
    const double lengths[] = {0.4, 0.3, 0.2}, values[] = {0.3, 0.8, 0.5};
    for (int k = 0; k < 3; ++k) {
      text +=
          cat("[[links]]\nname = \"", names[k], "\"\ntype = \"rigid\"\nnodes = {in = [0, 0, 0], out = [", lengths[k],
              ", 0, 0]}\nmass = 1\ninertia = [0.01, 0.01, 0.01]\n[[joints]]\nname = \"j", k + 1, "\"\n");
      if (k > 0) text += cat("parent = \"", names[k - 1], "\"\nparent_node = \"out\"\n");
      text += cat("child = \"", names[k], "\"\nchild_node = \"in\"\nvalue = ", values[k], "\n", k == 1 ? limits : "");
    }
    return read_text_partly(text +
                                "[[moves]]\nlink = \"c\"\nnode = \"out\"\nduration = 1\n"
                                "waypoints = [{position = [0.3, 0.3, 0]}]\n",
                            "three.toml");
  };
  const PartialModel free = plan(""), limited = plan("limits = [0.6, 1.2]\n");
  ASSERT_TRUE(free.errors.empty()) << free.errors[0].text();
  ASSERT_TRUE(limited.errors.empty()) << limited.errors[0].text();
  EXPECT_NEAR(at(free, 1, 1).value, 1.613, 1e-3);
  for (double t = 0; t <= 1; t += 0.01) EXPECT_LT(at(limited, 1, t).value, 1.2) << "at " << t;
  const double q1 = at(limited, 0, 1).value, q2 = at(limited, 1, 1).value, q3 = at(limited, 2, 1).value;
  EXPECT_NEAR(tool(q1, q2)[0] + 0.2 * std::cos(q1 + q2 + q3), 0.3, 1e-8);
  EXPECT_NEAR(tool(q1, q2)[1] + 0.2 * std::sin(q1 + q2 + q3), 0.3, 1e-8);
}

// A controller drives the joint; its reference is what the move plans, on the motor's side times the ratio.
TEST(MovesOfControllers, AreTheirReferences) {
  const std::string move =
      "[[motors]]\njoint = \"j1\"\nratio = 50\nrotor_inertia = 1e-4\n"
      "[[moves]]\nname = \"m\"\njoints = [\"j1\", \"j2\"]\nduration = 1\n"
      "waypoints = [{joints = [0.8, 0.4]}]\n";
  const auto controlled = [&](const std::string& sensor, const std::string& reference) {
    return read(move + "[[sensors]]\nname = \"angle\"\n" + sensor +
                "[[references]]\nname = \"r\"\nsensor = \"angle\"\n" + reference +
                "[[controllers]]\nname = \"c\"\ntype = \"pid\"\njoints = [\"j1\"]\nmeasurements = "
                "[\"angle\"]\nreferences = [\"r\"]\nproportional = [100]\n");
  };
  const std::string motor = "quantity = \"joint_value\"\njoint = \"j1\"\nside = \"motor\"\n";
  const PartialModel free = read(move), followed = controlled(motor, "moves = true\n");
  ASSERT_TRUE(followed.errors.empty()) << followed.errors[0].text();
  ASSERT_EQ(followed.model.drives.size(), 1u);  // of the other joint
  EXPECT_EQ(followed.model.drives[0].name, "j2");
  const Signal& reference = followed.model.control->references[0].signal;
  for (double t = 0; t <= 1.1; t += 0.05) {
    const SignalValue found = evaluate(reference, t), expected = at(free, 0, t);
    EXPECT_NEAR(found.value, 50 * expected.value, 1e-10) << "at " << t;
    EXPECT_NEAR(found.rate, 50 * expected.rate, 1e-9) << "at " << t;
    EXPECT_NEAR(found.acceleration, 50 * expected.acceleration, 1e-8) << "at " << t;
  }
  const auto error_of = [](const PartialModel& model) {
    return model.errors.empty() ? std::string() : model.errors[0].message;
  };
  EXPECT_NE(error_of(controlled(motor, "signal = 1\n")).find("'c'; a reference with moves = true follows"),
            std::string::npos);
  EXPECT_NE(error_of(controlled("quantity = \"joint_speed\"\njoint = \"j1\"\n", "moves = true\n"))
                .find("a move plans values of joints; sensor 'angle' reads no such value"),
            std::string::npos);
}

TEST(TimeOptimal, SaysWhichMotorCannotHoldTheArm) {
  const std::string text = message(R"(
[[moves]]
name = "lift"
joints = ["j1", "j2"]
waypoints = [{joints = [0.0, 0.0]}]
profile = "time_optimal"
joint_torque = [10, 15]
)");
  EXPECT_NE(text.find("move 'lift': the torque limit of joint 'j1' cannot hold it at rest"), text.npos) << text;
}

// Two fingers at the tool, one as far open as the other.
TEST(TimeOptimal, CarriesAGripperWhoseFingersAreCoupled) {
  const auto finger = [](const std::string& name, double y) {
    return "[[links]]\nname = \"" + name +
           "\"\ntype = \"rigid\"\nnodes = {in = [0, 0, 0]}\nmass = 0.2\ncentre = [0.05, 0, " + std::to_string(y) +
           "]\n[[joints]]\nname = \"" + name +
           "\"\ntype = \"prismatic\"\naxis = [0, 1, 0]\nparent = \"fore\"\nparent_node = \"tool\"\nchild = \"" + name +
           "\"\nchild_node = \"in\"\nvalue = 0.02\n";
  };
  const std::string fingers = finger("left", 0.01) + finger("right", -0.01);
  const std::string move = R"(
[[moves]]
joints = ["j1", "j2"]
waypoints = [{joints = [0.9, 0.6]}]
profile = "time_optimal"
joint_torque = [40, 15]
)";
  const std::string coupling = "[[couplings]]\njoint = \"right\"\nof = \"left\"\n";
  const PartialModel coupled = read(fingers + coupling + move), single = read(fingers + move);
  ASSERT_TRUE(coupled.errors.empty()) << coupled.errors[0].text();
  ASSERT_TRUE(single.errors.empty()) << single.errors[0].text();
  EXPECT_NEAR(coupled.moves[0].end_time, single.moves[0].end_time, 1e-12);
  EXPECT_NE(message(fingers + "[[couplings]]\njoint = \"j2\"\nof = \"j1\"\noffset = 0.8\n" +
                    "[[moves]]\njoints = [\"j1\"]\nwaypoints = [{joints = [0.9]}]\nprofile = \"time_optimal\"\n"
                    "joint_torque = 40\n")
                .find("limits of torque need joints outside of loops and couplings"),
            std::string::npos);
}

// As a robot's link that bends between nodes of its own: the joint before it leads to a part that is fixed to it.
TEST(ToolMoves, FindTheirJointsThroughPartsThatAreFixedToALink) {
  std::string text = arm;
  text.replace(text.find("child = \"fore\"\nchild_node = \"in\""), 32, "child = \"root\"\nchild_node = \"at\"");
  text += R"(
[[links]]
name = "root"
type = "rigid"
nodes = {at = [0, 0, 0]}
mass = 0.1
[[joints]]
name = "part"
type = "fixed"
parent = "fore"
parent_node = "in"
child = "root"
child_node = "at"
[[moves]]
link = "fore"
node = "tool"
waypoints = [{position = [0.35, 0.4, 0]}]
duration = 1
)";
  const PartialModel model = read_text_partly(text, "arm.toml");
  ASSERT_TRUE(model.errors.empty()) << model.errors[0].text();
  EXPECT_EQ(model.moves[0].joints, (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace lithe
