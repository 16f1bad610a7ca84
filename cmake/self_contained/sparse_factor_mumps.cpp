// In place of MUMPS where its Fortran and BLAS libraries would have to be shipped with it: Eigen's factors.
#include "lithe/reduce/solvers/sparse_factor_mumps.h"

namespace lithe {

std::unique_ptr<SparseFactor> factorise_by_mumps(const SparseMatrix& matrix) { return factorise_simplicially(matrix); }

}  // namespace lithe
