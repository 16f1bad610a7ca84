#include "lithe/reduce/solvers/static_condensation.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <random>

#include "lithe/fem/assemble.h"
#include "lithe/reduce/balanced_modes.h"
#include "lithe/reduce/superelement.h"
#include "support/beams.h"

namespace lithe {
namespace {

SparseMatrix sparse(const MatrixX& dense) { return dense.sparseView(); }

double random_number(std::mt19937& random) { return 2.0 * random() / 4294967295.0 - 1.0; }

// Springs between random pairs of blocks of three unknowns, and to the ground; every block is tied to an earlier one.
struct Network {
  MatrixX stiffness, mass;
  std::vector<int> block;
};

Network random_network(int num_blocks, unsigned seed) {
  std::mt19937 random(seed);
  const int n = 3 * num_blocks;
  Network net{MatrixX::Zero(n, n), MatrixX::Zero(n, n), {}};
  for (int i = 0; i < n; ++i) net.block.push_back(i / 3);
  const auto couple = [&](MatrixX& matrix, int a, int b) {
    Eigen::Matrix<double, 3, 6> rows;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 6; ++j) rows(i, j) = random_number(random);
    const Eigen::Matrix<double, 6, 6> term = rows.transpose() * rows;
    std::vector<int> at;
    for (int k = 0; k < 3; ++k) at.push_back(3 * a + k);
    for (int k = 0; k < 3; ++k) at.push_back(3 * b + k);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) matrix(at[i], at[j]) += term(i, j);
  };
  for (int b = 1; b < num_blocks; ++b) {
    couple(net.stiffness, static_cast<int>(random() % b), b);
    couple(net.stiffness, static_cast<int>(random() % b), b);
    couple(net.mass, b - 1, b);
  }
  net.stiffness.diagonal().array() += 0.1;
  return net;
}

TEST(StaticCondensation, EqualsTheSchurComplementOfDenseMatrices) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Network net = random_network(40, seed);
    const std::vector<int> kept_blocks{7, 3, 31};
    std::vector<int> kept, inner;
    for (const int b : kept_blocks)
      for (int k = 0; k < 3; ++k) kept.push_back(3 * b + k);
    for (int i = 0; i < net.stiffness.rows(); ++i)
      if (std::find(kept.begin(), kept.end(), i) == kept.end()) inner.push_back(i);
    const MatrixX loads = MatrixX::Random(net.stiffness.rows(), 2);
    const MatrixX shape = -net.stiffness(inner, inner).ldlt().solve(MatrixX(net.stiffness(inner, kept)));
    const MatrixX K = net.stiffness(kept, kept) + net.stiffness(kept, inner) * shape;
    const MatrixX M = net.mass(kept, kept) + net.mass(kept, inner) * shape + shape.transpose() * net.mass(inner, kept) +
                      shape.transpose() * net.mass(inner, inner) * shape;
    const MatrixX f = loads(kept, Eigen::all) + shape.transpose() * loads(inner, Eigen::all);
    for (const double largest_shapes : {3e7, 0.0}) {  // shapes kept, or mass carried along
      const StaticCondensation found = condense_statically(sparse(net.stiffness), sparse(net.mass), loads, net.block,
                                                           kept_blocks, 0, largest_shapes);
      ASSERT_EQ(found.unconstrained_unknown, -1);
      EXPECT_LT((found.stiffness - K).norm(), 1e-11 * K.norm());
      EXPECT_LT((found.mass - M).norm(), 1e-11 * M.norm());
      EXPECT_LT((found.loads - f).norm(), 1e-11 * f.norm());
    }
  }
}

TEST(StaticCondensation, NamesAnUnknownThatNothingHolds) {
  Network net = random_network(10, 3);
  for (int k = 12; k < 15; ++k) net.stiffness.row(k).setZero(), net.stiffness.col(k).setZero();
  net.stiffness(12, 12) = net.stiffness(13, 13) = 1;
  const StaticCondensation found =
      condense_statically(sparse(net.stiffness), sparse(net.mass), MatrixX(30, 0), net.block, {0}, 1e-12);
  EXPECT_EQ(found.unconstrained_unknown, 14);
}

// A link of three bars in a branch, with and without inner nodes.
Link branch(int elements, BeamTheory theory, MassModel mass) {
  Link link;
  link.name = "branch";
  link.nodes = {{"a", {0, 0, 0}}, {"b", {0.7, 0.1, 0}}, {"c", {1.0, 0.8, -0.2}}, {"d", {0.9, -0.4, 0.5}}};
  for (const int to : {0, 2, 3}) {
    BeamSegment segment;
    segment.from = 1;
    segment.to = to;
    segment.num_elements = elements;
    segment.theory = theory;
    segment.mass_model = mass;
    link.segments.push_back(segment);
  }
  return link;
}

Model branch_model() {
  Model model;
  model.materials = {test::steel()};
  model.sections = {test::rectangle(0.02, 0.05)};
  return model;
}

TEST(Superelement, OfAUniformRunIsThatOfASingleElement) {
  const Model model = branch_model();
  for (const BeamTheory theory : {BeamTheory::euler_bernoulli, BeamTheory::timoshenko}) {
    const Link link = branch(9, theory, MassModel::consistent);
    const Superelement fine = superelement(assemble(model, link), {0, 2, 3});
    const Superelement coarse = superelement(assemble(model, statically_coarse(link)), {0, 2, 3});
    // Elimination loses the ratio of a short element's stiffness to the whole run's, 9³, to rounding.
    EXPECT_LT((fine.stiffness - coarse.stiffness).norm(), 1e-11 * coarse.stiffness.norm());
    EXPECT_LT((fine.mass - coarse.mass).norm(), 1e-11 * coarse.mass.norm());
  }
}

TEST(Superelement, KeepsElementsWhereOneWouldNotDo) {
  const Link lumped = branch(5, BeamTheory::timoshenko, MassModel::lumped);
  const Link linear = branch(5, BeamTheory::linear_timoshenko, MassModel::consistent);
  EXPECT_EQ(statically_coarse(lumped).segments[0].num_elements, 5);
  EXPECT_EQ(statically_coarse(linear).segments[0].num_elements, 5);
}

TEST(Superelement, ResistsNoRigidMotionAndHasTheBodysMass) {
  const Model model = branch_model();
  const FiniteElementBody body = assemble(model, branch(4, BeamTheory::linear_timoshenko, MassModel::lumped));
  const Superelement element = superelement(body, {0, 2});
  VectorX fall = VectorX::Zero(12);
  fall[2] = fall[8] = 1;
  double mass = 0;
  for (const MassPoint& point : body.mass_points) mass += point.mass;
  EXPECT_LT((element.stiffness * fall).norm(), 1e-9 * element.stiffness.norm());
  EXPECT_NEAR(fall.dot(element.mass * fall), mass, 1e-10 * mass);
}

TEST(BalancedModes, ResolveLowAndHighFrequenciesOfAWideSpectrum) {
  // Diagonal in a rotated basis: the exact answer is known over sixteen powers of ten of ω².
  std::mt19937 random(5);
  MatrixX mixing(8, 8);
  for (double& entry : mixing.reshaped()) entry = random_number(random);
  mixing += 4 * MatrixX::Identity(8, 8);
  VectorX squared(8);
  squared << 1e2, 1e3, 1e5, 1e6, 1e8, 1e9, 1e10, 1e11;
  const MatrixX mass = mixing.transpose() * mixing, stiffness = mixing.transpose() * squared.asDiagonal() * mixing;
  const NaturalModes modes = balanced_modes(stiffness, mass, true);
  // The stiffness itself carries 1e-16 of its largest entries: 1e-7 of the lowest level remain.
  EXPECT_NEAR(modes.squared_frequencies[7] / squared[7], 1, 1e-12);
  EXPECT_NEAR(modes.squared_frequencies[4] / squared[4], 1, 1e-9);
  EXPECT_LT((modes.shapes.transpose() * mass * modes.shapes - MatrixX::Identity(8, 8)).norm(), 1e-6);
}

}  // namespace
}  // namespace lithe
