#include "lithe/control/linear/matrix_equations.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lithe/control/linear/riccati.h"
#include "support/random_matrices.h"
#include "unit/control/continuous_riccati.h"

namespace lithe {
namespace {

using testing::RandomMatrices;

TEST(Lyapunov, GivesTheCovarianceOfAnOscillatorInClosedForm) {
  const double omega = 7, ratio = 0.02;
  MatrixX a(2, 2), q(2, 2);
  a << 0, 1, -omega * omega, -2 * ratio * omega;
  q << 0, 0, 0, 1;
  const auto x = solve_lyapunov(a, q);
  ASSERT_TRUE(x);
  EXPECT_NEAR((*x)(0, 0), 1 / (4 * ratio * omega * omega * omega), 1e-14);
  EXPECT_NEAR((*x)(1, 1), 1 / (4 * ratio * omega), 1e-12);
  EXPECT_NEAR((*x)(0, 1), 0, 1e-14);
}

TEST(Lyapunov, LeavesNoResidual) {
  RandomMatrices random(1);
  for (int n = 1; n <= 14; ++n) {
    const MatrixX a = random.matrix(n, n) - 2 * std::sqrt(n) * MatrixX::Identity(n, n), q = random.positive(n);
    const auto x = solve_lyapunov(a, q);
    ASSERT_TRUE(x);
    EXPECT_LT((a * *x + *x * a.transpose() + q).norm(), 1e-13 * n * q.norm());
    const MatrixX d = random.matrix(n, n) / (2 * std::sqrt(n));
    const auto y = solve_discrete_lyapunov(d, q);
    ASSERT_TRUE(y);
    EXPECT_LT((d * *y * d.transpose() - *y + q).norm(), 1e-13 * n * (q.norm() + y->norm()));
  }
}

TEST(Lyapunov, SaysSoWhenThereIsNoUniqueSolution) {
  MatrixX a(2, 2);
  a << 1, 0, 0, -1;
  EXPECT_FALSE(solve_lyapunov(a, MatrixX::Identity(2, 2)));
  a << 2, 0, 0, 0.5;
  EXPECT_FALSE(solve_discrete_lyapunov(a, MatrixX::Identity(2, 2)));
}

TEST(MatrixExponential, TurnsAndSlides) {
  MatrixX a(2, 2);
  a << 0, -30, 30, 0;  // many squarings
  const MatrixX turned = matrix_exponential(a);
  EXPECT_NEAR(turned(0, 0), std::cos(30.0), 1e-12);
  EXPECT_NEAR(turned(1, 0), std::sin(30.0), 1e-12);
  MatrixX slide = MatrixX::Zero(3, 3);
  slide(0, 1) = slide(1, 2) = 2;
  const MatrixX slid = matrix_exponential(slide);
  EXPECT_NEAR(slid(0, 1), 2, 1e-15);
  EXPECT_NEAR(slid(0, 2), 2, 1e-15);  // 2²/2
}

TEST(Riccati, AgreesWithClosedForms) {
  MatrixX a(2, 2), b(2, 1), q(2, 2), r(1, 1);
  a << 0, 1, 0, 0;
  b << 0, 1;
  q << 1, 0, 0, 0;
  r << 1;
  const RiccatiSolution s = testing::solve_riccati(a, b, q, r);
  ASSERT_TRUE(s.solved) << s.message;
  EXPECT_NEAR(s.gain(0, 0), 1, 1e-13);
  EXPECT_NEAR(s.gain(0, 1), std::sqrt(2.0), 1e-13);
  EXPECT_NEAR(s.x(0, 0), std::sqrt(2.0), 1e-13);
  // one state: x = r (a + √(a² + b² q/r)) / b²
  const MatrixX one = MatrixX::Constant(1, 1, 3.0), two = MatrixX::Constant(1, 1, 2.0),
                q1 = MatrixX::Constant(1, 1, 5.0);
  EXPECT_NEAR(testing::solve_riccati(one, two, q1, one).x(0, 0), 3 * (3 + std::sqrt(9 + 4 * 5.0 / 3)) / 4, 1e-13);
  // sampled, one state: b² x² + (r - a² r - q b²) x - q r = 0
  const double p = 3 - 27 - 20, root = (-p + std::sqrt(p * p + 4 * 4 * 15.0)) / 8;
  EXPECT_NEAR(solve_discrete_riccati(one, two, q1, one).x(0, 0), root, 1e-12 * root);
}

TEST(Riccati, LeavesNoResidualAndStabilises) {
  RandomMatrices random(2);
  for (int n = 1; n <= 16; ++n) {
    const int m = 1 + n % 3;
    const MatrixX a = random.matrix(n, n), b = random.matrix(n, m), q = random.positive(n, 0.01),
                  r = random.positive(m);
    const RiccatiSolution s = testing::solve_riccati(a, b, q, r);
    ASSERT_TRUE(s.solved) << n << ": " << s.message;
    EXPECT_LT(testing::riccati_residual(a, b, q, r, s.x), 1e-12 * n);
    EXPECT_TRUE(is_stable(a - b * s.gain, false));
    const RiccatiSolution d = solve_discrete_riccati(a, b, q, r);
    ASSERT_TRUE(d.solved) << n << ": " << d.message;
    EXPECT_LT(discrete_riccati_residual(a, b, q, r, d.x), 1e-12 * n);
    EXPECT_TRUE(is_stable(a - b * d.gain, true));
  }
}

// A chain of oscillators with a free motion, as an arm has: frequencies over three decades and little damping.
TEST(Riccati, TakesLightlyDampedModesAndAFreeOne) {
  const int modes = 6;
  MatrixX a = MatrixX::Zero(2 * modes, 2 * modes), b = MatrixX::Zero(2 * modes, 1);
  for (int k = 0; k < modes; ++k) {
    const double omega = k == 0 ? 0 : 20 * std::pow(4.0, k);
    a(k, modes + k) = k == 0 ? 1 : omega;
    a(modes + k, k) = -omega;
    a(modes + k, modes + k) = -2 * 0.001 * omega;
    b(modes + k, 0) = 1.0 / (1 + k);
  }
  const MatrixX q = MatrixX::Identity(2 * modes, 2 * modes), r = MatrixX::Constant(1, 1, 1e-2);
  const RiccatiSolution s = testing::solve_riccati(a, b, q, r);
  ASSERT_TRUE(s.solved) << s.message;
  EXPECT_LT(s.residual, 1e-11);
}

TEST(Riccati, SaysSoWhenAnUnstableModeIsOutOfReach) {
  MatrixX a(2, 2), b(2, 1);
  a << 1, 0, 0, -1;
  b << 0, 1;
  const MatrixX q = MatrixX::Identity(2, 2), r = MatrixX::Identity(1, 1);
  const RiccatiSolution s = testing::solve_riccati(a, b, q, r);
  EXPECT_FALSE(s.solved);
  a << 2, 0, 0, 0.5;
  const RiccatiSolution d = solve_discrete_riccati(a, b, q, r);
  EXPECT_FALSE(d.solved);
  EXPECT_NE(d.message.find("do not reach"), std::string::npos);
  EXPECT_FALSE(solve_discrete_riccati(a, b, q, -r).solved);
  EXPECT_FALSE(solve_discrete_riccati(a, MatrixX::Zero(3, 1), q, r).solved);
}

}  // namespace
}  // namespace lithe
