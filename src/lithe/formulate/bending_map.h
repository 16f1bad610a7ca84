// What bending takes from the length of beams, as a change of a link's coordinates (docs/theory/floating_frame.md,
// section 6). A link strained by q is displaced by
//   u = Φ η + ½ G̃(η, η),    η = q + ½ A(q) q,    A(q)_k = (∫ρ φ_k · G) q                                    (16b)
// so that a curved beam is as long as before. The second-order field G is split in the mass: what the kept modes can
// show is in η, the rest is G̃, orthogonal to all modes.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "lithe/base/math.h"

namespace lithe {

struct BendingMap {
  std::vector<int> along;  // coordinates that bending moves
  std::vector<int> bent;   // coordinates that bend
  MatrixX tensor;          // blocks of symmetric |bent| x |bent| matrices, one for each of `along`

  bool empty() const { return along.empty(); }
  Eigen::Index rows() const { return static_cast<Eigen::Index>(along.size()); }
  Eigen::Index cols() const { return static_cast<Eigen::Index>(bent.size()); }

  // A(q), |along| x |bent|. Symmetric in its two arguments: A(q) v = A(v) q.
  template <class Vector, class Matrix>
  void matrix(const Vector& q, Matrix& A) const {
    using S = typename Matrix::Scalar;
    const Eigen::Index n = cols();
    for (Eigen::Index k = 0; k < rows(); ++k)
      for (Eigen::Index i = 0; i < n; ++i) {
        S sum(0.0);
        for (Eigen::Index j = 0; j < n; ++j) sum += q(bent[static_cast<std::size_t>(j)]) * tensor(k * n + j, i);
        A(k, i) = sum;
      }
  }
  // result += factor A v
  template <class Matrix, class Vector, class Result>
  void add(const Matrix& A, double factor, const Vector& v, Result&& result) const {
    using S = typename Matrix::Scalar;
    for (Eigen::Index k = 0; k < rows(); ++k) {
      S sum(0.0);
      for (Eigen::Index i = 0; i < cols(); ++i) sum += A(k, i) * v(bent[static_cast<std::size_t>(i)]);
      result(along[static_cast<std::size_t>(k)]) += sum * factor;
    }
  }
  // result += factor Aᵀ f; the forces are not those of `result`
  template <class Matrix, class Vector, class Result>
  void add_transposed(const Matrix& A, double factor, const Vector& f, Result&& result) const {
    using S = typename Matrix::Scalar;
    for (Eigen::Index i = 0; i < cols(); ++i) {
      S sum(0.0);
      for (Eigen::Index k = 0; k < rows(); ++k) sum += A(k, i) * f(along[static_cast<std::size_t>(k)]);
      result(bent[static_cast<std::size_t>(i)]) += sum * factor;
    }
  }
  // As a matrix of all coordinates.
  MatrixX dense(const MatrixX& A, Eigen::Index size) const {
    MatrixX result = MatrixX::Zero(size, size);
    for (Eigen::Index k = 0; k < rows(); ++k)
      for (Eigen::Index i = 0; i < cols(); ++i)
        result(along[static_cast<std::size_t>(k)], bent[static_cast<std::size_t>(i)]) = A(k, i);
    return result;
  }
  // Σ_k f_k ∂A_k: what forces on η add to the stiffness of q.
  template <class Vector>
  MatrixX stiffness(const Vector& f, Eigen::Index size) const {
    MatrixX result = MatrixX::Zero(size, size);
    for (Eigen::Index k = 0; k < rows(); ++k)
      for (Eigen::Index i = 0; i < cols(); ++i)
        for (Eigen::Index j = 0; j < cols(); ++j)
          result(bent[static_cast<std::size_t>(i)], bent[static_cast<std::size_t>(j)]) +=
              f(along[static_cast<std::size_t>(k)]) * tensor(k * cols() + i, j);
    return result;
  }
  // (1 + A)⁻¹ x in place: a geometric series, since slopes are small. `scratch` has as many numbers as x.
  template <class Vector>
  void solve(const MatrixX& A, Vector&& x, VectorX& scratch) const {
    sweep(
        along, bent, [&](Eigen::Index k, Eigen::Index i) { return A(k, i); }, x, scratch);
  }
  // (1 + A)⁻ᵀ x in place.
  template <class Vector>
  void solve_transposed(const MatrixX& A, Vector&& x, VectorX& scratch) const {
    sweep(
        bent, along, [&](Eigen::Index i, Eigen::Index k) { return A(k, i); }, x, scratch);
  }

 private:
  // x_to ← r_to - A x_from until nothing changes; where the two sets differ (straight beams), once.
  template <class Entry, class Vector>
  static void sweep(const std::vector<int>& to, const std::vector<int>& from, const Entry& entry, Vector& x,
                    VectorX& scratch) {
    constexpr int most_sweeps = 60;
    scratch.head(x.size()) = x;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      double change = 0, size = 0;
      for (std::size_t k = 0; k < to.size(); ++k) {
        double sum = scratch(to[k]);
        for (std::size_t i = 0; i < from.size(); ++i)
          sum -= entry(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) * x(from[i]);
        change = std::max(change, std::abs(sum - x(to[k])));
        size = std::max(size, std::abs(sum));
        x(to[k]) = sum;
      }
      if (!(change > 1e-15 * size)) break;
    }
  }
};

}  // namespace lithe
