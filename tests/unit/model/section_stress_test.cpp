#include "lithe/model/sections/section_stress.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/model/sections/section_properties.h"

namespace lithe {
namespace {

constexpr double pi = std::numbers::pi;

TEST(SectionStress, OfARoundBarIsThatOfTheTextbook) {
  const double d = 0.02;
  const Section bar = circle_section(d / 2);
  const SectionStress stress = section_stress(bar, Vector3(-500, 7, 9), Vector3(12, 3, -4));
  EXPECT_NEAR(stress.axial, 500 / (pi * d * d / 4), 1e-6);
  EXPECT_NEAR(stress.bending, 32 * 5 / (pi * d * d * d), 1e-4);  // |(3, -4)| = 5
  EXPECT_NEAR(stress.torsion, 16 * 12 / (pi * d * d * d), 1e-4);
  const double normal = stress.axial + stress.bending;
  EXPECT_NEAR(stress.von_mises(), std::sqrt(normal * normal + 3 * stress.torsion * stress.torsion), 1e-4);
}

TEST(SectionStress, OfARectangleAddsUpInACorner) {
  const double b = 0.03, h = 0.05;  // along y and z
  const SectionStress stress = section_stress(rectangle_section(b, h), Vector3::Zero(), Vector3(0, 2, 3));
  EXPECT_NEAR(stress.bending, 6 * 2 / (b * h * h) + 6 * 3 / (h * b * b), 1e-5);
}

// Timoshenko and Goodier: the largest shear stress is T / (k2 a b²), with k2 printed to three digits.
TEST(SectionStress, TorsionOfRectanglesAgreesWithThePrintedTable) {
  const std::pair<double, double> table[] = {{1.0, 0.208}, {1.2, 0.219}, {1.5, 0.231}, {2.0, 0.246},
                                             {2.5, 0.258}, {3.0, 0.267}, {4.0, 0.282}, {10.0, 0.312}};
  for (const auto& [ratio, factor] : table) {
    const double b = 0.01, a = ratio * b;
    const double stress = section_stress(rectangle_section(a, b), Vector3::Zero(), Vector3(1, 0, 0)).torsion;
    EXPECT_NEAR(stress * factor * a * b * b, 1, 8e-3) << ratio;
  }
}

// Open thin walls: T t/J, J = Σ b t³/3.
TEST(SectionStress, TorsionOfAnIBeamFollowsItsThickestWall) {
  const Section beam = i_section(0.1, 0.2, 0.008, 0.005);
  EXPECT_NEAR(section_stress(beam, Vector3::Zero(), Vector3(7, 0, 0)).torsion, 7 * 0.008 / beam.torsion_constant, 1e-6);
}

TEST(SectionStress, GradientAgreesWithDifferences) {
  const Vector3 force(400, 10, -20), moment(9, -5, 7);
  for (const Section& section : {rectangle_section(0.02, 0.03), circle_section(0.012)}) {
    const auto gradient = von_mises_gradient(section, force, moment);
    for (int k = 0; k < 6; ++k) {
      const double step = 1e-4;
      const auto at = [&](double sign) {
        Vector3 f = force, m = moment;
        (k < 3 ? f[k] : m[k - 3]) += sign * step;
        return section_stress(section, f, m).von_mises();
      };
      EXPECT_NEAR(gradient(k), (at(1) - at(-1)) / (2 * step), 1e-6 * std::abs(gradient(k)) + 1e-3) << k;
    }
    EXPECT_TRUE(von_mises_gradient(section, Vector3::Zero(), Vector3::Zero()).isZero());
  }
}

}  // namespace
}  // namespace lithe
