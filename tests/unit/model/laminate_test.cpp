#include "lithe/model/sections/laminate.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "lithe/model/sections/laminated_tube.h"
#include "lithe/model/sections/section_properties.h"

namespace lithe {
namespace {

ElementMaterial carbon() {
  ElementMaterial material(Material{"ply", 1550, 0, 0});
  material.set_orthotropic({{135e9, 9e9, 9e9}, {5e9, 5e9, 3.2e9}, {0.3, 0.3, 0.4}});
  return material;
}

ElementMaterial steel() { return Material{"steel", 7850, 2.1e11, 2.1e11 / 2.6}; }

TEST(Elasticity, OfAnIsotropicMaterialIsTheSameInAllAxes) {
  ElementMaterial same = steel();
  const double young = 2.1e11, shear = young / 2.6;
  same.set_orthotropic({Vector3::Constant(young), Vector3::Constant(shear), Vector3::Constant(0.3)});
  EXPECT_LT((elasticity(same) - elasticity(steel())).norm(), 1e-12 * elasticity(steel()).norm());
  const Matrix3 axes = Eigen::AngleAxisd(0.7, Vector3(1, 2, 3).normalized()).matrix();
  EXPECT_LT((turned(elasticity(steel()), axes) - elasticity(steel())).norm(), 1e-12 * elasticity(steel()).norm());
}

// A bar cut at an angle to the fibres: 1/E = c⁴/E1 + s⁴/E2 + c² s² (1/G12 − 2 ν12/E1), Jones (2.97).
TEST(Elasticity, HasTheModulusOfABarAtAnAngleToTheFibres) {
  for (const double angle : {0.0, 0.3, std::numbers::pi / 4, 1.2, std::numbers::pi / 2}) {
    const double c = std::cos(angle), s = std::sin(angle);
    Matrix3 axes;
    axes << c, -s, 0, s, c, 0, 0, 0, 1;
    const Matrix6 compliance = turned(elasticity(carbon()), axes).inverse();
    const double expected = std::pow(c, 4) / 135e9 + std::pow(s, 4) / 9e9 + c * c * s * s * (1 / 5e9 - 2 * 0.3 / 135e9);
    EXPECT_NEAR(compliance(0, 0) / expected, 1, 1e-12);
    const ElementMaterial material = carbon();
    const Matrix3 plane = ply_elasticity({&material, 1, angle}).inverse();
    EXPECT_NEAR(plane(0, 0) / expected, 1, 1e-12);
  }
}

TEST(Elasticity, RefusesConstantsThatWouldReleaseEnergy) {
  ElementMaterial material = carbon();
  EXPECT_EQ(constants_error(material), "");
  material.orthotropic->poisson(0) = 4;  // above √(E1/E2) = 3.87
  EXPECT_NE(constants_error(material).find("would release energy"), std::string::npos);
}

TEST(Laminate, OfOneMaterialIsThePlate) {
  const ElementMaterial material = steel();
  const double h = 0.006, e = 2.1e11, factor = e / (1 - 0.09);
  const LaminateStiffness k =
      laminate_stiffness({{&material, 0.001, 0.3}, {&material, 0.003, 1}, {&material, 0.002, 0}});
  EXPECT_NEAR(k.a(0, 0) / (factor * h), 1, 1e-12);
  EXPECT_NEAR(k.a(0, 1) / (0.3 * factor * h), 1, 1e-12);
  EXPECT_LT(k.b.norm(), 1e-12 * factor * h * h);
  EXPECT_NEAR(k.d(0, 0) / (factor * h * h * h / 12), 1, 1e-12);
  EXPECT_NEAR(k.d(2, 2) / (e / 2.6 * h * h * h / 12), 1, 1e-12);
  const Eigen::Matrix2d shear = 5.0 / 6 * e / 2.6 * h * Eigen::Matrix2d::Identity();
  EXPECT_LT((k.shear - shear).norm(), 1e-11 * shear.norm());
  const LaminateMass mass = laminate_mass({{&material, 0.001, 0}, {&material, 0.005, 0}});
  EXPECT_NEAR(mass.area / (7850 * h), 1, 1e-12);
  EXPECT_NEAR(mass.first / (7850 * h * h), 0, 1e-15);
  EXPECT_NEAR(mass.second / (7850 * h * h * h / 12), 1, 1e-12);
}

// Two plies at 0 and 90 degrees: B11 = −B22 = (Q22 − Q11) h²/8, and A11 = A22 (Jones, section 4.4.3).
TEST(Laminate, OfACrossPlyBendsWhenPulled) {
  const ElementMaterial ply = carbon();
  const double h = 0.002, q11 = 135e9 / (1 - 0.09 * 9 / 135), q22 = q11 * 9 / 135;
  const LaminateStiffness k = laminate_stiffness({{&ply, h / 2, 0}, {&ply, h / 2, std::numbers::pi / 2}});
  EXPECT_NEAR(k.a(0, 0) / (0.5 * (q11 + q22) * h), 1, 1e-12);
  EXPECT_NEAR(k.a(1, 1) / k.a(0, 0), 1, 1e-12);
  EXPECT_NEAR(k.b(0, 0) / ((q22 - q11) * h * h / 8), 1, 1e-12);
  EXPECT_NEAR(k.b(1, 1) / k.b(0, 0), -1, 1e-12);
  EXPECT_NEAR(k.d(0, 0) / (0.5 * (q11 + q22) * h * h * h / 12), 1, 1e-12);
}

// A sandwich of stiff faces t on a soft core c: all shear strain is in the core, with τ nearly constant over it, so
// S = G (c + t)²/c (Allen, Analysis and Design of Structural Sandwich Panels, 1969, chapter 2).
TEST(Laminate, OfASandwichSlidesInItsCore) {
  ElementMaterial face = steel(), core = Material{"foam", 50, 1e6, 4e5};
  const double t = 0.001, c = 0.02;
  const LaminateStiffness k = laminate_stiffness({{&face, t, 0}, {&core, c, 0}, {&face, t, 0}});
  EXPECT_NEAR(k.shear(0, 0) / (4e5 * (c + t) * (c + t) / c), 1, 2e-3);
}

TEST(LaminatedTube, OfOneMaterialIsTheTube) {
  const ElementMaterial material = steel();
  const LaminatedTube tube = laminated_tube(0.03, {{&material, 0.004, 0}, {&material, 0.006, 0.4}});
  const Section expected = tube_section(0.03, 0.02);
  EXPECT_NEAR(tube.material.young_modulus / 2.1e11, 1, 1e-12);
  EXPECT_NEAR(tube.material.shear_modulus / (2.1e11 / 2.6), 1, 1e-12);
  EXPECT_NEAR(tube.material.density / 7850, 1, 1e-12);
  EXPECT_NEAR(tube.section.second_moment_y / expected.second_moment_y, 1, 1e-12);
  EXPECT_NEAR(tube.section.torsion_constant / expected.torsion_constant, 1, 1e-12);
  EXPECT_LT(tube.coupling, 1e-12);
}

// A tube of thin ±45 plies: stiff in torsion, soft in tension; G of the wall is (Q11 + Q22 − 2 Q12)/4.
TEST(LaminatedTube, KnowsTheShearOfPliesAt45Degrees) {
  const ElementMaterial ply = carbon();
  const LaminatedTube tube =
      laminated_tube(0.02, {{&ply, 1e-4, std::numbers::pi / 4}, {&ply, 1e-4, -std::numbers::pi / 4}});
  const Matrix3 q = plane_elasticity(ply);
  EXPECT_NEAR(tube.material.shear_modulus / (0.25 * (q(0, 0) + q(1, 1) - 2 * q(0, 1))), 1, 1e-12);
  EXPECT_LT(tube.coupling, 1e-12);
  EXPECT_GT(laminated_tube(0.02, {{&ply, 1e-4, std::numbers::pi / 4}}).coupling, 0.3);
}

}  // namespace
}  // namespace lithe
