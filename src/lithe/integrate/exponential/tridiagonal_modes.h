// Eigenvalues and eigenvectors of a symmetric tridiagonal matrix, found in portions of bounded work, so that a step in
// real time does not pay for all of it.
#pragma once

#include "lithe/base/math.h"

namespace lithe {

class TridiagonalModes {
 public:
  explicit TridiagonalModes(int size);

  // Vectors or expressions of them.
  template <class Diagonal, class Beside>
  void start(const Diagonal& diagonal, const Beside& beside) {
    values_ = diagonal;
    beside_ = beside;
    begin();
  }
  // Goes on for about so many plane rotations of the vectors, or to the end.
  enum class Progress { under_way, done, failed };
  Progress advance(long rotations);

  // Ascending, when done; the vectors in columns.
  const VectorX& values() const { return values_; }
  const MatrixX& vectors() const { return vectors_; }

 private:
  void begin();
  void chase(Eigen::Index first, Eigen::Index last);
  void sort();

  VectorX values_, beside_;
  MatrixX vectors_;
  Eigen::Index last_ = 0;  // everything beyond is decoupled
  long sweeps_ = 0, rotations_ = 0;
};

}  // namespace lithe
