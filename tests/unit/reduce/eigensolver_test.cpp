#include "lithe/reduce/solvers/eigensolver.h"

#include <gtest/gtest.h>

#include "lithe/base/diagnostics.h"
#include "lithe/reduce/reduce.h"
#include "lithe/reduce/solvers/eigensolver_spectra.h"
#include "support/beams.h"

namespace lithe {
namespace {

using namespace test;

// m q̈₁ + k (q₁ - q₂) = 0 with a massless q₂ held by a spring k: ω² = k / (2 m).
TEST(DenseModes, LetMasslessDirectionsFollowStatically) {
  MatrixX stiffness(2, 2), mass = MatrixX::Zero(2, 2);
  stiffness << 3, -3, -3, 6;
  mass(0, 0) = 2;
  const NaturalModes modes = natural_modes(stiffness, mass);
  ASSERT_EQ(modes.squared_frequencies.size(), 1);
  EXPECT_NEAR(modes.squared_frequencies(0), 3.0 / (2 * 2), 1e-14);
  EXPECT_NEAR(modes.shapes(1, 0) / modes.shapes(0, 0), 0.5, 1e-14);
}

TEST(DenseModes, RefuseDirectionsWithNeitherMassNorStiffness) {
  const MatrixX one = Vector3(1, 1, 0).asDiagonal();
  EXPECT_THROW(natural_modes(one, one), InputError);
}

// A free square beam with 150 elements: rigid motions six-fold, bending frequencies in pairs, 906 dofs.
class LargeModes : public ::testing::TestWithParam<SparseEigenSolver> {};
INSTANTIATE_TEST_SUITE_P(Solvers, LargeModes, ::testing::Values(&subspace_iteration, &spectra_lanczos),
                         [](const auto& parameter) {
                           return parameter.param == &spectra_lanczos ? "Spectra" : "Subspace";
                         });

TEST_P(LargeModes, FindEveryCopyOfMultipleFrequencies) {
  const FiniteElementBody body = straight_beam(1.5, 150, steel(), rectangle(0.01, 0.01));
  ASSERT_GT(body.num_dofs(), largest_dense_problem);
  set_sparse_eigensolver(GetParam());
  const NaturalModes modes = lowest_modes(body.stiffness, body.mass, 14);
  set_sparse_eigensolver(nullptr);
  const double unit = std::sqrt(steel().young_modulus * 1e-8 / 12 / (steel().density * 1e-4)) / (1.5 * 1.5);
  const double roots[] = {4.730040744862704, 7.853204624095838, 10.995607838001671, 14.137165491257464};
  EXPECT_LT(modes.squared_frequencies.head(6).cwiseAbs().maxCoeff(), 1e-4 * std::pow(roots[0] * roots[0] * unit, 2));
  for (int k = 0; k < 8; ++k) {
    const double euler = roots[k / 2] * roots[k / 2] * unit;  // rotary inertia lowers it a little
    EXPECT_NEAR(std::sqrt(modes.squared_frequencies(6 + k)) / euler, 1, 2e-3) << "mode " << k;
  }
  const MatrixX& shapes = modes.shapes;
  EXPECT_LT((shapes.transpose() * (body.mass * shapes) - MatrixX::Identity(14, 14)).cwiseAbs().maxCoeff(), 1e-9);
  const MatrixX residual = body.stiffness * shapes - body.mass * shapes * modes.squared_frequencies.asDiagonal();
  EXPECT_LT(residual.cwiseAbs().maxCoeff(),
            1e-11 * (MatrixX(body.stiffness).cwiseAbs() * shapes.cwiseAbs()).maxCoeff());
}

TEST_P(LargeModes, ReduceALargeBodyAsTheDenseSolutionDoes) {
  Model model = polyline(frame_points(), 40, steel(), rectangle(0.02, 0.05));  // 726 dofs
  const FiniteElementBody body = assemble(model, model.links[0]);
  ASSERT_GT(body.num_dofs(), largest_dense_problem);
  const VectorX dense = natural_modes(MatrixX(body.stiffness), MatrixX(body.mass)).squared_frequencies.segment(6, 10);
  set_sparse_eigensolver(GetParam());
  ReductionChoice choice;
  choice.num_kept_modes = 10;
  const ReducedBody by_count = reduce(body, choice, {}, {});
  choice.num_kept_modes.reset();
  choice.max_frequency = std::sqrt(0.5 * (dense(5) + dense(6))) / (2 * pi);
  const ReducedBody by_frequency = reduce(body, choice, {}, {});
  set_sparse_eigensolver(nullptr);
  EXPECT_LT(((by_count.squared_frequencies - dense).array() / dense.array()).abs().maxCoeff(), 1e-6);
  EXPECT_EQ(by_count.num_available_modes, body.num_dofs() - 6);
  EXPECT_EQ(by_frequency.num_modes(), 6);
}

TEST(AllModes, OfALargeBodyAreRefused) {
  const FiniteElementBody body = straight_beam(1.5, 1000, steel(), rectangle(0.01, 0.01));
  try {
    reduce(body, {}, {}, {});
    FAIL() << "6006 unknowns were solved densely";
  } catch (const InputError& error) {
    EXPECT_EQ(
        error.errors()[0].message,
        "link 'arm': all modes of 6006 unknowns are too many to compute (at most 4000): give a number of modes or a "
        "highest frequency, or use fewer elements");
  }
}

TEST(CraigBampton, OfALargeBodyNeedsNoInternalModes) {
  const FiniteElementBody body = straight_beam(1.5, 150, steel(), rectangle(0.01, 0.02));
  ReductionChoice choice;
  choice.method = ReductionMethod::craig_bampton;
  choice.num_internal_modes = 0;
  EXPECT_EQ(reduce(body, choice, {}, {0, 1}).num_modes(), 6);
}

TEST(ModeCount, FollowsFromTheSignsOfThePivots) {
  const FiniteElementBody body = straight_beam(1, 10, steel(), rectangle(0.01, 0.02));
  const VectorX squares = natural_modes(MatrixX(body.stiffness), MatrixX(body.mass)).squared_frequencies;
  for (const int k : {7, 9, 20})
    EXPECT_EQ(count_modes_below(body.stiffness, body.mass, 0.5 * (squares(k - 1) + squares(k))), k);
}

}  // namespace
}  // namespace lithe
