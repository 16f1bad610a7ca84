// The multifrontal solver MUMPS for the factors of large bodies.
#pragma once

#include "lithe/reduce/solvers/sparse_factor.h"

namespace lithe {

std::unique_ptr<SparseFactor> factorise_by_mumps(SparseMatrix&& matrix);

// From now on large matrices are factorised by MUMPS instead of Eigen.
inline void use_mumps() { set_sparse_factoriser(&factorise_by_mumps); }

}  // namespace lithe
