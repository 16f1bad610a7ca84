// Γ, γ, Γ̇, link Jacobians and their rates, coordinates of cut joints: on closed chains, against central differences.
#include <gtest/gtest.h>

#include <functional>

#include "lithe/kinematics/cut_motion.h"
#include "support/link_jacobians.h"
#include "support/loop_motion.h"
#include "support/model_builder.h"

namespace lithe {
namespace {

using testing::ModelBuilder;

// Pose of a joint's child side in its parent side.
Pose joint_pose(JointType type, const std::vector<double>& values) {
  ModelBuilder b;
  const int link = b.link("link");
  b.guess(b.joint("joint", type, -1, {}, link), values);
  const Mechanism mechanism(b.model());
  KinematicState state(mechanism);
  update_position(mechanism, unclosed_configuration(mechanism), state);
  return state.in_world[mechanism.frame_of_link(link)];
}

// A platform on three legs of different kinds, two loops, some joints written from the far link to the near one. Links
// and joints are placed at random; the joints' frames follow, so that the loops are closed at the initial values.
Model tripod() {
  ModelBuilder b;
  std::mt19937 random(17);
  const int platform = b.link("platform");
  const int lower = b.link("lower"), upper = b.link("upper"), rod = b.link("rod"), arm = b.link("arm");
  std::vector<Pose> links(5);
  for (Pose& X : links) X = testing::random_pose(random);
  const auto connect = [&](const std::string& name, JointType type, int parent, int child) {
    std::vector<double> values(freedoms_of(type).size());
    for (double& value : values) value = testing::random_vector(random, 0.6).x();
    const Pose X_WF = testing::random_pose(random), X_WM = X_WF * joint_pose(type, values);
    const auto in_link = [&](int link, const Pose& X) { return link < 0 ? X : links[link].inverse() * X; };
    b.guess(b.joint(name, type, parent, in_link(parent, X_WF), child, in_link(child, X_WM)), values);
  };
  connect("u1", JointType::universal, -1, lower);
  connect("p1", JointType::prismatic, lower, upper);
  connect("s1", JointType::spherical, upper, platform);
  connect("pl2", JointType::planar, -1, arm);
  connect("r2", JointType::revolute, platform, arm);
  connect("c3", JointType::cylindrical, -1, rod);
  connect("s3", JointType::spherical, rod, platform);
  return b.model();
}

struct Solved {
  Model model;
  Mechanism mechanism;
  Configuration configuration;
  IndependentCoordinates independent;

  explicit Solved(Model m) : model(std::move(m)), mechanism(model), configuration(unclosed_configuration(mechanism)) {
    const ClosureReport report = close_loops(mechanism, configuration);
    EXPECT_TRUE(report.closed()) << report.message;
    independent = choose_independent(mechanism, model, configuration);
  }
};

// Everything at time t of a path θ(t) = θ0 + t derivative + t²/2 bend.
struct Instant {
  KinematicState state;
  VelocityMap map;
  MatrixX map_rate;
  testing::LinkJacobians jacobians;
  VectorX beta, rates, accelerations;
  std::vector<CutMotion> cuts;

  Instant(const Solved& s, double t)
      : state(s.mechanism), map(s.mechanism, s.independent), jacobians(s.mechanism, s.independent) {
    const int n = s.independent.mobility();
    const VectorX jacobian = VectorX::LinSpaced(n, 0.7, -0.4), bend = VectorX::LinSpaced(n, -0.5, 0.9);
    Configuration configuration = s.configuration;
    const VectorX theta =
        testing::get_independent(s.independent, s.configuration.coordinates) + t * jacobian + t * t / 2 * bend;
    testing::set_independent(s.independent, theta, configuration);
    EXPECT_EQ(testing::close_dependent(s.mechanism, s.independent, configuration, state, 1e-14), ClosureStatus::closed);
    beta = configuration.coordinates;
    EXPECT_TRUE(update_map(s.mechanism, s.independent, state, map));
    rates = map.matrix * (jacobian + t * bend);
    update_velocity(s.mechanism, rates, state);
    map_rate = testing::map_rate(s.mechanism, s.independent, state, map.matrix);
    accelerations = map.matrix * bend + testing::map_bias(s.mechanism, s.independent, state);
    update_acceleration(s.mechanism, accelerations, state);
    update_jacobians(s.mechanism, s.independent, state, map.matrix, jacobians);
    update_jacobian_rates(s.mechanism, s.independent, state, map_rate, jacobians);
    for (const CutJoint& cut : s.mechanism.cuts()) cuts.push_back(cut_motion(cut, state));
  }
};

void expect_order_two(const std::string& what, const std::function<double(double)>& error) {
  const double coarse = error(2e-3), fine = error(1e-3);
  EXPECT_LT(fine, 1e-3) << what;
  EXPECT_GT(coarse, 1e-10) << what << ": the check is empty";
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.1) << what;
}

void expect_derivatives(const Solved& s) {
  const Instant now(s, 0);
  const auto rate_error = [&](const auto& value, const auto& rate) {
    return [&, value, rate](double h) {
      const Instant next(s, h), last(s, -h);
      return ((value(next) - value(last)) / (2 * h) - rate(now)).cwiseAbs().maxCoeff();
    };
  };
  expect_order_two("beta",
                   rate_error([](const Instant& i) { return i.beta; }, [](const Instant& i) { return i.rates; }));
  expect_order_two(
      "rates", rate_error([](const Instant& i) { return i.rates; }, [](const Instant& i) { return i.accelerations; }));
  expect_order_two(
      "map", rate_error([](const Instant& i) { return i.map.matrix; }, [](const Instant& i) { return i.map_rate; }));
  for (int f = 0; f < s.mechanism.num_frames(); ++f) {
    if (now.jacobians.rate_of_frame[f].norm() < 1e-12) continue;
    expect_order_two("jacobian", rate_error([f](const Instant& i) { return i.jacobians.of_frame[f]; },
                                            [f](const Instant& i) { return i.jacobians.rate_of_frame[f]; }));
  }
  for (size_t k = 0; k < now.cuts.size(); ++k) {
    const auto value = [k](const Instant& i) { return i.cuts[k].value; };
    const auto rate = [k](const Instant& i) { return i.cuts[k].rate; };
    const auto acceleration = [k](const Instant& i) { return i.cuts[k].acceleration; };
    expect_order_two("cut value", rate_error(value, rate));
    expect_order_two("cut rate", rate_error(rate, acceleration));
  }
}

// (v, ω) = J θ̇ and (a - ω × v, α) = J θ̈ + J̇ θ̇, to rounding.
void expect_identities(const Solved& s) {
  const Instant now(s, 0);
  const int n = s.independent.mobility();
  const VectorX jacobian = VectorX::LinSpaced(n, 0.7, -0.4), bend = VectorX::LinSpaced(n, -0.5, 0.9);
  for (int f = 0; f < s.mechanism.num_frames(); ++f) {
    const Matrix6X &J = now.jacobians.of_frame[f], &J_rate = now.jacobians.rate_of_frame[f];
    const Vector3 &v = now.state.velocity[f], &omega = now.state.angular_velocity[f];
    Vector6 velocity, acceleration;
    velocity << v, omega;
    acceleration << now.state.acceleration[f] - omega.cross(v), now.state.angular_acceleration[f];
    EXPECT_LT((J * jacobian - velocity).norm(), 1e-12);
    EXPECT_LT((J * bend + J_rate * jacobian - acceleration).norm(), 1e-11);
  }
  EXPECT_LT(testing::closure_rate(s.mechanism, now.state).norm(), 1e-11);
  EXPECT_LT(testing::closure_acceleration(s.mechanism, now.state).norm(), 1e-10);
}

TEST(LinkJacobians, OfASpatialPlatformWithTwoLoopsAgreeWithCentralDifferences) {
  const Solved solved(tripod());
  ASSERT_EQ(solved.mechanism.cuts().size(), 2u);
  // Three legs of 6, 4 and 5 freedoms on a body of 6: 15 - 12 = 3.
  ASSERT_EQ(solved.independent.mobility(), 3);
  EXPECT_FALSE(solved.independent.singular);
  expect_derivatives(solved);
  expect_identities(solved);
}

TEST(LinkJacobians, OfAnOverconstrainedFourBarAgreeWithCentralDifferences) {
  for (int cut = 0; cut < 4; ++cut) {
    Model model = testing::four_bar(4, 1.5, 3.5, 2.5, 0.8, cut);
    const Solved solved(model);
    ASSERT_EQ(solved.independent.mobility(), 1);
    expect_derivatives(solved);
    expect_identities(solved);
  }
}

TEST(LinkJacobians, OfATreeNeedNoMap) {
  const Model model = testing::random_tree(24, 8);
  const Solved solved(model);
  EXPECT_TRUE(solved.independent.trivial());
  const Instant now(solved, 0);
  EXPECT_EQ(now.map.matrix, MatrixX::Identity(solved.mechanism.num_coordinates(), solved.mechanism.num_coordinates()));
  expect_identities(solved);
}

// Whatever joint is cut, the same mechanism moves the same way: accelerations of the links for the same crank motion.
TEST(CutChoice, DoesNotChangeTheMotion) {
  std::vector<WorldMotion> first;
  for (int cut = 1; cut < 4; ++cut) {
    Model model = testing::four_bar(4, 1.5, 3.5, 2.5, 0.8, cut);
    model.joints[0].independent = true;
    const Mechanism mechanism(model);
    Configuration configuration = unclosed_configuration(mechanism);
    // The assembly with the rocker pin above the ground bar.
    for (int start = 0; start < 20; ++start) {
      std::mt19937 random(start);
      configuration.coordinates = mechanism.initial_coordinates();
      for (int c = 0; c < mechanism.num_coordinates(); ++c)
        if (c != mechanism.coordinate_of(0, 0)) configuration.coordinates[c] += testing::random_vector(random, 1.5).x();
      std::vector<bool> fixed(mechanism.num_coordinates(), false);
      fixed[mechanism.coordinate_of(0, 0)] = true;
      if (!close_loops(mechanism, configuration, fixed).closed()) continue;
      KinematicState state(mechanism);
      update_position(mechanism, configuration, state);
      if (state.in_world[mechanism.frame_of_link(2)].rotation(1, 0) > 0) break;
    }
    const IndependentCoordinates independent = choose_independent(mechanism, model, configuration);
    KinematicState state(mechanism);
    VelocityMap map(mechanism, independent);
    update_position(mechanism, configuration, state);
    ASSERT_TRUE(update_map(mechanism, independent, state, map));
    update_velocity(mechanism, map.matrix * VectorX::Constant(1, 2.0), state);
    const VectorX bias = testing::map_bias(mechanism, independent, state);
    update_acceleration(mechanism, map.matrix * VectorX::Constant(1, -3.0) + bias, state);
    for (int link = 0; link < 3; ++link) {
      const WorldMotion m = motion_of_point(state, mechanism.frame_of_link(link), {0.3, 0.1, 0.2});
      if (cut == 1) {
        first.push_back(m);
        continue;
      }
      EXPECT_LT((m.position - first[link].position).norm(), 1e-11) << cut;
      EXPECT_LT((m.velocity - first[link].velocity).norm(), 1e-11) << cut;
      EXPECT_LT((m.acceleration - first[link].acceleration).norm(), 1e-10) << cut;
      EXPECT_LT((m.angular_acceleration - first[link].angular_acceleration).norm(), 1e-10) << cut;
    }
  }
}

TEST(CutJacobian, GivesTheRatesOfTheCutJoint) {
  const Solved solved(tripod());
  const Instant now(solved, 0);
  for (size_t k = 0; k < now.cuts.size(); ++k) {
    const CutJoint& cut = solved.mechanism.cuts()[k];
    MatrixX J(freedoms_of(cut.type).size(), cut.coordinates.size());
    cut_jacobian(solved.mechanism, cut, now.state, J);
    VectorX rates(cut.coordinates.size());
    for (size_t c = 0; c < cut.coordinates.size(); ++c) rates[c] = now.rates[cut.coordinates[c].coordinate];
    EXPECT_LT((J * rates - now.cuts[k].rate.head(J.rows())).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace lithe
