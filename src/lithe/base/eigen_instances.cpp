#include "lithe/base/eigen_kernels.h"

namespace Eigen {

template void PartialPivLU<MatrixXd>::compute();
template void PartialPivLU<MatrixXcd>::compute();
template void FullPivLU<MatrixXd>::computeInPlace();

namespace internal {

LITHE_EIGEN_BLOCKS(, double, double)
LITHE_EIGEN_BLOCKS(, std::complex<double>, std::complex<double>)
LITHE_EIGEN_BLOCKS(, double, std::complex<double>)
LITHE_EIGEN_COMPLEX_VECTORS(, std::complex<double>)
LITHE_EIGEN_COMPLEX_SOLVERS(, std::complex<double>)

}  // namespace internal

}  // namespace Eigen
