#include "lithe/analyse/studies/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lithe {
namespace {

LeastSquaresOptions unbounded(int count) {
  LeastSquaresOptions options;
  options.lower = VectorX::Constant(count, -std::numeric_limits<double>::infinity());
  options.upper = -options.lower;
  return options;
}

// Misra1a of the Statistical Reference Datasets of NIST: y = b1 (1 - exp(-b2 x)), from its first, far start.
std::vector<VectorX> misra(const std::vector<VectorX>& points) {
  const double x[] = {77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0};
  const double y[] = {10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78};
  std::vector<VectorX> result;
  for (const VectorX& b : points) {
    VectorX r(14);
    for (int i = 0; i < 14; ++i) r[i] = 500 * b[0] * (1 - std::exp(-1e-4 * b[1] * x[i])) - y[i];
    result.push_back(r);
  }
  return result;
}

TEST(LeastSquares, FindsTheCertifiedValuesAndDeviationsOfMisra) {
  const LeastSquaresOptions options = unbounded(2);
  const LeastSquaresFit fit = fit_least_squares(misra, VectorX::Ones(2), options);
  ASSERT_TRUE(fit.converged);
  EXPECT_NEAR(500 * fit.unknowns[0], 2.3894212918e2, 1e-5 * 2.389e2);
  EXPECT_NEAR(1e-4 * fit.unknowns[1], 5.5015643181e-4, 1e-5 * 5.5e-4);
  EXPECT_NEAR(fit.residuals.squaredNorm(), 1.2455138894e-1, 1e-8);
  const FitStatistics found = fit_statistics(misra, fit, options);
  EXPECT_EQ(found.degrees_of_freedom, 12);
  EXPECT_NEAR(found.deviation, 1.0187876330e-1, 1e-8);
  EXPECT_NEAR(500 * found.standard_errors[0], 2.7070075241, 1e-4);
  EXPECT_NEAR(1e-4 * found.standard_errors[1], 7.2668688436e-6, 3e-10);
  EXPECT_TRUE(found.free_directions.empty());
}

TEST(LeastSquares, StopsAtABoundAndLeavesInvalidPointsAlone) {
  LeastSquaresOptions options = unbounded(2);
  options.lower[1] = 0.5;
  const auto bowl = [](const std::vector<VectorX>& points) {
    std::vector<VectorX> result;
    for (const VectorX& x : points) {
      EXPECT_GE(x[1], 0.5);
      VectorX r(3);
      r << x[0] - 2, 3 * (x[1] + x[0]), x[1];
      result.push_back(x[0] > 1.9 ? VectorX() : r);
    }
    return result;
  };
  const LeastSquaresFit fit = fit_least_squares(bowl, VectorX::Ones(2), options);
  EXPECT_TRUE(fit.converged);
  EXPECT_EQ(fit.unknowns[1], 0.5);
  EXPECT_NEAR(fit.unknowns[0], (2 - 9 * 0.5) / 10, 1e-6);  // of (x - 2)² + 9 (x + 1/2)²
}

TEST(LeastSquares, NamesWhatTheDataDoNotTell) {
  const auto product = [](const std::vector<VectorX>& points) {  // x y and z alone matter
    std::vector<VectorX> result;
    for (const VectorX& x : points) {
      VectorX r(20);
      for (int i = 0; i < 20; ++i)
        r[i] = x[0] * x[1] * std::sin(i) + x[2] * std::cos(2 * i) - 3 * std::sin(i) + 0.01 * std::sin(7.3 * i);
      result.push_back(r);
    }
    return result;
  };
  const LeastSquaresOptions options = unbounded(4);
  const LeastSquaresFit fit = fit_least_squares(product, VectorX::Ones(4), options);
  ASSERT_TRUE(fit.converged);
  EXPECT_NEAR(fit.unknowns[0] * fit.unknowns[1], 3, 0.01);
  EXPECT_EQ(fit.unknowns[3], 1);  // does nothing
  const FitStatistics found = fit_statistics(product, fit, options);
  EXPECT_EQ(found.determined, (std::vector<bool>{false, false, true, false}));
  ASSERT_EQ(found.free_directions.size(), 2u);
  for (const VectorX& direction : found.free_directions)  // d(x y) = 0
    EXPECT_NEAR(direction[0] * fit.unknowns[1] + direction[1] * fit.unknowns[0], 0, 1e-6);
  EXPECT_LT(found.standard_errors[2], 0.01);
}

// Percentiles of Student's distribution as tables print them.
TEST(StudentQuantile, AgreesWithTables) {
  EXPECT_NEAR(student_quantile(0.95, 1), 12.706, 5e-4);
  EXPECT_NEAR(student_quantile(0.95, 2), 4.303, 5e-4);
  EXPECT_NEAR(student_quantile(0.95, 3), 3.182, 5e-4);
  EXPECT_NEAR(student_quantile(0.95, 10), 2.228, 5e-4);
  EXPECT_NEAR(student_quantile(0.99, 30), 2.750, 5e-4);
  EXPECT_NEAR(student_quantile(0.95, 1000000), 1.960, 5e-4);
  EXPECT_EQ(student_quantile(0.95, 0), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace lithe
