// Eigenvalues, eigenvectors and singular values of dense matrices as plain functions: what Eigen's solvers cost to
// compile is paid once, in decompositions.cpp. They allocate, so inner loops use Eigen's solvers themselves.
#pragma once

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

// A = U diag(σ) Vᵀ with σ descending: thin, or with square U and V.
struct SingularPairs {
  VectorX values;
  MatrixX u, v;
};
SingularPairs singular_pairs(const MatrixX& a, bool square = false);
SingularPairs singular_values(const MatrixX& a);  // without vectors

}  // namespace lithe
