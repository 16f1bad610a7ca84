// Eigenvalues, singular values and orthogonal factors of dense matrices as plain functions: what Eigen's solvers cost
// to compile is paid once, in decompositions.cpp. They allocate, so inner loops use Eigen's solvers themselves.
#pragma once

#include <Eigen/QR>
#include <complex>

#include "lithe/base/math.h"

namespace lithe {

// A v = λ v or A v = λ B v, A and B symmetric: ascending values, orthonormal vectors (with respect to B).
struct SymmetricPairs {
  VectorX values;
  MatrixX vectors;
  bool converged = true;
};
SymmetricPairs symmetric_pairs(const MatrixX& a);
SymmetricPairs symmetric_pairs(const MatrixX& a, const MatrixX& b);
SymmetricPairs symmetric_values(const MatrixX& a);  // without vectors
SymmetricPairs symmetric_values(const MatrixX& a, const MatrixX& b);

// A v = λ v, in no particular order; conjugate pairs follow each other. An empty matrix has none.
struct ComplexPairs {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
  bool converged = true;
};
ComplexPairs complex_pairs(const MatrixX& a);
ComplexPairs complex_values(const MatrixX& a);  // without vectors

// A = U T Uᴴ with unitary U and upper triangular T. An empty matrix has empty ones.
struct SchurForm {
  Eigen::MatrixXcd t, u;
  bool converged = true;
};
SchurForm schur_form(const MatrixX& a);

// A = U diag(σ) Vᵀ with σ descending: thin, or with square U and V.
struct SingularPairs {
  VectorX values;
  MatrixX u, v;
};
SingularPairs singular_pairs(const MatrixX& a, bool square = false);
SingularPairs singular_values(const MatrixX& a);  // without vectors

// A P = Q R with the columns in the order of their pivots. Pivots below `threshold` times the largest count as zero.
class PivotedQr {
 public:
  PivotedQr() = default;
  explicit PivotedQr(const MatrixX& a) { compute(a); }
  PivotedQr(const MatrixX& a, double threshold) { compute(a, threshold); }
  void compute(const MatrixX& a);
  void compute(const MatrixX& a, double threshold);

  Eigen::Index rows() const { return rows_; }
  Eigen::Index cols() const { return cols_; }
  Eigen::Index rank() const;
  const MatrixX& r() const { return qr_.matrixR(); }  // in its upper triangle
  const auto& order() const { return qr_.colsPermutation(); }
  void apply_q(MatrixX& columns) const;   // Q times them, Q square
  MatrixX solve(const MatrixX& b) const;  // least squares

 private:
  bool empty() const { return rows_ == 0 || cols_ == 0; }
  Eigen::Index rows_ = 0, cols_ = 0;
  Eigen::ColPivHouseholderQR<MatrixX> qr_;
};

// The square orthogonal Q of A = Q R: its last columns span what A's columns leave free.
MatrixX orthogonal_factor(const MatrixX& a);

// The shortest x of the least |A x - b|. Pivots below `threshold` times the largest count as zero.
VectorX shortest_least_squares(const MatrixX& a, const VectorX& b);
VectorX shortest_least_squares(const MatrixX& a, const VectorX& b, double threshold);

}  // namespace lithe
