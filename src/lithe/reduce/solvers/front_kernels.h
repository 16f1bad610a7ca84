// Dense work on the large matrices of a front, in parts that threads share. How a matrix is divided depends on its size
// alone, so that the numbers do not depend on the threads.
#pragma once

#include "lithe/base/math.h"
#include "lithe/reduce/solvers/front_queue.h"

namespace lithe {

// L in the lower half of `matrix` with L Lᵀ = matrix, of which the lower half is read; false when it is not positive
// definite.
bool factorise_lower(MatrixX& matrix, FrontQueue& queue);

// L⁻¹ rhs and L⁻ᵀ rhs.
void solve_lower(const MatrixX& factor, MatrixX& rhs, FrontQueue& queue);
void solve_upper(const MatrixX& factor, MatrixX& rhs, FrontQueue& queue);

// target -= rowsᵀ rows, lower half.
void subtract_square(Eigen::Map<MatrixX> target, const MatrixX& rows, FrontQueue& queue);

}  // namespace lithe
