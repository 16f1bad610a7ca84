#include "lithe/model/orthotropic.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <array>

#include "lithe/base/text.h"

namespace lithe {
namespace {

// Jones, Mechanics of Composite Materials (1999), (2.23): strain from stress, without shear.
Matrix3 compliance(const OrthotropicConstants& c) {
  Matrix3 s = c.young.cwiseInverse().asDiagonal();
  s(0, 1) = s(1, 0) = -c.poisson(0) / c.young(0);
  s(0, 2) = s(2, 0) = -c.poisson(1) / c.young(0);
  s(1, 2) = s(2, 1) = -c.poisson(2) / c.young(1);
  return s;
}

double poisson_ratio(const Material& material) { return material.young_modulus / (2 * material.shear_modulus) - 1; }

}  // namespace

void ElementMaterial::set_orthotropic(const OrthotropicConstants& constants) {
  orthotropic = constants;
  young_modulus = constants.young(0);
  shear_modulus = 0.5 * (constants.shear(0) + constants.shear(1));
}

void ElementMaterial::scale_moduli(double factor) {
  young_modulus *= factor;
  shear_modulus *= factor;
  if (!orthotropic) return;
  orthotropic->young *= factor;
  orthotropic->shear *= factor;
}

Matrix6 elasticity(const ElementMaterial& material) {
  Matrix6 result = Matrix6::Zero();
  if (material.orthotropic) {
    const OrthotropicConstants& c = *material.orthotropic;
    result.topLeftCorner<3, 3>() = compliance(c).inverse();
    result.diagonal().tail<3>() << c.shear(0), c.shear(2), c.shear(1);
    return result;
  }
  const double nu = poisson_ratio(material);
  result.topLeftCorner<3, 3>().setConstant(material.young_modulus * nu / ((1 + nu) * (1 - 2 * nu)));
  result.diagonal().head<3>().array() += 2 * material.shear_modulus;
  result.diagonal().tail<3>().setConstant(material.shear_modulus);
  return result;
}

Matrix6 turned(const Matrix6& elasticity, const Matrix3& axes) {
  // Strain in material axes from strain in link axes, ε' = aᵀ ε a with engineering shear (Jones, (2.71) in space).
  static constexpr std::array<std::array<int, 2>, 6> pairs = {{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}}};
  Matrix6 strain;
  for (int row = 0; row < 6; ++row)
    for (int column = 0; column < 6; ++column) {
      const auto [i, j] = pairs[static_cast<std::size_t>(row)];
      const auto [k, l] = pairs[static_cast<std::size_t>(column)];
      const double both = axes(k, i) * axes(l, j) + axes(l, i) * axes(k, j);
      strain(row, column) = (row < 3 ? 0.5 : 1.0) * both;
    }
  const Matrix6 result = strain.transpose() * elasticity * strain;
  return 0.5 * (result + result.transpose());
}

Matrix3 plane_elasticity(const ElementMaterial& material) {
  Matrix3 result = Matrix3::Zero();
  if (!material.orthotropic) {
    const double nu = poisson_ratio(material), factor = material.young_modulus / (1 - nu * nu);
    result(0, 0) = result(1, 1) = factor;
    result(0, 1) = result(1, 0) = nu * factor;
    result(2, 2) = material.shear_modulus;
    return result;
  }
  const OrthotropicConstants& c = *material.orthotropic;
  result.topLeftCorner<2, 2>() = compliance(c).topLeftCorner<2, 2>().inverse();
  result(2, 2) = c.shear(0);
  return result;
}

Eigen::Vector2d transverse_shear_moduli(const ElementMaterial& material) {
  if (material.orthotropic) return {material.orthotropic->shear(1), material.orthotropic->shear(2)};
  return {material.shear_modulus, material.shear_modulus};
}

std::string constants_error(const ElementMaterial& material) {
  if (!material.orthotropic) {
    if (!(material.young_modulus > 0) || !(material.shear_modulus > 0)) return "it has no elastic constants";
    const double nu = poisson_ratio(material);
    return nu > -1 && nu < 0.5 ? "" : cat("Poisson's ratio must lie between -1 and 0.5, got ", nu);
  }
  const OrthotropicConstants& c = *material.orthotropic;
  if (!(c.young.minCoeff() > 0) || !(c.shear.minCoeff() > 0)) return "its moduli must be positive";
  Matrix3 scaled = compliance(c);  // positive definite, Jones section 2.4
  const Vector3 root = c.young.cwiseSqrt();
  scaled = (root.asDiagonal() * scaled * root.asDiagonal()).eval();
  if (Eigen::LLT<Matrix3>(scaled).info() == Eigen::Success && scaled.determinant() > 1e-9) return "";
  return cat("Poisson's ratios ", c.poisson(0), ", ", c.poisson(1), ", ", c.poisson(2),
             " are too large for these moduli: the material would release energy");
}

}  // namespace lithe
