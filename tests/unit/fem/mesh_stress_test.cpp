#include "lithe/fem/mesh_stress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/solid_bar.h"

namespace lithe {
namespace {

class StressOfShape : public ::testing::TestWithParam<ElementShape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, StressOfShape,
                         ::testing::Values(ElementShape::tet4, ElementShape::tet10, ElementShape::wedge6,
                                           ElementShape::wedge15, ElementShape::hex8, ElementShape::hex20));

// Patch test: u = ε x along a bar of skew elements without lateral contraction is σ_xx = E ε everywhere.
TEST_P(StressOfShape, IsUniformInAStretchedBar) {
  constexpr double young = 2.1e11, strain = 1e-4;
  const Link link =
      test::link_of({.shape = GetParam(), .count = {6, 2, 2}, .skew = 0.1, .material = {"m", 7850, young, young / 2}});
  const FiniteElementBody body = mesh_nodes_of(link);
  VectorX dofs = VectorX::Zero(body.num_dofs());
  for (int dof = 0; dof < body.num_dofs(); ++dof)
    if (body.component(dof) == 0)
      dofs(dof) = strain * body.node_positions[static_cast<std::size_t>(body.node_of_dof(dof))].x();
  std::vector<int> nodes(link.mesh->mesh.positions.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  const VectorX stress = nodal_stress(link, body, nodes) * dofs;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    Vector6 expected = Vector6::Zero();
    expected(0) = young * strain;
    EXPECT_LT((stress.segment<6>(6 * static_cast<Eigen::Index>(k)) - expected).norm(), 1e-9 * young * strain) << k;
  }
}

// Half of a bar of steel, half of aluminium, stretched alike: at the nodes between them each has its own stress.
TEST(StressOfTwoMaterials, IsNotAveragedAcrossTheirBorder) {
  constexpr double steel = 2.1e11, aluminium = 7e10, strain = 1e-4;
  Link link = test::link_of({.count = {4, 1, 1}, .material = {"steel", 7850, steel, steel / 2}});
  auto part = std::make_shared<MeshPart>(*link.mesh);
  part->materials.push_back(Material{"aluminium", 2700, aluminium, aluminium / 2});
  part->element_materials = {0, 0, 1, 1};
  link.mesh = part;
  const FiniteElementBody body = mesh_nodes_of(link);
  VectorX dofs = VectorX::Zero(body.num_dofs());
  for (int dof = 0; dof < body.num_dofs(); ++dof)
    if (body.component(dof) == 0)
      dofs(dof) = strain * body.node_positions[static_cast<std::size_t>(body.node_of_dof(dof))].x();
  const std::vector<int> places = stress_places_on_surface(*part), nodes = body_nodes_at(*part, body, places);
  EXPECT_EQ(places.size(), part->mesh.positions.size() + 4);
  const VectorX stress = nodal_stress(link, body, places) * dofs;
  std::vector<double> between;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const double x = body.node_positions[static_cast<std::size_t>(nodes[k])].x();
    const double value = stress(6 * static_cast<Eigen::Index>(k)) / strain;
    if (std::abs(x - 0.25) < 1e-9)
      between.push_back(value);
    else
      EXPECT_NEAR(value, x < 0.25 ? steel : aluminium, 1) << x;
  }
  std::sort(between.begin(), between.end());
  ASSERT_EQ(between.size(), 8u);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(between[k], k < 4 ? aluminium : steel, 1);
  // A sensor at such a node reads the larger one.
  for (int node = 0; node < part->mesh.num_nodes(); ++node)
    EXPECT_EQ(stress_places(*part, {node}).size(),
              std::abs(part->mesh.positions[static_cast<std::size_t>(node)].x() - 0.25) < 1e-9 ? 2u : 1u);
}

}  // namespace
}  // namespace lithe
