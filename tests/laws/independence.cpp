// The motion does not depend on choices that are not physical: gauge, cut joint, base frame, link frame.
#include "support/flexible_models.h"
#include "support/motion.h"

namespace lithe {
namespace {

using namespace testing;

// The minimum-norm state with the same elastic coordinates and the same real joint motion θ + ε as an encoder state.
State same_motion(Watched& encoder, const State& state, Watched& minimum_norm) {
  State other = minimum_norm.equations.initial_state();
  other.coordinates = state.coordinates;
  other.speeds = state.speeds;
  const int joints = encoder.equations.num_joint_coordinates();
  for (int iteration = 0; iteration < 60; ++iteration)
    for (int i = 0; i < joints; ++i) {  // joint i of these models has coordinate i
      EXPECT_EQ(minimum_norm.evaluate(other), EvaluationStatus::ok);
      const SignalValue real = minimum_norm.equations.joint_motion(
          other, minimum_norm.inputs, minimum_norm.accelerations, i, 0, *minimum_norm.workspace);
      other.coordinates(i) -= real.value - state.coordinates(i);
      other.speeds(i) -= real.rate - state.speeds(i);
    }
  other.configuration.coordinates = other.coordinates.head(joints);
  return other;
}

// Largest distance of nodes between the two gauges over the motion, from a vibrating start whose deflection is that of
// a given load: it falls with 1/E.
double gauge_difference(const Model& model, double deflection, double step, double end) {
  Watched encoder(model), minimum_norm(model, Gauge::minimum_norm);
  State a = encoder.equations.initial_state();
  const int joints = encoder.equations.num_joint_coordinates();
  for (int i = joints; i < encoder.equations.num_coordinates(); ++i)
    a.coordinates(i) = deflection * (i % 3 - 0.6) / (1 + i - joints);
  State b = same_motion(encoder, a, minimum_norm);
  double largest = largest_distance(encoder.positions(a), minimum_norm.positions(b));
  for (int k = 1; k <= 5; ++k) {
    a = move(encoder, a, k * end / 5, step);
    b = move(minimum_norm, b, k * end / 5, step);
    largest = std::max(largest, largest_distance(encoder.positions(a), minimum_norm.positions(b)));
  }
  return largest;
}

// Stiffness times 16: deflections a sixteenth, frequencies four times as high. Over the same number of vibrations (a
// frequency that is off at second order adds up with each of them) what is of second order falls 256-fold, what is of
// first order 16-fold.
TEST(Gauge, ChangesNodesOfTheLShapeAtSecondOrderInTheDeflection) {
  const double soft = gauge_difference(l_shape(7e9, 2, 4), 1e-3, 2e-4, 0.1);
  const double stiff = gauge_difference(l_shape(16 * 7e9, 2, 4), 1e-3 / 16, 5e-5, 0.1 / 4);
  RecordProperty("ratio", std::to_string(soft / stiff));
  EXPECT_GT(soft, 1e-9);
  EXPECT_GT(soft / stiff, 100);
}

TEST(Gauge, ChangesNodesOfASpatialArmAtSecondOrderInTheDeflection) {
  const double soft = gauge_difference(spatial_2r(7e9, 3), 3e-4, 2e-4, 0.1);
  const double stiff = gauge_difference(spatial_2r(16 * 7e9, 3), 3e-4 / 16, 5e-5, 0.1 / 4);
  RecordProperty("ratio", std::to_string(soft / stiff));
  EXPECT_GT(soft, 1e-9);
  EXPECT_GT(soft / stiff, 100);
}

// Angles of the four-bar's joints, 1 rad at the crank: the bars close as two circles about the crank's tip and the
// rocker's pin.
struct FourBarAngles {
  double crank, coupler, rocker_pin, rocker;
};
FourBarAngles four_bar_angles() {
  const double crank = 1.0, l1 = 0.15, l2 = 0.45, l3 = 0.35, ground = 0.5;
  const double dx = ground - l1 * std::cos(crank), dy = -l1 * std::sin(crank), d = std::hypot(dx, dy);
  const double coupler = std::atan2(dy, dx) + std::acos((d * d + l2 * l2 - l3 * l3) / (2 * d * l2));
  const double rocker =
      std::atan2(l1 * std::sin(crank) + l2 * std::sin(coupler), l1 * std::cos(crank) + l2 * std::cos(coupler) - ground);
  return {crank, coupler - crank, rocker - coupler, rocker};
}

// `measured` is the joint whose angle is the independent coordinate; the gauge belongs to it.
Model four_bar_cut_at(int cut, int measured, bool overconstrained) {
  Model model = flexible_four_bar(7e9, true);
  if (!overconstrained) {  // a ball, and a cardan joint that keeps the coupler from spinning: as many freedoms as
                           // needed
    model.joints[1].set_type(JointType::spherical);
    model.joints[2].set_type(JointType::universal);
    model.gravity.z() = -2;
  }
  const FourBarAngles angles = four_bar_angles();
  const double values[] = {angles.crank, angles.coupler, angles.rocker_pin, angles.rocker};
  for (int j = 0; j < 4; ++j) {
    Joint& joint = model.joints[j];
    joint.inertia.assign(joint.inertia.size(), 0.0);
    joint.initial_speed.assign(joint.initial_speed.size(), 0.0);
    joint.independent = j == measured;
    joint.prefer_cut = j == cut;
    if (joint.type == JointType::revolute) {
      joint.initial_value = {values[j]};
      joint.initial_value_given = {true};
    } else {
      joint.initial_value[joint.type == JointType::spherical ? 2 : 0] = values[j];
    }
  }
  model.joints[measured].initial_speed = {measured == 0 ? 4.0 : 2.0};
  for (Link& link : model.links) link.reduction.num_kept_modes = 3;
  return model;
}

class FourBar : public ::testing::TestWithParam<bool> {};

TEST_P(FourBar, MovesTheSameWhereverItsLoopIsCut) {
  for (int measured : {0, 3}) {
    std::vector<Vector3> first;
    for (int cut = 0; cut < 4; ++cut) {
      if (cut == measured) continue;
      const Model model = four_bar_cut_at(cut, measured, GetParam());
      Watched system(model);
      ASSERT_EQ(system.equations.mechanism().cuts().size(), 1u);
      ASSERT_EQ(system.equations.mechanism().cuts()[0].joint, cut);
      const State end = move(system, system.equations.initial_state(), 0.01, 2e-5);
      const std::vector<Vector3> nodes = system.positions(end);
      if (first.empty()) first = nodes;
      EXPECT_LT(largest_distance(nodes, first), 1e-9) << "cut " << cut << ", measured " << measured;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Cuts, FourBar, ::testing::Bool(),
                         [](const auto& chosen) { return chosen.param ? "overconstrained" : "with_ball_and_cardan"; });

struct Moving {
  std::string name;
  Model model;
  double step, end;
};
std::vector<Moving> moving() {
  return {{"l_shape", l_shape(7e9, 2, 4), 1e-4, 0.1},
          {"spatial_2r", spatial_2r(7e9, 3), 1e-4, 0.1},
          {"mixed_tree", mixed_tree(7e9), 2e-5, 0.02},
          {"four_bar", four_bar_cut_at(2, 0, false), 2e-5, 0.005}};
}

class AnyMechanism : public ::testing::TestWithParam<int> {
 protected:
  const Moving chosen = moving()[GetParam()];
  std::vector<Vector3> nodes_at_the_end(const Model& model) const {
    Watched system(model);
    return system.positions(move(system, system.equations.initial_state(), chosen.end, chosen.step));
  }
};

const Pose elsewhere{rotation(Vector3(1, -2, 0.5), 1.1), {3.0, -2.0, 1.0}};

TEST_P(AnyMechanism, MovesTheSameInAnotherBaseFrame) {
  Model model = chosen.model;
  model.gravity = elsewhere.rotation * model.gravity;
  for (Joint& joint : model.joints)
    if (joint.parent < 0) joint.parent_frame = elsewhere * joint.parent_frame;
  std::vector<Vector3> expected = nodes_at_the_end(chosen.model);
  for (Vector3& p : expected) p = elsewhere * p;
  EXPECT_LT(largest_distance(nodes_at_the_end(model), expected), 1e-9);
}

TEST_P(AnyMechanism, MovesTheSameWithOtherLinkFrames) {
  Model model = chosen.model;
  for (Link& link : model.links) {
    for (BeamSegment& segment : link.segments) {
      const Vector3 along = (link.nodes[segment.to].position - link.nodes[segment.from].position).normalized();
      const bool upright = along.cross(Vector3::UnitZ()).norm() < 1e-6;
      segment.section_z = elsewhere.rotation * (upright ? Vector3::UnitY() : Vector3::UnitZ());
    }
    for (Node& node : link.nodes) node.position = elsewhere * node.position;
    link.rigid_inertia.centre = elsewhere * link.rigid_inertia.centre;
    link.rigid_inertia.inertia = elsewhere.rotation * link.rigid_inertia.inertia * elsewhere.rotation.transpose();
  }
  for (Joint& joint : model.joints) {
    if (joint.parent >= 0) joint.parent_frame = elsewhere * joint.parent_frame;
    joint.child_frame = elsewhere * joint.child_frame;
  }
  EXPECT_LT(largest_distance(nodes_at_the_end(model), nodes_at_the_end(chosen.model)), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Frames, AnyMechanism, ::testing::Range(0, static_cast<int>(moving().size())),
                         [](const auto& chosen) { return moving()[chosen.param].name; });

}  // namespace
}  // namespace lithe
