// What the contract says beside the equations of motion, in every formulation: link poses, mass matrices, Jacobians of
// nodes, scales of coordinates and inverse dynamics agree with what evaluate() and node_motion() say.
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

const std::vector<std::string> formulations = {"erls-cms", "erls-fem", "floating-frame", "corotational",
                                               "transfer-functions"};

VectorX waves(Eigen::Index n, double size) {
  return VectorX::NullaryExpr(n, [&](Eigen::Index i) { return size * std::sin(1.0 + 2.0 * static_cast<double>(i)); });
}

// A closed chain or an open one, flexible, deformed and in motion.
struct Moving : Formulated {
  Moving(const Model& model, const std::string& formulation) : Formulated(model, {.formulation = formulation}) {
    state.coordinates += waves(state.coordinates.size(), 1e-4);
    state.speeds += waves(state.speeds.size(), 0.1);
    for (int i = 0; i < 5; ++i) equations->accept(state, inputs, *workspace);
    evaluate();
  }
};

const std::vector<Model> mechanisms = {spatial_2r(), flexible_four_bar()};

TEST(Contract, DisplacementsAreCountedFromTheLinkPose) {
  for (const Model& model : mechanisms)
    for (const std::string& formulation : formulations) {
      Moving system(model, formulation);
      for (int link = 0; link < static_cast<int>(model.links.size()); ++link) {
        const Pose pose = system.equations->link_pose(system.state, system.inputs, link, *system.workspace);
        EXPECT_LT((pose.rotation.transpose() * pose.rotation - Matrix3::Identity()).norm(), 1e-14) << formulation;
        const std::vector<Node>& nodes = model.links[static_cast<std::size_t>(link)].nodes;
        for (int node = 0; node < static_cast<int>(nodes.size()); ++node) {
          const NodeMotion motion = system.node(link, node);
          const Vector3 place = pose * nodes[static_cast<std::size_t>(node)].position + motion.displacement;
          EXPECT_LT((place - motion.position).norm(), 1e-14) << formulation << " " << link << " " << node;
        }
      }
    }
}

// The default takes the pose back from the first node: its axes turned back by a rotation that ERLS has to first order.
TEST(Contract, TheDefaultLinkPoseIsTheOneThatEnginesHave) {
  for (const Model& model : mechanisms)
    for (const std::string& formulation : formulations) {
      Moving system(model, formulation);
      for (int link = 0; link < static_cast<int>(model.links.size()); ++link) {
        const Pose own = system.equations->link_pose(system.state, system.inputs, link, *system.workspace);
        const Pose by_default =
            system.equations->Equations::link_pose(system.state, system.inputs, link, *system.workspace);
        const double turn = system.node(link, 0).rotation.norm();
        EXPECT_LT((own.rotation - by_default.rotation).norm(), 1e-14 + turn * turn) << formulation << " " << link;
        EXPECT_LT((own.position - by_default.position).norm(), 1e-14 + turn * turn) << formulation << " " << link;
      }
    }
}

TEST(Contract, MassMatricesAreThoseOfLinearModels) {
  for (const Model& model : mechanisms)
    for (const std::string& formulation : formulations) {
      Moving system(model, formulation);
      MatrixX mass;
      LinearBlocks blocks;
      ASSERT_EQ(system.equations->mass_matrix(system.state, system.inputs, *system.workspace, mass),
                EvaluationStatus::ok);
      ASSERT_EQ(system.equations->linearise(system.state, system.inputs, *system.workspace, blocks),
                EvaluationStatus::ok);
      EXPECT_LT((mass - blocks.mass).norm(), 1e-12 * mass.norm()) << formulation;
    }
}

// Nothing is prescribed here, so that velocities are Jacobians times speeds.
TEST(Contract, JacobiansOfNodesGiveTheirVelocities) {
  for (const Model& model : mechanisms)
    for (const std::string& formulation : formulations) {
      Moving system(model, formulation);
      const VectorX scales = system.equations->coordinate_scales(system.state, system.inputs, *system.workspace);
      VectorX fastest = VectorX::Zero(scales.size());
      for (int link = 0; link < static_cast<int>(model.links.size()); ++link)
        for (int node = 0; node < static_cast<int>(model.links[static_cast<std::size_t>(link)].nodes.size()); ++node) {
          MatrixX jacobian;
          ASSERT_EQ(
              system.equations->node_jacobian(system.state, system.inputs, link, node, *system.workspace, jacobian),
              EvaluationStatus::ok);
          fastest = fastest.cwiseMax(jacobian.topRows(3).colwise().norm().transpose());
          const NodeMotion motion = system.node(link, node);
          Vector6 expected;
          expected << motion.velocity, motion.angular_velocity;
          const double size = (jacobian.cwiseAbs() * system.state.speeds.cwiseAbs()).norm();
          EXPECT_LT((jacobian * system.state.speeds - expected).norm(), 1e-13 * size)
              << formulation << " " << link << " " << node;
        }
      // The smallest scales of coordinates that move no named node are no motions.
      for (Eigen::Index i = 0; i < scales.size(); ++i)
        if (fastest[i] > 2e-6) EXPECT_NEAR(scales[i], fastest[i], 1e-12 * (1 + fastest[i])) << formulation << " " << i;
    }
}

// Accelerations under a torque of a joint need that torque on the joint's coordinate and nothing else.
TEST(Contract, InverseDynamicsFindsWhatActs) {
  const Model model = spatial_2r();
  for (const std::string& formulation : {"erls-cms", "erls-fem", "transfer-functions"}) {
    Moving system(model, formulation);
    Inputs driven = system.inputs;
    driven.joint_forces[1][0] = 3;
    Accelerations wanted{system.accelerations.values};
    ASSERT_EQ(system.equations->evaluate(system.state, driven, *system.workspace, wanted), EvaluationStatus::ok);
    VectorX forces;
    ASSERT_EQ(system.equations->inverse_dynamics(system.state, system.inputs, wanted, *system.workspace, forces),
              EvaluationStatus::ok);
    LinearBlocks blocks;
    ASSERT_EQ(system.equations->linearise(system.state, system.inputs, *system.workspace, blocks),
              EvaluationStatus::ok);
    EXPECT_LT((forces - 3 * blocks.input.col(1)).norm(), 1e-8 * forces.norm()) << formulation;
  }
}

}  // namespace
}  // namespace lithe
