#include "lithe/fem/assemble_mesh.h"

#include <gtest/gtest.h>

#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/model/mesh/mesh_facts.h"
#include "lithe/model/sections/section_properties.h"
#include "lithe/reduce/bases.h"
#include "lithe/reduce/invariants.h"
#include "lithe/reduce/reduce.h"
#include "support/shell_sheet.h"
#include "support/solid_bar.h"

namespace lithe {
namespace {

using test::link_of;
using test::SolidBar;

// Lowest frequencies in Hz with the first node held.
VectorX clamped_frequencies(const FiniteElementBody& body, int count) {
  std::vector<Eigen::Triplet<double>> triplets;
  int column = 0;
  for (int dof = 0; dof < body.num_dofs(); ++dof)
    if (body.node_of_dof(dof) != 0) triplets.emplace_back(dof, column++, 1.0);
  SparseMatrix keep(body.num_dofs(), column);
  keep.setFromTriplets(triplets.begin(), triplets.end());
  const NaturalModes modes =
      lowest_modes(keep.transpose() * body.stiffness * keep, keep.transpose() * body.mass * keep, count);
  return modes.squared_frequencies.cwiseSqrt() / (2 * std::numbers::pi);
}

double cantilever(const SolidBar& bar, double second_moment) {
  const double area = bar.size.y() * bar.size.z();
  return 1.8751 * 1.8751 / (2 * std::numbers::pi) *
         std::sqrt(bar.material.young_modulus * second_moment /
                   (bar.material.density * area * std::pow(bar.size.x(), 4)));
}

struct Case {
  const char* name;
  ElementShape shape;
  std::array<int, 3> count;
  SpiderKind spider;
};

class BarOfSolids : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Meshes, BarOfSolids,
    ::testing::Values(Case{"Hex8", ElementShape::hex8, {30, 1, 2}, SpiderKind::rigid},
                      Case{"Hex8Averaging", ElementShape::hex8, {30, 1, 2}, SpiderKind::averaging},
                      Case{"Hex20", ElementShape::hex20, {25, 1, 1}, SpiderKind::rigid},
                      Case{"Wedge15", ElementShape::wedge15, {25, 1, 1}, SpiderKind::rigid},
                      Case{"Tet10", ElementShape::tet10, {25, 1, 1}, SpiderKind::rigid},
                      Case{"Tet10Averaging", ElementShape::tet10, {15, 1, 1}, SpiderKind::averaging}),
    [](const auto& of) { return std::string(of.param.name); });

// 500 x 10 x 20 mm of steel, 33 Hz and 66 Hz. What is left of the 1 % is the clamp, which stops the root from
// contracting across, over the length of the last element.
TEST_P(BarOfSolids, BendsAsTheBeamDoes) {
  const Case& of = GetParam();
  const SolidBar bar{.shape = of.shape, .count = of.count, .spider = of.spider};
  const FiniteElementBody body = assemble_mesh(link_of(bar));
  const VectorX found = clamped_frequencies(body, 2);
  const double b = bar.size.y(), h = bar.size.z();
  EXPECT_NEAR(found(0) / cantilever(bar, h * b * b * b / 12), 1, 0.01);
  EXPECT_NEAR(found(1) / cantilever(bar, b * h * h * h / 12), 1, 0.01);
}

TEST_P(BarOfSolids, FollowsRigidMotionsWithoutForce) {
  const FiniteElementBody body = assemble_mesh(link_of({.shape = GetParam().shape,
                                                        .size = {0.3, 0.2, 0.1},
                                                        .count = {2, 2, 2},
                                                        .skew = 0.1,
                                                        .spider = GetParam().spider}));
  const MatrixX rigid = rigid_modes(body);
  const MatrixX force = body.stiffness * rigid;
  EXPECT_LT(force.norm(), 1e-11 * body.stiffness.norm() * rigid.norm());
  // All nodes move rigidly, those of the spiders too.
  const NodeShapes nodes = node_shapes(body, rigid);
  for (int mode = 0; mode < 6; ++mode) {
    const Vector3 turn = nodes.rotations.block<3, 1>(0, mode), shift = nodes.translations.block<3, 1>(0, mode);
    for (int node = 0; node < body.num_nodes(); ++node) {
      const Vector3 arm = body.node_positions[static_cast<std::size_t>(node)] - body.node_positions[0];
      EXPECT_LT((nodes.translations.block<3, 1>(3 * node, mode) - shift - turn.cross(arm)).norm(), 1e-12);
    }
  }
}

TEST_P(BarOfSolids, HasTheInvariantsOfABox) {
  const SolidBar bar{
      .shape = GetParam().shape, .size = {0.3, 0.2, 0.1}, .count = {2, 2, 2}, .skew = 0.1, .spider = GetParam().spider};
  Link link = link_of(bar);
  Matrix3 inertia = Vector3(0.02, 0.03, 0.04).asDiagonal();
  link.lumped_masses = {{1, 2.0, inertia}};  // at the tip
  const FiniteElementBody body = assemble_mesh(link);
  ReductionChoice choice;
  choice.method = ReductionMethod::craig_bampton;
  choice.interface_nodes = {0, 1};
  choice.num_internal_modes = 3;
  const ReducedBody reduced = reduce(body, choice, {}, {});
  ASSERT_EQ(reduced.num_modes(), 9);
  const double m = 7850 * 0.3 * 0.2 * 0.1, l = 0.3;
  EXPECT_NEAR(reduced.invariants.mass, m + 2, 1e-10);
  EXPECT_LT((reduced.invariants.first_moment - Vector3(m * l / 2 + 2 * l, 0, 0)).norm(), 1e-11);
  const Matrix3 moment = reduced.invariants.second_moment;
  const Matrix3 about_origin = moment.trace() * Matrix3::Identity() - moment;
  const Vector3 expected(m * (0.04 + 0.01) / 12 + 0.02, m * (l * l / 3 + 0.01 / 12) + 2 * l * l + 0.03,
                         m * (l * l / 3 + 0.04 / 12) + 2 * l * l + 0.04);
  EXPECT_LT((about_origin - Matrix3(expected.asDiagonal())).norm(), 1e-11);
  const auto& n = reduced.invariants.mode_mode;
  EXPECT_LT((n[0][0] + n[1][1] + n[2][2] - MatrixX::Identity(9, 9)).norm(), 1e-11);
  EXPECT_LT(reduced.invariants.mode_momentum.norm(), 1e-9);  // free modes carry no momentum
}

// The motions of a body without force: the mass matrix has the rigid-body mass that the invariants have.
void expect_rigid_mass(const FiniteElementBody& body, double mass, const Vector3& moment, const Matrix3& inertia,
                       const std::vector<int>& interfaces = {0, 1}) {
  ReductionChoice choice;
  choice.method = ReductionMethod::craig_bampton;
  choice.interface_nodes = interfaces;
  choice.num_internal_modes = 2;
  const InertiaInvariants& invariants = reduce(body, choice, {}, {}).invariants;
  const Matrix3 second = invariants.second_moment;
  const Matrix3 about_origin = second.trace() * Matrix3::Identity() - second;
  EXPECT_NEAR(invariants.mass, mass, 1e-10);
  EXPECT_LT((invariants.first_moment - moment).norm(), 1e-11);
  EXPECT_LT((about_origin - inertia).norm(), 1e-11);
  // Rigid motions at the dofs: all motions of nodes are rigid, and dofs are some of them.
  MatrixX rigid(body.num_dofs(), 6);
  for (int dof = 0; dof < body.num_dofs(); ++dof) {
    const Vector3& p = body.node_positions[static_cast<std::size_t>(body.node_of_dof(dof))];
    Matrix6 motions = Matrix6::Identity();
    motions.topRightCorner<3, 3>() = -skew(p);
    rigid.row(dof) = motions.row(body.component(dof));
  }
  const Matrix6 of_matrix = rigid.transpose() * (body.mass * rigid);
  Matrix6 expected;
  expected << mass * Matrix3::Identity(), -skew(moment), skew(moment), inertia;
  EXPECT_LT((of_matrix - expected).norm(), 1e-10 * expected.norm());
}

// A motor on a corner of a bar of solids, whose node has no rotation; and on a face that a rigid spider of the file
// holds. Inertia and offset are in the mass matrix and in the invariants alike.
TEST_P(BarOfSolids, CarriesMassesWithInertiaAndOffset) {
  const SolidBar bar{
      .shape = GetParam().shape, .size = {0.3, 0.2, 0.1}, .count = {2, 2, 2}, .skew = 0.1, .spider = GetParam().spider};
  const Matrix3 own = Vector3(0.02, 0.03, 0.04).asDiagonal();
  const Vector3 offset(0.05, -0.3, 0.1);
  Link link = link_of(bar);
  auto part = std::make_shared<MeshPart>(*link.mesh);
  const FiniteElementBody plain = assemble_mesh(link);
  const auto at = [&](double x) {
    for (int node = 0; node < part->mesh.num_nodes(); ++node)
      if ((part->mesh.positions[static_cast<std::size_t>(node)] - Vector3(x, 0.1, 0.05)).norm() < 1e-9) return node;
    return -1;
  };
  for (const double x : {0.15, 0.3}) {
    part->mesh.masses.clear();
    const int node = x < 0.2 ? 4 : at(x);  // one inside the bar, one of the face of 'tip'
    ASSERT_GE(node, 0);
    part->mesh.masses.push_back({node, 2.0, own, offset});
    link.mesh = std::make_shared<MeshPart>(*part);
    const FiniteElementBody body = assemble_mesh(link);
    const double m = 7850 * 0.3 * 0.2 * 0.1, l = 0.3;
    const Vector3 p = part->mesh.positions[static_cast<std::size_t>(node)] + offset;
    const Matrix3 box = Vector3(m * 0.05 / 12, m * (l * l / 3 + 0.01 / 12), m * (l * l / 3 + 0.04 / 12)).asDiagonal();
    expect_rigid_mass(body, m + 2, Vector3(m * l / 2, 0, 0) + 2 * p, box + own - 2 * skew(p) * skew(p));
    EXPECT_LT(clamped_frequencies(body, 1)(0), 0.999 * clamped_frequencies(plain, 1)(0));
  }
}

// A rod of 0.5 m, 10 x 20 mm, of beams on a rigid spider of a small stiff cube, which is held at its other side.
constexpr double rod_length = 0.5, cube_size = 0.02;

Link rod_on_cube(const Vector3& side) {
  constexpr int count = 8;
  const Material steel{"steel", 7850, 2.1e11, 2.1e11 / 2.6};
  Link link = link_of({.size = {cube_size, cube_size, cube_size}, .count = {1, 1, 1}});
  auto part = std::make_shared<MeshPart>(*link.mesh);
  part->materials = {Material{"stiff", 7850, 1000 * steel.young_modulus, 1000 * steel.shear_modulus}, steel};
  Mesh& mesh = part->mesh;
  MeshSpider flange;
  flange.nodes = link.spiders[1].nodes;
  flange.reference = mesh.num_nodes();
  mesh.spiders = {flange};
  link.spiders.pop_back();
  link.nodes.pop_back();
  mesh.beam_sections = {{rectangle_section(0.01, 0.02), BeamTheory::timoshenko, 1}};
  for (int k = 0; k <= count; ++k) {
    mesh.positions.push_back(Vector3(cube_size + rod_length * k / count, 0, 0));
    mesh.node_labels.push_back(100 + k);
    if (k == 0) continue;
    mesh.beams.push_back({mesh.num_elements(), 0, side});
    mesh.elements.push_back({ElementShape::line2, -1, mesh.connectivity.size(), 200 + k});
    mesh.connectivity.insert(mesh.connectivity.end(), {flange.reference + k - 1, flange.reference + k});
    part->element_materials.push_back(-1);
  }
  link.mesh = part;
  return link;
}

TEST(BeamsOfAMesh, BendAroundTheAxesOfTheirSections) {
  for (const Vector3& side : {Vector3(0.3, 2, 0), Vector3(0, 0, 1)}) {
    const FiniteElementBody body = assemble_mesh(rod_on_cube(side));
    const int tip = body.num_nodes() - 1;
    ASSERT_EQ(body.num_dofs(tip), 6);
    VectorX loads = VectorX::Zero(body.num_dofs());
    loads(body.first_dof(tip) + 1) = 1;
    std::vector<bool> held(static_cast<std::size_t>(body.num_dofs()), false);
    for (int k = 0; k < 6; ++k) held[static_cast<std::size_t>(body.first_dof(0) + k)] = true;
    const VectorX u = test::displacements(body, loads, held, VectorX::Zero(body.num_dofs()));
    const double moment = (side.z() == 0 ? 0.02 * 1e-6 : 0.01 * 8e-6) / 12;  // width 10 mm along the side
    const double bent = std::pow(rod_length, 3) / (3 * 2.1e11 * moment);
    const double sheared = rod_length / (5.0 / 6 * 2.1e11 / 2.6 * 2e-4);
    EXPECT_NEAR(u(body.first_dof(tip) + 1) / (bent + sheared), 1, 1e-3);
  }
}

TEST(BeamsOfAMesh, VibrateAndWeighAsABeam) {
  const Link link = rod_on_cube(Vector3::UnitY());
  const FiniteElementBody body = assemble_mesh(link);
  const VectorX found = clamped_frequencies(body, 2);
  const SolidBar same{.size = {rod_length, 0.01, 0.02}, .material = {"steel", 7850, 2.1e11, 2.1e11 / 2.6}};
  EXPECT_NEAR(found(0) / cantilever(same, 0.02 * 1e-6 / 12), 1, 3e-3);
  EXPECT_NEAR(found(1) / cantilever(same, 0.01 * 8e-6 / 12), 1, 3e-3);
  const double cube = 7850 * std::pow(cube_size, 3), rod = 7850 * 2e-4 * rod_length, c2 = cube_size * cube_size;
  const double middle = cube_size + rod_length / 2, along = rod * (middle * middle + rod_length * rod_length / 12);
  const double iy = 7850 * rod_length * 0.01 * 8e-6 / 12, iz = 7850 * rod_length * 0.02 * 1e-6 / 12;
  const Vector3 inertia(cube * c2 / 6 + iy + iz, cube * c2 * 5 / 12 + along + iy, cube * c2 * 5 / 12 + along + iz);
  expect_rigid_mass(body, cube + rod, Vector3(cube * cube_size / 2 + rod * middle, 0, 0), inertia.asDiagonal(),
                    {0, body.num_nodes() - 1});
  EXPECT_NEAR(mesh_mass(link.mesh->mesh, link.mesh->element_materials, link.mesh->materials), cube + rod, 1e-12);
}

TEST(BeamsOfAMesh, NeedADirectionAcrossThem) { EXPECT_THROW(assemble_mesh(rod_on_cube(Vector3::UnitX())), InputError); }

// A bar cut along the fibres of carbon plies, and one cut across: it bends with E1 or with E2. E/G is 27, so that shear
// takes up to 1 % along the fibres.
TEST(OrthotropicBar, BendsWithTheModulusOfItsDirection) {
  ElementMaterial ply(Material{"ply", 1550, 0, 0});
  ply.set_orthotropic({{135e9, 9e9, 9e9}, {5e9, 5e9, 3.2e9}, {0.3, 0.3, 0.4}});
  for (const bool along : {true, false}) {
    SolidBar bar{.shape = ElementShape::hex20, .count = {25, 1, 1}};
    Link link = link_of(bar);
    auto part = std::make_shared<MeshPart>(*link.mesh);
    part->materials = {ply};
    ElementFrame frame;
    if (!along) frame.axes << 0, 1, 0, -1, 0, 0, 0, 0, 1;  // direction 1 across the bar
    part->mesh.frames = {frame};
    for (MeshElement& element : part->mesh.elements) element.frame = 0;
    link.mesh = part;
    const double h = bar.size.y(), w = bar.size.z();
    bar.material = {"along the bar", 1550, along ? 135e9 : 9e9, 5e9};
    EXPECT_NEAR(clamped_frequencies(assemble_mesh(link), 1)(0) / cantilever(bar, w * h * h * h / 12), 1, 0.01);
  }
}

TEST(AveragingSpider, LeavesTheFaceFreeWhereARigidOneHoldsIt) {
  // A square prism under tension contracts across: a rigid spider at its ends resists.
  SolidBar bar{.shape = ElementShape::hex8, .size = {0.02, 0.02, 0.02}, .count = {2, 2, 2}};
  const auto stiffness = [&](SpiderKind kind) {
    bar.spider = kind;
    const FiniteElementBody body = assemble_mesh(link_of(bar));
    const MatrixX shape = static_modes(body, {0, 1});
    return (shape.transpose() * (body.stiffness * shape))(6, 6);
  };
  const double exact = bar.material.young_modulus * 0.02;  // E A / L
  EXPECT_NEAR(stiffness(SpiderKind::averaging) / exact, 1, 0.02);
  EXPECT_GT(stiffness(SpiderKind::rigid) / exact, 1.03);
}

std::string error_of(const Link& link) {
  try {
    assemble_mesh(link);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(BadMesh, NamesElementsThatAreInsideOut) {
  Link link = link_of({.count = {4, 1, 1}});
  auto part = std::make_shared<MeshPart>(*link.mesh);
  std::swap(part->mesh.connectivity[0], part->mesh.connectivity[4]);
  link.mesh = part;
  EXPECT_NE(error_of(link).find("1 element with negative or zero volume: number 1"), std::string::npos)
      << error_of(link);
}

TEST(BadMesh, SaysWhenPiecesDoNotHangTogether) {
  Link link = link_of({.count = {4, 1, 1}});
  auto part = std::make_shared<MeshPart>(*link.mesh);
  part->element_materials[1] = -1;
  link.mesh = part;
  EXPECT_NE(error_of(link).find("2 pieces that are not connected"), std::string::npos) << error_of(link);
}

TEST(BadMesh, WantsNoTwoSpidersOnANode) {
  Link link = link_of({.count = {1, 1, 1}});
  link.spiders[1].nodes.push_back(link.spiders[0].nodes[0]);
  EXPECT_NE(error_of(link).find("interface 'tip': it shares a node"), std::string::npos) << error_of(link);
}

TEST(BadMesh, WantsSpidersThatHoldARotation) {
  Link link = link_of({.count = {1, 1, 1}});
  link.spiders[1].nodes.resize(2);
  EXPECT_NE(error_of(link).find("its 2 nodes lie on one line"), std::string::npos) << error_of(link);
  link.spiders[1].nodes.resize(1);
  EXPECT_NE(error_of(link).find("a single node"), std::string::npos) << error_of(link);
}

}  // namespace
}  // namespace lithe
