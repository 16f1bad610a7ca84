// What the formulation transfer-functions tells of a motion, against ERLS-FEM where both must agree: undeformed links
// with lumped mass, whatever their speeds. And statics, by hand.
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

const FormulationChoice transfer{.formulation = "transfer-functions"}, nodal{.formulation = "erls-fem"};

Model with_lumped_mass(Model model) {
  for (Link& link : model.links)
    for (BeamSegment& segment : link.segments) segment.mass_model = MassModel::lumped;
  return model;
}

Model driven_four_bar() {
  Model model = flexible_four_bar(7e10, false);
  model.drives.push_back({"motor", {}, 0, 0, true, SignalTable{{-1, 1}, {-3.0, 5.0}}});
  return model;
}

std::vector<std::pair<std::string, Model>> cases() {
  return {{"spatial_2r", with_lumped_mass(spatial_2r())},
          {"mixed_tree", with_lumped_mass(mixed_tree())},
          {"four_bar", with_lumped_mass(flexible_four_bar(7e10, false))},
          {"driven_four_bar", with_lumped_mass(driven_four_bar())},
          {"four_bar cut elsewhere", with_lumped_mass(flexible_four_bar(7e10, false, 3))}};
}

TEST(TransferObserve, NodesMoveAsInErls) {
  for (const auto& [name, model] : cases()) {
    Formulated ours(model, transfer), theirs(model, nodal);
    ours.evaluate();
    theirs.evaluate();
    for (std::size_t link = 0; link < model.links.size(); ++link)
      for (std::size_t node = 0; node < model.links[link].nodes.size(); ++node) {
        const NodeMotion a = ours.node(static_cast<int>(link), static_cast<int>(node));
        const NodeMotion b = theirs.node(static_cast<int>(link), static_cast<int>(node));
        EXPECT_LT((a.position - b.position).norm(), 1e-11) << name;
        EXPECT_LT((a.orientation - b.orientation).norm(), 1e-11) << name;
        EXPECT_LT((a.velocity - b.velocity).norm(), 1e-10) << name;
        EXPECT_LT((a.angular_velocity - b.angular_velocity).norm(), 1e-10) << name;
        EXPECT_LT((a.acceleration - b.acceleration).norm(), 1e-7 * (1 + b.acceleration.norm())) << name;
        EXPECT_LT((a.angular_acceleration - b.angular_acceleration).norm(), 1e-7 * (1 + b.angular_acceleration.norm()))
            << name;
        EXPECT_LT(a.displacement.norm() + a.rotation.norm(), 1e-10) << name;
      }
  }
}

TEST(TransferObserve, JointsMoveAndReactAsInErls) {
  for (const auto& [name, model] : cases()) {
    Formulated ours(model, transfer), theirs(model, nodal);
    ours.evaluate();
    theirs.evaluate();
    for (int joint = 0; joint < static_cast<int>(model.joints.size()); ++joint) {
      for (int freedom = 0; freedom < num_freedoms(model.joints[joint].type); ++freedom) {
        const SignalValue a = ours.joint(joint, freedom), b = theirs.joint(joint, freedom);
        EXPECT_NEAR(a.value, b.value, 1e-10) << name << joint;
        EXPECT_NEAR(a.rate, b.rate, 1e-9) << name << joint;
        // A ball joint that closes a loop: ERLS tells the rigid mechanism's angles, without the elastic acceleration.
        if (model.joints[joint].type == JointType::spherical && name != "mixed_tree") continue;
        EXPECT_NEAR(a.acceleration, b.acceleration, 1e-6 * (1 + std::abs(b.acceleration))) << name << joint;
      }
      Vector3 force[2], torque[2];
      ASSERT_TRUE(ours.equations->reaction(ours.state, ours.inputs, ours.accelerations, joint, force[0], torque[0],
                                           *ours.workspace));
      ASSERT_TRUE(theirs.equations->reaction(theirs.state, theirs.inputs, theirs.accelerations, joint, force[1],
                                             torque[1], *theirs.workspace));
      EXPECT_LT((force[0] - force[1]).norm(), 1e-6 * (1 + force[1].norm())) << name << joint;
      EXPECT_LT((torque[0] - torque[1]).norm(), 1e-6 * (1 + torque[1].norm())) << name << joint;
    }
    if (model.drives.empty()) continue;
    const double a =
        ours.equations->prescribed_force(ours.state, ours.inputs, ours.accelerations, 0, 0, *ours.workspace);
    const double b =
        theirs.equations->prescribed_force(theirs.state, theirs.inputs, theirs.accelerations, 0, 0, *theirs.workspace);
    EXPECT_NEAR(a, b, 1e-9) << name;
  }
}

// A cantilever with a force at its free end, held at either end of the mesh.
TEST(TransferObserve, SectionLoadsOfACantileverAreThoseOfStatics) {
  const Vector3 force(0.3, -0.02, 0.03);
  for (const int held : {0, 1}) {
    FlexibleBuilder b;
    const int arm = b.beam("arm", {{0, 0, 0}, {0.4, 0, 0}}, 3);
    const Vector3 root(held == 0 ? 0 : 0.4, 0, 0);
    b.hinge("root", JointType::fixed, -1, root, arm, root, Vector3::UnitZ());
    b.model().gravity.setZero();
    Load load;
    load.link = arm;
    load.node = 1 - held;
    load.direction = force;
    load.signal = SignalConstant{1};
    b.model().loads.push_back(load);
    Formulated system(b.model(), transfer);
    const Equilibrium found = equilibrium(*system.equations, system.state);
    ASSERT_TRUE(found.converged) << found.message;
    system.state = found.state;
    for (const int node : {0, 1}) {
      Vector3 section_force, moment;
      ASSERT_TRUE(system.equations->section_load(system.state, system.inputs, system.accelerations, arm, node,
                                                 section_force, moment, *system.workspace));
      // What the part towards x exerts on the part before it.
      const Vector3 applied = held == 0 ? force : Vector3(-force);
      const double arm_length = node == held ? 0.4 : 0.0;
      const Vector3 lever(held == 0 ? arm_length : -arm_length, 0, 0);
      EXPECT_LT((section_force - applied).norm(), 1e-3 * force.norm()) << held << node;
      EXPECT_LT((moment - lever.cross(applied)).norm(), 1e-3 * 0.4 * force.norm()) << held << node;
    }
  }
}

}  // namespace
}  // namespace lithe
