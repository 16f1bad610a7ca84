// Loops: closed forms of the planar four-bar, slider-crank and Stewart platform; overconstrained and redundant chains.
#include "lithe/kinematics/closure.h"

#include <gtest/gtest.h>

#include "lithe/base/diagnostics.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/kinematics/independent.h"
#include "support/loop_motion.h"
#include "support/model_builder.h"

namespace lithe {
namespace {

using testing::ModelBuilder;
constexpr double pi = std::numbers::pi;

// Rocker angle of a four-bar by Freudenstein's equation, K1 cos(out) - K2 cos(in) + K3 = cos(in - out), the branch with
// the coupler above.
double freudenstein(double ground, double crank, double coupler, double rocker, double in) {
  const double k1 = ground / crank, k2 = ground / rocker;
  const double k3 = (crank * crank - coupler * coupler + rocker * rocker + ground * ground) / (2 * crank * rocker);
  const double a = std::cos(in) - k1 - k2 * std::cos(in) + k3, b = -2 * std::sin(in),
               c = k1 - (k2 + 1) * std::cos(in) + k3;
  return 2 * std::atan((-b - std::sqrt(b * b - 4 * a * c)) / (2 * a));
}

double wrapped(double angle) { return std::remainder(angle, 2 * pi); }

std::vector<bool> hold(const Mechanism& mechanism, std::initializer_list<int> coordinates) {
  std::vector<bool> fixed(mechanism.num_coordinates(), false);
  for (int c : coordinates) fixed[c] = true;
  return fixed;
}

// World pose of a link.
Pose pose_of(const Mechanism& mechanism, const Configuration& configuration, int link) {
  KinematicState state(mechanism);
  update_position(mechanism, configuration, state);
  return state.in_world[mechanism.frame_of_link(link)];
}

double angle_of(const Pose& pose) { return std::atan2(pose.rotation(1, 0), pose.rotation(0, 0)); }

TEST(FourBar, FollowsFreudensteinsEquationWhateverJointIsCut) {
  const double ground = 4, crank = 1.5, coupler = 3.5, rocker = 2.5;
  for (int cut = -1; cut < 4; ++cut)
    for (int k = 0; k < 12; ++k) {
      const double in = 0.1 + k * pi / 6;
      const Model model = testing::four_bar(ground, crank, coupler, rocker, in, cut);
      const Mechanism mechanism(model);
      ASSERT_EQ(mechanism.cuts().size(), 1u);
      if (cut >= 0) {
        EXPECT_EQ(mechanism.cuts()[0].joint, cut);
      }
      Configuration configuration = unclosed_configuration(mechanism);
      // Start on the branch above: with the rocker up, the crank where it shall be.
      const int input = mechanism.coordinate_of(0, 0);
      if (mechanism.coordinate_of(3, 0) >= 0) configuration.coordinates[mechanism.coordinate_of(3, 0)] = 1.9;
      if (mechanism.coordinate_of(2, 0) >= 0)
        configuration.coordinates[mechanism.coordinate_of(2, 0)] = cut == 3 ? 1.5 : -4.8;
      const ClosureReport report =
          close_loops(mechanism, configuration, input >= 0 ? hold(mechanism, {input}) : std::vector<bool>{});
      ASSERT_TRUE(report.closed()) << report.message;
      const double found_in = angle_of(pose_of(mechanism, configuration, 0)),
                   out = angle_of(pose_of(mechanism, configuration, 2));
      if (input >= 0) {
        EXPECT_NEAR(wrapped(found_in - in), 0, 1e-12);
      }
      const Vector3 pin = pose_of(mechanism, configuration, 2) * Vector3(rocker, 0, 0);
      const Vector3 crank_pin(crank * std::cos(found_in), crank * std::sin(found_in), 0);
      EXPECT_NEAR((pin - crank_pin).norm(), coupler, 1e-11);
      if (input < 0) continue;
      // Both assemblies obey the equation; compare with the one found.
      const bool above = std::abs(wrapped(out - freudenstein(ground, crank, coupler, rocker, in))) < 1e-9;
      const double a = freudenstein(ground, crank, coupler, rocker, in);
      const double diagonal = std::atan2(-crank * std::sin(in), ground - crank * std::cos(in));
      const double mirrored = pi + 2 * diagonal - (a - pi);
      EXPECT_NEAR(wrapped(out - (above ? a : mirrored)), 0, 1e-10) << in << " " << cut;
    }
}

TEST(SliderCrank, FollowsTheClosedFormUpToAccelerations) {
  const double r = 0.3, l = 0.8, offset = 0.1;
  ModelBuilder b;
  const int crank = b.link("crank"), rod = b.link("rod"), slider = b.link("slider");
  b.pin("crank_pin", -1, {0, 0, 0}, crank);
  b.pin("rod_pin", crank, {r, 0, 0}, rod);
  const Matrix3 along_x = testing::z_along(Vector3::UnitX());
  b.joint("guide", JointType::prismatic, -1, {along_x, {0, offset, 0}}, slider, {along_x, {0, 0, 0}});
  b.cut(b.pin("piston_pin", rod, {l, 0, 0}, slider));
  b.model().joints[0].independent = true;
  const Mechanism mechanism(b.model());
  const int input = mechanism.coordinate_of(0, 0), output = mechanism.coordinate_of(2, 0);
  for (int k = 0; k < 8; ++k) {
    const double angle = 0.2 + k * pi / 4, speed = 3, acceleration = -2;
    Configuration configuration = unclosed_configuration(mechanism);
    configuration.coordinates[input] = angle;
    configuration.coordinates[output] = 1;
    configuration.coordinates[mechanism.coordinate_of(1, 0)] = -angle;
    ASSERT_TRUE(close_loops(mechanism, configuration, hold(mechanism, {input})).closed());
    const IndependentCoordinates independent = choose_independent(mechanism, b.model(), configuration);
    ASSERT_EQ(independent.mobility(), 1);
    ASSERT_EQ(independent.independent[0], input);
    EXPECT_EQ(independent.rank, 3 - 1);
    KinematicState state(mechanism);
    VelocityMap map(mechanism, independent);
    update_position(mechanism, configuration, state);
    ASSERT_TRUE(update_map(mechanism, independent, state, map));
    update_velocity(mechanism, map.matrix * VectorX::Constant(1, speed), state);
    const VectorX bias = testing::map_bias(mechanism, independent, state);
    // s = r cos + sqrt(l² - (r sin - offset)²)
    const double h = r * std::sin(angle) - offset, h1 = r * std::cos(angle), h2 = -r * std::sin(angle);
    const double root = std::sqrt(l * l - h * h);
    const double s = h1 + root, s1 = h2 - h * h1 / root;
    const double s2 = -h1 - (h1 * h1 + h * h2) / root - h * h * h1 * h1 / (root * root * root);
    EXPECT_NEAR(configuration.coordinates[output], s, 1e-12);
    EXPECT_NEAR(map.matrix(output, 0), s1, 1e-12);
    EXPECT_NEAR(map.matrix(output, 0) * acceleration + bias[output], s1 * acceleration + s2 * speed * speed, 1e-11);
  }
}

// A Stewart platform of six legs, each universal - prismatic - spherical.
struct Stewart {
  std::vector<Vector3> base, top;  // joint points on the ground and in the platform
  ModelBuilder builder;
  int platform = -1;

  Stewart() {
    platform = builder.link("platform");
    for (int k = 0; k < 6; ++k) {
      const double a = pi / 3 * (k / 2 * 2) + (k % 2 ? 0.3 : -0.3),
                   c = pi / 3 * ((k + 1) / 2 * 2 - 1) + (k % 2 ? -0.3 : 0.3);
      base.emplace_back(std::cos(a), std::sin(a), 0);
      top.emplace_back(0.6 * std::cos(c), 0.6 * std::sin(c), 0);
    }
    for (int k = 0; k < 6; ++k) {
      const std::string n = std::to_string(k);
      const int lower = builder.link("lower" + n), upper = builder.link("upper" + n);
      // The leg slides along its z axis; the universal joint's axes are horizontal at zero.
      const Matrix3 R = (Matrix3() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished();
      builder.joint("universal" + n, JointType::universal, -1, {R, base[k]}, lower, {R, {0, 0, 0}});
      builder.drive(builder.joint("leg" + n, JointType::prismatic, lower, {}, upper, {}));
      builder.joint("ball" + n, JointType::spherical, upper, {}, platform, {Matrix3::Identity(), top[k]});
    }
  }
  double length(const Pose& X, int k) const { return (X * top[k] - base[k]).norm(); }
};

TEST(StewartPlatform, HasSixFreedomsAndTakesThePoseOfItsLegLengths) {
  Stewart stewart;
  const Mechanism mechanism(stewart.builder.model());
  EXPECT_EQ(mechanism.cuts().size(), 5u);
  EXPECT_EQ(mechanism.num_closure_rows(), 15);
  std::mt19937 random(2);
  for (int trial = 0; trial < 5; ++trial) {
    const Pose wanted{testing::rotation(testing::random_vector(random), 0.2),
                      Vector3(0, 0, 1.1) + testing::random_vector(random, 0.1)};
    Configuration configuration = unclosed_configuration(mechanism);
    std::vector<bool> fixed(mechanism.num_coordinates(), false);
    for (int k = 0; k < 6; ++k) {
      const int c = mechanism.coordinate_of(3 * k + 1, 0);
      configuration.coordinates[c] = stewart.length(wanted, k);
      fixed[c] = true;
    }
    const ClosureReport report = close_loops(mechanism, configuration, fixed);
    ASSERT_TRUE(report.closed()) << report.message;
    const Pose found = pose_of(mechanism, configuration, stewart.platform);
    // Forward kinematics has several solutions; all must have the leg lengths.
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(stewart.length(found, k), stewart.length(wanted, k), 1e-11);
    const IndependentCoordinates independent = choose_independent(mechanism, stewart.builder.model(), configuration);
    EXPECT_EQ(independent.mobility(), 6);
    EXPECT_EQ(independent.redundancy, 0);
    for (int k = 0; k < 6; ++k) EXPECT_GE(independent.position[mechanism.coordinate_of(3 * k + 1, 0)], 0);
    // Close to the wanted pose the solution is the wanted pose.
    EXPECT_LT((found.position - wanted.position).norm() + (found.rotation - wanted.rotation).norm(), 1e-10);
  }
}

TEST(BennettLinkage, IsOverconstrainedAndMovesWithOneFreedom) {
  // Opposite sides equal, a / sin α = b / sin β: four skew hinges, mobility 6·3 - 5·4 = -2 by counting.
  const double a = 1, alpha = 0.9, beta = 0.6, b = a * std::sin(beta) / std::sin(alpha);
  ModelBuilder builder;
  const int l1 = builder.link("l1"), l2 = builder.link("l2"), l3 = builder.link("l3");
  // Denavit-Hartenberg: hinge z, then a along x and a twist about x.
  const auto far_end = [](double length, double twist) {
    return Pose{testing::rotation(Vector3::UnitX(), twist), {length, 0, 0}};
  };
  builder.joint("h1", JointType::revolute, -1, {}, l1);
  builder.joint("h2", JointType::revolute, l1, far_end(a, alpha), l2);
  builder.joint("h3", JointType::revolute, l2, far_end(b, beta), l3);
  // Fourth bar is the ground: its far end, seen from hinge 4, is the frame of hinge 1.
  builder.cut(builder.joint("h4", JointType::revolute, l3, far_end(a, alpha), -1, far_end(b, beta).inverse()));
  const Mechanism mechanism(builder.model());
  for (double t1 : {0.7, 1.5, 2.4}) {
    // tan(t1/2) tan(t2/2) = sin((β+α)/2) / sin((β-α)/2), opposite angles sum to a full turn
    const double k = std::sin((beta + alpha) / 2) / std::sin((beta - alpha) / 2);
    const double t2 = 2 * std::atan(k / std::tan(t1 / 2));
    Configuration configuration = unclosed_configuration(mechanism);
    const int c1 = mechanism.coordinate_of(0, 0), c2 = mechanism.coordinate_of(1, 0),
              c3 = mechanism.coordinate_of(2, 0);
    configuration.coordinates[c1] = t1;
    configuration.coordinates[c2] = t2 + 0.05;
    configuration.coordinates[c3] = -t1 - 0.05;
    const ClosureReport report = close_loops(mechanism, configuration, hold(mechanism, {c1}));
    ASSERT_TRUE(report.closed()) << report.message;
    EXPECT_NEAR(wrapped(configuration.coordinates[c2] - t2), 0, 1e-9);
    EXPECT_NEAR(wrapped(configuration.coordinates[c3] + t1), 0, 1e-9);
    const IndependentCoordinates independent = choose_independent(mechanism, builder.model(), configuration);
    EXPECT_EQ(independent.mobility(), 1);
    EXPECT_EQ(independent.rank, 2);
    EXPECT_EQ(independent.redundancy, 3);
    EXPECT_FALSE(independent.singular);
  }
}

TEST(FourBar, InSpaceHasThreeRedundantRows) {
  const Model model = testing::four_bar(4, 1.5, 3.5, 2.5, 0.8);
  const Mechanism mechanism(model);
  Configuration configuration = unclosed_configuration(mechanism);
  ASSERT_TRUE(close_loops(mechanism, configuration).closed());
  const IndependentCoordinates independent = choose_independent(mechanism, model, configuration);
  EXPECT_EQ(independent.mobility(), 1);
  EXPECT_EQ(independent.rank, 2);
  EXPECT_EQ(independent.redundancy, 3);
}

TEST(RedundantChain, OfSevenBarsHasFourFreedomsAndStaysClosed) {
  // A planar ring of seven bars: more freedoms than closing needs.
  ModelBuilder b;
  int previous = -1;
  for (int k = 0; k < 6; ++k) {
    const int link = b.link("bar" + std::to_string(k));
    b.guess(b.pin("pin" + std::to_string(k), previous, {k == 0 ? 0.0 : 1.0, 0, 0}, link), {k == 0 ? 1.0 : -0.8});
    previous = link;
  }
  b.cut(b.pin("last", previous, {1, 0, 0}, -1, {1.2, 0, 0}));
  const Mechanism mechanism(b.model());
  Configuration configuration = unclosed_configuration(mechanism);
  const Configuration guess = configuration;
  ASSERT_TRUE(close_loops(mechanism, configuration).closed());
  EXPECT_EQ(choose_independent(mechanism, b.model(), configuration).mobility(), 4);
  const Pose end = pose_of(mechanism, configuration, previous);
  EXPECT_LT((end * Vector3(1, 0, 0) - Vector3(1.2, 0, 0)).norm(), 1e-12);
  EXPECT_GT((configuration.coordinates - guess.coordinates).cwiseAbs().minCoeff(), 1e-6);  // all share the correction
}

TEST(Closure, ReportsAnUnreachableFourBar) {
  const Model model = testing::four_bar(4, 1, 1, 1, 0.5);
  const Mechanism mechanism(model);
  Configuration configuration = unclosed_configuration(mechanism);
  const ClosureReport report = close_loops(mechanism, configuration);
  EXPECT_EQ(report.status, ClosureStatus::unreachable);
  EXPECT_NEAR(report.gap, 1, 1e-6);  // bars of 3 m in a row, 4 m to span
  EXPECT_NE(report.message.find("the loop of joints"), std::string::npos) << report.message;
  for (const char* name : {"crank_pin", "coupler_pin", "rocker_pin", "ground_pin", "a gap of", " m", "out of reach"})
    EXPECT_NE(report.message.find(name), std::string::npos) << name << " in " << report.message;
}

TEST(Closure, ReportsASingularConfiguration) {
  // A parallelogram laid flat can leave as parallelogram or as antiparallelogram: rank 1 instead of 2.
  const Model model = testing::four_bar(2, 1, 2, 1, 0.0);
  const Mechanism mechanism(model);
  Configuration configuration = unclosed_configuration(mechanism);
  configuration.coordinates.setZero();
  ASSERT_TRUE(close_loops(mechanism, configuration).closed());
  const IndependentCoordinates independent = choose_independent(mechanism, model, configuration);
  EXPECT_TRUE(independent.singular);
  EXPECT_EQ(independent.rank, 1);
  EXPECT_NE(independent.message.find("singular"), std::string::npos) << independent.message;
}

TEST(Closure, LeavesASymmetricStartThatIsAStationaryPointOfTheGap) {
  // All bars along x: the gap's gradient has no component that would lift the chain.
  const Model model = testing::four_bar(1, 1, 1.2, 1, 0.0);
  const Mechanism mechanism(model);
  Configuration configuration = unclosed_configuration(mechanism);
  configuration.coordinates.setZero();
  const ClosureReport report = close_loops(mechanism, configuration, hold(mechanism, {mechanism.coordinate_of(3, 0)}));
  ASSERT_TRUE(report.closed()) << report.message;
}

TEST(Ladder, OfFiftyLoopsClosesAndHasOneShearPerCell) {
  const Model model = testing::ladder(50);
  const Mechanism mechanism(model);
  ASSERT_EQ(mechanism.cuts().size(), 50u);
  EXPECT_EQ(mechanism.loop_groups().size(), 50u);  // neighbouring loops share bars, not joints
  Configuration configuration = unclosed_configuration(mechanism);
  const ClosureReport report = close_loops(mechanism, configuration);
  ASSERT_TRUE(report.closed()) << report.message;
  const IndependentCoordinates independent = choose_independent(mechanism, model, configuration);
  EXPECT_EQ(independent.mobility(), 51);
  EXPECT_EQ(independent.redundancy, 150);
  // Every cell is a rhombus: all rungs stay parallel to the first.
  const double first = angle_of(pose_of(mechanism, configuration, 0));
  for (int k = 1; k <= 50; ++k)
    EXPECT_NEAR(wrapped(angle_of(pose_of(mechanism, configuration, 3 * k)) - first), 0, 1e-10);
}

// Crosses of two bars of length 2, pinned in the middle and to the next cross at their ends: neighbouring loops share
// the middle pins, so that all loops hang together.
Model scissor(int num_crosses, double angle) {
  ModelBuilder b;
  const double opening = pi - 2 * angle;
  std::vector<int> left, right;
  for (int k = 0; k < num_crosses; ++k) {
    left.push_back(b.link("left" + std::to_string(k)));
    right.push_back(b.link("right" + std::to_string(k)));
  }
  b.give(b.pin("base", -1, {0, 0, 0}, left[0], {-1, 0, 0}), {angle});
  for (int k = 0; k < num_crosses; ++k) {
    const std::string n = std::to_string(k);
    const int middle = b.pin("middle" + n, left[k], {0, 0, 0}, right[k]);
    b.guess(middle, {k == 0 ? opening : opening + 0.02});
    if (k + 1 == num_crosses) break;
    b.guess(b.pin("l" + n, left[k], {1, 0, 0}, right[k + 1], {-1, 0, 0}), {opening - 0.03});
    b.guess(b.pin("r" + n, right[k], {1, 0, 0}, left[k + 1], {-1, 0, 0}), {-opening + 0.01});
  }
  return b.model();
}

TEST(Scissor, OfFiftyCrossesThatShareJointsOpensAsOne) {
  const double angle = 0.6;
  const Model model = scissor(50, angle);
  const Mechanism mechanism(model);
  ASSERT_EQ(mechanism.cuts().size(), 49u);
  Configuration configuration = unclosed_configuration(mechanism);
  const int base = mechanism.coordinate_of(0, 0), middle = mechanism.coordinate_of(1, 0);
  const ClosureReport report = close_loops(mechanism, configuration, hold(mechanism, {base, middle}));
  ASSERT_TRUE(report.closed()) << report.message;
  const IndependentCoordinates independent = choose_independent(mechanism, model, configuration);
  EXPECT_EQ(independent.mobility(), 2);
  EXPECT_EQ(independent.rank, 98);
  EXPECT_EQ(independent.redundancy, 5 * 49 - 98);
  // Centre k stands at (cos, (2k + 1) sin); every cross repeats the first.
  for (int k = 0; k < 50; ++k) {
    const Pose left = pose_of(mechanism, configuration, 2 * k), right = pose_of(mechanism, configuration, 2 * k + 1);
    EXPECT_LT((left.position - Vector3(std::cos(angle), (2 * k + 1) * std::sin(angle), 0)).norm(), 1e-9);
    EXPECT_NEAR(wrapped(angle_of(left) - angle), 0, 1e-10);
    EXPECT_NEAR(wrapped(angle_of(right) - (pi - angle)), 0, 1e-10);
  }
}

// Of all configurations that reach the target, the one on the branch that was guessed, not one with bars folded
// together.
TEST(Scissor, OfFiftyCrossesIsLedToATargetOnItsBranch) {
  const double angle = 0.5;
  Model model = scissor(50, 0.6);
  model.joints[0].initial_value_given = {false};
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (double& value : model.joints[j].initial_value) value += 0.05 * std::sin(7.3 * static_cast<double>(j));
  const int last = 2 * 49;
  model.links[last].nodes.push_back({"end", {1, 0, 0}});
  PoseTarget target;
  target.link = last;
  target.position = {2 * std::cos(angle), 100 * std::sin(angle), 0};
  model.initial_configuration.targets.push_back(target);
  const Mechanism mechanism(model);
  const Configuration configuration =
      initial_configuration(mechanism, model);  // throws where the target is not reached
  const auto angle_of_bar = [&](int bar) { return angle_of(pose_of(mechanism, configuration, bar)); };
  EXPECT_NEAR(wrapped(angle_of_bar(1) - angle_of_bar(0)), pi - 2 * angle, 0.1);
  for (int k = 0; k < 50; ++k)  // every cross repeats the first
    for (const int side : {0, 1}) EXPECT_NEAR(wrapped(angle_of_bar(2 * k + side) - angle_of_bar(side)), 0, 1e-8);
}

TEST(IndependentCoordinates, OfARigidTriangleAreNone) {
  ModelBuilder b;
  const int left = b.link("left"), right = b.link("right");
  b.guess(b.pin("a", -1, {0, 0, 0}, left), {1.0});
  b.guess(b.pin("b", -1, {1, 0, 0}, right), {2.0});
  b.pin("top", left, {1, 0, 0}, right, {1, 0, 0});
  const Mechanism mechanism(b.model());
  Configuration configuration = unclosed_configuration(mechanism);
  ASSERT_TRUE(close_loops(mechanism, configuration).closed());
  EXPECT_NEAR(configuration.coordinates[0], pi / 3, 1e-12);
  const IndependentCoordinates independent = choose_independent(mechanism, b.model(), configuration);
  EXPECT_EQ(independent.mobility(), 0);
  EXPECT_FALSE(independent.singular);
}

TEST(IndependentCoordinates, RefusesMorePrescribedJointsThanFreedoms) {
  Model model = testing::four_bar(4, 1.5, 3.5, 2.5, 0.8);
  model.joints[0].independent = true;
  model.joints[3].independent = true;
  const Mechanism mechanism(model);
  Configuration configuration = unclosed_configuration(mechanism);
  ASSERT_TRUE(close_loops(mechanism, configuration).closed());
  try {
    choose_independent(mechanism, model, configuration);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("test.toml:20"), std::string::npos) << text;
    EXPECT_NE(text.find("'crank_pin', 'ground_pin'"), std::string::npos) << text;
    EXPECT_NE(text.find("1 degree of freedom"), std::string::npos) << text;
  }
}

TEST(IndependentCoordinates, HonoursTheUsersMark) {
  for (int chosen : {0, 1, 3}) {
    Model model = testing::four_bar(4, 1.5, 3.5, 2.5, 0.8);
    model.joints[chosen].independent = true;
    const Mechanism mechanism(model);
    Configuration configuration = unclosed_configuration(mechanism);
    ASSERT_TRUE(close_loops(mechanism, configuration).closed());
    const IndependentCoordinates independent = choose_independent(mechanism, model, configuration);
    ASSERT_EQ(independent.mobility(), 1);
    EXPECT_EQ(independent.independent[0], mechanism.coordinate_of(chosen, 0));
  }
}

TEST(IndependentCoordinates, RefusesADependentMarkOutsideLoops) {
  Model model = testing::chain(3);
  model.joints[1].independent = false;
  const Mechanism mechanism(model);
  EXPECT_THROW(choose_independent(mechanism, model, unclosed_configuration(mechanism)), InputError);
}

}  // namespace
}  // namespace lithe
