#include "lithe/base/decompositions.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <limits>

namespace lithe {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Where there is no answer, results have their sizes all the same: NaN is safer to pass on than an empty matrix.
SymmetricPairs no_symmetric_pairs(Eigen::Index n) {
  return {VectorX::Constant(n, nan), MatrixX::Constant(n, n, nan), false};
}

template <class Solver>
SymmetricPairs symmetric_result(const Solver& solver, Eigen::Index n, int options) {
  if (solver.info() != Eigen::Success) return no_symmetric_pairs(n);
  SymmetricPairs result{solver.eigenvalues(), {}, true};
  if (options == Eigen::ComputeEigenvectors) result.vectors = solver.eigenvectors();
  return result;
}

SymmetricPairs symmetric(const MatrixX& a, int options) {
  if (a.rows() == 0) return {};
  if (!a.allFinite()) return no_symmetric_pairs(a.rows());
  return symmetric_result(Eigen::SelfAdjointEigenSolver<MatrixX>(a, options), a.rows(), options);
}

SymmetricPairs symmetric(const MatrixX& a, const MatrixX& b, int options) {
  if (a.rows() == 0) return {};
  if (!a.allFinite() || !b.allFinite()) return no_symmetric_pairs(a.rows());
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> solver(a, b, options | Eigen::Ax_lBx);
  return symmetric_result(solver, a.rows(), options);
}

ComplexPairs general(const MatrixX& a, bool with_vectors) {
  const Eigen::Index n = a.rows();
  if (n == 0) return {};
  const ComplexPairs none{ComplexPairs{}.values.Constant(n, nan), ComplexPairs{}.vectors.Constant(n, n, nan), false};
  if (!a.allFinite()) return none;
  const Eigen::EigenSolver<MatrixX> solver(a, with_vectors);
  if (solver.info() != Eigen::Success) return none;
  ComplexPairs result{solver.eigenvalues(), {}, true};
  if (with_vectors) result.vectors = solver.eigenvectors();
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

SchurForm schur_form(const MatrixX& a) {
  if (a.rows() == 0) return {};
  SchurForm result;
  result.converged = false;
  if (!a.allFinite()) return result;
  const Eigen::ComplexSchur<MatrixX> form(a);
  if (form.info() != Eigen::Success) return result;
  return {form.matrixT(), form.matrixU(), true};
}

SingularPairs singular_pairs(const MatrixX& a, bool square) {
  const Eigen::Index n = a.rows(), m = a.cols(), k = std::min(n, m);
  if (k == 0 || !a.allFinite()) {
    const Eigen::Index left = square ? n : k, right = square ? m : k;
    if (k == 0) return {VectorX(), MatrixX::Identity(n, left), MatrixX::Identity(m, right)};
    return {VectorX::Constant(k, nan), MatrixX::Constant(n, left, nan), MatrixX::Constant(m, right, nan)};
  }
  const Eigen::JacobiSVD<MatrixX> svd(
      a, square ? Eigen::ComputeFullU | Eigen::ComputeFullV : Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {svd.singularValues(), svd.matrixU(), svd.matrixV()};
}
SingularPairs singular_values(const MatrixX& a) {
  const Eigen::Index k = std::min(a.rows(), a.cols());
  if (k == 0 || !a.allFinite()) return {VectorX::Constant(k, nan), {}, {}};
  return {Eigen::JacobiSVD<MatrixX>(a).singularValues(), {}, {}};
}

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
  if (a.size() == 0) return MatrixX::Identity(a.rows(), a.rows());
  const Eigen::HouseholderQR<MatrixX> qr(a);
  return qr.householderQ() * MatrixX::Identity(a.rows(), a.rows());
}

VectorX shortest_least_squares(const MatrixX& a, const VectorX& b) {
  if (a.size() == 0) return VectorX::Zero(a.cols());
  return Eigen::CompleteOrthogonalDecomposition<MatrixX>(a).solve(b);
}

VectorX shortest_least_squares(const MatrixX& a, const VectorX& b, double threshold) {
  if (a.size() == 0) return VectorX::Zero(a.cols());
  Eigen::CompleteOrthogonalDecomposition<MatrixX> factors;
  factors.setThreshold(threshold);
  factors.compute(a);
  return factors.solve(b);
}

}  // namespace lithe
