#include "lithe/formulate/erls/loops/coordinates.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "lithe/base/diagnostics.h"
#include "lithe/formulate/erls/loops/coordinates_inl.h"
#include "lithe/kinematics/independent.h"

namespace lithe {
namespace {

// Rows and columns picked by elimination with full pivoting; columns of an earlier group are used up before a later one
// is looked at.
struct Pivots {
  std::vector<int> rows, columns;
};

// What a group of columns can do in each row. A pivot much smaller than that is what rounding or a neighbouring
// configuration makes of a dependent row.
VectorX largest_in_rows(const MatrixX& A, const std::vector<int>& columns) {
  VectorX largest = VectorX::Zero(A.rows());
  for (int c : columns) largest = largest.cwiseMax(A.col(c).cwiseAbs());
  return largest;
}

Pivots pick_pivots(MatrixX A, const std::vector<std::vector<int>>& column_groups, double smallest_share = 0) {
  Pivots pivots;
  const double scale = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0.0;
  const MatrixX whole = A;
  std::vector<char> row_used(A.rows(), 0), column_used(A.cols(), 0);
  for (const std::vector<int>& group : column_groups) {
    const VectorX enough = smallest_share * largest_in_rows(whole, group);
    for (std::size_t count = 0; count < group.size(); ++count) {
      int best_row = -1, best_column = -1;
      double best = 1e-9 * scale;
      for (int c : group)
        for (int r = 0; r < A.rows() && !column_used[c]; ++r)
          if (!row_used[r] && std::abs(A(r, c)) > std::max(best, enough(r)))
            best = std::abs(A(r, c)), best_row = r, best_column = c;
      if (best_row < 0) break;
      row_used[best_row] = column_used[best_column] = 1;
      pivots.rows.push_back(best_row);
      pivots.columns.push_back(best_column);
      for (int r = 0; r < A.rows(); ++r)
        if (!row_used[r]) A.row(r) -= A(r, best_column) / A(best_row, best_column) * A.row(best_row);
    }
  }
  return pivots;
}

std::vector<char> prescribed_coordinates(const Model& model, const Mechanism& mechanism) {
  std::vector<char> prescribed(mechanism.num_coordinates(), 0);
  for (const Drive& drive : model.drives) {
    const int c = mechanism.coordinate_of(drive.joint, drive.freedom);
    if (drive.prescribes_motion && c >= 0) prescribed[c] = 1;
  }
  return prescribed;
}

// Modes of the link with more of them at each cut joint.
std::vector<std::vector<int>> modes_at_cuts(const std::vector<LoopJoint>& loops, const ErlsTree& tree) {
  std::vector<std::vector<int>> groups;
  for (const LoopJoint& loop : loops) {
    const bool on_parent = num_modes(loop.parent_link, tree) > num_modes(loop.child, tree);
    const LoopSide& side = on_parent ? loop.parent_link : loop.child;
    std::vector<int>& group = groups.emplace_back();
    for (int k = 0; k < num_modes(side, tree); ++k)
      group.push_back(tree.num_coordinates + tree.first_mode[side.link] + k);
  }
  return groups;
}

// Columns of (ε, q) that follow from the loops. Where the modes of one link at each cut joint are enough, these: how a
// link displaces its own node does not change with the configuration, whereas shapes of several links can become
// parallel.
Pivots pick_elastic(const MatrixX& elastic, const std::vector<int>& dependent_joints,
                    const std::vector<LoopJoint>& loops, const ErlsTree& tree) {
  std::vector<int> modes(static_cast<std::size_t>(tree.num_modes));
  for (int k = 0; k < tree.num_modes; ++k) modes[static_cast<std::size_t>(k)] = tree.num_coordinates + k;
  Pivots any = pick_pivots(elastic, {dependent_joints, modes});
  std::vector<std::vector<int>> groups = modes_at_cuts(loops, tree);
  groups.insert(groups.begin(), dependent_joints);
  Pivots lasting = pick_pivots(elastic, groups, 0.05);
  return lasting.columns.size() == any.columns.size() ? lasting : any;
}

void mark_used_rows(ErlsConstraints& constraints) {
  std::vector<LoopRow*> rows;
  for (LoopJoint& loop : constraints.loops)
    for (LoopRow& row : loop.rows) rows.push_back(&row);
  for (LoopRow* row : rows) row->used = false;
  for (const auto* used : {&constraints.split.closure_rows, &constraints.split.elastic_rows})
    for (const int row : *used) rows[static_cast<std::size_t>(row)]->used = true;
}

std::size_t num_dependent_modes(const ErlsTree& tree, const VariableSplit& split) {
  return static_cast<std::size_t>(
      std::count_if(split.unknown.begin(), split.unknown.end(), [&](int v) { return v >= 2 * tree.num_coordinates; }));
}

void use_all_rows(ErlsConstraints& constraints) {
  for (LoopJoint& loop : constraints.loops)
    for (LoopRow& row : loop.rows) row.used = true;
}

// Derivatives of the loop rows of a split by its unknown variables: the smallest pivot as a part of its column.
double split_quality(const MatrixX& closure, const MatrixX& elastic, const VariableSplit& split) {
  const std::size_t closing = split.closure_rows.size(), size = closing + split.elastic_rows.size();
  MatrixX matrix = MatrixX::Zero(static_cast<Eigen::Index>(size), static_cast<Eigen::Index>(size));
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = 0; i < size; ++i) {
      const int v = split.unknown[k];
      double& entry = matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
      if (i >= closing) entry = elastic(split.elastic_rows[i - closing], v);
      if (i < closing && v < closure.cols()) entry = closure(split.closure_rows[i], v);
    }
  SmallLu<double> factor, loop_factor;
  factor.resize(matrix.rows());
  loop_factor.resize(static_cast<Eigen::Index>(closing));
  const MatrixX loop = matrix.topLeftCorner(static_cast<Eigen::Index>(closing), static_cast<Eigen::Index>(closing));
  if (!factor.compute(matrix) || !loop_factor.compute(loop)) return 0;
  return std::min(smallest_part(matrix, factor), smallest_closure_part(closure, split.unknown, loop_factor, closing));
}

// A choice this good lasts for a while.
constexpr double good_quality = 0.1;

void scale_columns(MatrixX& matrix) {
  for (auto column : matrix.colwise())
    if (const double largest = column.cwiseAbs().maxCoeff(); largest > 0) column /= largest;
}

// The rows of a rigid mechanism that moves although it is overconstrained are all met; those of one that only seems to
// be, at a singular configuration, are not.
bool all_rows_met(const ErlsConstraints& constraints, const ErlsTree& tree, const TreeWork<double>& work) {
  constexpr double closed = 1e-8;
  VectorX closure = VectorX::Zero(constraints.num_loop_rows), elastic = closure;
  loop_residuals(constraints.loops, tree, work, closure, elastic);
  return closure.cwiseAbs().maxCoeff() < closed;
}

}  // namespace

namespace {

// The rows that may change.
template <class Split>
auto& changing_rows(const ErlsTree& tree, Split& split) {
  return tree.carried ? split.elastic_rows : split.closure_rows;
}

}  // namespace

std::vector<int> recorded_split(const ErlsTree& tree, const VariableSplit& split) {
  std::vector<int> record = changing_rows(tree, split);
  std::copy_if(split.unknown.begin(), split.unknown.end(), std::back_inserter(record),
               [&](int v) { return v >= 2 * tree.num_coordinates; });
  return record;
}

void restore_split(const std::vector<int>& record, const ErlsTree& tree, ErlsConstraints& constraints) {
  VariableSplit& split = constraints.split;
  std::vector<int>& rows = changing_rows(tree, split);
  const std::size_t closing = rows.size();
  bool valid = record.size() == closing + num_dependent_modes(tree, split);
  for (std::size_t i = 0; valid && i < record.size(); ++i)
    valid = i < closing ? record[i] >= 0 && record[i] < constraints.num_loop_rows
                        : record[i] >= 2 * tree.num_coordinates && record[i] < tree.num_variables();
  if (!valid) throw InputError("the state belongs to another mechanism: its choice of dependent modes does not fit");
  std::copy_n(record.begin(), closing, rows.begin());
  const std::vector<int> modes(record.begin() + static_cast<std::ptrdiff_t>(closing), record.end());
  const auto chosen = [&](int v) { return std::find(modes.begin(), modes.end(), v) != modes.end(); };
  std::vector<int> released;
  auto mode = modes.begin();
  for (int& v : split.unknown) {
    if (v < 2 * tree.num_coordinates) continue;
    if (!chosen(v)) released.push_back(v);
    v = *mode++;
  }
  auto free = released.begin();
  for (int& v : split.independent)
    if (chosen(v)) v = *free++;
  use_all_rows(constraints);
}

namespace {

// Rows and dependent modes of loops of deformed links: chosen anew all together. In the measure of the quality only
// where that does not do, as below.
std::vector<int> better_deformed_split(const ErlsTree& tree, const TreeWork<double>& work, const MatrixX& elastic,
                                       const ErlsConstraints& constraints, ErlsConstraints& other) {
  const int n = tree.num_coordinates;
  VariableSplit& split = other.split;
  const bool met = all_rows_met(other, tree, work);
  std::vector<int> joints, modes;
  for (const int v : split.unknown)
    if (v < n) joints.push_back(v);
  for (int k = 0; k < tree.num_modes; ++k) modes.push_back(2 * n + k);
  const double now = split_quality(MatrixX(), elastic, constraints.split);
  for (const bool relative : {false, true}) {
    MatrixX jacobians = met ? elastic : MatrixX(elastic(split.elastic_rows, Eigen::all));
    if (relative) scale_columns(jacobians);
    const Pivots picked = pick_pivots(jacobians, {joints, modes});
    if (picked.columns.size() != split.elastic_rows.size()) continue;
    if (met) split.elastic_rows = picked.rows;
    split.unknown = picked.columns;
    if (num_dependent_modes(tree, split) != num_dependent_modes(tree, constraints.split)) continue;
    const double then = split_quality(MatrixX(), elastic, split);
    if (then > 2 * now && (relative || then > good_quality)) return recorded_split(tree, split);
  }
  return {};
}

}  // namespace

std::vector<int> better_split(const ErlsTree& tree, const TreeWork<double>& work, const ErlsConstraints& constraints) {
  const int n = tree.num_coordinates;
  ErlsConstraints other = constraints;
  VariableSplit& split = other.split;
  use_all_rows(other);
  MatrixX closure(other.num_loop_rows, n), elastic(other.num_loop_rows, tree.num_variables());
  loop_jacobians(other.loops, tree, work, closure, elastic);
  if (tree.carried) return better_deformed_split(tree, work, elastic, constraints, other);
  const auto elastic_begin = split.unknown.begin() + static_cast<std::ptrdiff_t>(split.closure_rows.size());
  if (all_rows_met(other, tree, work)) {
    const Pivots rows = pick_pivots(closure, {{split.unknown.begin(), elastic_begin}});
    if (rows.rows.size() == split.closure_rows.size()) split.closure_rows = rows.rows;
  }
  std::vector<int> stretches, modes(static_cast<std::size_t>(tree.num_modes));
  for (std::size_t i = 0; i < split.elastic_rows.size(); ++i)
    if (const int v = *(elastic_begin + static_cast<std::ptrdiff_t>(i)); v < 2 * n) stretches.push_back(v);
  for (int k = 0; k < tree.num_modes; ++k) modes[static_cast<std::size_t>(k)] = 2 * n + k;
  const double now = split_quality(closure, elastic, constraints.split);
  // Of the modes that move the rows most first, since these are the stiff ones, and the rest then vibrates freely. In
  // the measure of the quality only where that does not do.
  MatrixX jacobians = elastic(split.elastic_rows, Eigen::all);
  for (const bool relative : {false, true}) {
    if (relative) scale_columns(jacobians);
    const Pivots picked = pick_pivots(jacobians, {stretches, modes});
    if (picked.columns.size() != split.elastic_rows.size()) continue;
    std::copy(picked.columns.begin(), picked.columns.end(), elastic_begin);
    if (num_dependent_modes(tree, split) != num_dependent_modes(tree, constraints.split)) continue;
    const double then = split_quality(closure, elastic, split);
    if (then > 2 * now && (relative || then > good_quality)) return recorded_split(tree, split);
  }
  return {};
}

void choose_split(const Model& model, const Mechanism& mechanism, const ErlsTree& tree,
                  const Configuration& configuration, TreeWork<double>& work, Gauge gauge,
                  ErlsConstraints& constraints) {
  constraints.loops = loop_joints(model, mechanism, tree);
  constraints.num_charts = mechanism.num_charts();
  constraints.num_loop_rows = 0;
  for (const LoopJoint& loop : constraints.loops) constraints.num_loop_rows += static_cast<int>(loop.rows.size());
  const int n = tree.num_coordinates;
  VariableSplit& split = constraints.split;
  update_displacement(tree, work);

  const std::vector<int> dependent_joints = choose_independent(mechanism, model, configuration).dependent;
  MatrixX closure(constraints.num_loop_rows, n), elastic(constraints.num_loop_rows, tree.num_variables());
  loop_jacobians(constraints.loops, tree, work, closure, elastic);
  const Pivots pivots = pick_pivots(closure, {dependent_joints});
  split.num_unknown_joints = static_cast<int>(pivots.columns.size());
  MatrixX by_joints_and_modes(constraints.num_loop_rows, n + tree.num_modes);
  by_joints_and_modes << elastic.middleCols(tree.carried ? 0 : n, n), elastic.rightCols(tree.num_modes);
  const Pivots elastic_pivots = pick_elastic(by_joints_and_modes, pivots.columns, constraints.loops, tree);
  split.elastic_rows = elastic_pivots.rows;
  if (!tree.carried) {
    split.closure_rows = pivots.rows;
    split.unknown = pivots.columns;
  }
  for (int v : elastic_pivots.columns) split.unknown.push_back(tree.carried && v < n ? v : n + v);

  std::vector<char> dependent(tree.num_variables(), 0);
  for (int v : split.unknown) dependent[v] = 1;
  const std::vector<char> prescribed = prescribed_coordinates(model, mechanism);
  for (int c = 0; c < n; ++c)
    if (!dependent[c]) (prescribed[c] ? split.prescribed : split.independent).push_back(c);
  split.num_joint_coordinates = static_cast<int>(split.independent.size());
  if (gauge == Gauge::minimum_norm && tree.num_modes > 0) split.gauge_coordinates = split.independent;
  for (int c : split.gauge_coordinates) split.unknown.push_back(n + c);
  for (int k = 0; k < tree.num_modes; ++k)
    if (!dependent[2 * n + k]) split.independent.push_back(2 * n + k);
  mark_used_rows(constraints);
}

SignalValue cut_displacement(const LoopJoint& loop, const Freedom& freedom, const ErlsTree& tree,
                             TreeWork<double>& work) {
  if (loop.type == JointType::universal || loop.type == JointType::spherical || loop.type == JointType::free) return {};
  // Taylor series of y(t): value, rate and half the acceleration ride on two nested derivatives.
  using D2 = Dual<Dual<double, 1>, 1>;
  TreeWork<D2> series(tree, static_cast<int>(work.references.size()));
  copy_positions(work, series);
  for (int v = 0; v < tree.num_variables(); ++v) {
    D2& y = variable(series, v);
    y.value.jacobian[0] = variable_rate(work, v);
    y.jacobian[0].value = variable_rate(work, v);
    y.jacobian[0].jacobian[0] = variable_acceleration(work, v);
  }
  update_displacement(tree, series);
  const SidePlace<D2> a = place_side(loop.parent, tree, series), b = place_side(loop.child, tree, series);
  const Vec3<D2> axis = a.axes * freedom.axis.cast<D2>();
  const D2 value = freedom.motion == FrameMotion::revolute
                       ? axis.dot(b.rotation - a.rotation)
                       : axis.dot(b.displacement - a.displacement - a.rotation.cross(Vec3<D2>(b.point - a.point)));
  return {value.value.value, value.jacobian[0].value, value.jacobian[0].jacobian[0]};
}

template ConstraintScratch<double>::ConstraintScratch(const ErlsTree&, const ErlsConstraints&);
template class ConstraintSolver<double>;

}  // namespace lithe
