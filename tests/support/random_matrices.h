// Matrices of pseudo-random numbers, the same on every machine.
#pragma once

#include <random>

#include "lithe/base/math.h"

namespace lithe::testing {

class RandomMatrices {
 public:
  explicit RandomMatrices(unsigned seed) : generator_(seed) {}
  double number(double low = -1, double high = 1) {
    return low + (high - low) * static_cast<double>(generator_()) / 4294967295.0;
  }
  int whole(int low, int high) { return low + static_cast<int>(generator_() % static_cast<unsigned>(high - low + 1)); }
  MatrixX matrix(Eigen::Index rows, Eigen::Index columns) {
    MatrixX result(rows, columns);
    for (Eigen::Index j = 0; j < columns; ++j)
      for (Eigen::Index i = 0; i < rows; ++i) result(i, j) = number();
    return result;
  }
  MatrixX positive(Eigen::Index n, double least = 0.1) {
    const MatrixX m = matrix(n, n);
    return m * m.transpose() + least * MatrixX::Identity(n, n);
  }
  VectorX vector(Eigen::Index n) { return matrix(n, 1); }

 private:
  std::mt19937 generator_;
};

}  // namespace lithe::testing
