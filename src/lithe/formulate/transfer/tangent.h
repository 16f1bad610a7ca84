// Linearised forces of a tree of elements: the matrices C and K + G of [LIN] (23)-(28) by all variables y. Each element
// is linearised by itself, which costs the same for every element; a product of the elements' maps then gives the
// matrices.
#pragma once

#include <vector>

#include "lithe/formulate/transfer/motion.h"

namespace lithe {

// Perturbations of a frame side by side, rows one after the other in memory.
using PerturbationColumns = Eigen::Matrix<double, 12, 12, Eigen::RowMajor>;

// What an element does to first order. A perturbation of a frame is (δθ, δω, δα, δa), in its own axes.
struct ElementTangent {
  Matrix12x12 carry;             // of the child's by the parent's
  Matrix12x6 by_value, by_rate;  // of the child's by the element's coordinates
  Matrix6x12 wrench_by_parent;   // of the wrench on the parent, the child's wrench held in the child's axes
  Matrix6x12 force_by_parent;    // of the forces on the element's own coordinates
  Matrix6 wrench_by_value, wrench_by_rate;
  Matrix6 force_by_value, force_by_rate;
  Matrix6 carry_wrench, directions;  // Xᵀ and Φ
  Matrix6x12 all_by_child;           // wrench of the frame and all beyond by the frame's own perturbation
  Matrix6x12 force_by_parent_total;  // and of the element's forces by the parent's
};

// How a frame moves next to its motion, one change per column.
struct FrameChanges {
  Matrix3X position;                       // of its origin, world axes
  Matrix3X theta, velocity, omega, alpha;  // own axes
  Matrix3X acceleration;                   // likewise
  Matrix6X wrench;                         // (force, torque) that the frame and all beyond it needs, own axes
};

class TransferTangent {
 public:
  explicit TransferTangent(const TransferTree& tree);

  // After update_forces and update_jacobians: every element by itself and the sums from the tips inwards. Linear in
  // their number.
  void update_elements(const TransferTree& tree, const TransferWork& work);
  // Dense matrices of the variables y from number `first` on, which must be the first of an element.
  void assemble(const TransferTree& tree, const TransferWork& work, int first, MatrixX& damping, MatrixX& stiffness);

  // All frames for changes of y, ẏ and ÿ, and of the wrenches on them by `loads` (6 x changes per frame, in its axes,
  // added to what the motion asks for); after update_elements.
  void find_changes(const TransferTree& tree, const TransferWork& work, const MatrixX& y, const MatrixX& rates,
                    const MatrixX& accelerations, const std::vector<Matrix6X>& loads,
                    std::vector<FrameChanges>& changes) const;

  // Of the wrench that an element and all beyond it need from its parent's frame, at that frame's origin and in its
  // axes; after find_changes.
  Matrix6X passed_changes(const TransferTree& tree, const TransferWork& work, int frame, const MatrixX& y,
                          const MatrixX& rates, const MatrixX& accelerations,
                          const std::vector<FrameChanges>& changes) const;

  const std::vector<ElementTangent>& elements() const { return elements_; }

 private:
  void add_columns(const TransferTree& tree, int frame, int first, MatrixX& stiffness, MatrixX& damping);

  std::vector<ElementTangent> elements_;
  std::vector<PerturbationColumns> below_;  // perturbations beyond the element of a column
  std::vector<char> moved_, has_beyond_;
  bool has_gaps_ = false;  // blocks that belong to no pair of elements on one branch: they are zero
};

}  // namespace lithe
