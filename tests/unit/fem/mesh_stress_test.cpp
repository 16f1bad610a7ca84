#include "lithe/fem/mesh_stress.h"

#include <gtest/gtest.h>

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
  std::vector<int> nodes;
  for (int node = 0; node < body.num_nodes(); ++node)
    if (body.mesh_nodes[static_cast<std::size_t>(node)] >= 0) nodes.push_back(node);
  const VectorX stress = nodal_stress(link, body, nodes) * dofs;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    Vector6 expected = Vector6::Zero();
    expected(0) = young * strain;
    EXPECT_LT((stress.segment<6>(6 * static_cast<Eigen::Index>(k)) - expected).norm(), 1e-9 * young * strain) << k;
  }
}

}  // namespace
}  // namespace lithe
