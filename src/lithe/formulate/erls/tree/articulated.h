// The mass matrix of an open chain, factored link by link from the tips inwards (articulated bodies with elastic
// links), so that the cost of an evaluation grows linearly with the number of links. docs/theory/erls_cms.md,
// section 5.
#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "lithe/formulate/erls/tree/tree.h"

namespace lithe {

using Vector9 = Eigen::Matrix<double, 9, 1>;
using Matrix9 = Eigen::Matrix<double, 9, 9>;
using Matrix9X = Eigen::Matrix<double, 9, Eigen::Dynamic>;

// A link's coupling 𝓜_Vq and modal mass 𝓜_qq, what its children add included.
struct LinkInertia {
  bool carries = false;  // something is attached to it, or it bends: its modal mass is not the identity
  Matrix9X coupling;
  MatrixX modal_mass;
};
std::vector<LinkInertia> link_inertias(const ErlsTree& tree);

struct AttachScratch {
  explicit AttachScratch(const ErlsTree& tree);
  Matrix9X coupling;  // I X_q
  Matrix3X shape;     // Φ_o
};

// What the modes of the parent's link do to a frame, parent axes: its translation, and its turn, which is part of ω
// where the deformed node carries the frame, of ψ̇ elsewhere.
struct AttachShapes {
  AttachShapes(const ErlsFrame& frame, const TreeWork<double>& work);
  const Matrix3X& translation;
  const Matrix3X& rotation;
  int turn;  // first row of the turn in (w, ω, ψ̇)
};

// (w, ω, ψ̇) of a frame per unit rate of its joint: S and S_ε of docs/theory/erls_cms.md (10).
Vector9 joint_motion_vector(const ErlsFrame& frame, const FrameWork<double>& f);
Vector9 joint_stretch_vector(const ErlsFrame& frame);

// Inertia `I` of a frame, own axes, added to its parent's: Xᵀ I X, and to the parent link's coupling and modal mass.
// `parent_link` is null when the parent is rigid or massless.
void add_to_parent_inertia(const ErlsFrame& frame, const TreeWork<double>& work, const FrameWork<double>& f,
                           const Matrix9& I, Matrix9& parent, LinkInertia* parent_link, AttachScratch& scratch);

// K of a joint at its deflection.
double joint_stiffness_jacobian(const ErlsTree& tree, const TreeWork<double>& work, int coordinate);

// damping C + stiffness K of a joint at a rate; dry friction is a damper as steep as its derivative there.
double joint_resistance(const ErlsTree& tree, const TreeWork<double>& work, int coordinate, double damping,
                        double stiffness);

class ArticulatedMass {
 public:
  // `solved[c]` tells whether coordinate c is free; the others are prescribed and do not accelerate in solve().
  // `damped_and_stiff`: parts of damping and stiffness will be added to the mass.
  ArticulatedMass(const ErlsTree& tree, std::vector<char> solved, bool damped_and_stiff = false);

  // Needs update_position. False when a pivot is not positive: the mass matrix is singular. With factors, M + damping C
  // + stiffness K, C and K of the links and of the joints' springs and dampers.
  bool factorise(const ErlsTree& tree, const TreeWork<double>& work, double damping = 0, double stiffness = 0);
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
  struct LinkFactor : LinkInertia {  // modal_mass is overwritten by its Cholesky factor L
    MatrixX eliminated;              // L⁻¹ 𝓜_qV, d x 9
    VectorX modal_rhs;
  };
  void start_link(const ErlsTree& tree, const TreeWork<double>& work, int frame);
  void add_elastic(const ErlsTree& tree, int frame);
  bool eliminate_modes(const ErlsTree& tree, int frame);
  bool free_joint(const ErlsTree& tree, const TreeWork<double>& work, int frame);
  void add_to_parent(const ErlsTree& tree, const TreeWork<double>& work, int frame);
  void pass_bias(const ErlsTree& tree, const TreeWork<double>& work, int frame);
  Vector9 passed_acceleration(const ErlsTree& tree, const TreeWork<double>& work, int frame, const VectorX& q) const;

  std::vector<char> solved_;
  double damping_ = 0, stiffness_ = 0;
  std::vector<FrameFactor> frames_;
  std::vector<LinkFactor> links_;
  AttachScratch scratch_;
};

// 𝓜_VV of one link alone and 𝓜_Vq, docs/theory/erls_cms.md (16). Needs update_position.
void link_inertia(const ErlsTree& tree, const TreeWork<double>& work, int frame, Matrix9& inertia, Matrix9X& coupling);
// 𝓜_qq of a link alone: the identity, with second-order terms that of the bent link.
void modal_mass(const ErlsTree& tree, const TreeWork<double>& work, int link, MatrixX& mass);

}  // namespace lithe
