#include "lithe/model/sections/laminate.h"

#include <Eigen/LU>
#include <cmath>
#include <functional>

namespace lithe {
namespace {

using Matrix2 = Eigen::Matrix2d;

Matrix2 ply_shear(const Ply& ply) {
  const double c = std::cos(ply.angle), s = std::sin(ply.angle);
  Matrix2 axes;  // columns: directions 1 and 2
  axes << c, -s, s, c;
  return axes * transverse_shear_moduli(*ply.material).asDiagonal() * axes.transpose();
}

// Each ply with its bottom and top.
void each_ply(const std::vector<Ply>& plies, const std::function<void(const Ply&, double, double)>& action) {
  double z = -0.5 * laminate_thickness(plies);
  for (const Ply& ply : plies) {
    action(ply, z, z + ply.thickness);
    z += ply.thickness;
  }
}

// Where stresses go when a transverse force makes the moments grow: columns for Q_x (with M_xx,x = Q_x) and Q_y (with
// M_yy,y = Q_y), strains of the middle and curvatures per length.
struct Growth {
  Eigen::Matrix<double, 6, 1> along_x, along_y;
};

Growth growth_of(const LaminateStiffness& k) {
  Matrix6 whole;
  whole << k.a, k.b, k.b, k.d;
  const Vector6 scale = whole.diagonal().cwiseSqrt().cwiseInverse();  // membrane and bending differ by thickness²
  const Matrix6 scaled = scale.asDiagonal() * whole * scale.asDiagonal();
  const Matrix6 flexibility = scale.asDiagonal() * scaled.inverse() * scale.asDiagonal();
  return {flexibility.col(3), flexibility.col(4)};
}

// Equilibrium across the thickness, τ_xz' = -(σ_xx,x + σ_xy,y) and τ_yz' = -(σ_xy,x + σ_yy,y), gives τ(z) = F(z) Q.
// The energy ½ ∫ τᵀ G⁻¹ τ = ½ Qᵀ S⁻¹ Q is that of the real stresses; a single isotropic layer has 5/6 G h.
Matrix2 shear_stiffness(const std::vector<Ply>& plies, const Growth& growth) {
  const double root = std::sqrt(0.6);
  const double points[3] = {-root, 0, root}, weights[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  Matrix2 flexibility = Matrix2::Zero(), below = Matrix2::Zero();
  each_ply(plies, [&](const Ply& ply, double bottom, double top) {
    const Matrix3 q = ply_elasticity(ply);
    const auto rate = [&](double h, double first) -> Matrix2 {  // -∫ of the stresses' growth over z from the bottom
      const Vector3 x = q * (h * growth.along_x.head<3>() + first * growth.along_x.tail<3>());
      const Vector3 y = q * (h * growth.along_y.head<3>() + first * growth.along_y.tail<3>());
      Matrix2 result;
      result << x(0), y(2), x(2), y(1);
      return -result;
    };
    const auto until = [&](double z) -> Matrix2 { return below + rate(z - bottom, 0.5 * (z * z - bottom * bottom)); };
    const Matrix2 soft = ply_shear(ply).inverse();
    for (int k = 0; k < 3; ++k) {
      const Matrix2 f = until(0.5 * (bottom + top) + 0.5 * (top - bottom) * points[k]);
      flexibility += 0.5 * (top - bottom) * weights[k] * f.transpose() * soft * f;
    }
    below = until(top);
  });
  const Matrix2 result = flexibility.inverse();
  return 0.5 * (result + result.transpose());
}

}  // namespace

double laminate_thickness(const std::vector<Ply>& plies) {
  double sum = 0;
  for (const Ply& ply : plies) sum += ply.thickness;
  return sum;
}

// Jones, Mechanics of Composite Materials (1999), (2.85).
Matrix3 ply_elasticity(const Ply& ply) {
  const double c = std::cos(ply.angle), s = std::sin(ply.angle);
  Matrix3 strain;  // of the ply's axes from that of the plate's
  strain << c * c, s * s, c * s, s * s, c * c, -c * s, -2 * c * s, 2 * c * s, c * c - s * s;
  const Matrix3 result = strain.transpose() * plane_elasticity(*ply.material) * strain;
  return 0.5 * (result + result.transpose());
}

LaminateStiffness laminate_stiffness(const std::vector<Ply>& plies) {
  LaminateStiffness result;
  each_ply(plies, [&](const Ply& ply, double bottom, double top) {
    const Matrix3 q = ply_elasticity(ply);
    const double h = top - bottom, middle = 0.5 * (top + bottom);
    result.a += h * q;
    result.b += h * middle * q;
    result.d += h * (middle * middle + h * h / 12) * q;
  });
  result.shear = shear_stiffness(plies, growth_of(result));
  return result;
}

LaminateMass laminate_mass(const std::vector<Ply>& plies) {
  LaminateMass result;
  each_ply(plies, [&](const Ply& ply, double bottom, double top) {
    const double h = top - bottom, middle = 0.5 * (top + bottom), mass = ply.material->density * h;
    result.area += mass;
    result.first += mass * middle;
    result.second += mass * (middle * middle + h * h / 12);
  });
  return result;
}

}  // namespace lithe
