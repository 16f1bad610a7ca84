// Which variables of a closed chain are independent: [LIN] (3), chosen once at the initial posture.
#include <algorithm>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/transfer_work.h"

namespace lithe {
namespace {

bool prescribed(const Model& model, const TreeFrame& frame) {
  return std::any_of(model.drives.begin(), model.drives.end(), [&](const Drive& drive) {
    return drive.prescribes_motion && drive.joint == frame.joint && drive.freedom == frame.freedom;
  });
}

// Gaussian elimination with full pivoting, the columns of one class exhausted before the next: (row, column) pairs of a
// square block that is safely regular.
class Elimination {
 public:
  explicit Elimination(MatrixX matrix) : A_(std::move(matrix)), row_used_(A_.rows(), 0), column_used_(A_.cols(), 0) {}

  void take(const std::vector<int>& columns, double limit) {
    for (;;) {
      double best = limit;
      int row = -1, column = -1;
      for (const int c : columns) {
        if (column_used_[c]) continue;
        for (Eigen::Index r = 0; r < A_.rows(); ++r)
          if (!row_used_[r] && std::abs(A_(r, c)) > best) {
            best = std::abs(A_(r, c));
            row = static_cast<int>(r);
            column = c;
          }
      }
      if (row < 0) return;
      pivot(row, column);
    }
  }
  const std::vector<int>& rows() const { return rows_; }
  const std::vector<int>& columns() const { return columns_; }
  // Largest entry that is left of some columns in unused rows: what they could still move.
  double rest(const std::vector<int>& columns) const {
    double largest = 0;
    for (const int c : columns)
      for (Eigen::Index r = 0; r < A_.rows(); ++r)
        if (!row_used_[r]) largest = std::max(largest, std::abs(A_(r, c)));
    return largest;
  }

 private:
  void pivot(int row, int column) {
    row_used_[row] = column_used_[column] = 1;
    rows_.push_back(row);
    columns_.push_back(column);
    for (Eigen::Index r = 0; r < A_.rows(); ++r)
      if (!row_used_[r]) A_.row(r) -= (A_(r, column) / A_(row, column)) * A_.row(row);
  }

  MatrixX A_;
  std::vector<char> row_used_, column_used_;
  std::vector<int> rows_, columns_;
};

}  // namespace

// Dependent joint coordinates first; where loops are overconstrained, deformations as well ([LIN]'s dependent
// deformations with stress): bending and torsion before elongation, so that steps in the coordinates stretch nothing
// to second order.
void TransferFunctions::choose_unknown(const Posture& posture, const std::vector<char>& given,
                                       std::vector<char>& dependent) {
  TransferSplit none;
  Work work(tree_, loops_, none, mechanism_.num_charts());
  work.tree.y.head(tree_.num_joint_coordinates) = posture.coordinates;
  for (std::size_t i = 0; i < work.tree.references.size(); ++i)
    work.tree.references[i] = posture.references[i].toRotationMatrix();
  update_elements(tree_, work.tree);
  update_frames(tree_, work.tree);
  loop_jacobian(loops_, tree_, work.tree, work.jacobian);
  const double scale = mechanism_.length_scale();
  for (const TransferLoop& loop : loops_.loops)
    for (std::size_t r = 0; r < loop.rows.size(); ++r)
      if (!loop.rows[r].rotation) work.jacobian.row(loop.first_row + r) /= scale;
  std::vector<int> joints, soft, stiff, others;
  for (int c = 0; c < tree_.num_joint_coordinates; ++c)
    if (!given[c]) (independent_joints_[c] ? others : joints).push_back(c);
  for (const TransferBeam& beam : tree_.beams) {
    const TransferFrame& frame = tree_.frames[beam.frame];
    for (int l = 0; l < frame.count; ++l) {
      (beam.form.order[l] == 0 ? stiff : soft).push_back(frame.first + l);
      work.jacobian.col(frame.first + l) *= beam.form.length;
    }
  }
  constexpr double singular = 1e-7;
  Elimination elimination(work.jacobian);
  elimination.take(joints, singular);
  elimination.take(soft, singular);
  elimination.take(stiff, singular);
  elimination.take(others, singular);
  split_.rows = elimination.rows();
  split_.unknown = elimination.columns();
  for (const int u : split_.unknown) dependent[u] = 1;
  for (int c = 0; c < tree_.num_joint_coordinates; ++c)
    if (given[c] && elimination.rest({c}) > singular)
      throw InputError(cat("the prescribed motion of '", mechanism_.coordinate_name(c),
                           "' cannot be: the loops forbid it at the initial posture"));
}

void TransferFunctions::choose_split(const Posture& posture) {
  std::vector<char> given(tree_.num_variables, 0), dependent(tree_.num_variables, 0);
  for (int c = 0; c < tree_.num_joint_coordinates; ++c)
    if (prescribed(model_, mechanism_.frames()[mechanism_.frame_of_coordinate(c)])) {
      given[c] = 1;
      split_.prescribed.push_back(c);
    }
  if (!loops_.loops.empty()) choose_unknown(posture, given, dependent);
  for (int v = 0; v < tree_.num_variables; ++v) {
    if (given[v] || dependent[v]) continue;
    split_.independent.push_back(v);
    if (v < tree_.num_joint_coordinates) ++split_.num_joint_coordinates;
  }
}

}  // namespace lithe
