// Numbers of a stress tensor whose principal stresses are known.
#include "lithe/model/stress_measure.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lithe {
namespace {

TEST(StressMeasure, HasPrincipalShearAndVonMisesStresses) {
  Vector6 stress;
  stress << 50, 30, -20, 5, 0, 0;  // a plane rotation of the first two principal stresses
  const double first = 40 + std::sqrt(125.0), second = 40 - std::sqrt(125.0), third = -20;
  EXPECT_NEAR(measure_of(stress, StressMeasure::principal_max), first, 1e-12);
  EXPECT_NEAR(measure_of(stress, StressMeasure::principal_min), third, 1e-12);
  EXPECT_NEAR(measure_of(stress, StressMeasure::max_shear), (first - third) / 2, 1e-12);
  const double a = first - second, b = second - third, c = third - first;
  EXPECT_NEAR(measure_of(stress, StressMeasure::von_mises), std::sqrt((a * a + b * b + c * c) / 2), 1e-12);
}

}  // namespace
}  // namespace lithe
