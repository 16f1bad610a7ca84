// Eigen's inner loops for matrices of doubles, compiled once.
//
// Every file that multiplies or factorises dynamic matrices would otherwise compile Eigen's blocked product, its
// triangular solvers and factorisations anew, 1 to 3 s each under g++. Eigen itself puts BLAS and LAPACK in place of
// these templates by specialising them; here the specialisations are declared in the same way, and eigen_kernels.cpp
// defines them by Eigen's own code. A change of Eigen's internals shows as an error of the compiler.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <complex>

#include "lithe/base/eigen_products.h"

namespace Eigen::internal {

using Blocking = level3_blocking<double, double>;

// C += α A B
template <int LhsOrder, int RhsOrder>
struct general_matrix_matrix_product<Index, double, LhsOrder, false, double, RhsOrder, false, ColMajor, 1> {
  using Traits = gebp_traits<double, double>;
  static void run(Index rows, Index cols, Index depth, const double* lhs, Index lhs_stride, const double* rhs,
                  Index rhs_stride, double* result, Index result_step, Index result_stride, double factor,
                  Blocking& blocking, GemmParallelInfo<Index>* parallel = nullptr);
};

// One triangle of C += α A B
template <int LhsOrder, int RhsOrder, int Half>
struct general_matrix_matrix_triangular_product<Index, double, LhsOrder, false, double, RhsOrder, false, ColMajor, 1,
                                                Half, Specialized> {
  static void run(Index size, Index depth, const double* lhs, Index lhs_stride, const double* rhs, Index rhs_stride,
                  double* result, Index result_step, Index result_stride, const double& factor, Blocking& blocking);
};

// y += α A x
template <>
struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, ColMajor>, ColMajor, false,
                                     double, const_blas_data_mapper<double, Index, RowMajor>, false, Specialized> {
  static void run(Index rows, Index cols, const const_blas_data_mapper<double, Index, ColMajor>& lhs,
                  const const_blas_data_mapper<double, Index, RowMajor>& rhs, double* result, Index result_step,
                  double factor);
};
template <>
struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, RowMajor>, RowMajor, false,
                                     double, const_blas_data_mapper<double, Index, ColMajor>, false, Specialized> {
  static void run(Index rows, Index cols, const const_blas_data_mapper<double, Index, RowMajor>& lhs,
                  const const_blas_data_mapper<double, Index, ColMajor>& rhs, double* result, Index result_step,
                  double factor);
};

// L X = B and X L = B
template <int Mode, int Order>
struct triangular_solve_matrix<double, Index, OnTheLeft, Mode, false, Order, ColMajor, 1> {
  static void run(Index size, Index columns, const double* triangle, Index triangle_stride, double* other,
                  Index other_step, Index other_stride, Blocking& blocking);
};
template <int Mode, int Order>
struct triangular_solve_matrix<double, Index, OnTheRight, Mode, false, Order, ColMajor, 1> {
  static void run(Index size, Index rows, const double* triangle, Index triangle_stride, double* other,
                  Index other_step, Index other_stride, Blocking& blocking);
};

// L x = b
template <int Mode>
struct triangular_solve_vector<double, double, Index, OnTheLeft, Mode, false, ColMajor> {
  static void run(Index size, const double* triangle, Index stride, double* other);
};
template <int Mode>
struct triangular_solve_vector<double, double, Index, OnTheLeft, Mode, false, RowMajor> {
  static void run(Index size, const double* triangle, Index stride, double* other);
};

// A = L Lᵀ, P A = L U and P A Pᵀ = L D Lᵀ
template <>
template <>
Index llt_inplace<double, Lower>::blocked<MatrixXd>(MatrixXd& matrix);
template <>
template <>
Index llt_inplace<double, Lower>::blocked<Ref<MatrixXd>>(Ref<MatrixXd>& matrix);
template <>
Index partial_lu_impl<double, ColMajor, int, Dynamic>::blocked_lu(Index rows, Index cols, double* matrix, Index stride,
                                                                  int* swaps, int& num_swaps, Index largest_block);
template <>
bool ldlt_inplace<Lower>::unblocked<MatrixXd, Transpositions<Dynamic>, VectorXd>(MatrixXd& matrix,
                                                                                 Transpositions<Dynamic>& swaps,
                                                                                 VectorXd& work, SignMatrix& sign);

// Of complex numbers, and what else Eigen does not inline: in eigen_instances.cpp.
#define LITHE_EIGEN_BLOCKS(EXTERN, L, R)                                                                              \
  EXTERN template struct gebp_kernel<L, R, Index, blas_data_mapper<ScalarBinaryOpTraits<L, R>::ReturnType, Index, 0>, \
                                     gebp_traits<L, R>::mr, gebp_traits<L, R>::nr, false, false>;
#define LITHE_EIGEN_COMPLEX_VECTORS(EXTERN, C)                                                                         \
  EXTERN template struct general_matrix_vector_product<Index, C, const_blas_data_mapper<C, Index, RowMajor>, RowMajor, \
                                                       false, C, const_blas_data_mapper<C, Index, ColMajor>, false,    \
                                                       0>;                                                             \
  EXTERN template struct general_matrix_vector_product<Index, C, const_blas_data_mapper<C, Index, ColMajor>, ColMajor, \
                                                       false, C, const_blas_data_mapper<C, Index, RowMajor>, false,    \
                                                       0>;
#define LITHE_EIGEN_COMPLEX_SOLVERS(EXTERN, C)                                                                  \
  EXTERN template struct triangular_solve_matrix<C, Index, OnTheLeft, UnitLower, false, ColMajor, ColMajor, 1>; \
  EXTERN template struct triangular_solve_matrix<C, Index, OnTheLeft, Upper, false, ColMajor, ColMajor, 1>;
LITHE_EIGEN_BLOCKS(extern, double, double)
LITHE_EIGEN_BLOCKS(extern, std::complex<double>, std::complex<double>)
LITHE_EIGEN_BLOCKS(extern, double, std::complex<double>)
LITHE_EIGEN_COMPLEX_VECTORS(extern, std::complex<double>)
LITHE_EIGEN_COMPLEX_SOLVERS(extern, std::complex<double>)

}  // namespace Eigen::internal

namespace Eigen {

extern template void PartialPivLU<MatrixXd>::compute();
extern template void PartialPivLU<MatrixXcd>::compute();
extern template void FullPivLU<MatrixXd>::computeInPlace();

}  // namespace Eigen
