// Inertia of nodal networks: lumped and distributed, against closed forms and against the tree of elements.
#include <gtest/gtest.h>

#include <cmath>

#include "app/reproduce/papers/network.h"
#include "lithe/fem/assemble.h"
#include "lithe/formulate/transfer/transfer_functions.h"
#include "support/flexible_models.h"

namespace lithe {
namespace {

// A disc on a hinge, whose deformation is e = 2 tan(φ/2): φ' = 1, φ'' = 0, φ''' = -1/2 at rest.
TEST(TransferNetwork, TurnsALumpedInertiaAboutAHinge) {
  TransferNetwork network;
  const int ground = network.add_rotation("ground"), disc = network.add_rotation("disc");
  for (int k = 0; k < 4; ++k) network.set_coordinate(ground + k, TransferRole::fixed);
  network.set_deformation(0, TransferRole::dependent);  // the ground's rotation is given: its length is one
  const int hinge = network.add_hinge("axle", ground, disc, Vector3(1, 2, 2));
  network.set_deformation(hinge, TransferRole::independent);
  Matrix3 inertia;
  inertia << 3, 0.2, 0.1, 0.2, 2, -0.3, 0.1, -0.3, 1.5;
  network.set_inertia(disc, inertia);
  const Vector3 axis = Vector3(1, 2, 2) / 3;
  const double J = axis.dot(inertia * axis), rate = 0.7, acceleration = -1.3;
  TransferLinear linear;
  ASSERT_EQ(network.linearise(VectorX::Constant(1, rate), VectorX::Constant(1, acceleration), linear),
            TransferStatus::ok);
  EXPECT_NEAR(linear.mass(0, 0), J, 1e-14 * J);
  EXPECT_NEAR(linear.damping(0, 0), 0, 1e-14 * J);
  EXPECT_NEAR(linear.geometric(0, 0), -0.5 * J * rate * rate, 1e-13 * J);
}

struct Cantilever {
  Model model;
  TransferNetwork network;
};

// Two elements clamped at the ground, as a tree and as a network with all deformations as freedoms.
Cantilever cantilever(MassModel mass) {
  Cantilever c;
  testing::FlexibleBuilder b(7e9);
  const int arm = b.beam("arm", {{0, 0, 0}, {0.4, 0, 0}}, 2);
  b.hinge("clamp", JointType::fixed, -1, {0, 0, 0}, arm, {0, 0, 0}, Vector3::UnitZ());
  for (BeamSegment& segment : b.model().links[arm].segments) {
    segment.theory = BeamTheory::euler_bernoulli;
    segment.mass_model = mass;
  }
  b.model().gravity.setZero();
  c.model = b.model();
  const FiniteElementBody mesh = assemble(c.model, c.model.links[arm]);
  const BeamSegment& segment = c.model.links[arm].segments[0];
  const BeamProperties properties =
      beam_properties(segment.theory, c.model.materials[segment.material], c.model.sections[segment.section], 0.2);
  int positions[3], rotations[3];
  for (int k = 0; k < 3; ++k) {
    const std::string name = "node " + std::to_string(k);
    positions[k] = c.network.add_position(name, Vector3(0.2 * k, 0, 0));
    rotations[k] = c.network.add_rotation(name);
  }
  for (int i = 0; i < 3; ++i) c.network.set_coordinate(positions[0] + i, TransferRole::fixed);
  for (int i = 0; i < 4; ++i) c.network.set_coordinate(rotations[0] + i, TransferRole::fixed);
  c.network.set_deformation(0, TransferRole::dependent);
  for (int k = 0; k < 2; ++k) {
    const int e = c.network.add_beam("beam", positions[k], rotations[k], positions[k + 1], rotations[k + 1],
                                     mesh.elements[0].axes.col(1));
    for (int i = 0; i < 6; ++i) c.network.set_deformation(e + i, TransferRole::independent);
    if (mass == MassModel::consistent) c.network.set_beam_mass(e, properties);
  }
  if (mass == MassModel::consistent) return c;
  double masses[3] = {};
  Matrix3 moments[3] = {Matrix3::Zero(), Matrix3::Zero(), Matrix3::Zero()};
  for (const MassPoint& point : mesh.mass_points) {
    const auto node = std::lround(point.position.x() / 0.2);
    masses[node] += point.mass;
    moments[node] += point.section_moment;
  }
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i) c.network.set_mass(positions[k] + i, masses[k]);
    c.network.set_inertia(rotations[k], moments[k].trace() * Matrix3::Identity() - moments[k]);
  }
  return c;
}

// Inertia alone: M0, C0 and the dynamic part of G0, with deformations, rates and accelerations.
TEST(TransferNetwork, HasTheInertiaOfTheTree) {
  for (const MassModel mass : {MassModel::consistent, MassModel::lumped}) {
    Cantilever c = cantilever(mass);
    const TransferFunctions tree(c.model);
    const auto workspace = tree.make_workspace();
    State state = tree.initial_state();
    const int n = tree.num_coordinates();
    ASSERT_EQ(n, 12);
    Accelerations accelerations;
    accelerations.values.resize(n);
    for (int i = 0; i < n; ++i) {
      state.coordinates(i) = 2e-3 * std::sin(1.0 + 2 * i);
      state.speeds(i) = 0.5 * std::cos(3.0 * i);
      accelerations.values(i) = 20 * std::sin(0.5 * i);
    }
    LinearBlocks blocks;
    ASSERT_EQ(tree.linearise_about(state, make_inputs(c.model), accelerations, *workspace, blocks),
              EvaluationStatus::ok);
    MatrixX elastic = MatrixX::Zero(n, n);
    for (const TransferBeam& beam : tree.tree().beams)
      elastic.block<6, 6>(tree.tree().frames[beam.frame].first, tree.tree().frames[beam.frame].first) =
          beam.form.stiffness;
    ASSERT_EQ(c.network.solve(state.coordinates), TransferStatus::ok);
    TransferLinear linear;
    ASSERT_EQ(c.network.linearise(state.speeds, accelerations.values, linear), TransferStatus::ok);
    EXPECT_LT((linear.mass - blocks.mass).norm(), 1e-11 * blocks.mass.norm());
    EXPECT_LT((linear.damping - blocks.damping).norm(), 1e-10 * blocks.damping.norm());
    const MatrixX geometric = blocks.stiffness - elastic;
    EXPECT_LT((linear.geometric - geometric).norm(), 1e-9 * geometric.norm() + 1e-12 * elastic.norm());
  }
}

}  // namespace
}  // namespace lithe
