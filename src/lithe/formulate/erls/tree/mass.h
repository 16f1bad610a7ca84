// The mass matrix of the tree in one sweep from the tips inwards (composite bodies with elastic links).
// docs/theory/erls_cms.md, section 5.
#pragma once

#include <vector>

#include "lithe/formulate/erls/tree/articulated.h"

namespace lithe {

class CompositeMass {
 public:
  // `place[v]` is the row of variable v of y = (β, ε, q) in the matrix, -1 where it is left out.
  CompositeMass(const ErlsTree& tree, std::vector<int> place);

  // Needs update_position. `mass` has the size of the largest place.
  void assemble(const ErlsTree& tree, const TreeWork<double>& work, MatrixX& mass);

 private:
  struct FrameColumns {
    int beta = -1, eps = -1;   // places
    Vector9 motion, stretch;   // S, S_ε
    Matrix9 inertia;           // of this frame and everything outboard
    Matrix9X forces;           // on this frame, by unit accelerations of β, ε and the link's modes
    std::vector<int> columns;  // places of those
  };

  void start(const ErlsTree& tree, const TreeWork<double>& work, int frame);
  void own_columns(const ErlsTree& tree, int frame, MatrixX& mass);
  void pass_columns(const ErlsTree& tree, const TreeWork<double>& work, int frame, MatrixX& mass);
  void enter_parent_modes(const ErlsTree& tree, const TreeWork<double>& work, int frame,
                          const std::vector<int>& columns, MatrixX& mass);
  void enter(int row, const std::vector<int>& columns, const Eigen::Ref<const Eigen::RowVectorXd>& values,
             MatrixX& mass) const;

  std::vector<int> place_;
  std::vector<FrameColumns> frames_;
  std::vector<LinkInertia> links_;
  AttachScratch scratch_;
  Matrix9X passed_;  // forces of one frame's columns on their way to the ground
  Matrix3X turned_;
  MatrixX modal_rows_;  // of an ancestor's modes
  Eigen::RowVectorXd row_;
};

}  // namespace lithe
