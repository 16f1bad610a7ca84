// Mechanisms of rigid links against closed forms and against Euler's equations, written here.
#include <Eigen/Cholesky>
#include <numbers>

#include "support/flexible_models.h"
#include "support/motion.h"

namespace lithe {
namespace {

using namespace testing;

constexpr double eps = 2.2e-16;

RigidInertia some_inertia() { return {0.7, {0.03, -0.01, -0.4}, Vector3(0.02, 0.03, 0.011).asDiagonal()}; }

// A rigid link that swings about y.
Model pendulum(double angle) {
  ModelBuilder b;
  const int arm = b.link("arm");
  b.model().links[arm].rigid_inertia = {0.7, {0, 0, -0.4}, Vector3(0.02, 0.03, 0.011).asDiagonal()};
  b.joint("pivot", JointType::revolute, -1, {z_along(Vector3::UnitY()), {0.1, 0.2, 0.3}}, arm,
          {z_along(Vector3::UnitY()), {0, 0, 0}});
  b.give(0, {angle});
  b.model().gravity = {0, 0, -9.81};
  return b.model();
}
constexpr double pendulum_inertia = 0.03 + 0.7 * 0.4 * 0.4, pendulum_moment = 0.7 * 9.81 * 0.4;

TEST(RigidLimit, APendulumAcceleratesAsItsClosedForm) {
  Watched system(pendulum(0.3));
  State state = system.equations.initial_state();
  for (double angle : {-2.5, -1.0, 0.0, 0.4, 1.5, 3.0}) {
    state.coordinates(0) = angle;
    state.speeds(0) = 2 * angle + 1;
    ASSERT_EQ(system.evaluate(state), EvaluationStatus::ok);
    EXPECT_NEAR(system.accelerations.values(0), -pendulum_moment / pendulum_inertia * std::sin(angle), 100 * eps * 20);
  }
}

// The period of a large swing is 2π / (ω₀ agm(1, cos(φ/2))).
TEST(RigidLimit, APendulumReturnsAfterThePeriodOfTheEllipticIntegral) {
  const double amplitude = 2.0;
  Watched system(pendulum(amplitude));
  double a = 1, g = std::cos(amplitude / 2);
  for (int i = 0; i < 8; ++i) {
    const double mean = 0.5 * (a + g);
    g = std::sqrt(a * g);
    a = mean;
  }
  const double period = 2 * std::numbers::pi / (std::sqrt(pendulum_moment / pendulum_inertia) * a);
  const State end = move(system, system.equations.initial_state(), period, 1e-3);
  // The method's error is of order 5: (ω h)^5 = 3e-12 per unit of phase.
  EXPECT_NEAR(end.coordinates(0), amplitude, 1e-10);
  EXPECT_NEAR(end.speeds(0), 0, 1e-9);
}

// Two links in the plane x-z about y; relative angles. Lagrange's equations written out with l the length of the first
// link, c the centres' distances from the joints, φ the second centre's direction seen from the first link.
TEST(RigidLimit, ADoublePendulumAcceleratesAsLagrangesEquations) {
  ModelBuilder b;
  const double m1 = 0.7, m2 = 0.4, l = 0.5, c1 = 0.2, c2 = 0.3, I1 = 0.03, I2 = 0.01, g = 9.81;
  const int upper = b.link("upper"), lower = b.link("lower");
  b.model().links[upper].rigid_inertia = {m1, {0, 0, -c1}, Vector3(0.5, I1, 0.5).asDiagonal()};
  b.model().links[lower].rigid_inertia = {m2, {0, 0, -c2}, Vector3(0.5, I2, 0.5).asDiagonal()};
  const Matrix3 y = z_along(Vector3::UnitY());
  b.joint("first", JointType::revolute, -1, {y, {0, 0, 0}}, upper, {y, {0, 0, 0}});
  b.joint("second", JointType::revolute, upper, {y, {0, 0, -l}}, lower, {y, {0, 0, 0}});
  b.model().gravity = {0, 0, -g};
  Watched system(b.model());
  State state = system.equations.initial_state();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-3, 3);
  for (int trial = 0; trial < 20; ++trial) {
    const double b1 = uniform(random), b2 = uniform(random), s1 = uniform(random), s2 = uniform(random);
    state.coordinates << b1, b2;
    state.speeds << s1, s2;
    const double cosine = std::cos(b2), sine = std::sin(b2), k = m2 * l * c2;
    Eigen::Matrix2d M;
    M(0, 0) = I1 + I2 + m1 * c1 * c1 + m2 * (l * l + c2 * c2) + 2 * k * cosine;
    M(0, 1) = M(1, 0) = I2 + m2 * c2 * c2 + k * cosine;
    M(1, 1) = I2 + m2 * c2 * c2;
    Eigen::Vector2d force(k * sine * (2 * s1 * s2 + s2 * s2), -k * sine * s1 * s1);
    force(0) -= g * ((m1 * c1 + m2 * l) * std::sin(b1) + m2 * c2 * std::sin(b1 + b2));
    force(1) -= g * m2 * c2 * std::sin(b1 + b2);
    const Eigen::Vector2d expected = M.ldlt().solve(force);
    ASSERT_EQ(system.evaluate(state), EvaluationStatus::ok);
    EXPECT_LT((system.accelerations.values - expected).norm(), 1000 * eps * (100 + expected.norm()));
  }
}

// Torque-free motion of a rigid body about its centre, by the classical Runge-Kutta method with its own small steps.
struct Spin {
  Matrix3 inertia;  // about the centre of mass, body axes
  Quaternion attitude;
  Vector3 omega;  // body axes

  struct Rate {
    Eigen::Vector4d attitude;
    Vector3 omega;
  };
  Rate rate(const Eigen::Vector4d& q, const Vector3& w) const {
    const Quaternion product = Quaternion(q(3), q(0), q(1), q(2)) * Quaternion(0, w.x(), w.y(), w.z());
    return {0.5 * product.coeffs(), inertia.llt().solve(Vector3((inertia * w).cross(w)))};
  }
  void advance(double h) {
    const Eigen::Vector4d q = attitude.coeffs();
    const Rate k1 = rate(q, omega), k2 = rate(q + 0.5 * h * k1.attitude, omega + 0.5 * h * k1.omega),
               k3 = rate(q + 0.5 * h * k2.attitude, omega + 0.5 * h * k2.omega),
               k4 = rate(q + h * k3.attitude, omega + h * k3.omega);
    attitude.coeffs() = q + h / 6 * (k1.attitude + 2 * k2.attitude + 2 * k3.attitude + k4.attitude);
    attitude.normalize();
    omega += h / 6 * (k1.omega + 2 * k2.omega + 2 * k3.omega + k4.omega);
  }
};

Model spinning(const RigidInertia& inertia) {
  ModelBuilder b;
  const int body = b.link("body");
  b.model().links[body].rigid_inertia = inertia;
  b.joint("free", JointType::free, -1, {}, body, {Matrix3::Identity(), {0.1, 0.05, 0}});
  b.give(0, {0.2, 0.1, -0.3, 0.4, 0.5, -0.6});
  b.model().joints[0].initial_speed = {0.1, -0.2, 0.3, 4.0, 0.3, 0.5};
  return b.model();
}

TEST(RigidLimit, AFreeRigidBodyFollowsEulersEquationsThroughManyTurns) {
  const RigidInertia inertia = some_inertia();
  Watched system(spinning(inertia));
  State state = system.equations.initial_state();
  const NodeMotion start = system.node(state, 0, 0);
  Spin spin{inertia.inertia, Quaternion(start.orientation), start.orientation.transpose() * start.angular_velocity};
  const Vector3 arm = Vector3(0.1, 0.05, 0) - inertia.centre;  // from the centre of mass to the joint's node
  const Vector3 centre = start.position - start.orientation * arm;
  const Vector3 velocity = start.velocity - start.angular_velocity.cross(start.orientation * arm);
  const double end = 10, h = 2e-4;
  for (int i = 0; i < 50000; ++i) spin.advance(h);
  state = move(system, state, end, 1e-3);
  const NodeMotion motion = system.node(state, 0, 0);
  const Matrix3 expected = spin.attitude.toRotationMatrix();
  // Both methods' errors: (4 h)^5 and (4 h')^4 times a phase of 40 rad, amplified by the tumbling.
  EXPECT_LT((motion.orientation - expected).norm(), 1e-8);
  EXPECT_LT((motion.position - (centre + end * velocity + expected * arm)).norm(), 1e-8);
}

// Mass, centre and inertia of the rods of free_frame from geometry alone: no finite element is involved.
struct Rods {
  double mass = 0;
  Vector3 centre = Vector3::Zero();
  Matrix3 second_moment = Matrix3::Zero();  // ∫ρ s sᵀ about the origin
  Matrix3 inertia_about_centre() const {
    const Matrix3 P = second_moment - mass * centre * centre.transpose();
    return P.trace() * Matrix3::Identity() - P;
  }
};

Rods rods_of(const Model& model) {
  Rods rods;
  const Link& link = model.links[0];
  const Section& section = model.sections[0];
  Vector3 moment = Vector3::Zero();
  for (const BeamSegment& segment : link.segments) {
    const Vector3 a = link.nodes[segment.from].position, along = link.nodes[segment.to].position - a;
    const double length = along.norm(), density = model.materials[0].density, mass = density * section.area * length;
    rods.mass += mass;
    moment += mass * (a + 0.5 * along);
    rods.second_moment += mass * (a * a.transpose() + 0.5 * (a * along.transpose() + along * a.transpose()) +
                                  along * along.transpose() / 3);
    // The section's z axis is the link's z, or y for an upright rod.
    const Vector3 x = along / length;
    const Vector3 up = std::abs(x.z()) > 0.999 ? Vector3::UnitY() : Vector3::UnitZ();
    const Vector3 z = (up - x * x.dot(up)).normalized(), y = z.cross(x);
    rods.second_moment +=
        density * length * (section.second_moment_z * y * y.transpose() + section.second_moment_y * z * z.transpose());
  }
  rods.centre = moment / rods.mass;
  return rods;
}

// Pitfall 1 of the formulation notes: a body made of beams, one element each, is a rigid body once its modes are off.
TEST(RigidLimit, AFrameOfBeamsWithoutModesObeysEulersEquations) {
  const Model model = free_frame(7e10, 1, 0);
  Watched system(model);
  const Matrix3 inertia = rods_of(model).inertia_about_centre();
  State state = system.equations.initial_state();
  std::mt19937 random(3);
  for (int trial = 0; trial < 10; ++trial) {
    for (int i = 0; i < 3; ++i) {
      state.coordinates(3 + i) = 0.4 * random_vector(random)(0);
      state.speeds(3 + i) = 4 * random_vector(random)(0);
    }
    const NodeMotion motion = system.node(state, 0, 0);
    const Vector3 omega = motion.orientation.transpose() * motion.angular_velocity;
    const Vector3 expected = inertia.llt().solve(Vector3((inertia * omega).cross(omega)));
    const Vector3 found = motion.orientation.transpose() * motion.angular_acceleration;
    EXPECT_LT((found - expected).norm(), 1e-12 * omega.squaredNorm());
  }
}

TEST(RigidLimit, ASpinningFrameOfBeamsKeepsItsAngularMomentum) {
  const Model model = free_frame(7e10, 1, 0);
  Watched system(model);
  const Rods rods = rods_of(model);
  const Matrix3 inertia = rods.inertia_about_centre();
  const State start = system.equations.initial_state();
  const auto momentum = [&](const State& state) {
    const NodeMotion motion = system.node(state, 0, 0);
    return Vector3(motion.orientation * inertia * motion.orientation.transpose() * motion.angular_velocity);
  };
  const Vector3 before = momentum(start);
  double largest = 0;
  // 20,000 steps, about 12 turns, with recentred charts; the method's own error is (3.7 rad/s h)^5 = 2e-12 per radian.
  move_watched(system, start, 20, 1e-3, [&](const State& state) {
    largest = std::max(largest, (momentum(state) - before).norm() / before.norm());
  });
  EXPECT_LT(largest, 1e-10);
}

}  // namespace
}  // namespace lithe
