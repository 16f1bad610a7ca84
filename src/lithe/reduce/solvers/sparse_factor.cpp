#include "lithe/reduce/solvers/sparse_factor.h"

#include <Eigen/SparseCholesky>

namespace lithe {
namespace {

class SimplicialFactor final : public SparseFactor {
 public:
  explicit SimplicialFactor(const SparseMatrix& matrix) : factor_(matrix) {}
  bool good() const { return factor_.info() == Eigen::Success; }
  bool definite() const override {
    return factor_.rows() == 0 || factor_.vectorD().minCoeff() > 1e-14 * factor_.vectorD().cwiseAbs().maxCoeff();
  }
  int num_negative() const override { return static_cast<int>((factor_.vectorD().array() < 0).count()); }
  void solve_in_place(MatrixX& columns) const override { columns = factor_.solve(columns).eval(); }
  double num_entries() const override { return static_cast<double>(factor_.matrixL().nestedExpression().nonZeros()); }

 private:
  Eigen::SimplicialLDLT<SparseMatrix> factor_;
};

SparseFactoriser sparse_factoriser = nullptr;

}  // namespace

std::unique_ptr<SparseFactor> factorise_simplicially(SparseMatrix&& matrix) {
  auto factor = std::make_unique<SimplicialFactor>(matrix);
  if (!factor->good()) return nullptr;
  return factor;
}

std::unique_ptr<SparseFactor> factorise(SparseMatrix&& matrix) {
  const bool large = sparse_factoriser && matrix.rows() >= smallest_for_library;
  return large ? sparse_factoriser(std::move(matrix)) : factorise_simplicially(std::move(matrix));
}

void set_sparse_factoriser(SparseFactoriser factoriser) { sparse_factoriser = factoriser; }

}  // namespace lithe
