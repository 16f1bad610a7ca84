// Factors of M + d C + k K of a tree with elastic links, link by link from the tips inwards, for real and complex d and
// k. Elastic coordinates, diagonal in the modes of their own link, are eliminated by products with the few vectors
// through which a link touches the rest, so that the cost grows linearly with links and modes.
// docs/theory/erls_cms.md (19), (20).
#pragma once

#include <complex>
#include <vector>

#include "lithe/formulate/erls/tree/articulated.h"

namespace lithe {

// How a joint coordinate of the tree moves in a linear system.
enum class TreeFreedom : char {
  held,     // not at all
  joint,    // β
  stretch,  // ε
};

template <class S>
class TreeFactor {
 public:
  using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

  // One freedom per joint coordinate.
  TreeFactor(const ErlsTree& tree, std::vector<TreeFreedom> freedoms);

  // Needs update_position(). Of the links' damping the diagonal counts. False when a pivot vanishes.
  bool factorise(const ErlsTree& tree, const TreeWork<double>& work, S damping, S stiffness);
  // In place, one right side per column: rows of all joint coordinates and of all modes.
  void solve(const ErlsTree& tree, Matrix& joints, Matrix& modes);
  // damping C + stiffness K of the last factorise() times values, joints and modes.
  S resistance(int coordinate) const { return resistance_[coordinate]; }
  const Vector& modal_resistance() const { return modal_resistance_; }
  TreeFreedom freedom(int coordinate) const { return freedoms_[coordinate]; }

 private:
  using Small9 = Eigen::Matrix<S, 9, 1>;
  using Square9 = Eigen::Matrix<S, 9, 9>;
  using Wide9 = Eigen::Matrix<S, 9, Eigen::Dynamic>;

  struct Frame {
    Square9 inertia;           // of everything outboard, in this frame
    Small9 motion, resisting;  // S, U = I S
    S pivot{};
    bool moves = false;
    int first_contact = 0;  // row of the parent link's contacts: 6 of this frame
    int turn_row = 6;  // of (w, ω, ψ̇) that the node's turn belongs to: ω where the deformed node carries the frame
    Matrix3 turn;      // R
    Vector3 offset, slide;
    bool slides = false;
    Wide9 bias, acceleration;  // of solve(), a column each
  };
  // Through its frame and the joints of its children a link touches the rest by `contacts`: H, first the rows of its
  // coupling to (w, ω, ψ̇) of the frame, where ψ̇ vanishes for frames on deformed nodes, then 6 of each child. Modes of a
  // bent link touch each other: 𝓜_qq = 1 + PᵀX + XᵀP, with the rows of P, then those of X, as contacts.
  struct Link {
    int num_modes = 0, num_contacts = 0;
    int first_field = 0;          // row of the contacts: P
    std::vector<int> field_rows;  // that are not zero
    MatrixX contacts;
    Matrix9X coupling;
    Vector inverse;  // D⁻¹, D = 1 + d C + k K
    Matrix scaled;   // H D⁻¹
    Matrix gram;     // Γ = H D⁻¹ Hᵀ
    Matrix carried;  // 𝒥: inertia of the children, 6 rows and columns of each; of P with X it is 1, elsewhere zero
    Matrix passed;   // U: what the frame's motion does at the contacts before P
    Matrix closed;   // 1 + Γ 𝒥 without the rows of the frame, on which 𝒥 vanishes
    Eigen::PartialPivLU<Matrix> closing;
    Matrix taken;                                         // (1 + Γ 𝒥)⁻¹ Γ U
    Matrix small, force, contact_bias, touching, loaded;  // of solve(): g, b and the like
  };

  void start(const ErlsTree& tree, const TreeWork<double>& work, int frame, S damping, S stiffness);
  void touch_parent(const ErlsTree& tree, const TreeWork<double>& work, int frame);
  void bend(const ErlsTree& tree, const TreeWork<double>& work, int link);
  void carry(Link& link);
  void close(Link& link, Matrix& values);
  void eliminate_modes(int frame, int link);
  bool free_joint(const ErlsTree& tree, int frame);
  void add_to_parent(const ErlsTree& tree, int frame);
  void pass_bias(const ErlsTree& tree, int frame);
  void pass_acceleration(const ErlsTree& tree, int frame);

  std::vector<TreeFreedom> freedoms_;
  int own_contacts_;  // of a link with its frame
  std::vector<Frame> frames_;
  std::vector<Link> links_;
  Vector resistance_, modal_resistance_;
};

extern template class TreeFactor<double>;
extern template class TreeFactor<std::complex<double>>;

// Slope of a joint's damping forces at its present rate; dry friction is a damper as steep as its jacobian there.
double joint_damping_jacobian(const ErlsTree& tree, const TreeWork<double>& work, int coordinate);

}  // namespace lithe
