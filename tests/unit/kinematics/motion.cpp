// Positions, velocities, accelerations against central differences: the error must fall with the square of the step.
#include <gtest/gtest.h>

#include "lithe/kinematics/closure.h"
#include "lithe/kinematics/position.h"
#include "support/loop_motion.h"
#include "support/model_builder.h"

namespace lithe {
namespace {

using testing::ModelBuilder;

// A smooth path β(t) through random values.
struct Path {
  VectorX offset, rate, bend;
  std::vector<Quaternion> references;

  Path(const Mechanism& mechanism, unsigned seed) {
    std::mt19937 random(seed);
    const int n = mechanism.num_coordinates();
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (VectorX* v : {&offset, &rate, &bend}) *v = VectorX::NullaryExpr(n, [&] { return uniform(random); });
    for (int k = 0; k < mechanism.num_charts(); ++k)
      references.emplace_back(testing::rotation(testing::random_vector(random), 1.0));
  }
  Configuration configuration(double t) const { return {offset + t * rate + t * t / 2 * bend, references}; }
  VectorX rates(double t) const { return rate + t * bend; }
};

KinematicState state_at(const Mechanism& mechanism, const Path& path, double t) {
  KinematicState state(mechanism);
  update_position(mechanism, path.configuration(t), state);
  update_velocity(mechanism, path.rates(t), state);
  update_acceleration(mechanism, path.bend, state);
  return state;
}

// Largest difference over all frames between (v, ω, a, α) and central differences of poses and velocities.
double difference_error(const Mechanism& mechanism, const Path& path, double h) {
  const KinematicState now = state_at(mechanism, path, 0), next = state_at(mechanism, path, h),
                       last = state_at(mechanism, path, -h);
  double worst = 0;
  for (int i = 0; i < mechanism.num_frames(); ++i) {
    const WorldMotion m = motion_of_point(now, i, {0.1, 0.2, 0.3}), a = motion_of_point(last, i, {0.1, 0.2, 0.3}),
                      b = motion_of_point(next, i, {0.1, 0.2, 0.3});
    const Matrix3 R_rate = (b.orientation - a.orientation) / (2 * h);
    const auto check = [&](double error) { worst = std::max(worst, error); };
    check(((b.position - a.position) / (2 * h) - m.velocity).norm());
    check((R_rate - skew(m.angular_velocity) * m.orientation).norm());
    check(((b.velocity - a.velocity) / (2 * h) - m.acceleration).norm());
    check(((b.angular_velocity - a.angular_velocity) / (2 * h) - m.angular_acceleration).norm());
  }
  return worst;
}

void expect_second_order(double coarse, double fine) {
  EXPECT_LT(fine, 1e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.1) << coarse << " " << fine;
}

class JointMotion : public ::testing::TestWithParam<std::tuple<JointType, bool>> {};

TEST_P(JointMotion, AgreesWithCentralDifferences) {
  const auto [type, backwards] = GetParam();
  std::mt19937 random(7);
  ModelBuilder b;
  const int base = b.link("base"), link = b.link("link");
  b.joint("first", JointType::spherical, -1, testing::random_pose(random), base, testing::random_pose(random));
  const Pose F = testing::random_pose(random), M = testing::random_pose(random);
  b.joint("second", type, backwards ? link : base, F, backwards ? base : link, M);
  const Mechanism mechanism(b.model());
  const Path path(mechanism, 3);
  expect_second_order(difference_error(mechanism, path, 2e-3), difference_error(mechanism, path, 1e-3));
}

INSTANTIATE_TEST_SUITE_P(AllTypes, JointMotion,
                         ::testing::Combine(::testing::ValuesIn(testing::all_joint_types), ::testing::Bool()));

// The pose of M in F as the comments of Joint say, written out with no help of the mechanism.
Pose joint_motion(JointType type, const std::vector<double>& q, const Matrix3& R_ref) {
  const auto turn = [](const Vector3& axis, double angle) { return Pose{testing::rotation(axis, angle), {0, 0, 0}}; };
  const Vector3 x = Vector3::UnitX(), y = Vector3::UnitY(), z = Vector3::UnitZ();
  const auto ball = [&](int k) {
    return Pose{R_ref, {0, 0, 0}} * turn(x, q[k]) * turn(y, q[k + 1]) * turn(z, q[k + 2]);
  };
  switch (type) {
    case JointType::fixed:
      return {};
    case JointType::revolute:
      return turn(z, q[0]);
    case JointType::prismatic:
      return testing::at(0, 0, q[0]);
    case JointType::cylindrical:
      return testing::at(0, 0, q[0]) * turn(z, q[1]);
    case JointType::universal:
      return turn(z, q[0]) * turn(x, q[1]);
    case JointType::spherical:
      return ball(0);
    case JointType::planar:
      return testing::at(q[0], q[1]) * turn(z, q[2]);
    case JointType::free:
      return testing::at(q[0], q[1], q[2]) * ball(3);
  }
  return {};
}

TEST(JointMotion, KeepsTheMeaningOfCoordinatesInBothDirections) {
  std::mt19937 random(11);
  const std::vector<double> q = {0.3, -0.7, 0.5, 0.9, -0.4, 0.8};
  const Quaternion reference(testing::rotation({1, 2, 3}, 0.8));
  for (JointType type : testing::all_joint_types)
    for (bool backwards : {false, true}) {
      const Pose F = testing::random_pose(random), M = testing::random_pose(random);
      ModelBuilder b;
      const int link = b.link("link");
      b.joint("j", type, backwards ? link : -1, F, backwards ? -1 : link, M);
      const Mechanism mechanism(b.model());
      Configuration configuration = unclosed_configuration(mechanism);
      for (int k = 0; k < mechanism.num_coordinates(); ++k)
        configuration.coordinates[mechanism.coordinate_of(0, k)] = q[k];
      for (Quaternion& r : configuration.references) r = reference;
      KinematicState state(mechanism);
      update_position(mechanism, configuration, state);
      const Pose X_PC = F * joint_motion(type, q, reference.toRotationMatrix()) * M.inverse();
      const Pose expected = backwards ? X_PC.inverse() : X_PC;
      const Pose& found = state.in_world[mechanism.frame_of_link(link)];
      EXPECT_LT((found.rotation - expected.rotation).norm(), 1e-14) << static_cast<int>(type) << backwards;
      EXPECT_LT((found.position - expected.position).norm(), 1e-14) << static_cast<int>(type) << backwards;
    }
}

TEST(RandomTree, Of200LinksAgreesWithCentralDifferences) {
  const Mechanism mechanism(testing::random_tree(200, 5));
  EXPECT_EQ(mechanism.num_coordinates(), 25 * (0 + 1 + 1 + 2 + 2 + 3 + 3 + 6));
  const Path path(mechanism, 9);
  const double fine = difference_error(mechanism, path, 1e-4), coarse = difference_error(mechanism, path, 2e-4);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.1);
}

// A ring of four links around joints of all types; the joint of the type under test is cut.
Model ring(JointType type, bool swap) {
  std::mt19937 random(23);
  ModelBuilder b;
  const int l1 = b.link("l1"), l2 = b.link("l2"), l3 = b.link("l3");
  b.joint("j1", JointType::spherical, -1, testing::random_pose(random), l1, testing::random_pose(random));
  b.joint("j2", JointType::planar, l1, testing::random_pose(random), l2, testing::random_pose(random));
  b.joint("j3", JointType::universal, l3, testing::random_pose(random), -1, testing::random_pose(random));
  const Pose F = testing::random_pose(random), M = testing::random_pose(random);
  b.cut(b.joint("cut", type, swap ? l3 : l2, F, swap ? l2 : l3, M));
  return b.model();
}

class CutJointClosure : public ::testing::TestWithParam<std::tuple<JointType, bool>> {};

TEST_P(CutJointClosure, DerivativesAgreeWithCentralDifferences) {
  const Mechanism mechanism(ring(std::get<0>(GetParam()), std::get<1>(GetParam())));
  const int rows = mechanism.num_closure_rows();
  ASSERT_EQ(rows, 6 - static_cast<int>(freedoms_of(std::get<0>(GetParam())).size()));
  const Path path(mechanism, 31);
  const auto residual = [&](double t) {
    VectorX r(rows);
    closure_residual(mechanism, state_at(mechanism, path, t), r);
    return r;
  };
  const auto jacobian = [&](double t) {
    MatrixX J(rows, mechanism.num_coordinates());
    closure_jacobian(mechanism, state_at(mechanism, path, t), J);
    return J;
  };
  const KinematicState now = state_at(mechanism, path, 0);
  const VectorX rate = testing::closure_rate(mechanism, now),
                acceleration = testing::closure_acceleration(mechanism, now);
  const MatrixX J_rate = testing::closure_jacobian_rate(mechanism, now);
  // The three analytic routes to Ψ̇ and Ψ̈ agree to rounding.
  const MatrixX J = jacobian(0);
  EXPECT_LT((J * path.rates(0) - rate).norm(), 1e-13);
  EXPECT_LT((J * path.bend + J_rate * path.rates(0) - acceleration).norm(), 1e-13);
  if (rows == 0) return;
  double error[2][2];
  for (int k = 0; k < 2; ++k) {
    const double h = k == 0 ? 2e-3 : 1e-3;
    error[0][k] = ((residual(h) - residual(-h)) / (2 * h) - rate).norm();
    error[1][k] = ((jacobian(h) - jacobian(-h)) / (2 * h) - J_rate).norm();
  }
  for (const auto& e : error) expect_second_order(e[0], e[1]);
}

INSTANTIATE_TEST_SUITE_P(AllTypes, CutJointClosure,
                         ::testing::Combine(::testing::ValuesIn(testing::all_joint_types), ::testing::Bool()));

}  // namespace
}  // namespace lithe
