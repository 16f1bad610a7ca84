#include "lithe/reduce/balanced_modes.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "lithe/base/decompositions.h"

namespace lithe {
namespace {

// Definite beyond rounding, with a unit diagonal.
bool is_definite(const Eigen::LLT<MatrixX>& factor) {
  constexpr double rounding = 1e-13;
  return factor.info() == Eigen::Success && factor.matrixLLT().diagonal().cwiseAbs2().minCoeff() > rounding;
}

VectorX unit_diagonal(const MatrixX& matrix) {
  VectorX scale(matrix.rows());
  for (Eigen::Index i = 0; i < scale.size(); ++i) scale[i] = matrix(i, i) > 0 ? 1 / std::sqrt(matrix(i, i)) : 0.0;
  return scale;
}

// B φ = μ A φ, ascending in μ; shapes A-orthonormal.
struct Half {
  VectorX levels;
  MatrixX shapes;
};

// With D the scaling of A: D A D = L Lᵀ, so that L⁻¹ D B D L⁻ᵀ y = μ y, φ = D L⁻ᵀ y.
Half solve_half(const MatrixX& B, const Eigen::LLT<MatrixX>& factor, const VectorX& scale, bool with_shapes) {
  MatrixX C = scale.asDiagonal() * B * scale.asDiagonal();
  factor.matrixL().solveInPlace(C);
  factor.matrixL().transpose().solveInPlace<Eigen::OnTheRight>(C);
  C = (0.5 * (C + C.transpose())).eval();
  const SymmetricPairs pairs = with_shapes ? symmetric_pairs(C) : symmetric_values(C);
  Half half{pairs.values, MatrixX(B.rows(), 0)};
  if (with_shapes) half.shapes = scale.asDiagonal() * MatrixX(factor.matrixU().solve(pairs.vectors));
  return half;
}

}  // namespace

NaturalModes balanced_modes(const MatrixX& stiffness, const MatrixX& mass, bool with_shapes) {
  const Eigen::Index n = stiffness.rows();
  if (n == 0) return {VectorX(0), MatrixX(0, 0)};
  const VectorX mass_scale = unit_diagonal(mass), stiffness_scale = unit_diagonal(stiffness);
  const Eigen::LLT<MatrixX> mass_factor(mass_scale.asDiagonal() * mass * mass_scale.asDiagonal());
  const Eigen::LLT<MatrixX> stiffness_factor(stiffness_scale.asDiagonal() * stiffness * stiffness_scale.asDiagonal());
  if (!is_definite(mass_factor)) {
    NaturalModes modes = natural_modes(stiffness, mass);
    if (!with_shapes) modes.shapes.resize(n, 0);
    return modes;
  }
  const Half high = solve_half(stiffness, mass_factor, mass_scale, with_shapes);
  NaturalModes modes{high.levels, high.shapes};
  if (!is_definite(stiffness_factor)) return modes;
  const Half low = solve_half(mass, stiffness_factor, stiffness_scale, with_shapes);
  const double middle = std::sqrt(1 / low.levels[n - 1]) * std::sqrt(std::max(high.levels[n - 1], 0.0));
  for (Eigen::Index k = 0; k < n; ++k) {
    const double squared = 1 / low.levels[n - 1 - k];
    if (!(squared < middle)) break;
    modes.squared_frequencies[k] = squared;
    if (with_shapes) modes.shapes.col(k) = low.shapes.col(n - 1 - k) * std::sqrt(squared);
  }
  return modes;
}

}  // namespace lithe
