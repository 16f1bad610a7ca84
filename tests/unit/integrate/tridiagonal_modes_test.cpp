#include "lithe/integrate/exponential/tridiagonal_modes.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

namespace lithe {
namespace {

MatrixX tridiagonal(const VectorX& diagonal, const VectorX& beside) {
  MatrixX matrix = diagonal.asDiagonal();
  for (Eigen::Index k = 0; k < beside.size(); ++k) matrix(k, k + 1) = matrix(k + 1, k) = beside[k];
  return matrix;
}

void expect_modes(const VectorX& diagonal, const VectorX& beside, long portion) {
  const Eigen::Index n = diagonal.size();
  TridiagonalModes modes(static_cast<int>(n));
  modes.start(diagonal, beside);
  int portions = 1;
  while (modes.advance(portion) == TridiagonalModes::Progress::under_way) ++portions;
  if (n > 20) {
    EXPECT_EQ(portions > 3, portion < 100);
  }
  const MatrixX T = tridiagonal(diagonal, beside), V = modes.vectors();
  const double rounding = 1e-15 * static_cast<double>(n) * (T.cwiseAbs().maxCoeff() + 1e-300);
  EXPECT_LT((T * V - V * modes.values().asDiagonal()).cwiseAbs().maxCoeff(), 10 * rounding);
  EXPECT_LT((V.transpose() * V - MatrixX::Identity(n, n)).cwiseAbs().maxCoeff(), 1e-14 * static_cast<double>(n));
  for (Eigen::Index k = 1; k < n; ++k) EXPECT_LE(modes.values()[k - 1], modes.values()[k]);
}

TEST(TridiagonalModes, AreEigenvectorsInPortionsOfAnySize) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const int n : {1, 2, 3, 30, 60})
    for (const long portion : {20L, 100000L}) {
      VectorX diagonal(n), beside(n - 1);
      for (double& x : diagonal) x = uniform(random);
      for (double& x : beside) x = uniform(random);
      expect_modes(diagonal, beside, portion);
      if (n > 2) beside[n / 2] = 0;  // falls into two
      expect_modes(diagonal, beside, portion);
      for (Eigen::Index k = 0; k < n; ++k) diagonal[k] *= std::pow(10.0, -0.2 * static_cast<double>(k));
      expect_modes(diagonal, beside, portion);
    }
  expect_modes(VectorX::Ones(5), VectorX::Zero(4), 20);
}

TEST(TridiagonalModes, OfAChainOfSpringsAreItsSines) {
  const int n = 40;
  TridiagonalModes modes(n);
  modes.start(VectorX::Constant(n, 2), VectorX::Constant(n - 1, -1));
  ASSERT_EQ(modes.advance(1000000), TridiagonalModes::Progress::done);
  for (int k = 0; k < n; ++k)
    EXPECT_NEAR(modes.values()[k], 2 - 2 * std::cos((k + 1) * std::numbers::pi / (n + 1)), 1e-14);
}

TEST(TridiagonalModes, SayWhenNumbersAreNotFinite) {
  TridiagonalModes modes(3);
  modes.start(VectorX::Constant(3, std::nan("")), VectorX::Ones(2));
  EXPECT_EQ(modes.advance(1000), TridiagonalModes::Progress::failed);
}

}  // namespace
}  // namespace lithe
