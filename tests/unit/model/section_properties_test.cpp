#include "lithe/model/sections/section_properties.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace lithe {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double few_roundings = 1e-14;

void expect_close(double value, double expected) { EXPECT_NEAR(value, expected, few_roundings * std::abs(expected)); }

// Second moments by summing thin strips of the outline: independent of the closed formulas. `half_width(z)` is the
// half width at height z; the midpoint rule converges as 1/n².
template <class HalfWidth>
double second_moment_y(const HalfWidth& half_width, double half_height) {
  constexpr int strips = 200000;
  double sum = 0;
  for (int i = 0; i < strips; ++i) {
    const double z = half_height * (2 * (i + 0.5) / strips - 1);
    sum += z * z * 2 * half_width(z);
  }
  return sum * 2 * half_height / strips;
}

TEST(RectangleSection, HasTheTextbookProperties) {
  const Section section = rectangle_section(0.03, 0.07);
  expect_close(section.area, 0.0021);
  expect_close(section.second_moment_y, 0.03 * 0.07 * 0.07 * 0.07 / 12);
  expect_close(section.second_moment_z, 0.07 * 0.03 * 0.03 * 0.03 / 12);
  EXPECT_EQ(section.dimensions, (std::vector<double>{0.03, 0.07}));
}

// Timoshenko and Goodier, Theory of Elasticity, table of k1 in J = k1 a b³ (printed to three digits).
TEST(RectangleSection, TorsionConstantAgreesWithThePrintedTable) {
  const std::pair<double, double> table[] = {{1.0, 0.1406}, {1.2, 0.166}, {1.5, 0.196}, {2.0, 0.229}, {2.5, 0.249},
                                             {3.0, 0.263},  {4.0, 0.281}, {5.0, 0.291}, {10.0, 0.312}};
  for (const auto& [ratio, factor] : table) {
    EXPECT_NEAR(rectangle_torsion_constant(ratio * 0.02, 0.02) / (ratio * std::pow(0.02, 4)), factor, 0.6e-3) << ratio;
  }
}

// Roark's limit: for long rectangles J tends to a b³ (1/3 - 0.21 b/a), with 0.21 = (64/π⁵) (31/32) ζ(5).
TEST(RectangleSection, TorsionConstantOfAStripHasTheKnownLimit) {
  const double a = 1, b = 1e-3;
  const double limit = a * b * b * b * (1.0 / 3 - 0.2100831 * b / a);
  EXPECT_NEAR(rectangle_torsion_constant(a, b), limit, 1e-9 * limit);
}

TEST(RectangleSection, TorsionConstantDoesNotDependOnTheOrderOfTheSides) {
  EXPECT_EQ(rectangle_torsion_constant(0.01, 0.04), rectangle_torsion_constant(0.04, 0.01));
}

TEST(CircleSection, HasTheTextbookProperties) {
  const double r = 0.013;
  const Section section = circle_section(r);
  expect_close(section.area, pi * r * r);
  expect_close(section.torsion_constant, section.second_moment_y + section.second_moment_z);
  const double strips = second_moment_y([&](double z) { return std::sqrt(r * r - z * z); }, r);
  EXPECT_NEAR(section.second_moment_y, strips, 1e-6 * strips);
}

TEST(TubeSection, IsADiscLessADisc) {
  const Section tube = tube_section(0.03, 0.027), outer = circle_section(0.03), inner = circle_section(0.027);
  // The difference loses about one digit.
  EXPECT_NEAR(tube.area, outer.area - inner.area, 1e-14 * outer.area);
  EXPECT_NEAR(tube.second_moment_z, outer.second_moment_z - inner.second_moment_z, 1e-14 * outer.second_moment_z);
  EXPECT_NEAR(tube.torsion_constant, outer.torsion_constant - inner.torsion_constant, 1e-14 * outer.torsion_constant);
}

TEST(TubeSection, TendsToTheThinWalledFormula) {
  const double r = 0.05, t = 1e-6;
  EXPECT_NEAR(tube_section(r + t / 2, r - t / 2).torsion_constant, 2 * pi * r * r * r * t,
              1e-9 * 2 * pi * r * r * r * t);
}

TEST(ISection, IsItsThreePlates) {
  const double b = 0.08, h = 0.16, f = 0.009, w = 0.006;
  const Section section = i_section(b, h, f, w);
  expect_close(section.area, 2 * b * f + (h - 2 * f) * w);
  const double arm = (h - f) / 2;  // of the flanges, parallel-axis theorem
  const double about_y = 2 * (b * f * f * f / 12 + b * f * arm * arm) + w * std::pow(h - 2 * f, 3) / 12;
  expect_close(section.second_moment_y, about_y);
  expect_close(section.second_moment_z, 2 * f * b * b * b / 12 + (h - 2 * f) * w * w * w / 12);
  EXPECT_LT(section.shear_factor_z, 1);
  EXPECT_GT(section.second_moment_y, section.second_moment_z);
}

// With the web as wide as the flanges the I is a rectangle.
TEST(ISection, WithAFullWebIsARectangle) {
  const Section full = i_section(0.02, 0.05, 0.01, 0.02), rectangle = rectangle_section(0.02, 0.05);
  expect_close(full.area, rectangle.area);
  expect_close(full.second_moment_y, rectangle.second_moment_y);
  expect_close(full.second_moment_z, rectangle.second_moment_z);
}

}  // namespace
}  // namespace lithe
