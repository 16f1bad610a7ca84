// Cholesky factors of a sparse symmetric matrix within its envelope: row i is stored from its first column to the
// diagonal. Chains give a narrow band, so that the cost is linear in their length.
#pragma once

#include <vector>

#include "lithe/base/math.h"

namespace lithe {

class EnvelopeCholesky {
 public:
  // first[i] <= i: the first column of row i that may be nonzero.
  void set_structure(const std::vector<int>& first);
  int size() const { return static_cast<int>(first_.size()); }
  bool contains(int row, int column) const { return column <= row && column >= first_[row]; }

  void set_zero() { matrix_.setZero(); }
  // Entry of the lower triangle, inside the envelope.
  double& at(int row, int column) { return matrix_[start_[row] + column]; }
  double at(int row, int column) const { return matrix_[start_[row] + column]; }

  // Factors of A + shift diag(A). Returns the smallest pivot over its diagonal entry; not positive: not factored.
  double factorise(double shift = 0);
  void solve(Eigen::Ref<VectorX> rhs) const;               // in place
  void multiply(const VectorX& x, VectorX& result) const;  // A x, without the shift

 private:
  std::vector<int> first_, start_;  // start_[i] + j is the place of (i, j)
  VectorX matrix_, factor_;
};

// An order of the vertices of a graph in which neighbours are near each other (Cuthill and McKee 1969, reversed).
std::vector<int> narrow_order(const std::vector<std::vector<int>>& neighbours);

}  // namespace lithe
