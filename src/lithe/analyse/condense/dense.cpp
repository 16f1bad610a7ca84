#include "lithe/analyse/condense/dense.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "lithe/base/decompositions.h"

namespace lithe {
namespace {

// A pivot this much smaller than its diagonal entry (1) is looked at closely.
constexpr double suspicious = 1e-9;

// Scales the diagonal to one, or to what is left of one where stiffnesses cancelled; a coordinate without any stiffness
// keeps its scale.
VectorX scaling(const MatrixX& matrix, const VectorX& level) {
  VectorX scale(matrix.rows());
  for (Eigen::Index i = 0; i < scale.size(); ++i) {
    const double size = std::max(matrix(i, i), level.size() > 0 ? level[i] : 0.0);
    scale[i] = size > 0 ? 1 / std::sqrt(size) : 1.0;
  }
  return scale;
}

bool is_suspicious(const Eigen::LLT<MatrixX>& factor) {
  if (factor.info() != Eigen::Success) return true;
  return factor.matrixLLT().rows() > 0 && factor.matrixLLT().diagonal().cwiseAbs2().minCoeff() < suspicious;
}

// The softest motion that counts as unconstrained, if any.
bool find_unconstrained(const MatrixX& scaled, const VectorX& scale, const std::vector<int>& eliminated,
                        Eigen::Index size, const IsUnconstrained& is_unconstrained, VectorX& unconstrained) {
  const SymmetricPairs levels = symmetric_pairs(scaled);
  for (Eigen::Index k = 0; k < scaled.rows() && levels.values[k] < 10 * suspicious; ++k) {
    unconstrained = VectorX::Zero(size);
    for (std::size_t i = 0; i < eliminated.size(); ++i)
      unconstrained[eliminated[i]] =
          scale[static_cast<Eigen::Index>(i)] * levels.vectors(static_cast<Eigen::Index>(i), k);
    if (is_unconstrained(unconstrained)) return true;
  }
  return false;
}

}  // namespace

std::optional<DenseSystem> condense_dense(const DenseSystem& system, const std::vector<int>& kept,
                                          const std::vector<int>& eliminated, const IsUnconstrained& is_unconstrained,
                                          VectorX& unconstrained, const MatrixX* energy, MatrixX* full_shape) {
  const MatrixX& K = system.stiffness;
  const MatrixX& M = system.mass;
  DenseSystem result{(energy ? *energy : K)(kept, kept), M(kept, kept), system.loads(kept, Eigen::all), {}};
  if (full_shape) {
    *full_shape = MatrixX::Zero(K.rows(), static_cast<Eigen::Index>(kept.size()));
    for (std::size_t k = 0; k < kept.size(); ++k) (*full_shape)(kept[k], static_cast<Eigen::Index>(k)) = 1;
  }
  if (eliminated.empty()) return result;
  const MatrixX K_ee = K(eliminated, eliminated);
  const VectorX scale = scaling(K_ee, system.level.size() > 0 ? VectorX(system.level(eliminated)) : VectorX());
  const MatrixX scaled = scale.asDiagonal() * K_ee * scale.asDiagonal();
  const Eigen::LLT<MatrixX> factor(scaled);
  if (is_suspicious(factor) && find_unconstrained(scaled, scale, eliminated, K.rows(), is_unconstrained, unconstrained))
    return std::nullopt;
  // Ψ_e = -K_ee⁻¹ K_ek; a factorisation that failed on rounding alone is replaced by one with pivots.
  const MatrixX right = scale.asDiagonal() * K(eliminated, kept);
  MatrixX shape =
      -1.0 * (factor.info() == Eigen::Success ? MatrixX(factor.solve(right)) : MatrixX(scaled.ldlt().solve(right)));
  shape = (scale.asDiagonal() * shape).eval();
  if (full_shape) (*full_shape)(eliminated, Eigen::all) = shape;
  if (energy) {
    const MatrixX E_ek = (*energy)(eliminated, kept);
    result.stiffness += E_ek.transpose() * shape + shape.transpose() * E_ek +
                        shape.transpose() * ((*energy)(eliminated, eliminated) * shape);
  } else {
    result.stiffness.noalias() += K(kept, eliminated) * shape;
  }
  const MatrixX cross = shape.transpose() * (M(eliminated, kept) + 0.5 * (M(eliminated, eliminated) * shape));
  result.mass += cross + cross.transpose();
  result.loads.noalias() += shape.transpose() * system.loads(eliminated, Eigen::all);
  result.stiffness = (0.5 * (result.stiffness + result.stiffness.transpose())).eval();
  return result;
}

}  // namespace lithe
