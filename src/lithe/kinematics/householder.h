// Least squares with a tall matrix of full column rank, in storage allocated once.
#pragma once

#include <cmath>

#include "lithe/base/math.h"

namespace lithe {

class HouseholderSolver {
 public:
  HouseholderSolver(int rows = 0, int cols = 0) : a_(MatrixX::Zero(rows, cols)), tau_(VectorX::Zero(cols)) {}

  // To be filled with the matrix before factorise().
  MatrixX& matrix() { return a_; }

  // Smallest over largest pivot; 0 when singular to rounding.
  double factorise() {
    double least = -1, largest = 0;
    for (Eigen::Index k = 0; k < a_.cols(); ++k) {
      const double pivot = reflect(k);
      largest = std::max(largest, pivot);
      least = least < 0 ? pivot : std::min(least, pivot);
    }
    return largest > 0 ? least / largest : (a_.cols() == 0 ? 1.0 : 0.0);
  }

  // Overwrites the first cols() rows of each right-hand side (rows() long) with the least-squares solution.
  template <class Derived>
  void solve_in_place(Eigen::MatrixBase<Derived>& rhs) const {
    const Eigen::Index m = a_.rows(), n = a_.cols();
    for (Eigen::Index c = 0; c < rhs.cols(); ++c) {
      for (Eigen::Index k = 0; k < n; ++k) {
        const double s = tau_[k] * (rhs(k, c) + a_.col(k).tail(m - k - 1).dot(rhs.col(c).tail(m - k - 1)));
        rhs(k, c) -= s;
        rhs.col(c).tail(m - k - 1) -= s * a_.col(k).tail(m - k - 1);
      }
      for (Eigen::Index k = n - 1; k >= 0; --k) {
        rhs(k, c) /= a_(k, k);
        rhs.col(c).head(k) -= rhs(k, c) * a_.col(k).head(k);
      }
    }
  }

 private:
  MatrixX a_;    // R above the diagonal, Householder vectors (first entry 1) below
  VectorX tau_;  // factors of the reflections I - tau v vᵀ

  double reflect(Eigen::Index k) {
    const Eigen::Index below = a_.rows() - k - 1;
    const double head = a_(k, k), norm = a_.col(k).tail(below + 1).norm();
    if (norm == 0) {
      tau_[k] = 0;
      return 0;
    }
    const double diagonal = head > 0 ? -norm : norm;
    tau_[k] = (diagonal - head) / diagonal;
    a_.col(k).tail(below) /= head - diagonal;
    a_(k, k) = diagonal;
    for (Eigen::Index j = k + 1; j < a_.cols(); ++j) {
      const double s = tau_[k] * (a_(k, j) + a_.col(k).tail(below).dot(a_.col(j).tail(below)));
      a_(k, j) -= s;
      a_.col(j).tail(below) -= s * a_.col(k).tail(below);
    }
    return norm;
  }
};

}  // namespace lithe
