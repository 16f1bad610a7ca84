// Linear systems Nᵀ (M + d C + k K) N x = r of a mechanism with or without loops, M, C, K on the variables of the tree:
// those of the tree are solved link by link, and the loops join them by a border of few rows.
// docs/theory/erls_cms.md (19), (20).
#pragma once

#include <Eigen/LU>
#include <vector>

#include "lithe/formulate/erls/loops/coordinates.h"
#include "lithe/formulate/erls/tree/tree_factor.h"

namespace lithe {

template <class S>
class LoopFactor {
 public:
  using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

  // Encoder gauge only.
  LoopFactor(const ErlsTree& tree, const ErlsConstraints& constraints);

  // Needs positions, and of closed chains the tangent of `solver`. Overwrites accelerations and forces in `work`.
  bool factorise(const ErlsTree& tree, const ErlsConstraints& constraints, const ConstraintSolver<double>* solver,
                 TreeWork<double>& work, S damping, S stiffness);
  void solve(const ErlsTree& tree, const ErlsConstraints& constraints, Vector& values);
  // (d C + k K) of the last factorise() times values.
  void resist(const ErlsTree& tree, const ErlsConstraints& constraints, const ConstraintSolver<double>* solver,
              const Vector& values, Vector& result) const;

 private:
  void find_border(const ErlsTree& tree, const ErlsConstraints& constraints, const ConstraintSolver<double>& solver,
                   TreeWork<double>& work);

  TreeFactor<S> factor_;
  std::vector<int> border_joints_;               // places in `independent` of the joints that move the loops
  Matrix border_joint_rows_, border_mode_rows_;  // columns of the border in the tree's variables: C
  Matrix solved_joint_rows_, solved_mode_rows_;  // Z = S⁻¹ C
  Matrix corner_;
  Eigen::PartialPivLU<Matrix> schur_;
  Matrix joints_, modes_;
  Vector border_;
};

extern template class LoopFactor<double>;
extern template class LoopFactor<std::complex<double>>;

}  // namespace lithe
