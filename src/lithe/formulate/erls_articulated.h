// The mass matrix of an open chain, factored link by link from the tips inwards (articulated bodies with elastic
// links), so that the cost of an evaluation grows linearly with the number of links. docs/theory/erls_cms.md,
// section 5.
#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "lithe/formulate/erls_tree.h"

namespace lithe {

using Vector9 = Eigen::Matrix<double, 9, 1>;
using Matrix9 = Eigen::Matrix<double, 9, 9>;
using Matrix9X = Eigen::Matrix<double, 9, Eigen::Dynamic>;

class ArticulatedMass {
 public:
  // `solved[c]` tells whether coordinate c is free; the others are prescribed and do not accelerate in solve().
  ArticulatedMass(const ErlsTree& tree, std::vector<char> solved);

  // Needs update_position. False when a pivot is not positive: the mass matrix is singular.
  bool factorise(const ErlsTree& tree, const TreeWork<double>& work);
  // M (β̈, q̈) = (beta, q), in place.
  void solve(const ErlsTree& tree, const TreeWork<double>& work, VectorX& beta, VectorX& q);

 private:
  struct FrameFactor {
    Matrix9 inertia;    // of everything outboard, in this frame: I_A, then I_a once the joint is free
    Vector9 motion;     // S
    Vector9 resisting;  // U = I_A S
    double pivot = 0;   // D = Sᵀ I_A S + motor inertia
    Vector9 bias;       // of solve()
    Vector9 acceleration;
  };
  struct LinkFactor {
    bool carries = false;  // something is attached to it, so that its modal mass is not the identity
    Matrix9X coupling;     // 𝓜_Vq
    MatrixX modal_mass;    // 𝓜_qq, then its Cholesky factor L
    MatrixX eliminated;    // L⁻¹ 𝓜_qV, d x 9
    VectorX modal_rhs;
  };
  void start_link(const ErlsTree& tree, const TreeWork<double>& work, int frame);
  bool eliminate_modes(const ErlsTree& tree, int frame);
  bool free_joint(const ErlsTree& tree, const TreeWork<double>& work, int frame);
  void add_to_parent(const ErlsTree& tree, const TreeWork<double>& work, int frame);
  void pass_bias(const ErlsTree& tree, const TreeWork<double>& work, int frame);
  Vector9 passed_acceleration(const ErlsTree& tree, const TreeWork<double>& work, int frame, const VectorX& q) const;

  std::vector<char> solved_;
  std::vector<FrameFactor> frames_;
  std::vector<LinkFactor> links_;
  Matrix9X child_coupling_;  // scratch: I_a' X_q
  Matrix3X child_shape_;     // scratch: Φ_o
};

// 𝓜_VV of one link alone and 𝓜_Vq, docs/theory/erls_cms.md (16). Needs update_position.
void link_inertia(const ErlsTree& tree, const TreeWork<double>& work, int frame, Matrix9& inertia, Matrix9X& coupling);

}  // namespace lithe
