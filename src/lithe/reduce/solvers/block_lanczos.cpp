#include "lithe/reduce/solvers/block_lanczos.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "lithe/base/decompositions.h"

namespace lithe {
namespace {

constexpr Eigen::Index block_size = 8;

// M X with X row by row, so that M is read once for all columns.
MatrixX times(const SparseMatrix& mass, const MatrixX& columns) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Rows rows = columns;
  Rows result(rows.rows(), rows.cols());
  result.noalias() = mass * rows;
  return result;
}

// Builds a basis V of span{X, AX, A²X, ...}, A = (K - σ M)⁻¹ M, orthonormal in the product xᵀ M y, in which A is
// symmetric, and the projection T = Vᵀ M A V. When the basis is full, its best Ritz vectors start the next one (thick
// restart: Wu and Simon, 2000).
class LanczosBasis {
 public:
  LanczosBasis(const SparseFactor& inverse, const SparseMatrix& mass, Eigen::Index capacity)
      : inverse_(inverse),
        mass_(mass),
        vectors_(mass.rows(), capacity),
        projection_(MatrixX::Zero(capacity, capacity)) {
    // A takes away what has no mass: frequencies without bound.
    next_ = inverse_.solve(times(mass_, noise(std::min(block_size, capacity))));
    orthonormalise_next();
  }

  Eigen::Index size() const { return size_; }
  bool full() const { return size_ + next_.cols() > vectors_.cols(); }
  bool exhausted() const { return next_.cols() == 0; }

  // Takes the next block into the basis and makes the one after.
  void step() {
    const Eigen::Index width = next_.cols();
    vectors_.middleCols(size_, width) = next_;
    size_ += width;
    next_ = inverse_.solve(std::move(weighted_));
    const MatrixX coupling = basis().transpose() * times(mass_, next_);
    projection_.block(0, size_ - width, size_, width) = coupling;
    projection_.block(size_ - width, 0, width, size_) = coupling.transpose();
    next_.noalias() -= basis() * coupling;
    last_width_ = width;
    const double level = coupling.bottomRows(width).diagonal().cwiseAbs().maxCoeff();
    orthonormalise_next(level);
  }

  // Ritz values descending, with the norm of A x - θ x in the product of the mass.
  void ritz() {
    const MatrixX t = projection_.topLeftCorner(size_, size_);
    SymmetricPairs pairs = symmetric_pairs(0.5 * (t + t.transpose()));
    values_ = pairs.values.reverse();
    weights_ = pairs.vectors.rowwise().reverse();
    residuals_ = (next_weights_ * weights_.bottomRows(last_width_)).colwise().norm();
  }
  const VectorX& values() const { return values_; }
  const VectorX& residuals() const { return residuals_; }
  MatrixX shapes(Eigen::Index count) const { return basis() * weights_.leftCols(count); }

  void restart(Eigen::Index count) {
    vectors_.leftCols(count) = shapes(count);
    size_ = count;
    projection_.setZero();
    projection_.diagonal().head(count) = values_.head(count);
  }

 private:
  Eigen::Ref<const MatrixX> basis() const { return vectors_.leftCols(size_); }

  // A fixed start with some of every mode: results must not depend on a random seed.
  MatrixX noise(Eigen::Index columns) const {
    std::uint64_t seed = 88172645463325252u;
    MatrixX result(mass_.rows(), columns);
    for (double& value : result.reshaped()) {
      seed ^= seed << 13;
      seed ^= seed >> 7;
      seed ^= seed << 17;
      value = static_cast<double>(seed >> 11) * 0x1p-52 - 1;
    }
    return result;
  }

  // next ← an orthonormal basis of what is left of it outside V; what is below rounding of `level` is dropped.
  // A x = V ... + next (next_weights x). Rounding of the first projection, the caller's, is taken out by the second;
  // where columns were much longer than what is left of them, their scaling has brought it up again.
  void orthonormalise_next(double level = 0) {
    next_weights_ = MatrixX::Identity(next_.cols(), next_.cols());
    double shrinking = 0;
    for (int pass = 0; pass < 2; ++pass) {
      if (pass == 0) weighted_ = times(mass_, next_);
      if (size_ > 0 && (pass == 0 || shrinking < 1e-4)) {
        const MatrixX rest = basis().transpose() * weighted_;
        next_.noalias() -= basis() * rest;
        weighted_ = times(mass_, next_);
      }
      const MatrixX gram = next_.transpose() * weighted_;
      const SymmetricPairs pairs = symmetric_pairs(0.5 * (gram + gram.transpose()));
      const double largest = pairs.values.size() > 0 ? std::max(pairs.values.maxCoeff(), 0.0) : 0;
      const double least = std::max(1e-24 * largest, pass == 0 ? 1e-26 * level * level : 0.0);
      const Eigen::Index rank = (pairs.values.array() > least).count();
      const MatrixX directions = pairs.vectors.rightCols(rank);
      const VectorX lengths = pairs.values.tail(rank).cwiseSqrt();
      if (rank > 0) shrinking = lengths(0) / std::max(level, lengths(rank - 1));
      const MatrixX scaled = directions * lengths.cwiseInverse().asDiagonal();
      next_ = (next_ * scaled).eval();
      weighted_ = (weighted_ * scaled).eval();
      next_weights_ = (lengths.asDiagonal() * directions.transpose() * next_weights_).eval();
    }
  }

  const SparseFactor& inverse_;
  const SparseMatrix& mass_;
  MatrixX vectors_, projection_, next_, next_weights_;
  MatrixX weighted_;  // M next
  Eigen::Index size_ = 0, last_width_ = 0;
  MatrixX weights_;
  VectorX values_, residuals_;
};

}  // namespace

std::optional<NaturalModes> block_lanczos(const SparseFactor& shifted, const SparseMatrix& mass, int count,
                                          double shift) {
  constexpr double tolerance = 1e-10;  // of A x - θ x over θ; frequencies are better by its square
  constexpr int max_steps = 400;
  const Eigen::Index capacity = std::min<Eigen::Index>(mass.rows(), std::max(4 * count, count + 10 * 8));
  LanczosBasis basis(shifted, mass, capacity);
  for (int k = 0; k < max_steps && !basis.exhausted(); ++k) {
    if (basis.full()) basis.restart(std::min<Eigen::Index>(basis.size(), count + block_size));
    if (basis.full()) return std::nullopt;
    basis.step();
    if (basis.size() < count) continue;
    basis.ritz();
    const auto values = basis.values().head(count).array();
    const bool converged = (basis.residuals().head(count).array() <= tolerance * values).all();
    if (!converged && !basis.exhausted()) continue;
    if (!(values > 0).all()) return std::nullopt;
    return NaturalModes{shift + values.inverse(), basis.shapes(count)};
  }
  return std::nullopt;
}

double estimated_squared_frequency(const SparseFactor& shifted, const SparseMatrix& mass, double shift) {
  LanczosBasis basis(shifted, mass, std::min<Eigen::Index>(mass.rows(), 4 * block_size));
  while (!basis.full() && !basis.exhausted()) basis.step();
  basis.ritz();
  const double value = basis.values()(std::min<Eigen::Index>(block_size, basis.size()) - 1);
  return value > 0 ? shift + 1 / value : std::abs(shift);
}

}  // namespace lithe
