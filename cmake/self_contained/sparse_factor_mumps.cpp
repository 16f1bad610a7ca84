// In place of MUMPS where its Fortran and BLAS libraries would have to be shipped with it: Eigen's factors.
#include "lithe/reduce/solvers/sparse_factor_mumps.h"

#include <utility>

namespace lithe {

std::unique_ptr<SparseFactor> factorise_by_mumps(SparseMatrix&& matrix) {
  return factorise_simplicially(std::move(matrix));
}

}  // namespace lithe
