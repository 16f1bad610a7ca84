#include "lithe/reduce/solvers/eigensolver_spectra.h"

#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/SymGEigsShiftSolver.h>

#include <algorithm>

#include "lithe/base/diagnostics.h"
#include "lithe/reduce/solvers/sparse_factor.h"

namespace lithe {
namespace {

// y = (K - σ M)⁻¹ x, by Cholesky since σ lies below every frequency. Names are those that Spectra asks for.
class ShiftedInverse {
 public:
  using Scalar = double;

  ShiftedInverse(const SparseMatrix& stiffness, const SparseMatrix& mass) : stiffness_(stiffness), mass_(mass) {}
  Eigen::Index rows() const { return stiffness_.rows(); }
  Eigen::Index cols() const { return stiffness_.cols(); }
  void set_shift(double shift) {
    factor_ = factorise(stiffness_ - shift * mass_);
    if (!factor_) throw InputError("part of the body can move with neither mass nor stiffness");
  }
  void perform_op(const double* x, double* y) const {
    Eigen::Map<VectorX>(y, rows()) = factor_->solve(Eigen::Map<const VectorX>(x, rows()));
  }

 private:
  const SparseMatrix& stiffness_;
  const SparseMatrix& mass_;
  std::unique_ptr<SparseFactor> factor_;
};

}  // namespace

NaturalModes spectra_lanczos(const SparseMatrix& stiffness, const SparseMatrix& mass, int count, double shift) {
  using MassProduct = Spectra::SparseSymMatProd<double>;
  ShiftedInverse inverse(stiffness, mass);
  MassProduct product(mass);
  const int num_vectors = std::min<int>(static_cast<int>(mass.rows()), std::max(2 * count + 1, count + 24));
  Spectra::SymGEigsShiftSolver<ShiftedInverse, MassProduct, Spectra::GEigsMode::ShiftInvert> solver(
      inverse, product, count, num_vectors, shift);
  solver.init();
  constexpr int max_restarts = 1000;
  constexpr double tolerance = 1e-12;
  solver.compute(Spectra::SortRule::LargestMagn, max_restarts, tolerance, Spectra::SortRule::SmallestAlge);
  // Lanczos did not converge, or the mass matrix is singular in a way it cannot bear: the core's solver is slower, but
  // sure.
  if (solver.info() != Spectra::CompInfo::Successful) return subspace_iteration(stiffness, mass, count, shift);
  MatrixX shapes = solver.eigenvectors();
  for (auto shape : shapes.colwise()) shape /= std::sqrt(shape.dot(mass * shape));
  return {solver.eigenvalues(), std::move(shapes)};
}

}  // namespace lithe
