// Which variables of a closed chain are independent: [LIN] (3), chosen once at the initial configuration.
#include <algorithm>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/transfer/work.h"
#include "lithe/model/coordinate_choice.h"
#include "lithe/model/error_at.h"

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

  // Rows from `first` up to `last`.
  void take(const std::vector<int>& columns, double limit, Eigen::Index first, Eigen::Index last) {
    for (;;) {
      double best = limit;
      int row = -1, column = -1;
      for (const int c : columns) {
        if (column_used_[c]) continue;
        for (Eigen::Index r = first; r < last; ++r)
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

[[noreturn]] void refuse_choice(const SourcePlace& place, const std::string& message) {
  throw InputError(std::vector<Diagnostic>{error_at(place, message)});
}

constexpr double least_pivot = 1e-7;

}  // namespace

// The item of the model's chosen coordinates; -1: a joint's own `independent`, or a drive.
struct TransferFunctions::Wish {
  std::optional<CoordinateRole> role;
  int item = -1;

  bool is(CoordinateRole wanted) const { return role == wanted; }
  bool given() const { return is(CoordinateRole::fixed) || is(CoordinateRole::prescribed); }
};

// Each nodal coordinate that the user chose becomes a variable with a row of its own.
void TransferFunctions::add_nodal_coordinates() {
  const std::vector<ChosenCoordinate>& items = chosen_coordinates(model_);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].node < 0) continue;
    add_nodal_row(tree_.nodes[items[i].link][items[i].node], items[i].component, tree_.num_variables, tree_, loops_);
    ++tree_.num_variables;
    nodal_items_.push_back(static_cast<int>(i));
  }
  for_joint_.assign(nodal_items_.size(), 0);
}

void TransferFunctions::wish_deformations(int item, std::vector<Wish>& wishes) const {
  const ChosenCoordinate& chosen = chosen_coordinates(model_)[item];
  const auto contains = [](const std::vector<int>& list, int k) {
    return std::find(list.begin(), list.end(), k) != list.end();
  };
  bool any = false;
  for (const TransferBeam& beam : tree_.beams) {
    if (beam.link != chosen.link) continue;
    if (!chosen.elements.empty() && !contains(chosen.elements, beam.element)) continue;
    const TransferFrame& frame = tree_.frames[beam.frame];
    for (int l = 0; l < frame.count; ++l)
      if (contains(chosen.deformations, deformation_in_file(beam, beam.form.order[l]))) {
        wishes[frame.first + l] = {chosen.role, item};
        any = true;
      }
  }
  if (!any)
    refuse_choice(chosen.place,
                  cat("the beams of link '", model_.links[chosen.link].name, "' have none of the deformations named"));
}

std::vector<TransferFunctions::Wish> TransferFunctions::read_wishes() {
  std::vector<Wish> wishes(tree_.num_variables);
  for (int c = 0; c < tree_.num_joint_coordinates; ++c) {
    const TreeFrame& frame = mechanism_.frames()[mechanism_.frame_of_coordinate(c)];
    if (model_.joints[frame.joint].independent == true) wishes[c].role = CoordinateRole::independent;
    if (prescribed(model_, frame)) {
      wishes[c].role = CoordinateRole::prescribed;
      split_.prescribed.push_back(c);
    }
  }
  const std::vector<ChosenCoordinate>& items = chosen_coordinates(model_);
  int nodal = tree_.num_variables - static_cast<int>(nodal_items_.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].node < 0) wish_deformations(static_cast<int>(i), wishes);
    if (items[i].node >= 0) wishes[nodal++] = {items[i].role, static_cast<int>(i)};
  }
  for (int v = tree_.num_joint_coordinates; v < tree_.num_variables; ++v) {
    if (wishes[v].is(CoordinateRole::fixed)) split_.held.push_back({v, 0});
    if (wishes[v].is(CoordinateRole::prescribed)) split_.moved.push_back({v, wishes[v].item});
  }
  return wishes;
}

// Of closed loops: what the user calls dependent, then dependent joint coordinates; where loops are overconstrained,
// deformations as well ([LIN]'s dependent deformations with stress): bending and torsion before elongation, so that
// steps in the coordinates stretch nothing to second order. A nodal coordinate takes the place of a joint's, else of a
// deformation.
void TransferFunctions::choose_unknown(const Configuration& configuration, const std::vector<Wish>& wishes,
                                       std::vector<char>& dependent) {
  TransferSplit none;
  Work work(tree_, loops_, none, mechanism_.num_charts());
  work.tree.y.head(tree_.num_joint_coordinates) = configuration.coordinates;
  for (std::size_t i = 0; i < work.tree.references.size(); ++i)
    work.tree.references[i] = configuration.references[i].toRotationMatrix();
  update_elements(tree_, work.tree);
  update_frames(tree_, work.tree);
  loop_jacobian(loops_, tree_, work.tree, work.jacobian);
  const double scale = mechanism_.length_scale();
  for (const TransferLoop& loop : loops_.loops)
    for (std::size_t r = 0; r < loop.rows.size(); ++r)
      if (!loop.rows[r].rotation) work.jacobian.row(loop.first_row + r) /= scale;
  std::vector<int> wished, joints, soft, stiff, free_joints, others;
  const auto sort = [&](int v, std::vector<int>& automatic) {
    if (wishes[v].given()) return;
    (wishes[v].is(CoordinateRole::dependent)     ? wished
     : wishes[v].is(CoordinateRole::independent) ? others
                                                 : automatic)
        .push_back(v);
  };
  for (int c = 0; c < tree_.num_joint_coordinates; ++c) sort(c, independent_joints_[c] ? free_joints : joints);
  for (const TransferBeam& beam : tree_.beams) {
    const TransferFrame& frame = tree_.frames[beam.frame];
    for (int l = 0; l < frame.count; ++l) {
      sort(frame.first + l, beam.form.order[l] == 0 ? stiff : soft);
      work.jacobian.col(frame.first + l) *= beam.form.length;
    }
  }
  Elimination elimination(work.jacobian);
  const Eigen::Index all = loops_.num_rows, nodal = all - static_cast<Eigen::Index>(nodal_items_.size());
  for (const auto* columns : {&wished, &joints, &soft, &stiff, &free_joints, &others})
    elimination.take(*columns, least_pivot, 0, nodal);
  for (const auto* columns : {&wished, &joints, &free_joints, &soft, &stiff})
    elimination.take(*columns, least_pivot, nodal, all);
  split_.rows = elimination.rows();
  split_.unknown = elimination.columns();
  for (std::size_t k = 0; k < split_.rows.size(); ++k) {
    dependent[split_.unknown[k]] = 1;
    if (split_.rows[k] >= nodal) for_joint_[split_.rows[k] - nodal] = split_.unknown[k] < tree_.num_joint_coordinates;
  }
  for (int v = 0; v < tree_.num_variables; ++v)
    if (wishes[v].is(CoordinateRole::prescribed) && elimination.rest({v}) > least_pivot)
      throw InputError(cat("the prescribed motion of '", variable_name(v),
                           "' cannot be: the loops forbid it at the initial configuration"));
}

// What the user wanted and cannot have.
void TransferFunctions::check_choice(const std::vector<Wish>& wishes, const std::vector<char>& dependent) const {
  const auto place = [&](int v) -> const SourcePlace& {
    if (wishes[v].item >= 0) return chosen_coordinates(model_)[wishes[v].item].place;
    return model_.joints[mechanism_.frames()[mechanism_.frame_of_coordinate(v)].joint].place;
  };
  for (const TransferLoop& loop : loops_.loops) {
    if (loop.variable < 0) continue;
    const bool used = std::find(split_.rows.begin(), split_.rows.end(), loop.first_row) != split_.rows.end();
    if (!used)
      refuse_choice(place(loop.variable),
                    cat(variable_name(loop.variable),
                        " cannot be chosen: it cannot move, or follows from the other coordinates"));
  }
  for (int v = 0; v < tree_.num_variables; ++v) {
    if (wishes[v].item < 0) continue;
    if (wishes[v].is(CoordinateRole::independent) && dependent[v])
      refuse_choice(place(v), cat("'", variable_name(v), "' cannot be independent: the loops determine it"));
    if (wishes[v].is(CoordinateRole::dependent) && !dependent[v])
      refuse_choice(place(v), cat("'", variable_name(v),
                                  "' cannot be dependent: no loop and no chosen nodal coordinate ", "determines it"));
  }
}

// Joint coordinates and the nodal ones in their place, deformations, other nodal coordinates.
void TransferFunctions::order_independent(const std::vector<Wish>& wishes, const std::vector<char>& dependent) {
  const int first_nodal = tree_.num_variables - static_cast<int>(nodal_items_.size());
  const auto add = [&](int from, int to, int for_joint) {
    for (int v = from; v < to; ++v) {
      if (wishes[v].given() || dependent[v]) continue;
      if (for_joint >= 0 && for_joint_[v - first_nodal] != for_joint) continue;
      split_.independent.push_back(v);
    }
  };
  add(0, tree_.num_joint_coordinates, -1);
  add(first_nodal, tree_.num_variables, 1);
  split_.num_joint_coordinates = static_cast<int>(split_.independent.size());
  add(tree_.num_joint_coordinates, first_nodal, -1);
  add(first_nodal, tree_.num_variables, 0);
  for (std::size_t i = 1; i < split_.independent.size(); ++i)
    if (split_.independent[i] != split_.independent[i - 1] + 1) split_.contiguous = false;
  split_.ends_with_independent = split_.contiguous && !split_.independent.empty() && split_.unknown.empty() &&
                                 split_.independent.back() + 1 == tree_.num_variables &&
                                 std::none_of(tree_.frames.begin(), tree_.frames.end(), [&](const TransferFrame& f) {
                                   const int first = split_.independent.front();
                                   return f.first < first && f.first + f.count > first;
                                 });
}

void TransferFunctions::choose_split(const Configuration& configuration) {
  const std::vector<Wish> wanted = read_wishes();
  std::vector<char> dependent(tree_.num_variables, 0);
  if (!loops_.loops.empty()) choose_unknown(configuration, wanted, dependent);
  check_choice(wanted, dependent);
  order_independent(wanted, dependent);
}

}  // namespace lithe
