// Equations, springs, rods and chained spiders of meshes against the theory.
#include <gtest/gtest.h>

#include "lithe/base/diagnostics.h"
#include "lithe/fem/assemble_mesh.h"
#include "lithe/reduce/invariants.h"
#include "support/solid_bar.h"

namespace lithe {
namespace {

using test::link_of;

std::shared_ptr<MeshPart> part_of(const Link& link) { return std::make_shared<MeshPart>(*link.mesh); }

double force_of_rigid_motions(const FiniteElementBody& body) {
  const MatrixX rigid = rigid_modes(body);
  return (body.stiffness * rigid).norm() / (body.stiffness.norm() * rigid.norm());
}

// A chain: the reference of one rigid spider follows another, an averaging one shares nodes with an interface.
TEST(ChainedSpiders, FollowRigidMotionsWithoutForceAndHoldEachOther) {
  Link link = link_of({.size = {0.3, 0.2, 0.1}, .count = {3, 2, 1}});
  const auto part = part_of(link);
  Mesh& mesh = part->mesh;
  std::vector<int> middle;
  for (int node = 0; node < mesh.num_nodes(); ++node)
    if (std::abs(mesh.positions[static_cast<std::size_t>(node)].x() - 0.1) < 1e-9) middle.push_back(node);
  ASSERT_GE(middle.size(), 4u);
  const int first = mesh.num_nodes();
  for (const Vector3& position : {Vector3(0.1, 0.3, 0.05), Vector3(0.1, 0.4, 0.3), Vector3(0.3, 0.1, 0.2)}) {
    mesh.positions.push_back(position);
    mesh.node_labels.push_back(1000 + mesh.num_nodes());
  }
  mesh.spiders.push_back({SpiderKind::rigid, first, middle, {}, 1, true});
  mesh.spiders.push_back({SpiderKind::rigid, first + 1, {first}, {}, 2, true});
  mesh.spiders.push_back({SpiderKind::averaging, first + 2, link.spiders[1].nodes, {}, 3, true});
  mesh.spiders.back().nodes.push_back(first + 1);
  link.mesh = part;
  const FiniteElementBody body = assemble_mesh(link);
  EXPECT_LT(force_of_rigid_motions(body), 1e-11);
  // Whatever the body does, node `first` moves with `first + 1`.
  const NodeShapes shapes = node_shapes(body, MatrixX::Identity(body.num_dofs(), body.num_dofs()));
  const auto at = [&](int mesh_node) {
    for (int node = 0; node < body.num_nodes(); ++node)
      if (body.mesh_nodes[static_cast<std::size_t>(node)] == mesh_node) return 3 * node;
    return -1;
  };
  const Vector3 arm =
      mesh.positions[static_cast<std::size_t>(first)] - mesh.positions[static_cast<std::size_t>(first) + 1];
  const MatrixX difference = shapes.translations.middleRows<3>(at(first)) -
                             shapes.translations.middleRows<3>(at(first + 1)) +
                             skew(arm) * shapes.rotations.middleRows<3>(at(first + 1));
  EXPECT_LT(difference.norm(), 1e-12);
}

TEST(Equations, HoldForEveryMotionAndDropWhatFollowsFromOthers) {
  Link link = link_of({.count = {4, 1, 1}});
  const auto part = part_of(link);
  const int dofs = assemble_mesh(link).num_dofs();
  const int a = 2 * 4 + 0, b = 2 * 4 + 1;  // nodes in the middle of the bar
  const std::vector<MotionTerm> terms = {{a, 1, 2.0}, {b, 1, -1.0}, {b, 2, 0.5}};
  part->mesh.equations = {{"one", terms}, {"twice the same", {{b, 2, -1.0}, {b, 1, 2.0}, {a, 1, -4.0}}}};
  link.mesh = part;
  const FiniteElementBody body = assemble_mesh(link);
  EXPECT_EQ(body.num_dofs(), dofs - 1);
  const NodeShapes shapes = node_shapes(body, MatrixX::Identity(body.num_dofs(), body.num_dofs()));
  VectorX sum = VectorX::Zero(body.num_dofs());
  for (const MotionTerm& term : terms)
    for (int node = 0; node < body.num_nodes(); ++node)
      if (body.mesh_nodes[static_cast<std::size_t>(node)] == term.node)
        sum += term.factor * shapes.translations.row(3 * node + term.component).transpose();
  EXPECT_LT(sum.norm(), 1e-13);
}

TEST(Equations, LeaveInterfacesTheirMotion) {
  Link link = link_of({.count = {2, 1, 1}});
  const auto part = part_of(link);
  part->mesh.equations = {{"*EQUATION in line 7", {{link.spiders[1].nodes[0], 0, 1.0}}}};
  link.mesh = part;
  try {
    assemble_mesh(link);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("*EQUATION in line 7 of"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("must move freely"), std::string::npos) << error.what();
  }
}

TEST(Equations, WantRotationsThatThereAre) {
  Link link = link_of({.count = {4, 1, 1}});
  const auto part = part_of(link);
  part->mesh.equations = {{"hinge", {{8, 3, 1.0}, {9, 3, -1.0}}}};
  link.mesh = part;
  EXPECT_THROW(assemble_mesh(link), InputError);
  part->mesh.equations[0].if_all_turn = true;
  link.mesh = std::make_shared<MeshPart>(*part);
  EXPECT_NO_THROW(assemble_mesh(link));
}

// A mass on three springs: its frequency is that of the springs alone, held at the other end.
TEST(Springs, CarryAMassThatHangsOnThemAlone) {
  Link link = link_of({.size = {0.1, 0.1, 0.1}, .count = {1, 1, 1}});
  const auto part = part_of(link);
  Mesh& mesh = part->mesh;
  const int mass = mesh.num_nodes();
  mesh.positions.push_back(mesh.positions[0]);
  mesh.node_labels.push_back(500);
  mesh.masses.push_back({mass, 2.0, Matrix3::Zero(), Vector3::Zero()});
  for (int k = 0; k < 3; ++k) mesh.springs.push_back({"spring", {{0, k, -1.0}, {mass, k, 1.0}}, 800.0 * (k + 1)});
  link.mesh = part;
  const FiniteElementBody body = assemble_mesh(link);
  EXPECT_LT(force_of_rigid_motions(body), 1e-12);
  const int last = body.num_nodes() - 1;
  ASSERT_EQ(body.mesh_nodes[static_cast<std::size_t>(last)], mass);
  ASSERT_EQ(body.num_dofs(last), 3);
  for (int k = 0; k < 3; ++k) {
    const int dof = body.first_dof(last) + k;
    EXPECT_NEAR(body.stiffness.coeff(dof, dof) / body.mass.coeff(dof, dof), 400.0 * (k + 1), 1e-9);
  }
}

TEST(Rods, StretchWeighAndLetEverythingElseGo) {
  Link link = link_of({.size = {0.1, 0.1, 0.1}, .count = {1, 1, 1}});
  const double weight = assemble_mesh(link).node_mass.sum();
  const auto part = part_of(link);
  Mesh& mesh = part->mesh;
  const int end = mesh.num_nodes();
  mesh.positions.push_back(mesh.positions[0] + Vector3(-0.3, 0.4, 0));
  mesh.node_labels.push_back(500);
  MeshBeamSection rod;
  rod.theory = BeamTheory::truss;
  rod.section.area = 1e-4;
  rod.material = 0;
  rod.mass_per_length = 0.5;
  mesh.beam_sections = {rod};
  mesh.beams.push_back({mesh.num_elements(), 0});
  mesh.elements.push_back({ElementShape::line2, -1, mesh.connectivity.size(), 900});
  mesh.connectivity.insert(mesh.connectivity.end(), {0, end});
  part->element_materials.push_back(-1);
  link.mesh = part;
  const FiniteElementBody body = assemble_mesh(link);
  EXPECT_LT(force_of_rigid_motions(body), 1e-11);
  const int last = body.num_nodes() - 1, dof = body.first_dof(last);
  ASSERT_EQ(body.num_dofs(last), 3);
  const Matrix3 block = MatrixX(body.stiffness).block<3, 3>(dof, dof);
  const Vector3 along(-0.6, 0.8, 0);
  const Material& material = part->materials[0];
  EXPECT_LT((block - material.young_modulus * 1e-4 / 0.5 * along * along.transpose()).norm(), 1e-9 * block.norm());
  double mass = 0;
  for (const MassPoint& point : body.mass_points) mass += point.mass;
  EXPECT_NEAR(mass, 0.5 * (material.density * 1e-4 + 0.5), 1e-12);
  EXPECT_NEAR(body.node_mass.sum(), weight, 1e-9);
}

}  // namespace
}  // namespace lithe
