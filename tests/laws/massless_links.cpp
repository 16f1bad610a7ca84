// Links without mass, or without moment of inertia, between others that have it: the mechanism's mass decides. And what
// joints of every type carry, against Newton's and Euler's equations of the body beyond them.
#include "lithe/base/text.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

const FormulationChoice floating{.formulation = "floating-frame"};

// A bar hangs on a rod of length 0.3 that has no mass; its centre is 0.5 from the hinge.
Model bar_on_a_rod(double rod_mass) {
  FlexibleBuilder b;
  const int upper = b.link("upper"), lower = b.link("lower");
  b.model().links[upper].rigid_inertia = {rod_mass, {0.15, 0, 0}, Matrix3::Zero()};
  b.model().links[lower].rigid_inertia = {2.0, {0.5, 0, 0}, Vector3(1e-3, 0.1, 0.1).asDiagonal()};
  b.hinge("top", JointType::revolute, -1, {0, 0, 0}, upper, {0, 0, 0}, Vector3::UnitY(), {0.4}, {1.0});
  b.hinge("middle", JointType::revolute, upper, {0.3, 0, 0}, lower, {0, 0, 0}, Vector3::UnitY(), {0.9}, {-2.0});
  return b.model();
}

// Lagrange, with both angles p and q from the horizontal and k the bar's radius of gyration; its mass drops out:
//   a p̈ + b cos(p - q) q̈ = g cos p - b sin(p - q) q̇²,   a cos(p - q) p̈ + (b + k²/b) q̈ = g cos q + a sin(p - q) ṗ²
TEST(MasslessLinks, ABarOnARodFallsAsLagrangesEquations) {
  constexpr double a = 0.3, b = 0.5, k2 = 0.05, g = 9.81, p = 0.4, q = 0.4 + 0.9, p_rate = 1.0, q_rate = -1.0;
  const double c = std::cos(p - q), s = std::sin(p - q);
  const Eigen::Vector2d rhs(g * std::cos(p) - b * s * q_rate * q_rate, g * std::cos(q) + a * s * p_rate * p_rate);
  const Eigen::Matrix2d mass = (Eigen::Matrix2d() << a, b * c, a * c, b + k2 / b).finished();
  const Eigen::Vector2d exact = mass.inverse() * rhs;
  for (const char* formulation : {"erls-cms", "floating-frame"}) {
    Formulated system(bar_on_a_rod(0), {.formulation = formulation});
    system.evaluate();
    EXPECT_NEAR(system.joint(0).acceleration, exact[0], 1e-9 * std::abs(exact[0])) << formulation;
    EXPECT_NEAR(system.joint(1).acceleration, exact[1] - exact[0], 1e-9 * exact.norm()) << formulation;
  }
}

// A rod without mass is under tension along itself alone: what its two joints carry lies on the line between them.
TEST(MasslessLinks, CarryForcesAlongTheirLine) {
  Formulated system(bar_on_a_rod(0), floating);
  system.evaluate();
  Vector3 force, torque;
  ASSERT_TRUE(system.equations->reaction(system.state, system.inputs, system.accelerations, 0, force, torque,
                                         *system.workspace));
  const Vector3 line(std::cos(0.4), 0, -std::sin(0.4));
  EXPECT_GT(std::abs(force.dot(line)), 1);
  EXPECT_LT(force.cross(line).norm(), 1e-8 * force.norm());
}

TEST(MasslessLinks, MoveAsInErlsCmsUnderEveryIntegrator) {
  Model model = flexible_four_bar(7e10, true);
  const int last = static_cast<int>(model.links.size()) - 1;
  Link& rocker = model.links[last];
  rocker.rigid = true;
  rocker.segments.clear();
  rocker.rigid_inertia = {};
  model = with_tips(model);
  const Trajectory erls = run(model, {}, 0.01, {.tolerance = 1e-8, .samples = 5});
  const Trajectory exact = run(model, floating, 0.01, {.tolerance = 1e-8, .samples = 5});
  EXPECT_LT(largest_difference(erls, exact), 1e-7);
  EXPECT_LT(std::abs(exact.energy.imbalance()), 1e-7 * exact.energy.largest_kinetic);
  for (const char* integrator : {"exponential", "generalised_alpha"})
    EXPECT_LT(largest_difference(
                  exact, run(model, floating, 0.01, {.integrator = integrator, .tolerance = 1e-5, .samples = 5})),
              1e-6)
        << integrator;
}

// The lighter the link, the less it matters: no jump where it counts as having no mass.
TEST(MasslessLinks, AreTheLimitOfLightOnes) {
  const Trajectory none = run(with_tips(bar_on_a_rod(0)), floating, 0.5);
  double last = 1;
  for (const double mass : {1e-3, 1e-6, 1e-9, 1e-12}) {
    const double apart = largest_difference(none, run(with_tips(bar_on_a_rod(mass)), floating, 0.5));
    EXPECT_LT(apart, mass + 1e-7) << mass;
    EXPECT_LE(apart, last + 1e-7) << mass;
    last = apart;
  }
}

TEST(MasslessLinks, AMotionWithoutInertiaIsReportedInEveryFormulation) {
  FlexibleBuilder b;
  const int arm = b.link("arm");
  b.model().links[arm].rigid_inertia = {0.5, {0, 0, 0.3}, Matrix3::Zero()};  // a point on the axis
  b.hinge("joint", JointType::revolute, -1, {0, 0, 0}, arm, {0, 0, 0}, Vector3::UnitZ(), {0.1});
  b.model().gravity = {0, -9.81, 0};
  b.model().drives.push_back({"torque", {}, 0, 0, false, SignalConstant{1}});
  for (const char* formulation : {"erls-cms", "floating-frame"}) {
    Formulated system(b.model(), {.formulation = formulation});
    EXPECT_EQ(system.equations->evaluate(system.state, system.inputs, *system.workspace, system.accelerations),
              EvaluationStatus::singular_mass)
        << formulation;
  }
}

// A rigid body that moves on a joint of any type: force and moment of the joint are what Newton and Euler ask for, and
// nothing along the freedoms.
TEST(JointReactions, OfEveryTypeAreNewtonsAndEulers) {
  const struct {
    JointType type;
    std::vector<double> values, speeds;
  } cases[] = {{JointType::fixed, {}, {}},
               {JointType::revolute, {0.4}, {3.0}},
               {JointType::prismatic, {0.1}, {2.0}},
               {JointType::cylindrical, {0.3, 0.2}, {2.0, -1.0}},
               {JointType::universal, {0.3, 0.5}, {2.0, -3.0}},
               {JointType::spherical, {0.3, 0.5, -0.2}, {2.0, -3.0, 1.0}},
               {JointType::planar, {0.1, 0.2, 0.5}, {1.0, -2.0, 3.0}},
               {JointType::free, {0.1, 0.2, 0.3, 0.3, 0.5, -0.2}, {1, -2, 3, 2.0, -3.0, 1.0}}};
  const Vector3 centre(0.2, -0.1, 0.15), axis = Vector3(0.2, 0.5, 1).normalized();
  const Matrix3 inertia = (Matrix3() << 0.3, 0.02, -0.05, 0.02, 0.25, 0.03, -0.05, 0.03, 0.4).finished();
  constexpr double mass = 3;
  for (const auto& [type, values, speeds] : cases)
    for (const char* formulation : {"erls-cms", "floating-frame"}) {
      FlexibleBuilder b;
      const int body = b.link("body");
      b.model().links[body].rigid_inertia = {mass, centre, inertia};
      b.hinge("joint", type, -1, {0.3, 0.1, 0}, body, {0.05, 0.02, 0.1}, axis, values, speeds);
      Formulated system(b.model(), {.formulation = formulation});
      system.evaluate();
      const std::string where = cat(formulation, ", joint type ", static_cast<int>(type));
      const NodeMotion node = system.node(0, 0);
      const Vector3 arm = node.orientation * (centre - Vector3(0.05, 0.02, 0.1)), w = node.angular_velocity;
      const Vector3 fall =
          node.acceleration + node.angular_acceleration.cross(arm) + w.cross(w.cross(arm)) + 9.81 * Vector3::UnitZ();
      const Matrix3 J = node.orientation * inertia * node.orientation.transpose();
      Vector3 force, torque;
      ASSERT_TRUE(system.equations->reaction(system.state, system.inputs, system.accelerations, 0, force, torque,
                                             *system.workspace));
      EXPECT_LT((force - mass * fall).norm(), 1e-10 * mass * 9.81) << where;
      // About the node; the joint's own point is the node's.
      const Vector3 moment = J * node.angular_acceleration + w.cross(J * w) + arm.cross(mass * fall);
      EXPECT_LT((torque - moment).norm(), 1e-10 * mass * 9.81) << where;
      const double along = type == JointType::free        ? force.norm() + torque.norm()
                           : type == JointType::spherical ? torque.norm()
                           : type == JointType::revolute  ? torque.dot(axis)
                           : type == JointType::prismatic ? force.dot(axis)
                                                          : 0.0;
      EXPECT_NEAR(along, 0, 1e-9) << where;
    }
}

}  // namespace
}  // namespace lithe
