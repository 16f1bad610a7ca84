// Loops with something acting at every joint: springs, dampers, friction, motors, limits. Wherever such a loop is cut,
// the joint there keeps its freedoms as coordinates.
#include "lithe/analyse/modes/modes.h"
#include "lithe/base/text.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/kinematics/independent.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

constexpr const char* on_a_tree[] = {"erls-cms", "erls-fem", "transfer-functions"};

Model driven_four_bar(bool overconstrained, int cut) {
  Model model = active_four_bar(7e9, overconstrained, cut);
  for (Link& link : model.links) link.reduction.num_kept_modes = 3;
  model.drives.push_back({"motor", {}, 2, 0, false, SignalConstant{0.05}});
  return model;
}

Model rigid(Model model) {
  for (Link& link : model.links) {
    link.rigid = true;
    link.rigid_inertia = {0.3, 0.5 * link.nodes.back().position, Vector3(1e-3, 4e-3, 3e-3).asDiagonal()};
    link.segments.clear();
  }
  return model;
}

void watch(Model& model, const std::vector<Quantity>& of_joints) {
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    for (const Quantity quantity : of_joints) {
      Sensor sensor;
      sensor.name = cat(model.joints[j].name, static_cast<int>(quantity));
      sensor.quantity = quantity;
      sensor.joint = j;
      model.sensors.push_back(sensor);
    }
}

// Reactions of an overconstrained loop are not unique. Those of a joint in ERLS are, but for torques of second order,
// force times displacement, which linear compatibility of displacements leaves open.
std::vector<Quantity> unique_quantities(const std::string& formulation, bool overconstrained) {
  if (overconstrained) return {Quantity::joint_value};
  if (formulation != "transfer-functions") return {Quantity::joint_value, Quantity::reaction_force};
  return {Quantity::joint_value, Quantity::reaction_force, Quantity::reaction_torque};
}

TEST(ActiveLoops, MoveTheSameWhereverTheyAreCut) {
  for (const char* formulation : on_a_tree)
    for (const bool overconstrained : {true, false}) {
      std::vector<Trajectory> motions;
      for (int cut = 1; cut < 4; ++cut) {
        Model model = with_tips(driven_four_bar(overconstrained, cut));
        watch(model, unique_quantities(formulation, overconstrained));
        ASSERT_TRUE(Mechanism(model).cuts()[0].carried);
        ASSERT_EQ(Mechanism(model).cuts()[0].joint, cut);
        motions.push_back(run(model, {.formulation = formulation}, 0.01, {.step = 2e-5, .samples = 5}));
      }
      for (int other : {1, 2})
        EXPECT_LT(largest_difference(motions[0], motions[other]), 1e-7) << formulation << " " << other + 1;
    }
}

TEST(ActiveLoops, OfRigidLinksAccelerateLikeFloatingFrames) {
  for (const bool overconstrained : {true, false})
    for (int cut = 1; cut < 4; ++cut) {
      const Model model = rigid(driven_four_bar(overconstrained, cut));
      Formulated reference(model, {.formulation = "floating-frame"});
      reference.evaluate();
      for (const char* formulation : {"erls-cms", "transfer-functions"}) {
        Formulated system(model, {.formulation = formulation});
        system.evaluate();
        for (int link = 0; link < 3; ++link) {
          const Vector3 expected = reference.node(link, 1).acceleration;
          EXPECT_LT((system.node(link, 1).acceleration - expected).norm(), 1e-8 * (1 + expected.norm()))
              << formulation << " " << cut << " " << link;
        }
        EXPECT_NEAR(system.energies().elastic, reference.energies().elastic, 1e-12) << formulation;
      }
    }
}

// The loop is cut at the slide, which then carries a prismatic, a cylindrical or a planar freedom.
TEST(ActiveLoops, OfASliderCrankAccelerateLikeFloatingFrames) {
  for (const JointType slide : {JointType::prismatic, JointType::cylindrical, JointType::planar}) {
    ModelBuilder b;
    const int crank = b.link("crank"), rod = b.link("rod"), slider = b.link("slider");
    const double turn = 0.7, tilt = -std::asin(0.1 * std::sin(turn) / 0.3);
    b.give(b.pin("axle", -1, {0, 0, 0}, crank), {turn});
    b.guess(b.pin("crank pin", crank, {0.1, 0, 0}, rod), {tilt - turn});
    b.guess(b.pin("wrist pin", rod, {0.3, 0, 0}, slider), {-tilt});
    const Matrix3 axes = slide == JointType::planar ? Matrix3(Matrix3::Identity()) : z_along(Vector3::UnitX());
    const int guide = b.joint("guide", slide, -1, {axes, Vector3::Zero()}, slider, {axes, Vector3(0.02, 0, 0)});
    b.cut(guide);
    b.model().joints[guide].initial_value[0] = 0.1 * std::cos(turn) + 0.3 * std::cos(tilt) + 0.02;
    b.model().joints[0].initial_speed = {3};
    b.model().gravity = {0.3, -9.81, 0};
    double size = 1;
    for (Joint& joint : b.model().joints)
      for (std::size_t f = 0; f < joint.damping.size(); ++f, size += 0.3) {
        joint.stiffness[f] = 2 * size;
        joint.damping[f] = 0.1 * size;
        joint.inertia[f] = 0.2 * size;
      }
    Formulated reference(b.model(), {.formulation = "floating-frame"});
    reference.evaluate();
    for (const char* formulation : {"erls-cms", "transfer-functions"}) {
      Formulated system(b.model(), {.formulation = formulation});
      system.evaluate();
      const Vector3 expected = reference.node(slider, 0).acceleration;
      EXPECT_LT((system.node(slider, 0).acceleration - expected).norm(), 1e-9 * (1 + expected.norm())) << formulation;
    }
  }
}

TEST(ActiveLoops, VibrateLikeFloatingFrames) {
  for (const bool overconstrained : {true, false}) {
    Model model = driven_four_bar(overconstrained, 2);
    model.gravity.setZero();
    model.drives.clear();
    for (Joint& joint : model.joints) joint.initial_speed.assign(joint.initial_speed.size(), 0.0);
    Formulated at_start(model, {.formulation = "erls-cms"});
    at_start.evaluate();
    for (int j = 0; j < 4; ++j)  // unloaded: a formulation's bent links have no part in it
      for (int f = 0; f < static_cast<int>(model.joints[j].rest_value.size()); ++f)
        model.joints[j].rest_value[f] = at_start.joint(j, f).value;
    VectorX frequencies[2];
    for (const char* formulation : {"erls-cms", "floating-frame"}) {
      const auto equations = make_equations(model, {.formulation = formulation});
      const ModesResult found = mechanism_modes(*equations, equations->initial_state(), 7);
      ASSERT_EQ(found.status, EvaluationStatus::ok) << formulation;
      frequencies[formulation[0] == 'f'] = found.modes.frequencies;
    }
    ASSERT_EQ(frequencies[0].size(), frequencies[1].size());
    for (int k = 0; k < frequencies[0].size(); ++k)
      EXPECT_NEAR(frequencies[1][k], frequencies[0][k], 1e-6 * frequencies[0][k]) << k;
  }
}

// Two pendulums with elastic bearings between them: a free joint that closes a loop and is all spring.
Model pendulums_with_bushing() {
  ModelBuilder b;
  b.model().gravity = {0.4, -9.81, 0.2};
  int links[2];
  for (int side = 0; side < 2; ++side) {
    const int link = links[side] = b.link(side == 0 ? "left" : "right");
    b.model().links[link].rigid_inertia = {1, {0.05, -0.3, 0}, Vector3(0.03, 0.01, 0.03).asDiagonal()};
    b.joint(side == 0 ? "left bearing" : "right bearing", JointType::spherical, -1, at(0.5 * side, 0), link);
    b.give(side, {0.1, 0.2 * side, -0.3 + 0.1 * side});
    b.model().joints[side].initial_speed = {0.4, -0.2, 0.3};
  }
  const int bushing = b.joint("bushing", JointType::free, links[0], at(0.25, -0.5), links[1], at(-0.25, -0.5));
  b.model().joints[bushing].stiffness = {900, 700, 800, 5, 6, 7};
  b.model().joints[bushing].damping = {3, 4, 5, 0.01, 0.02, 0.03};
  return with_tips(b.model());
}

TEST(ActiveLoops, MayBeClosedByABushing) {
  const Model model = pendulums_with_bushing();
  const Mechanism mechanism(model);
  ASSERT_EQ(mechanism.cuts().size(), 1u);
  ASSERT_EQ(mechanism.cuts()[0].joint, 2);
  const RunSettings settings{.tolerance = 1e-9, .samples = 20};
  const Trajectory reference = run(model, {.formulation = "floating-frame"}, 0.5, settings);
  for (const char* formulation : {"erls-cms", "transfer-functions"})
    EXPECT_LT(largest_difference(reference, run(model, {.formulation = formulation}, 0.5, settings)), 1e-6)
        << formulation;
}

// Of joints that all have springs, the axes are the coordinates that a user means: the slides of a hexapod.
TEST(ActiveLoops, HaveTheirAxesAsIndependentCoordinates) {
  Model model = active_four_bar(7e9, false, 2);
  for (Joint& joint : model.joints) joint.independent.reset();
  const Mechanism mechanism(model);
  const Configuration configuration = initial_configuration(mechanism, model);
  const IndependentCoordinates chosen = choose_independent(mechanism, model, configuration);
  ASSERT_EQ(chosen.mobility(), 1);
  EXPECT_EQ(
      num_freedoms(model.joints[mechanism.frames()[mechanism.frame_of_coordinate(chosen.independent[0])].joint].type),
      1);
}

// Limits at all joints: the one at the rocker pin, where the loop is cut, is reached first.
TEST(ActiveLoops, HaveEndStopsWhereTheyAreCut) {
  Model model = rigid(flexible_four_bar(7e9, true, 2));
  Formulated start(model, {.formulation = "erls-cms"});
  start.evaluate();
  for (int j = 0; j < 4; ++j) {
    const double value = start.joint(j).value, reach = j == 2 ? 0.2 : 3;
    model.joints[j].limits[0] = std::pair(value - reach, value + reach);
  }
  Sensor pin;
  pin.name = "pin";
  pin.quantity = Quantity::joint_value;
  pin.joint = 2;
  model.sensors = {pin};
  const double middle = start.joint(2).value;
  for (const char* formulation : {"erls-cms", "transfer-functions", "floating-frame"}) {
    const Trajectory motion = run(model, {.formulation = formulation}, 0.5, {.tolerance = 1e-7, .samples = 500});
    double farthest = 0;
    for (const double value : motion.columns[0].values) farthest = std::max(farthest, std::abs(value - middle));
    EXPECT_GT(farthest, 0.2) << formulation;
    EXPECT_LT(farthest, 0.22) << formulation;
    EXPECT_FALSE(motion.events.empty()) << formulation;
  }
}

}  // namespace
}  // namespace lithe
