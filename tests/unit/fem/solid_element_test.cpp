#include "lithe/fem/solid_element.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "support/solid_bar.h"

namespace lithe {
namespace {

constexpr std::array shapes = {ElementShape::tet4,    ElementShape::tet10, ElementShape::wedge6,
                               ElementShape::wedge15, ElementShape::hex8,  ElementShape::hex20};

Matrix6 isotropic_elasticity(double young_modulus, double poisson_ratio) {
  return elasticity(Material{"m", 1, young_modulus, young_modulus / (2 * (1 + poisson_ratio))});
}

SolidNodes first_element(const Mesh& mesh) {
  SolidNodes nodes(info(mesh.elements[0].shape).num_nodes, 3);
  for (int k = 0; k < nodes.rows(); ++k)
    nodes.row(k) = mesh.positions[static_cast<std::size_t>(mesh.connectivity[static_cast<std::size_t>(k)])].transpose();
  return nodes;
}

// An element of a skew mesh, of order one in size.
SolidNodes skew_element(ElementShape shape) {
  return first_element(test::mesh_of({.shape = shape, .size = {2, 2.4, 1.8}, .count = {2, 2, 2}, .skew = 0.2}));
}

class SolidElement : public ::testing::TestWithParam<ElementShape> {};

std::string name_of_shape(const ::testing::TestParamInfo<ElementShape>& test) {
  static const std::array<std::string, 6> names = {"Tet4", "Tet10", "Wedge6", "Wedge15", "Hex8", "Hex20"};
  return names[test.index];
}
INSTANTIATE_TEST_SUITE_P(Shapes, SolidElement, ::testing::ValuesIn(shapes), name_of_shape);

TEST_P(SolidElement, InterpolatesConstantAndLinearFieldsExactly) {
  const Vector3 xi(0.21, 0.17, 0.31);
  const SolidShape shape = solid_shape(GetParam(), xi);
  EXPECT_NEAR(shape.values.sum(), 1, 1e-14);
  EXPECT_LT(shape.gradients.colwise().sum().norm(), 1e-14);
  constexpr double h = 1e-6;
  for (int a = 0; a < 3; ++a) {
    const Vector3 step = h * Vector3::Unit(a);
    const NodeValues difference =
        (solid_shape(GetParam(), xi + step).values - solid_shape(GetParam(), xi - step).values) / (2 * h);
    EXPECT_LT((difference - shape.gradients.col(a)).norm(), 1e-9);
  }
}

TEST_P(SolidElement, ResistsEverythingButSixRigidMotions) {
  const SolidNodes nodes = skew_element(GetParam());
  ASSERT_GT(smallest_jacobian(GetParam(), nodes), 0);
  const MatrixX stiffness = solid_stiffness(GetParam(), nodes, isotropic_elasticity(2, 0.3));
  const VectorX values = Eigen::SelfAdjointEigenSolver<MatrixX>(stiffness).eigenvalues();
  EXPECT_LT(values.head(6).cwiseAbs().maxCoeff(), 1e-13 * values.maxCoeff());
  EXPECT_GT(values(6), 1e-4 * values.maxCoeff());
}

TEST_P(SolidElement, HasTheExactStressOfALinearField) {
  const SolidNodes nodes = skew_element(GetParam());
  const Matrix6 elasticity = isotropic_elasticity(2, 0.3);
  Matrix3 gradient;
  gradient << 0.1, 0.2, 0.3, 0.05, -0.2, 0.1, 0.3, 0.2, 0.15;
  VectorX u(3 * nodes.rows());
  for (Eigen::Index i = 0; i < nodes.rows(); ++i) u.segment<3>(3 * i) = gradient * nodes.row(i).transpose();
  const Matrix3 strain = 0.5 * (gradient + gradient.transpose());
  Vector6 voigt;
  voigt << strain(0, 0), strain(1, 1), strain(2, 2), 2 * strain(0, 1), 2 * strain(1, 2), 2 * strain(2, 0);
  const Vector6 expected = elasticity * voigt;
  const VectorX stress = solid_stress(GetParam(), nodes, elasticity) * u;
  for (Eigen::Index i = 0; i < nodes.rows(); ++i) EXPECT_LT((stress.segment<6>(6 * i) - expected).norm(), 1e-13);
}

// ∫ρ, ∫ρ x and ∫ρ x xᵀ of a box from m_ij and node positions: the interpolation of positions is that of displacements.
TEST_P(SolidElement, HasTheMassAndInertiaOfABoxWhateverTheMesh) {
  const Vector3 size(2, 3, 4);
  const Mesh mesh = test::mesh_of({.shape = GetParam(), .size = size, .count = {2, 2, 2}, .skew = 0.15});
  double volume = 0;
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();
  for (const MeshElement& element : mesh.elements) {
    SolidNodes nodes(info(element.shape).num_nodes, 3);
    for (int k = 0; k < nodes.rows(); ++k)
      nodes.row(k) = mesh.positions[static_cast<std::size_t>(mesh.nodes_of(element)[k])].transpose();
    const MatrixX mass = solid_mass_per_density(element.shape, nodes);
    volume += mass.sum();
    first += nodes.transpose() * mass.rowwise().sum();
    second += nodes.transpose() * mass * nodes;
  }
  EXPECT_NEAR(volume, 24, 1e-12);
  EXPECT_LT((first - 24 * Vector3(1, 0, 0)).norm(), 1e-12);
  const Vector3 expected(24 * 4.0 / 3, 24 * 9.0 / 12, 24 * 16.0 / 12);
  EXPECT_LT((second - Matrix3(expected.asDiagonal())).norm(), 1e-11);
}

// Internal forces of a linear field vanish at inner nodes of a mesh of skew bricks: the patch test, which incompatible
// modes pass only with their mean taken out.
TEST_P(SolidElement, PassesThePatchTest) {
  const Mesh mesh = test::mesh_of({.shape = GetParam(), .size = {1, 1, 1}, .count = {3, 3, 3}, .skew = 0.2});
  const Matrix6 elasticity = isotropic_elasticity(1, 0.25);
  Matrix3 gradient;
  gradient << 0.1, 0.2, 0.3, 0.05, -0.2, 0.1, 0.3, 0.2, 0.15;
  VectorX force = VectorX::Zero(3 * mesh.num_nodes());
  for (const MeshElement& element : mesh.elements) {
    const int count = info(element.shape).num_nodes;
    SolidNodes nodes(count, 3);
    VectorX u(3 * count);
    for (int k = 0; k < count; ++k) {
      nodes.row(k) = mesh.positions[static_cast<std::size_t>(mesh.nodes_of(element)[k])].transpose();
      u.segment<3>(3 * k) = gradient * nodes.row(k).transpose();
    }
    const VectorX own = solid_stiffness(element.shape, nodes, elasticity) * u;
    for (int k = 0; k < count; ++k) force.segment<3>(3 * mesh.nodes_of(element)[k]) += own.segment<3>(3 * k);
  }
  const auto inside = [](double x) { return std::abs(x) < 0.5 - 1e-9; };
  int checked = 0;
  for (int node = 0; node < mesh.num_nodes(); ++node) {
    const Vector3& p = mesh.positions[static_cast<std::size_t>(node)];
    if (!inside(p.x() - 0.5) || !inside(p.y()) || !inside(p.z())) continue;
    EXPECT_LT(force.segment<3>(3 * node).norm(), 1e-14);
    ++checked;
  }
  EXPECT_GE(checked, 8);
}

}  // namespace
}  // namespace lithe
