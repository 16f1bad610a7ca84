#include "lithe/base/decompositions.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

namespace lithe {
namespace {

SymmetricPairs symmetric(const MatrixX& a, int options) {
  if (a.rows() == 0) return {};
  const Eigen::SelfAdjointEigenSolver<MatrixX> solver(a, options);
  SymmetricPairs result{solver.eigenvalues(), {}, solver.info() == Eigen::Success};
  if (options == Eigen::ComputeEigenvectors && result.converged) result.vectors = solver.eigenvectors();
  return result;
}

SymmetricPairs symmetric(const MatrixX& a, const MatrixX& b, int options) {
  if (a.rows() == 0) return {};
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> solver(a, b, options | Eigen::Ax_lBx);
  SymmetricPairs result{solver.eigenvalues(), {}, solver.info() == Eigen::Success};
  if (options == Eigen::ComputeEigenvectors && result.converged) result.vectors = solver.eigenvectors();
  return result;
}

ComplexPairs general(const MatrixX& a, bool with_vectors) {
  if (a.rows() == 0) return {};
  const Eigen::EigenSolver<MatrixX> solver(a, with_vectors);
  ComplexPairs result{{}, {}, solver.info() == Eigen::Success};
  result.values = solver.eigenvalues();
  if (with_vectors && result.converged) result.vectors = solver.eigenvectors();
  return result;
}

}  // namespace

SymmetricPairs symmetric_pairs(const MatrixX& a) { return symmetric(a, Eigen::ComputeEigenvectors); }
SymmetricPairs symmetric_pairs(const MatrixX& a, const MatrixX& b) {
  return symmetric(a, b, Eigen::ComputeEigenvectors);
}
SymmetricPairs symmetric_values(const MatrixX& a) { return symmetric(a, Eigen::EigenvaluesOnly); }
SymmetricPairs symmetric_values(const MatrixX& a, const MatrixX& b) { return symmetric(a, b, Eigen::EigenvaluesOnly); }
ComplexPairs complex_pairs(const MatrixX& a) { return general(a, true); }
ComplexPairs complex_values(const MatrixX& a) { return general(a, false); }

SingularPairs singular_pairs(const MatrixX& a, bool square) {
  const Eigen::JacobiSVD<MatrixX> svd(
      a, square ? Eigen::ComputeFullU | Eigen::ComputeFullV : Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {svd.singularValues(), svd.matrixU(), svd.matrixV()};
}
SingularPairs singular_values(const MatrixX& a) { return {Eigen::JacobiSVD<MatrixX>(a).singularValues(), {}, {}}; }

// Eigen's decomposition takes the largest of the columns, also of none.
void PivotedQr::compute(const MatrixX& a) {
  rows_ = a.rows();
  cols_ = a.cols();
  if (!empty()) qr_.compute(a);
}

void PivotedQr::compute(const MatrixX& a, double threshold) {
  qr_.setThreshold(threshold);
  compute(a);
}

Eigen::Index PivotedQr::rank() const { return empty() ? 0 : qr_.rank(); }

void PivotedQr::apply_q(MatrixX& columns) const {
  if (!empty()) columns.applyOnTheLeft(qr_.householderQ());
}

MatrixX PivotedQr::solve(const MatrixX& b) const {
  return empty() ? MatrixX::Zero(cols_, b.cols()) : MatrixX(qr_.solve(b));
}

MatrixX orthogonal_factor(const MatrixX& a) {
  const Eigen::HouseholderQR<MatrixX> qr(a);
  return qr.householderQ() * MatrixX::Identity(a.rows(), a.rows());
}

VectorX shortest_least_squares(const MatrixX& a, const VectorX& b) {
  return Eigen::CompleteOrthogonalDecomposition<MatrixX>(a).solve(b);
}

VectorX shortest_least_squares(const MatrixX& a, const VectorX& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<MatrixX> factors;
  factors.setThreshold(threshold);
  factors.compute(a);
  return factors.solve(b);
}

}  // namespace lithe
