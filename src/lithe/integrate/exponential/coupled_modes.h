// The linear motion of modes that damping and prestress couple: ẏ = w, ẇ = -K y - C w + g, solved by its own
// eigenvectors. docs/theory/integrators.md, section 4.
#pragma once

#include <array>

#include "lithe/base/math.h"

namespace lithe {

class CoupledModes {
 public:
  // False where eigenvectors fall together (a free motion), so that they are no basis.
  bool find(const MatrixX& stiffness, const MatrixX& damping);
  // (y, w) after h is E (y, w) + P₁ g for a constant g, P₂ g for one that grows from 0 to g, P₃ g for one that grows
  // with half the square of the time.
  void set_step(double h);
  double step() const { return step_; }
  const MatrixX& free_motion() const { return free_; }                               // E, 2n x 2n
  const MatrixX& forced_motion(int k) const { return forced_[std::size_t(k - 1)]; }  // P_k, 2n x n

 private:
  Eigen::VectorXcd rates_;
  Eigen::MatrixXcd shapes_, inverse_;  // of (σ y, w)
  VectorX scale_;                      // σ
  double step_ = 0;
  MatrixX free_;
  std::array<MatrixX, 3> forced_;
};

}  // namespace lithe
