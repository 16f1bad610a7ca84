#include "lithe/fem/shells/shell_element.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/fem/assemble_mesh.h"
#include "lithe/fem/mesh_stress.h"
#include "lithe/reduce/bases.h"
#include "support/shell_sheet.h"
#include "support/solid_bar.h"

namespace lithe {
namespace {

using test::displacements;
using test::nearest_node;
using test::ShellSheet;

class Shells : public ::testing::TestWithParam<ElementShape> {};

std::string name_of_shape(const ::testing::TestParamInfo<ElementShape>& test) {
  static const std::array<std::string, 4> names = {"Tri3", "Quad4", "Tri6", "Quad8"};
  return names[test.index];
}
INSTANTIATE_TEST_SUITE_P(Shapes, Shells,
                         ::testing::Values(ElementShape::tri3, ElementShape::quad4, ElementShape::tri6,
                                           ElementShape::quad8),
                         name_of_shape);

bool on_edge(const Vector3& p) { return p.x() < 1e-9 || p.x() > 1 - 1e-9 || p.y() < 1e-9 || p.y() > 1 - 1e-9; }

// The motion of a node in a patch test: displacement and rotation.
using Field = std::function<Vector6(const Vector3&)>;

// The edges of a patch of skew elements move by a field; the nodes inside must follow it.
double patch_error(const FiniteElementBody& body, const Field& field) {
  std::vector<bool> held(static_cast<std::size_t>(body.num_dofs()), false);
  VectorX exact = VectorX::Zero(body.num_dofs());
  for (int dof = 0; dof < body.num_dofs(); ++dof) {
    const Vector3& p = body.node_positions[static_cast<std::size_t>(body.node_of_dof(dof))];
    exact(dof) = field(p)(body.component(dof));
    held[static_cast<std::size_t>(dof)] = on_edge(p);
  }
  const VectorX found = displacements(body, VectorX::Zero(body.num_dofs()), held, exact);
  return (found - exact).norm() / exact.norm();
}

TEST_P(Shells, PassThePatchTestOfTheMembrane) {
  const FiniteElementBody body = assemble_mesh(test::link_of_sheet({.shape = GetParam(), .skew = 0.2}));
  const Field stretch = [](const Vector3& p) -> Vector6 {
    Vector6 u;
    u << 2e-3 * p.x() + 1e-3 * p.y(), 5e-4 * p.x() - 1e-3 * p.y(), 0, 0, 0, 0.5 * (5e-4 - 1e-3);
    return u;
  };
  EXPECT_LT(patch_error(body, stretch), 1e-10);
}

// Quadrilaterals of 8 nodes have no square of x on skew elements (nor has any serendipity element): theirs are
// parallelograms.
TEST_P(Shells, PassThePatchTestOfBending) {
  const bool serendipity = GetParam() == ElementShape::quad8;
  const FiniteElementBody body =
      assemble_mesh(test::link_of_sheet({.shape = GetParam(), .nx = 4, .ny = 3, .skew = serendipity ? 0 : 0.2}));
  const Field bend = [](const Vector3& p) -> Vector6 {  // w = a x² + b x y + c y², θ = (w,y, -w,x)
    const double a = 1e-2, b = 7e-3, c = -4e-3, x = p.x(), y = p.y();
    Vector6 u;
    u << 0, 0, a * x * x + b * x * y + c * y * y, b * x + 2 * c * y, -2 * a * x - b * y, 0;
    return u;
  };
  EXPECT_LT(patch_error(body, bend), 1e-9);
}

// Of a plate bent and stretched at once: σ = E/(1 - ν²) (ε_x + ν ε_y) with ε_x = e + z κ, at z = offset ± t/2.
TEST_P(Shells, HaveTheStressOfABentPlateAtBottomAndTop) {
  const double t = 0.01, e = 1e-4, kappa = 0.03;
  const Link link = test::link_of_sheet({.shape = GetParam(), .nx = 3, .ny = 3, .thickness = t});
  const FiniteElementBody body = mesh_nodes_of(link);
  VectorX dofs(body.num_dofs());
  for (int dof = 0; dof < body.num_dofs(); ++dof) {
    const double x = body.node_positions[static_cast<std::size_t>(body.node_of_dof(dof))].x();
    Vector6 u;
    u << e * x, 0, -0.5 * kappa * x * x, 0, kappa * x, 0;
    dofs(dof) = u(body.component(dof));
  }
  const std::vector<int> places = stress_places_on_surface(*link.mesh);
  const std::vector<int> nodes = body_nodes_at(*link.mesh, body, places);
  const VectorX stress = nodal_stress(link, body, places) * dofs;
  const double factor = 2.1e11 / (1 - 0.09);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const double z = body.node_positions[static_cast<std::size_t>(nodes[k])].z(), strain = e + z * kappa;
    EXPECT_NEAR(std::abs(z), t / 2, 1e-15);
    Vector6 exact = Vector6::Zero();
    exact(0) = factor * strain;
    exact(1) = 0.3 * factor * strain;
    EXPECT_LT((stress.segment<6>(6 * static_cast<Eigen::Index>(k)) - exact).norm(), 1e-8 * factor * kappa * t) << k;
  }
}

TEST_P(Shells, HaveSixMotionsWithoutStrainOnAWarpedSheet) {
  const FiniteElementBody body = assemble_mesh(
      test::link_of_sheet({.shape = GetParam(),
                           .nx = 2,
                           .ny = 2,
                           .map = [](double u, double v) { return Vector3(u, v, 0.3 * u * v + 0.2 * u * u); },
                           .thickness = 0.05,
                           .offset = 0.02}));
  MatrixX rigid = MatrixX::Zero(body.num_dofs(), 6);
  for (int dof = 0; dof < body.num_dofs(); ++dof) {
    const Vector3& p = body.node_positions[static_cast<std::size_t>(body.node_of_dof(dof))];
    for (int k = 0; k < 3; ++k) {
      Vector6 turn;
      turn << Vector3::Unit(k).cross(p), Vector3::Unit(k);
      rigid(dof, k) = body.component(dof) == k;
      rigid(dof, 3 + k) = turn(body.component(dof));
    }
  }
  const MatrixX stiffness(body.stiffness);
  EXPECT_LT((stiffness * rigid).norm(), 1e-11 * stiffness.norm() * rigid.norm());
  // Scaled so that rotations and displacements compare.
  const VectorX scale = stiffness.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<MatrixX> pairs(scale.asDiagonal() * stiffness * scale.asDiagonal(),
                                                     Eigen::EigenvaluesOnly);
  EXPECT_LT(std::abs(pairs.eigenvalues()(5)), 1e-12);
  EXPECT_GT(pairs.eigenvalues()(6), 1e-7);
}

// Of the whole body: the matrix of mass over rigid motions against volume integrals.
TEST_P(Shells, HaveTheMassOfAPlateWithRotaryInertia) {
  const double t = 0.2, rho = 7850;
  const FiniteElementBody body =
      assemble_mesh(test::link_of_sheet({.shape = GetParam(), .skew = 0.1, .thickness = t, .offset = 0.1}));
  const VectorX ones = VectorX::Ones(body.num_nodes());
  const VectorX nodal = body.node_mass * ones;
  EXPECT_NEAR(nodal.sum(), rho * t, 1e-9 * rho * t);
  Matrix3 second = Matrix3::Zero();
  for (int j = 0; j < body.node_mass.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(body.node_mass, j); entry; ++entry)
      second += entry.value() * body.node_positions[static_cast<std::size_t>(entry.row())] *
                body.node_positions[static_cast<std::size_t>(j)].transpose();
  Matrix3 exact;  // ∫ρ x xᵀ of a box from 0 to 1 in x and y, 0 to t in z (offset by half the thickness)
  exact << 1.0 / 3, 0.25, t / 4, 0.25, 1.0 / 3, t / 4, t / 4, t / 4, t * t / 3;
  EXPECT_LT((second / (rho * t) - exact).norm(), 1e-9);
}

struct Supported {
  FiniteElementBody body;
  std::vector<bool> held;
  VectorX loads;

  explicit Supported(const ShellSheet& sheet)
      : body(assemble_mesh(test::link_of_sheet(sheet))),
        held(static_cast<std::size_t>(body.num_dofs()), false),
        loads(VectorX::Zero(body.num_dofs())) {}
  void hold(const std::function<bool(const Vector3&)>& where, std::initializer_list<int> components) {
    for (int dof = 0; dof < body.num_dofs(); ++dof)
      for (const int component : components)
        if (body.component(dof) == component &&
            where(body.node_positions[static_cast<std::size_t>(body.node_of_dof(dof))]))
          held[static_cast<std::size_t>(dof)] = true;
  }
  void load(const Vector3& at, const Vector3& force) {
    loads.segment<3>(body.first_dof(nearest_node(body, at))) += force;
  }
  Vector3 deflection(const Vector3& at) const {
    const VectorX found = displacements(body, loads, held, VectorX::Zero(body.num_dofs()));
    return found.segment<3>(body.first_dof(nearest_node(body, at)));
  }
};

auto at_value(int axis, double value) {
  return [=](const Vector3& p) { return std::abs(p(axis) - value) < 1e-6; };
}

Material unit_material(double young, double poisson, double density = 1) {
  return {"m", density, young, young / (2 * (1 + poisson))};
}

// MacNeal and Harder, A proposed standard set of problems to test finite element accuracy (1985): Scordelis-Lo roof,
// a quarter; vertical displacement in the middle of the free edge 0.3024.
double roof(ElementShape shape, int n) {
  Supported roof(ShellSheet{.shape = shape,
                            .nx = n,
                            .ny = n,
                            .map =
                                [](double u, double v) {
                                  const double angle = 40 * std::numbers::pi / 180 * v;
                                  return Vector3(25 * u, 25 * std::sin(angle), 25 * std::cos(angle));
                                },
                            .thickness = 0.25,
                            .material = unit_material(4.32e8, 0)});
  roof.hold(at_value(0, 25), {1, 2, 3});  // diaphragm
  roof.hold(at_value(0, 0), {0, 4, 5});
  roof.hold(at_value(1, 0), {1, 3, 5});
  const VectorX area = roof.body.node_mass * VectorX::Ones(roof.body.num_nodes()) / 0.25;
  VectorX weight = VectorX::Zero(6 * roof.body.num_nodes());
  for (int node = 0; node < roof.body.num_nodes(); ++node) weight(6 * node + 2) = -90 * area(node);
  roof.loads = roof.body.node_motions.transpose() * weight;
  const double edge = 40 * std::numbers::pi / 180;
  return -roof.deflection(Vector3(0, 25 * std::sin(edge), 25 * std::cos(edge))).z() / 0.3024;
}

// Hemisphere with a hole of 18 degrees under two pairs of radial forces: 0.0940 (0.0935 by others).
double hemisphere(ElementShape shape, int n) {
  Supported part(ShellSheet{.shape = shape,
                            .nx = n,
                            .ny = n,
                            .map =
                                [](double u, double v) {
                                  const double around = 0.5 * std::numbers::pi * u,
                                               up = 72 * std::numbers::pi / 180 * v;
                                  return Vector3(10 * std::cos(around) * std::cos(up),
                                                 10 * std::sin(around) * std::cos(up), 10 * std::sin(up));
                                },
                            .thickness = 0.04,
                            .material = unit_material(6.825e7, 0.3)});
  part.hold(at_value(1, 0), {1, 3, 5});
  part.hold(at_value(0, 0), {0, 4, 5});
  part.held[static_cast<std::size_t>(part.body.first_dof(nearest_node(part.body, Vector3(10, 0, 0))) + 2)] = true;
  part.load(Vector3(10, 0, 0), Vector3(1, 0, 0));
  part.load(Vector3(0, 10, 0), Vector3(0, -1, 0));
  return part.deflection(Vector3(10, 0, 0)).x() / 0.094;
}

// Cylinder with end diaphragms, pinched by two forces: 1.8248e-5 under the force.
double cylinder(ElementShape shape, int n) {
  Supported part({.shape = shape,
                  .nx = n,
                  .ny = n,
                  .map =
                      [](double u, double v) {
                        return Vector3(300 * u, 300 * std::sin(0.5 * std::numbers::pi * v),
                                       300 * std::cos(0.5 * std::numbers::pi * v));
                      },
                  .thickness = 3,
                  .material = unit_material(3e6, 0.3)});
  part.hold(at_value(0, 300), {1, 2, 3});
  part.hold(at_value(0, 0), {0, 4, 5});
  part.hold(at_value(1, 0), {1, 3, 5});
  part.hold(at_value(2, 0), {2, 3, 4});
  part.load(Vector3(0, 0, 300), Vector3(0, 0, -0.25));
  return -part.deflection(Vector3(0, 0, 300)).z() / 1.8248e-5;
}

// Beam of 12 x 1.1, twisted by 90 degrees, clamped; unit force at the tip. Thickness 0.32: 5.424e-3 in the direction
// of the width at the tip, 1.754e-3 across.
Vector3 twisted(ElementShape shape, int n, double thickness) {
  Supported part(ShellSheet{.shape = shape,
                            .nx = 6 * n,
                            .ny = n,
                            .map =
                                [](double u, double v) {
                                  const double angle = 0.5 * std::numbers::pi * u, y = 1.1 * (v - 0.5);
                                  return Vector3(12 * u, y * std::cos(angle), y * std::sin(angle));
                                },
                            .thickness = thickness,
                            .material = unit_material(2.9e7, 0.22)});
  part.hold(at_value(0, 0), {0, 1, 2, 3, 4, 5});
  Supported across = part;
  part.load(Vector3(12, 0, 0), Vector3(0, 0, 1));
  across.load(Vector3(12, 0, 0), Vector3(0, 1, 0));
  return {part.deflection(Vector3(12, 0, 0)).z(), across.deflection(Vector3(12, 0, 0)).y(), 0};
}

// What each element reaches with n x n elements, as a share of the published value less one.
struct Benchmark {
  ElementShape shape;
  int n;
  double roof, hemisphere, cylinder, thick, thin;
};

class ShellBenchmarks : public ::testing::TestWithParam<Benchmark> {};
INSTANTIATE_TEST_SUITE_P(Meshes, ShellBenchmarks,
                         ::testing::Values(Benchmark{ElementShape::quad4, 16, 0.01, 0.01, 0.03, 0.01, 0.01},
                                           Benchmark{ElementShape::quad8, 8, 0.01, 0.04, 0.03, 0.01, 0.01},
                                           Benchmark{ElementShape::tri3, 16, 0.01, 0.1, 0.03, 0.01, 0.1},
                                           Benchmark{ElementShape::tri6, 16, 0.01, 0.12, 0.06, 0.01, 0.1}),
                         [](const auto& of) {
                           return name_of_shape({of.param.shape, of.index});
                         });

// The published values are of thin shells and have three to five digits; those of the roof and of the hemisphere are
// 0.3024 and 0.0940, deep-shell theory gives 0.3 to 0.7 % less. The shear of a point load lets the cylinder yield more
// with every refinement beyond its value.
TEST_P(ShellBenchmarks, OfMacNealAndHarderAreMet) {
  const Benchmark& of = GetParam();
  EXPECT_NEAR(roof(of.shape, of.n), 1, of.roof);
  EXPECT_NEAR(hemisphere(of.shape, of.n), 1, of.hemisphere);
  EXPECT_NEAR(cylinder(of.shape, of.n), 1, of.cylinder);
  const Vector3 thick = twisted(of.shape, of.n / 2, 0.32), thin = twisted(of.shape, of.n / 2, 0.0032);
  EXPECT_NEAR(thick.x() / 5.424e-3, 1, of.thick);
  EXPECT_NEAR(thick.y() / 1.754e-3, 1, of.thick);
  EXPECT_NEAR(thin.x() / 5256, 1, of.thin);
  EXPECT_NEAR(thin.y() / 1294, 1, of.thin);
}

// Triangles approach thin curved shells slowly, but approach them.
TEST_P(ShellBenchmarks, ConvergeWithTheMesh) {
  const ElementShape shape = GetParam().shape;
  const auto falls = [&](const std::function<double(int)>& value) {
    const double coarse = std::abs(value(4) - 1), fine = std::abs(value(8) - 1);
    EXPECT_LT(fine, 0.75 * coarse);
  };
  falls([&](int n) { return hemisphere(shape, n); });
  falls([&](int n) { return cylinder(shape, n); });
  falls([&](int n) { return twisted(shape, n / 2, 0.0032).x() / 5256; });
}

// MacNeal and Harder: straight beam 6 x 0.2 x 0.1 of six elements, bent in its plane: F L³/3EI + F L/kGA = 0.1081. What
// a web of sheet metal does; a membrane without the modes of bending or drilling has 9 % of it.
TEST(ShellMembrane, BendsInItsPlaneWithASingleElementAcross) {
  for (const ElementShape shape : {ElementShape::quad4, ElementShape::quad8, ElementShape::tri3, ElementShape::tri6}) {
    const int across = shape == ElementShape::tri3 ? 2 : 1;
    Supported beam(ShellSheet{.shape = shape,
                              .nx = 6 * across,
                              .ny = across,
                              .map = [](double u, double v) { return Vector3(6 * u, 0.2 * (v - 0.5), 0); },
                              .thickness = 0.1,
                              .material = unit_material(1e7, 0.3)});
    beam.hold(at_value(0, 0), {0, 1, 2, 3, 4, 5});
    beam.load(Vector3(6, 0.1, 0), Vector3(0, 0.5, 0));
    beam.load(Vector3(6, -0.1, 0), Vector3(0, 0.5, 0));
    EXPECT_NEAR(beam.deflection(Vector3(6, 0.1, 0)).y() / 0.1081, 1, shape == ElementShape::tri3 ? 0.1 : 0.03)
        << info(shape).name;
  }
}

// Lowest frequency of a plate on simple supports, in rad/s.
double supported_plate(const ShellSheet& sheet, const std::vector<ShellLayer>& layers) {
  Link link = test::link_of_sheet(sheet);
  auto part = std::make_shared<MeshPart>(*link.mesh);
  part->mesh.shells[0].layers = layers;
  link.mesh = part;
  const FiniteElementBody body = assemble_mesh(link);
  std::vector<Eigen::Triplet<double>> triplets;
  int column = 0;
  for (int dof = 0; dof < body.num_dofs(); ++dof) {
    const Vector3& p = body.node_positions[static_cast<std::size_t>(body.node_of_dof(dof))];
    const int component = body.component(dof);
    const bool across = p.x() < 1e-9 || p.x() > 1 - 1e-9, along = p.y() < 1e-9 || p.y() > 1 - 1e-9;
    const bool held = (across && (component == 2 || component == 1 || component == 3)) ||
                      (along && (component == 2 || component == 0 || component == 4)) || component == 5;
    if (!held) triplets.emplace_back(dof, column++, 1.0);
  }
  SparseMatrix keep(body.num_dofs(), column);
  keep.setFromTriplets(triplets.begin(), triplets.end());
  return std::sqrt(lowest_modes(keep.transpose() * body.stiffness * keep, keep.transpose() * body.mass * keep, 1)
                       .squared_frequencies(0));
}

// Thin plates on simple supports: ω² ρh = π⁴ (D11/a⁴ + 2 (D12 + 2 D66)/(a² b²) + D22/b⁴); Jones, section 5.5.2, for
// plies at 0 and 90 degrees that are the same above and below the middle.
TEST(ShellPlates, VibrateAsInClosedForms) {
  const double h = 0.004;
  ElementMaterial ply(Material{"ply", 1550, 0, 0});
  ply.set_orthotropic({{135e9, 9e9, 9e9}, {5e9, 5e9, 3.2e9}, {0.3, 0.3, 0.4}});
  const std::vector<ShellLayer> layers = {{0, h / 4, 0}, {0, h / 2, std::numbers::pi / 2}, {0, h / 4, 0}};
  const double q11 = 135e9 / (1 - 0.09 * 9 / 135), q22 = q11 * 9 / 135, q12 = 0.3 * q22, cube = h * h * h / 12;
  const double outer = 7.0 / 8, inner = 1.0 / 8;
  const double d11 = (outer * q11 + inner * q22) * cube, d22 = (outer * q22 + inner * q11) * cube;
  const double exact =
      std::numbers::pi * std::numbers::pi * std::sqrt((d11 + 2 * (q12 + 2 * 5e9) * cube + d22) / (1550 * h));
  const double plate = 2 * std::numbers::pi * std::numbers::pi * std::sqrt(2.1e11 * cube / (1 - 0.09) / (7850 * h));
  for (const ElementShape shape : {ElementShape::quad4, ElementShape::quad8, ElementShape::tri3, ElementShape::tri6}) {
    const int n = info(shape).num_nodes > info(shape).num_corners ? 8 : 16;
    ShellSheet sheet{.shape = shape, .nx = n, .ny = n, .thickness = h};
    EXPECT_NEAR(supported_plate(sheet, {{0, h, 0}}) / plate, 1, shape == ElementShape::tri6 ? 1e-2 : 5e-3)
        << info(shape).name;
    sheet.material = ply;
    EXPECT_NEAR(supported_plate(sheet, layers) / exact, 1, 1e-2) << info(shape).name;
  }
}

// A block of bricks with a skin of shells on its top: nodes with and without rotations in one body.
TEST(ShellsOnSolids, ShareNodes) {
  const test::SolidBar bar{.size = {0.4, 0.2, 0.1}, .count = {3, 2, 2}, .skew = 0.1};
  Link link = test::link_of(bar);
  auto part = std::make_shared<MeshPart>(*link.mesh);
  Mesh& mesh = part->mesh;
  for (const SurfaceFace& surface : surface_faces(link.mesh->mesh)) {
    const MeshElement& brick = link.mesh->mesh.elements[static_cast<std::size_t>(surface.element)];
    std::vector<int> corners;
    for (const int corner : face_of(link.mesh->mesh, surface).corners)
      corners.push_back(link.mesh->mesh.nodes_of(brick)[corner]);
    if (!std::all_of(corners.begin(), corners.end(),
                     [&](int node) { return mesh.positions[static_cast<std::size_t>(node)].z() > 0.05 - 1e-9; }))
      continue;
    MeshElement shell{ElementShape::quad4, 0, mesh.connectivity.size(), 1000};
    shell.shell = 0;
    mesh.elements.push_back(shell);
    mesh.connectivity.insert(mesh.connectivity.end(), corners.begin(), corners.end());
    part->element_materials.push_back(0);
  }
  ShellSection skin;
  skin.layers = {{0, 0.002, 0}};
  mesh.shells = {skin};
  link.mesh = part;
  link.spiders[0].nodes.clear();  // the spider of the root holds nodes of bricks alone
  for (int node = 0; node < mesh.num_nodes(); ++node) {
    const Vector3& at = mesh.positions[static_cast<std::size_t>(node)];
    if (at.x() < 1e-9 && at.z() < 0.05 - 1e-9) link.spiders[0].nodes.push_back(node);
  }
  const FiniteElementBody body = assemble_mesh(link);
  EXPECT_TRUE(body.has_rotation(0));
  int turning = 0, fixed = 0;
  for (int node = 2; node < body.num_nodes(); ++node) {
    turning += body.num_dofs(node) == 6 ? 1 : 0;
    fixed += body.num_dofs(node) == 3 ? 1 : 0;
  }
  EXPECT_EQ(turning, 3 * 3);  // the skin without the nodes that follow the spider of the tip
  EXPECT_GT(fixed, 0);
  const MatrixX rigid = rigid_modes(body);
  EXPECT_LT((body.stiffness * rigid).norm(), 1e-11 * body.stiffness.norm() * rigid.norm());
  const double mass = (body.node_mass * VectorX::Ones(body.num_nodes())).sum();
  EXPECT_NEAR(mass, 7850 * (0.4 * 0.2 * 0.1 + 0.4 * 0.2 * 0.002), 1e-9);
}

// RBE2 of displacements alone: the nodes keep their rotations. Nodes on a line then say nothing of a rotation about it.
TEST(RigidSpider, OfDisplacementsLeavesRotationsOfShellsFree) {
  Link link = test::link_of_sheet({.nx = 4, .ny = 2});
  auto part = std::make_shared<MeshPart>(*link.mesh);
  MeshSpider spider;
  spider.reference = part->mesh.num_nodes();
  part->mesh.positions.push_back(Vector3(1, 0.5, 0.2));
  part->mesh.node_labels.push_back(1000);
  for (int node = 0; node < spider.reference; ++node)
    if (part->mesh.positions[static_cast<std::size_t>(node)].x() > 0.7) spider.nodes.push_back(node);
  ASSERT_EQ(spider.nodes.size(), 6u);
  const auto body_of = [&](bool turns_nodes) {
    spider.turns_nodes = turns_nodes;
    part->mesh.spiders = {spider};
    link.mesh = std::make_shared<MeshPart>(*part);
    return assemble_mesh(link);
  };
  const FiniteElementBody held = body_of(true), free = body_of(false);
  EXPECT_EQ(free.num_dofs(), held.num_dofs() + 3 * 6);
  for (const int node : spider.nodes) {
    ASSERT_EQ(free.num_dofs(node), 3);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(free.component(free.first_dof(node) + k), 3 + k);
  }
  MatrixX rigid(free.num_dofs(), 6);
  for (int dof = 0; dof < free.num_dofs(); ++dof) {
    Matrix6 motions = Matrix6::Identity();
    motions.topRightCorner<3, 3>() = -skew(free.node_positions[static_cast<std::size_t>(free.node_of_dof(dof))]);
    rigid.row(dof) = motions.row(free.component(dof));
  }
  EXPECT_LT((free.stiffness * rigid).norm(), 1e-11 * free.stiffness.norm() * rigid.norm());
  std::erase_if(spider.nodes, [&](int node) { return part->mesh.positions[static_cast<std::size_t>(node)].x() < 0.9; });
  EXPECT_NO_THROW(body_of(true));
  EXPECT_THROW(body_of(false), InputError);
}

}  // namespace
}  // namespace lithe
