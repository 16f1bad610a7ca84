#include "lithe/reduce/solvers/sparse_factor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/fem/assemble_mesh.h"
#include "lithe/reduce/reduce.h"
#include "lithe/reduce/solvers/block_lanczos.h"
#include "lithe/reduce/solvers/fill_order_metis.h"
#include "lithe/reduce/solvers/sparse_factor_mumps.h"
#include "support/solid_bar.h"

namespace lithe {
namespace {

FiniteElementBody free_bar() {
  return assemble_mesh(test::link_of({.shape = ElementShape::tet10, .size = {0.3, 0.02, 0.02}, .count = {10, 2, 2}}));
}

class Factorisers : public ::testing::TestWithParam<SparseFactoriser> {};
INSTANTIATE_TEST_SUITE_P(Libraries, Factorisers, ::testing::Values(&factorise_simplicially, &factorise_by_mumps),
                         [](const auto& of) { return of.param == &factorise_by_mumps ? "Mumps" : "Eigen"; });

TEST_P(Factorisers, SolveForManyColumns) {
  const FiniteElementBody body = free_bar();
  const SparseMatrix matrix = body.stiffness + 1e6 * body.mass;
  const auto factor = GetParam()(SparseMatrix(matrix));
  ASSERT_TRUE(factor);
  EXPECT_TRUE(factor->definite());
  EXPECT_EQ(factor->num_negative(), 0);
  const MatrixX expected = MatrixX::Random(matrix.rows(), 5);
  EXPECT_LT((factor->solve(matrix * expected) - expected).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_GT(factor->num_entries(), static_cast<double>(matrix.rows()));
}

// Six rigid motions have frequency zero, the next elastic ones are far above.
TEST_P(Factorisers, CountNegativeEigenvalues) {
  const FiniteElementBody body = free_bar();
  const auto factor = GetParam()(body.stiffness - 1.0 * body.mass);
  ASSERT_TRUE(factor);
  EXPECT_EQ(factor->num_negative(), 6);
  EXPECT_FALSE(factor->definite());
}

TEST_P(Factorisers, TellThatAFreeBodyIsNotHeld) {
  const auto factor = GetParam()(SparseMatrix(free_bar().stiffness));
  EXPECT_TRUE(!factor || !factor->definite());
}

TEST(NestedDissection, PlacesEveryUnknownOnceAndThoseOfANodeTogether) {
  const FiniteElementBody body = free_bar();
  const std::vector<int> order = nested_dissection(body.stiffness);
  ASSERT_EQ(static_cast<int>(order.size()), body.num_dofs());
  std::vector<bool> taken(order.size(), false);
  for (const int place : order) {
    ASSERT_TRUE(place >= 0 && place < body.num_dofs());
    EXPECT_FALSE(taken[static_cast<std::size_t>(place)]);
    taken[static_cast<std::size_t>(place)] = true;
  }
  for (int node = 0; node < body.num_nodes(); ++node)
    for (int dof = body.first_dof(node) + 1; dof < body.first_dof(node + 1); ++dof)
      EXPECT_EQ(order[static_cast<std::size_t>(dof)], order[static_cast<std::size_t>(dof) - 1] + 1);
}

// A chain: eliminated from its ends, or any leaf first, it fills nothing; a wrong graph would.
TEST(NestedDissection, FillsNoMoreThanLogarithmicallyInAChain) {
  constexpr int size = 5000;
  SparseMatrix chain(size, size);
  for (int k = 0; k < size; ++k) {
    chain.insert(k, k) = 2.1;
    if (k > 0) chain.insert(k, k - 1) = -1, chain.insert(k - 1, k) = -1;
  }
  const auto factor = factorise_by_mumps(SparseMatrix(chain));
  ASSERT_TRUE(factor);
  EXPECT_LT(factor->num_entries(), size * std::log2(size));
  const MatrixX expected = MatrixX::Random(size, 2);
  EXPECT_LT((factor->solve(chain * expected) - expected).cwiseAbs().maxCoeff(), 1e-12);
}

// The same modes with the library as with Eigen, and as the dense solution.
TEST(LargeBodies, AreReducedAlikeByAllSolvers) {
  const FiniteElementBody body = free_bar();
  ASSERT_GT(body.num_dofs(), largest_dense_problem);
  ReductionChoice choice;
  choice.method = ReductionMethod::craig_bampton;
  choice.num_internal_modes = 12;
  const VectorX by_eigen = reduce(body, choice, {}, {0, 1}).squared_frequencies;
  const SparseMatrix stiffness = body.stiffness.bottomRightCorner(body.num_dofs() - 12, body.num_dofs() - 12);
  const SparseMatrix mass = body.mass.bottomRightCorner(body.num_dofs() - 12, body.num_dofs() - 12);
  const VectorX dense = natural_modes(MatrixX(stiffness), MatrixX(mass)).squared_frequencies.head(12);
  for (const SparseFactoriser library : {&factorise_simplicially, &factorise_by_mumps}) {
    const auto factor = library(SparseMatrix(stiffness));
    ASSERT_TRUE(factor);
    const std::optional<NaturalModes> modes = block_lanczos(*factor, mass, 12, 0);
    ASSERT_TRUE(modes);
    EXPECT_LT(((modes->squared_frequencies - dense).array() / dense.array()).abs().maxCoeff(), 1e-9);
    const MatrixX& shapes = modes->shapes;
    EXPECT_LT((shapes.transpose() * (mass * shapes) - MatrixX::Identity(12, 12)).cwiseAbs().maxCoeff(), 1e-10);
  }
  EXPECT_EQ(by_eigen.size(), 18);
}

}  // namespace
}  // namespace lithe
