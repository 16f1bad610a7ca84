// Published benchmarks of plates: NAFEMS, Selected Benchmarks for Natural Frequency Analysis (R0015), tests FV16 and
// FV52. Steel plates of 10 m x 10 m, E = 200 GPa, ν = 0.3, ρ = 8000 kg/m³.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/fem/assemble_mesh.h"
#include "lithe/reduce/bases.h"
#include "support/shell_sheet.h"
#include "support/solid_bar.h"

namespace lithe {
namespace {

const Material plate_material{"steel", 8000, 2e11, 2e11 / 2.6};

// Hz, of the body with some dofs held; it may still move freely: 20 Hz are added and taken off again.
template <class Held>
VectorX frequencies(const FiniteElementBody& body, int count, double shift_hz, const Held& held) {
  std::vector<Eigen::Triplet<double>> triplets;
  int column = 0;
  for (int dof = 0; dof < body.num_dofs(); ++dof)
    if (!held(body.node_positions[static_cast<std::size_t>(body.node_of_dof(dof))], body.component(dof)))
      triplets.emplace_back(dof, column++, 1.0);
  SparseMatrix keep(body.num_dofs(), column);
  keep.setFromTriplets(triplets.begin(), triplets.end());
  const double shift = std::pow(2 * std::numbers::pi * shift_hz, 2);
  const SparseMatrix mass = keep.transpose() * body.mass * keep;
  const SparseMatrix stiffness = SparseMatrix(keep.transpose() * body.stiffness * keep) + shift * mass;
  const VectorX squared = lowest_modes(stiffness, mass, count).squared_frequencies;
  return (squared.array() - shift).max(0).sqrt() / (2 * std::numbers::pi);
}

// FV16: thin, clamped along one edge.
TEST(PublishedPlates, CantileverOfShells) {
  const Link link = test::link_of_sheet({.shape = ElementShape::quad8,
                                         .nx = 8,
                                         .ny = 8,
                                         .map = [](double u, double v) { return Vector3(10 * u, 10 * v, 0); },
                                         .thickness = 0.05,
                                         .material = plate_material});
  const VectorX found = frequencies(assemble_mesh(link), 6, 0, [](const Vector3& p, int) { return p.x() < 1e-9; });
  const double published[] = {0.421, 1.029, 2.582, 3.306, 3.753, 6.555};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(found(k) / published[k], 1, 0.01) << k;
}

// FV52: 1 m thick, held upwards along the four edges of its lower face, on the mesh of the benchmark: 4 x 4 bricks of
// 20 nodes. The published values are those of a plate that is held in its middle.
TEST(PublishedPlates, SolidOnItsEdges) {
  Link link = test::link_of(
      {.shape = ElementShape::hex20, .size = {10, 10, 1}, .count = {4, 4, 1}, .material = plate_material});
  link.nodes.clear();
  link.spiders.clear();
  const auto held = [](const Vector3& p, int component) {
    const bool edge = p.x() < 1e-9 || p.x() > 10 - 1e-9 || std::abs(p.y()) > 5 - 1e-9;
    return component == 2 && p.z() < -0.5 + 1e-9 && edge;
  };
  const VectorX found = frequencies(assemble_mesh(link), 10, 20, held);
  const double published[] = {45.897, 109.44, 109.44, 167.89, 193.59, 206.19, 206.19};
  for (int k = 0; k < 3; ++k) EXPECT_LT(found(k), 0.1);
  for (int k = 0; k < 7; ++k) EXPECT_NEAR(found(3 + k) / published[k], 1, 0.03) << k;
}

}  // namespace
}  // namespace lithe
