// Elimination with row pivoting of small dense matrices of any number type, kept for several right sides.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <type_traits>
#include <vector>

#include "lithe/formulate/numerics/dual.h"

namespace lithe {

template <class S>
class SmallLu {
 public:
  using Matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

  void resize(Eigen::Index n) {
    lu_.resize(n, n);
    inverse_.resize(static_cast<std::size_t>(n));
    swaps_.resize(static_cast<std::size_t>(n));
  }

  // False when the matrix is singular to rounding.
  bool compute(const Matrix& matrix) {
    lu_ = matrix;
    const Eigen::Index n = lu_.rows();
    double largest = 0;
    for (Eigen::Index j = 0; j < n; ++j)
      for (Eigen::Index i = 0; i < n; ++i) largest = std::max(largest, std::abs(plain_value(lu_(i, j))));
    for (Eigen::Index k = 0; k < n; ++k) {
      Eigen::Index pivot = k;
      for (Eigen::Index i = k + 1; i < n; ++i)
        if (std::abs(plain_value(lu_(i, k))) > std::abs(plain_value(lu_(pivot, k)))) pivot = i;
      if (!(std::abs(plain_value(lu_(pivot, k))) > 1e-13 * largest)) return false;
      swaps_[static_cast<std::size_t>(k)] = pivot;
      if (pivot != k) lu_.row(k).swap(lu_.row(pivot));
      const S inverse = inverse_[static_cast<std::size_t>(k)] = S(1.0) / lu_(k, k);
      for (Eigen::Index i = k + 1; i < n; ++i) lu_(i, k) *= inverse;
      for (Eigen::Index j = k + 1; j < n; ++j)
        for (Eigen::Index i = k + 1; i < n; ++i) lu_(i, j) -= lu_(i, k) * lu_(k, j);
    }
    return true;
  }

  // A X = B, X in place of B.
  void solve(Eigen::Ref<Matrix> B) const {
    const Eigen::Index n = lu_.rows();
    if constexpr (std::is_same_v<S, double>) {
      constexpr Eigen::Index many = 8;
      if (n >= many && B.cols() >= many) return solve_in_blocks(B);
    }
    for (Eigen::Index j = 0; j < B.cols(); ++j) {
      auto b = B.col(j);
      for (Eigen::Index k = 0; k < n; ++k) {
        const Eigen::Index pivot = swaps_[static_cast<std::size_t>(k)];
        if (pivot != k) std::swap(b(k), b(pivot));
      }
      for (Eigen::Index k = 0; k < n; ++k)
        for (Eigen::Index i = k + 1; i < n; ++i) b(i) -= lu_(i, k) * b(k);
      for (Eigen::Index k = n; k-- > 0;) {
        b(k) *= inverse_[static_cast<std::size_t>(k)];
        for (Eigen::Index i = 0; i < k; ++i) b(i) -= lu_(i, k) * b(k);
      }
    }
  }

  // The same for large matrices with many right sides.
  void solve_in_blocks(Eigen::Ref<Matrix> B) const {
    for (Eigen::Index k = 0; k < lu_.rows(); ++k) {
      const Eigen::Index pivot = swaps_[static_cast<std::size_t>(k)];
      if (pivot != k) B.row(k).swap(B.row(pivot));
    }
    lu_.template triangularView<Eigen::UnitLower>().solveInPlace(B);
    lu_.template triangularView<Eigen::Upper>().solveInPlace(B);
  }

  // A⁻¹, for many right sides.
  void invert(Matrix& inverse) const {
    inverse.setConstant(S(0.0));
    for (Eigen::Index k = 0; k < lu_.rows(); ++k) inverse(k, k) = S(1.0);
    solve(inverse);
  }

  // Aᵀ x = b, x in place of b.
  void solve_transposed(Eigen::Ref<Eigen::Matrix<S, Eigen::Dynamic, 1>> b) const {
    const Eigen::Index n = lu_.rows();
    for (Eigen::Index k = 0; k < n; ++k) {
      for (Eigen::Index i = 0; i < k; ++i) b(k) -= lu_(i, k) * b(i);
      b(k) *= inverse_[static_cast<std::size_t>(k)];
    }
    for (Eigen::Index k = n; k-- > 0;)
      for (Eigen::Index i = k + 1; i < n; ++i) b(k) -= lu_(i, k) * b(i);
    for (Eigen::Index k = n; k-- > 0;) {
      const Eigen::Index pivot = swaps_[static_cast<std::size_t>(k)];
      if (pivot != k) std::swap(b(k), b(pivot));
    }
  }

  S pivot(Eigen::Index k) const { return lu_(k, k); }

 private:
  Matrix lu_;
  std::vector<S> inverse_;  // of the pivots
  std::vector<Eigen::Index> swaps_;
};

}  // namespace lithe
