#include "lithe/base/eigen_kernels.h"

#include <complex>

// Eigen's general code is reached through template arguments that are not specialised and mean the same: conjugation,
// which does nothing to real numbers, or a size known to exceed the smallest blocks.
namespace Eigen::internal {

template <int LhsOrder, int RhsOrder>
void general_matrix_matrix_product<Index, double, LhsOrder, false, double, RhsOrder, false, ColMajor, 1>::run(
    Index rows, Index cols, Index depth, const double* lhs, Index lhs_stride, const double* rhs, Index rhs_stride,
    double* result, Index result_step, Index result_stride, double factor, Blocking& blocking,
    GemmParallelInfo<Index>* parallel) {
  general_matrix_matrix_product<Index, double, LhsOrder, true, double, RhsOrder, true, ColMajor, 1>::run(
      rows, cols, depth, lhs, lhs_stride, rhs, rhs_stride, result, result_step, result_stride, factor, blocking,
      parallel);
}

template <int LhsOrder, int RhsOrder, int Half>
void general_matrix_matrix_triangular_product<Index, double, LhsOrder, false, double, RhsOrder, false, ColMajor, 1,
                                              Half, Specialized>::run(Index size, Index depth, const double* lhs,
                                                                      Index lhs_stride, const double* rhs,
                                                                      Index rhs_stride, double* result,
                                                                      Index result_step, Index result_stride,
                                                                      const double& factor, Blocking& blocking) {
  general_matrix_matrix_triangular_product<Index, double, LhsOrder, true, double, RhsOrder, true, ColMajor, 1, Half,
                                           BuiltIn>::run(size, depth, lhs, lhs_stride, rhs, rhs_stride, result,
                                                         result_step, result_stride, factor, blocking);
}

void general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, ColMajor>, ColMajor, false,
                                   double, const_blas_data_mapper<double, Index, RowMajor>, false,
                                   Specialized>::run(Index rows, Index cols,
                                                     const const_blas_data_mapper<double, Index, ColMajor>& lhs,
                                                     const const_blas_data_mapper<double, Index, RowMajor>& rhs,
                                                     double* result, Index result_step, double factor) {
  general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, ColMajor>, ColMajor, false, double,
                                const_blas_data_mapper<double, Index, RowMajor>, false, BuiltIn>::run(rows, cols, lhs,
                                                                                                      rhs, result,
                                                                                                      result_step,
                                                                                                      factor);
}

void general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, RowMajor>, RowMajor, false,
                                   double, const_blas_data_mapper<double, Index, ColMajor>, false,
                                   Specialized>::run(Index rows, Index cols,
                                                     const const_blas_data_mapper<double, Index, RowMajor>& lhs,
                                                     const const_blas_data_mapper<double, Index, ColMajor>& rhs,
                                                     double* result, Index result_step, double factor) {
  general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, RowMajor>, RowMajor, false, double,
                                const_blas_data_mapper<double, Index, ColMajor>, false, BuiltIn>::run(rows, cols, lhs,
                                                                                                      rhs, result,
                                                                                                      result_step,
                                                                                                      factor);
}

template <int Mode, int Order>
void triangular_solve_matrix<double, Index, OnTheLeft, Mode, false, Order, ColMajor, 1>::run(
    Index size, Index columns, const double* triangle, Index triangle_stride, double* other, Index other_step,
    Index other_stride, Blocking& blocking) {
  triangular_solve_matrix<double, Index, OnTheLeft, Mode, true, Order, ColMajor, 1>::run(
      size, columns, triangle, triangle_stride, other, other_step, other_stride, blocking);
}

template <int Mode, int Order>
void triangular_solve_matrix<double, Index, OnTheRight, Mode, false, Order, ColMajor, 1>::run(
    Index size, Index rows, const double* triangle, Index triangle_stride, double* other, Index other_step,
    Index other_stride, Blocking& blocking) {
  triangular_solve_matrix<double, Index, OnTheRight, Mode, true, Order, ColMajor, 1>::run(
      size, rows, triangle, triangle_stride, other, other_step, other_stride, blocking);
}

template <int Mode>
void triangular_solve_vector<double, double, Index, OnTheLeft, Mode, false, ColMajor>::run(Index size,
                                                                                           const double* triangle,
                                                                                           Index stride,
                                                                                           double* other) {
  triangular_solve_vector<double, double, Index, OnTheLeft, Mode, true, ColMajor>::run(size, triangle, stride, other);
}

template <int Mode>
void triangular_solve_vector<double, double, Index, OnTheLeft, Mode, false, RowMajor>::run(Index size,
                                                                                           const double* triangle,
                                                                                           Index stride,
                                                                                           double* other) {
  triangular_solve_vector<double, double, Index, OnTheLeft, Mode, true, RowMajor>::run(size, triangle, stride, other);
}

// The scalar type of the class gives the type of its real parts alone.
template <>
template <>
Index llt_inplace<double, Lower>::blocked<MatrixXd>(MatrixXd& matrix) {
  Ref<MatrixXd> whole(matrix);
  return llt_inplace<std::complex<double>, Lower>::blocked(whole);
}

template <>
template <>
Index llt_inplace<double, Lower>::blocked<Ref<MatrixXd>>(Ref<MatrixXd>& matrix) {
  return llt_inplace<std::complex<double>, Lower>::blocked(matrix);
}

template <>
Index partial_lu_impl<double, ColMajor, int, Dynamic>::blocked_lu(Index rows, Index cols, double* matrix, Index stride,
                                                                  int* swaps, int& num_swaps, Index largest_block) {
  constexpr int large = 1000;
  return partial_lu_impl<double, ColMajor, int, large>::blocked_lu(rows, cols, matrix, stride, swaps, num_swaps,
                                                                   largest_block);
}

template <>
bool ldlt_inplace<Lower>::unblocked<MatrixXd, Transpositions<Dynamic>, VectorXd>(MatrixXd& matrix,
                                                                                 Transpositions<Dynamic>& swaps,
                                                                                 VectorXd& work, SignMatrix& sign) {
  Map<VectorXd> space(work.data(), work.size());
  return ldlt_inplace<Lower>::unblocked(matrix, swaps, space, sign);
}

template struct general_matrix_matrix_product<Index, double, ColMajor, false, double, ColMajor, false, ColMajor, 1>;
template struct general_matrix_matrix_product<Index, double, ColMajor, false, double, RowMajor, false, ColMajor, 1>;
template struct general_matrix_matrix_product<Index, double, RowMajor, false, double, ColMajor, false, ColMajor, 1>;
template struct general_matrix_matrix_product<Index, double, RowMajor, false, double, RowMajor, false, ColMajor, 1>;

#define LITHE_TRIANGULAR_PRODUCT(Half)                                                                              \
  template struct general_matrix_matrix_triangular_product<Index, double, ColMajor, false, double, ColMajor, false, \
                                                           ColMajor, 1, Half, Specialized>;                         \
  template struct general_matrix_matrix_triangular_product<Index, double, ColMajor, false, double, RowMajor, false, \
                                                           ColMajor, 1, Half, Specialized>;                         \
  template struct general_matrix_matrix_triangular_product<Index, double, RowMajor, false, double, ColMajor, false, \
                                                           ColMajor, 1, Half, Specialized>;                         \
  template struct general_matrix_matrix_triangular_product<Index, double, RowMajor, false, double, RowMajor, false, \
                                                           ColMajor, 1, Half, Specialized>;
LITHE_TRIANGULAR_PRODUCT(Lower)
LITHE_TRIANGULAR_PRODUCT(Upper)

#define LITHE_TRIANGULAR_SOLVERS(Mode)                                                                    \
  template struct triangular_solve_matrix<double, Index, OnTheLeft, Mode, false, ColMajor, ColMajor, 1>;  \
  template struct triangular_solve_matrix<double, Index, OnTheLeft, Mode, false, RowMajor, ColMajor, 1>;  \
  template struct triangular_solve_matrix<double, Index, OnTheRight, Mode, false, ColMajor, ColMajor, 1>; \
  template struct triangular_solve_matrix<double, Index, OnTheRight, Mode, false, RowMajor, ColMajor, 1>; \
  template struct triangular_solve_vector<double, double, Index, OnTheLeft, Mode, false, ColMajor>;       \
  template struct triangular_solve_vector<double, double, Index, OnTheLeft, Mode, false, RowMajor>;
LITHE_TRIANGULAR_SOLVERS(Lower)
LITHE_TRIANGULAR_SOLVERS(Upper)
LITHE_TRIANGULAR_SOLVERS(UnitLower)
LITHE_TRIANGULAR_SOLVERS(UnitUpper)

}  // namespace Eigen::internal
