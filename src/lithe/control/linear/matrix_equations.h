// Linear matrix equations and the matrix exponential, dense, for the sizes of a controller's model.
// docs/theory/control.md.
#pragma once

#include <optional>

#include "lithe/base/math.h"

namespace lithe {

// X of A X + X Aᵀ + Q = 0 (Bartels and Stewart, by complex Schur form), symmetric for a symmetric Q. Nothing when two
// eigenvalues of A add up to zero, where no unique solution exists.
std::optional<MatrixX> solve_lyapunov(const MatrixX& a, const MatrixX& q);

// X of A X Aᵀ - X + Q = 0. Nothing when the product of two eigenvalues is one.
std::optional<MatrixX> solve_discrete_lyapunov(const MatrixX& a, const MatrixX& q);

// exp(A) by Padé approximation of order 8 with scaling and squaring.
MatrixX matrix_exponential(const MatrixX& a);

// The matrix sign function, by Newton's iteration with determinant scaling. Nothing when eigenvalues lie on (or within
// rounding of) the imaginary axis.
std::optional<MatrixX> matrix_sign(const MatrixX& a);

// Whether all eigenvalues lie in the open left half plane, or (discrete) inside the unit circle, by at least `margin`.
bool is_stable(const MatrixX& a, bool discrete, double margin = 0);

}  // namespace lithe
