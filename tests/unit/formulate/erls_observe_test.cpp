// Reactions, drive torques of prescribed motions, section loads and losses, against statics and Newton's laws.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/formulate/formulation.h"
#include "support/flexible_models.h"

namespace lithe {
namespace {

using namespace testing;

struct Observed {
  explicit Observed(const Model& model, const FormulationChoice& choice = {})
      : equations(make_equations(model, choice)), workspace(equations->make_workspace()), inputs(make_inputs(model)) {
    evaluate_inputs(model, 0.0, inputs);
    state = equations->initial_state();
  }
  void evaluate() { ASSERT_EQ(equations->evaluate(state, inputs, *workspace, accelerations), EvaluationStatus::ok); }
  Vector3 force(int joint) {
    Vector3 f, t;
    EXPECT_TRUE(equations->reaction(state, inputs, accelerations, joint, f, t, *workspace));
    return f;
  }
  Vector3 torque(int joint) {
    Vector3 f, t;
    EXPECT_TRUE(equations->reaction(state, inputs, accelerations, joint, f, t, *workspace));
    return t;
  }

  std::unique_ptr<Equations> equations;
  std::unique_ptr<Workspace> workspace;
  Inputs inputs;
  State state;
  Accelerations accelerations;
};

TEST(PrescribedForce, HoldsAPendulumAgainstGravity) {
  FlexibleBuilder b;
  const int bob = b.link("bob");
  b.model().links[bob].rigid_inertia = {2.0, {0.3, 0, 0}, Matrix3::Identity() * 0.01};
  b.hinge("pivot", JointType::revolute, -1, {0, 0, 0}, bob, {0, 0, 0}, Vector3::UnitY());
  b.drive(0, 0, true);
  b.model().drives[0].signal = SignalConstant{0.4};
  Observed o(b.model());
  o.evaluate();
  // At angle θ about y the bob is at 0.3 (cos θ, 0, -sin θ): gravity's moment about y is m g 0.3 cos θ, the drive
  // opposes it.
  const double torque = o.equations->prescribed_force(o.state, o.inputs, o.accelerations, 0, 0, *o.workspace);
  EXPECT_NEAR(torque, -2.0 * 9.81 * 0.3 * std::cos(0.4), 1e-12);
  EXPECT_LT((o.force(0) - Vector3(0, 0, 2.0 * 9.81)).norm(), 1e-12);
  EXPECT_NEAR(o.torque(0).y(), torque, 1e-12);
}

// A statically loaded cantilever: shear equals the load, the moment at the root load times length. Exact for beam
// elements.
TEST(SectionLoad, OfACantileverIsThatOfStatics) {
  for (const char* formulation : {"erls-cms", "erls-fem"}) {
    FlexibleBuilder b;
    b.model().gravity.setZero();
    const int beam = b.beam("beam", {{0, 0, 0}, {0.6, 0, 0}}, 4);
    b.hinge("wall", JointType::fixed, -1, {0, 0, 0}, beam, {0, 0, 0}, Vector3::UnitZ());
    Load load;
    load.link = beam;
    load.node = 1;
    load.direction = {0, 3.0, 5.0};
    load.signal = SignalConstant{1.0};
    b.model().loads.push_back(load);
    Observed o(b.model(), {.formulation = formulation});
    LinearBlocks blocks;
    ASSERT_EQ(o.equations->linearise(o.state, o.inputs, *o.workspace, blocks), EvaluationStatus::ok);
    o.evaluate();
    o.state.coordinates = blocks.stiffness.partialPivLu().solve(blocks.mass * o.accelerations.values);
    o.evaluate();
    EXPECT_LT(o.accelerations.values.norm(), 1e-6);
    Vector3 force, moment;
    ASSERT_TRUE(o.equations->section_load(o.state, o.inputs, o.accelerations, beam, 0, force, moment, *o.workspace));
    EXPECT_NEAR(std::hypot(force.y(), force.z()), std::hypot(3.0, 5.0), 1e-6);
    EXPECT_NEAR(moment.norm(), 0.6 * std::hypot(3.0, 5.0), 1e-6);
    EXPECT_LT((o.force(0) + load.direction).norm(), 1e-6);
    const Vector3 tip = o.equations->node_motion(o.state, o.inputs, o.accelerations, beam, 1, *o.workspace).position;
    EXPECT_LT((o.torque(0) + tip.cross(load.direction)).norm(), 1e-6);  // about the wall, where the tip is now
  }
}

// Newton's law for every link of a moving closed chain: the reactions at its joints and gravity make its acceleration.
TEST(Reaction, InAClosedChainObeysNewtonsLaw) {
  for (int cut = 1; cut < 4; ++cut) {  // joint 0 is the independent one
    Model model = flexible_four_bar(7e10, true, cut);
    for (Link& link : model.links) {
      link.rigid = true;
      link.segments.clear();
      link.rigid_inertia = {0.3, {0.1, 0.02, 0}, Vector3(1e-3, 2e-3, 2.5e-3).asDiagonal()};
      link.nodes.push_back({"centre", {0.1, 0.02, 0}});
    }
    Observed o(model);
    o.evaluate();
    const Vector3 weight = 0.3 * model.gravity;
    const auto acceleration = [&](int link) {
      const int centre = static_cast<int>(model.links[link].nodes.size()) - 1;
      return o.equations->node_motion(o.state, o.inputs, o.accelerations, link, centre, *o.workspace).acceleration;
    };
    // Joints: 0 ground-crank, 1 crank-coupler, 2 coupler-rocker, 3 ground-rocker; a reaction acts on the joint's child.
    EXPECT_LT((o.force(0) - o.force(1) + weight - 0.3 * acceleration(0)).norm(), 1e-9) << cut;
    EXPECT_LT((o.force(1) - o.force(2) + weight - 0.3 * acceleration(1)).norm(), 1e-9) << cut;
    EXPECT_LT((o.force(2) + o.force(3) + weight - 0.3 * acceleration(2)).norm(), 1e-9) << cut;
  }
}

TEST(ErlsFem, FullEqualsErlsCmsWithAllModes) {
  Model model = spatial_2r(7e10, -1);
  Observed cms(model), fem(model, {.formulation = "erls-fem"});
  cms.state.coordinates.tail(6).setConstant(1e-5);
  fem.state.coordinates.tail(6).setConstant(1e-5);
  cms.evaluate();
  fem.evaluate();
  EXPECT_EQ(fem.equations->name(), "erls-fem");
  EXPECT_LT((cms.accelerations.values - fem.accelerations.values).norm(), 1e-9 * cms.accelerations.values.norm());
}

// The published variant leaves out terms of first order in the deflection: without deflection it is the same.
TEST(ErlsFem, PublishedVariantDiffersInProportionToTheDeflection) {
  const Model model = spatial_2r(7e10, 4);
  const ReducedModel reduced = reduce(model);
  const ErlsCms full(reduced), published(reduced, {.gauge = Gauge::encoder, .variant = ErlsVariant::published});
  const auto difference = [&](double deflection) {
    const auto work_full = full.make_workspace(), work_published = published.make_workspace();
    State state = full.initial_state();
    state.coordinates.tail(8).setConstant(deflection);
    Accelerations a, b;
    EXPECT_EQ(full.evaluate(state, make_inputs(model), *work_full, a), EvaluationStatus::ok);
    EXPECT_EQ(published.evaluate(state, make_inputs(model), *work_published, b), EvaluationStatus::ok);
    // The elastic force itself grows with the deflection; its effect is the same in both, so compare per stiffness.
    return (a.values - b.values).norm();
  };
  EXPECT_LT(difference(0), 1e-8);
  EXPECT_GT(difference(1e-5), 1e-6);
}

TEST(DissipatedPower, EqualsTheEnergyLost) {
  Model model = spatial_2r();
  model.joints[0].damping = {0.02};
  model.joints[1].friction = {0.01};
  model.links[0].damping.stiffness_factor = 1e-5;
  model.links[1].damping.modal_ratios = {0.02};
  Observed o(model);
  for (int i = 2; i < o.equations->num_coordinates(); ++i) {
    o.state.coordinates(i) = 1e-5;
    o.state.speeds(i) = 1e-2;
  }
  o.evaluate();
  const auto energy = [&](double h) {
    State moved = o.state;
    moved.coordinates += h * o.state.speeds + 0.5 * h * h * o.accelerations.values;
    moved.speeds += h * o.accelerations.values;
    return o.equations->energies(moved, o.inputs, *o.workspace).total();
  };
  const double h = 1e-6;
  const double rate = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h);
  const double power = o.equations->dissipated_power(o.state, o.inputs, *o.workspace);
  EXPECT_GT(power, 0);
  EXPECT_NEAR(rate, -power, 1e-5 * power);
}

// Node speeds per unit of each coordinate's speed, one by one from the nodes' own motion: an open chain with a
// prescribed joint, and a closed one.
TEST(CoordinateScales, AreThoseOfTheFastestNode) {
  FlexibleBuilder b(7e10);
  const int first = b.beam("first", {{0, 0, 0}, {0.5, 0, 0}, {0.5, 0.2, 0}}, 2, 4);
  const int second = b.beam("second", {{0, 0, 0}, {0.3, 0, 0}}, 2, 3);
  b.hinge("base", JointType::universal, -1, {0, 0, 0}, first, {0, 0, 0}, Vector3::UnitZ(), {0.3, 0.2}, {0.0, 0.0});
  b.hinge("elbow", JointType::revolute, first, {0.5, 0.2, 0}, second, {0, 0, 0}, Vector3::UnitY(), {0.4}, {0.0});
  b.drive(0, 0, true);
  SignalSine sine;
  sine.amplitude = 1;
  sine.frequency = 2;
  b.model().drives[0].signal = sine;
  Observed o(b.model());
  o.state.coordinates.setLinSpaced(0.1, 0.3);
  o.evaluate();
  const VectorX speeds = o.equations->coordinate_scales(o.state, o.inputs, *o.workspace);
  Accelerations zero;
  zero.values.setZero(o.equations->num_coordinates());
  const auto velocity = [&](int coordinate, int link, int node) -> Vector3 {
    State probe = o.state;
    probe.speeds.setZero();
    if (coordinate >= 0) probe.speeds[coordinate] = 1;
    return o.equations->node_motion(probe, o.inputs, zero, link, node, *o.workspace).velocity;
  };
  for (int i = 0; i < o.equations->num_coordinates(); ++i) {
    double fastest = 0;
    for (const int link : {first, second})
      for (std::size_t node = 0; node < b.model().links[link].nodes.size(); ++node) {
        const int n = static_cast<int>(node);
        fastest = std::max(fastest, (velocity(i, link, n) - velocity(-1, link, n)).norm());
      }
    EXPECT_GT(fastest, 0);
    EXPECT_NEAR(speeds[i], fastest, 1e-12 * (1 + fastest)) << i;
  }
}

}  // namespace
}  // namespace lithe
