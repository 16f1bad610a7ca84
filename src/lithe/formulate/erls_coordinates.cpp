#include "lithe/formulate/erls_coordinates.h"

#include <algorithm>
#include <cmath>

#include "lithe/base/text.h"
#include "lithe/formulate/erls_coordinates_inl.h"

namespace lithe {
namespace {

// Rows and columns picked by elimination with full pivoting; columns of an earlier group are used up before a later one
// is looked at.
struct Pivots {
  std::vector<int> rows, columns;
};

Pivots pick_pivots(MatrixX A, const std::vector<std::vector<int>>& column_groups) {
  Pivots pivots;
  const double scale = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0.0;
  std::vector<char> row_used(A.rows(), 0), column_used(A.cols(), 0);
  for (const std::vector<int>& group : column_groups)
    for (std::size_t count = 0; count < group.size(); ++count) {
      int best_row = -1, best_column = -1;
      double best = 1e-9 * scale;
      for (int c : group)
        for (int r = 0; r < A.rows() && !column_used[c]; ++r)
          if (!row_used[r] && std::abs(A(r, c)) > best) best = std::abs(A(r, c)), best_row = r, best_column = c;
      if (best_row < 0) break;
      row_used[best_row] = column_used[best_column] = 1;
      pivots.rows.push_back(best_row);
      pivots.columns.push_back(best_column);
      for (int r = 0; r < A.rows(); ++r)
        if (!row_used[r]) A.row(r) -= A(r, best_column) / A(best_row, best_column) * A.row(best_row);
    }
  return pivots;
}

struct DeclaredCoordinates {
  std::vector<char> prescribed;
  std::vector<int> dependent, open, independent;  // coordinates by what the user said of them
};

DeclaredCoordinates declared_coordinates(const Model& model, const Mechanism& mechanism) {
  DeclaredCoordinates declared;
  declared.prescribed.assign(mechanism.num_coordinates(), 0);
  for (const Drive& drive : model.drives) {
    const int c = mechanism.coordinate_of(drive.joint, drive.freedom);
    if (drive.prescribes_motion && c >= 0) declared.prescribed[c] = 1;
  }
  std::vector<char> driven(mechanism.num_coordinates(), 0);
  for (const Drive& drive : model.drives) {
    const int c = mechanism.coordinate_of(drive.joint, drive.freedom);
    if (c >= 0) driven[c] = 1;
  }
  for (const TreeFrame& frame : mechanism.frames()) {
    const int c = frame.coordinate;
    if (c < 0 || declared.prescribed[c]) continue;
    const std::optional<bool>& choice = model.joints[frame.joint].independent;
    if (choice.has_value()) {
      (*choice ? declared.independent : declared.dependent).push_back(c);
    } else {
      (driven[c] ? declared.independent : declared.open).push_back(c);
    }
  }
  return declared;
}

MatrixX elastic_jacobian(const ErlsTree& tree, const ErlsConstraints& constraints, const TreeWork<double>& work) {
  // Λ is linear in (ε, q): unit values, one at a time, give its columns.
  TreeWork<double> probe = work;
  const int n = tree.num_coordinates;
  MatrixX jacobian(constraints.num_loop_rows, n + tree.num_modes);
  VectorX closure(constraints.num_loop_rows), elastic(constraints.num_loop_rows);
  probe.eps.setZero();
  probe.q.setZero();
  for (int v = 0; v < n + tree.num_modes; ++v) {
    double& value = variable(probe, n + v);
    value = 1;
    update_displacement(tree, probe);
    loop_residuals(constraints.loops, tree, probe, closure, elastic);
    jacobian.col(v) = elastic;
    value = 0;
  }
  return jacobian;
}

std::string name_list(const Mechanism& mechanism, const std::vector<int>& coordinates) {
  std::string list;
  for (int c : coordinates) list += (list.empty() ? "'" : ", '") + mechanism.coordinate_name(c) + "'";
  return list;
}

}  // namespace

std::string choose_split(const Model& model, const Mechanism& mechanism, const ErlsTree& tree, TreeWork<double>& work,
                         Gauge gauge, ErlsConstraints& constraints) {
  constraints.loops = loop_joints(model, mechanism, tree);
  constraints.num_charts = mechanism.num_charts();
  constraints.num_loop_rows = 0;
  for (const LoopJoint& loop : constraints.loops) constraints.num_loop_rows += static_cast<int>(loop.rows.size());
  const int n = tree.num_coordinates;
  const DeclaredCoordinates declared = declared_coordinates(model, mechanism);
  VariableSplit& split = constraints.split;
  update_displacement(tree, work);

  MatrixX closure(constraints.num_loop_rows, n);
  closure_jacobian(constraints.loops, tree, work, closure);
  std::vector<int> everything(n);
  for (int c = 0; c < n; ++c) everything[c] = c;
  const std::size_t rank = pick_pivots(closure, {everything}).rows.size();
  Pivots pivots = pick_pivots(closure, {declared.dependent, declared.open});
  if (pivots.rows.size() < rank) {
    std::vector<int> claimed = declared.independent;
    for (int c = 0; c < n; ++c)
      if (declared.prescribed[c]) claimed.push_back(c);
    return cat("the loops leave ", n - static_cast<int>(rank), " freedoms in this posture, so the joint coordinates ",
               name_list(mechanism, claimed),
               " cannot all be independent (driven, prescribed or declared so); free one of them, or move away from a "
               "singular posture");
  }
  split.closure_rows = pivots.rows;
  split.num_redundant_closure_rows = constraints.num_loop_rows - static_cast<int>(rank);
  std::vector<char> dependent(n + n + tree.num_modes, 0);
  for (int c : pivots.columns) dependent[c] = 1;

  const MatrixX elastic = elastic_jacobian(tree, constraints, work);
  std::vector<int> modes(tree.num_modes);
  for (int k = 0; k < tree.num_modes; ++k) modes[k] = n + k;
  const Pivots elastic_pivots = pick_pivots(elastic, {pivots.columns, modes});
  split.elastic_rows = elastic_pivots.rows;
  split.unknown = pivots.columns;
  for (int v : elastic_pivots.columns) {
    split.unknown.push_back(n + v);
    dependent[n + v] = 1;
  }
  for (int c = 0; c < n; ++c) {
    if (dependent[c]) continue;
    if (declared.prescribed[c]) {
      split.prescribed.push_back(c);
      continue;
    }
    split.independent.push_back(c);
    if (gauge == Gauge::minimum_norm && tree.num_modes > 0) {
      split.gauge_coordinates.push_back(c);
      split.unknown.push_back(n + c);
    }
  }
  split.num_joint_coordinates = static_cast<int>(split.independent.size());
  for (int k = 0; k < tree.num_modes; ++k)
    if (!dependent[2 * n + k]) split.independent.push_back(2 * n + k);
  return {};
}

template class ConstraintSolver<double>;

}  // namespace lithe
