// Definitions of ConstraintSolver; included by the sources that instantiate it.
#pragma once

#include <cmath>

#include "lithe/formulate/erls_constraints_inl.h"
#include "lithe/formulate/erls_coordinates.h"

namespace lithe {

// A X = B by elimination with row pivoting, both overwritten, X in B. False when A is singular to rounding.
template <class S>
bool solve_in_place(MatX<S>& A, Eigen::Ref<MatX<S>> B) {
  const Eigen::Index n = A.rows();
  double largest = 0;
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < n; ++i) largest = std::max(largest, std::abs(plain_value(A(i, j))));
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index pivot = k;
    for (Eigen::Index i = k + 1; i < n; ++i)
      if (std::abs(plain_value(A(i, k))) > std::abs(plain_value(A(pivot, k)))) pivot = i;
    if (!(std::abs(plain_value(A(pivot, k))) > 1e-13 * largest)) return false;
    if (pivot != k) {
      A.row(k).swap(A.row(pivot));
      B.row(k).swap(B.row(pivot));
    }
    for (Eigen::Index i = k + 1; i < n; ++i) {
      const S factor = A(i, k) / A(k, k);
      for (Eigen::Index j = k + 1; j < n; ++j) A(i, j) -= factor * A(k, j);
      for (Eigen::Index j = 0; j < B.cols(); ++j) B(i, j) -= factor * B(k, j);
    }
  }
  for (Eigen::Index k = n; k-- > 0;)
    for (Eigen::Index j = 0; j < B.cols(); ++j) {
      S sum = B(k, j);
      for (Eigen::Index i = k + 1; i < n; ++i) sum -= A(k, i) * B(i, j);
      B(k, j) = sum / A(k, k);
    }
  return true;
}

template <class S>
ConstraintSolver<S>::ConstraintSolver(const ErlsTree& tree, const ErlsConstraints& constraints)
    : slopes_(tree, constraints.num_charts), curvatures_(tree, constraints.num_charts) {
  const VariableSplit& split = constraints.split;
  const auto rows = split.num_rows();
  by_unknown_.resize(rows, split.unknown.size());
  by_independent_.resize(rows, split.independent.size());
  by_prescribed_.resize(rows, split.prescribed.size());
  tangent_.resize(rows, split.independent.size());
  prescribed_tangent_.resize(rows, split.prescribed.size());
  factor_.resize(rows, rows);
  rows_.resize(rows);
  bias_.resize(rows);
}

// Γᵀ Θ_β: momentum of the displacement field along the motions that the loops allow.
template <class S>
VecX<S> gauge_rows(const ErlsTree& tree, const ErlsConstraints& constraints, const TreeWork<S>& work) {
  const VariableSplit& split = constraints.split;
  VecX<S> momentum(tree.num_coordinates);
  displacement_momentum(tree, work, momentum);
  const auto num_dependent = static_cast<Eigen::Index>(split.closure_rows.size());
  VecX<S> along_dependent(num_dependent);
  if (num_dependent > 0) {
    MatX<S> full(constraints.num_loop_rows, tree.num_coordinates);
    closure_jacobian(constraints.loops, tree, work, full);
    MatX<S> transposed(num_dependent, num_dependent), rhs(num_dependent, 1);
    for (Eigen::Index j = 0; j < num_dependent; ++j) {
      for (Eigen::Index i = 0; i < num_dependent; ++i) transposed(j, i) = full(split.closure_rows[i], split.unknown[j]);
      rhs(j, 0) = momentum(split.unknown[j]);
    }
    solve_in_place<S>(transposed, rhs);
    along_dependent = rhs.col(0);
    for (int c : split.gauge_coordinates)
      for (Eigen::Index i = 0; i < num_dependent; ++i)
        momentum(c) -= along_dependent(i) * full(split.closure_rows[i], c);
  }
  VecX<S> rows(split.gauge_coordinates.size());
  for (std::size_t i = 0; i < split.gauge_coordinates.size(); ++i) rows(i) = momentum(split.gauge_coordinates[i]);
  return rows;
}

template <class S>
void constraint_rows(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work, VecX<S>& rows) {
  const VariableSplit& split = constraints.split;
  update_displacement(tree, work);
  VecX<S> closure(constraints.num_loop_rows), elastic(constraints.num_loop_rows);
  loop_residuals(constraints.loops, tree, work, closure, elastic);
  Eigen::Index row = 0;
  for (int r : split.closure_rows) rows(row++) = closure(r);
  for (int r : split.elastic_rows) rows(row++) = elastic(r);
  if (split.gauge_coordinates.empty()) return;
  const VecX<S> gauge = gauge_rows(tree, constraints, work);
  for (Eigen::Index i = 0; i < gauge.size(); ++i) rows(row++) = gauge(i);
}

template <class S>
void ConstraintSolver<S>::residuals(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work,
                                    VecX<S>& rows) {
  constraint_rows(tree, constraints, work, rows);
}

template <class S, class T>
void copy_positions(const TreeWork<S>& from, TreeWork<T>& to) {
  for (Eigen::Index i = 0; i < from.beta.size(); ++i) to.beta(i) = T(from.beta(i)), to.eps(i) = T(from.eps(i));
  for (Eigen::Index i = 0; i < from.q.size(); ++i) to.q(i) = T(from.q(i));
  for (std::size_t i = 0; i < from.references.size(); ++i)
    for (int k = 0; k < 9; ++k) to.references[i](k) = T(from.references[i](k));
}

template <class S>
void ConstraintSolver<S>::jacobian(const ErlsTree& tree, const ErlsConstraints& constraints, const TreeWork<S>& work,
                                   const std::vector<int>& variables, MatX<S>& result) {
  using D = Dual<S, jacobian_lanes>;
  VecX<D> rows(constraints.split.num_rows());
  const int n = static_cast<int>(variables.size());
  for (int first = 0; first < n; first += jacobian_lanes) {
    const int lanes = std::min(jacobian_lanes, n - first);
    copy_positions(work, slopes_);
    for (int lane = 0; lane < lanes; ++lane) variable(slopes_, variables[first + lane]).slope[lane] = S(1.0);
    constraint_rows(tree, constraints, slopes_, rows);
    for (int lane = 0; lane < lanes; ++lane)
      for (Eigen::Index r = 0; r < rows.size(); ++r) result(r, first + lane) = rows(r).slope[lane];
  }
}

template <class S>
bool ConstraintSolver<S>::solve_position(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work,
                                         int max_iterations) {
  const std::vector<int>& unknown = constraints.split.unknown;
  MatX<S> step(rows_.size(), 1);
  bool close_before = false;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    constraint_rows(tree, constraints, work, rows_);
    residual_ = 0;
    for (Eigen::Index r = 0; r < rows_.size(); ++r) residual_ = std::max(residual_, std::abs(plain_value(rows_(r))));
    if (!std::isfinite(residual_)) return false;
    jacobian(tree, constraints, work, unknown, by_unknown_);
    step.col(0) = rows_;
    if (!solve_in_place<S>(by_unknown_, step)) return false;
    double largest = 0;
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      variable(work, unknown[i]) -= step(i, 0);
      largest = std::max(largest, std::abs(plain_value(step(i, 0))));
    }
    // Quadratic convergence: a step below 1e-8 leaves an error at rounding; derivative slopes need the one after it
    // too.
    if (largest < 1e-8 && (std::is_same_v<S, double> || close_before)) return true;
    close_before = largest < 1e-8;
  }
  return false;
}

template <class S>
bool ConstraintSolver<S>::solve_tangent(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work) {
  const VariableSplit& split = constraints.split;
  jacobian(tree, constraints, work, split.unknown, by_unknown_);
  jacobian(tree, constraints, work, split.independent, by_independent_);
  jacobian(tree, constraints, work, split.prescribed, by_prescribed_);
  factor_ = by_unknown_;
  tangent_ = -by_independent_;
  if (!solve_in_place<S>(factor_, tangent_)) return false;
  factor_ = by_unknown_;
  prescribed_tangent_ = -by_prescribed_;
  return solve_in_place<S>(factor_, prescribed_tangent_);
}

template <class S>
void ConstraintSolver<S>::solve_velocity(const ErlsConstraints& constraints, TreeWork<S>& work) {
  const VariableSplit& split = constraints.split;
  for (std::size_t i = 0; i < split.unknown.size(); ++i) {
    S rate(0.0);
    for (std::size_t j = 0; j < split.independent.size(); ++j)
      rate += tangent_(i, j) * variable_rate(work, split.independent[j]);
    for (std::size_t j = 0; j < split.prescribed.size(); ++j)
      rate += prescribed_tangent_(i, j) * variable_rate(work, split.prescribed[j]);
    variable_rate(work, split.unknown[i]) = rate;
  }
}

// Ξ_u ü = -Ξ_x ẍ - Ξ_p p̈ - ẏᵀ Ξ_yy ẏ, the last term by a second derivative along the velocity.
template <class S>
void ConstraintSolver<S>::solve_acceleration(const ErlsTree& tree, const ErlsConstraints& constraints,
                                             TreeWork<S>& work) {
  using D2 = Dual<Dual<S, 1>, 1>;
  const VariableSplit& split = constraints.split;
  copy_positions(work, curvatures_);
  for (int index = 0; index < tree.num_variables(); ++index) {
    D2& y = variable(curvatures_, index);
    y.value.slope[0] = variable_rate(work, index);
    y.slope[0] = Dual<S, 1>(variable_rate(work, index));
  }
  VecX<D2> rows(split.num_rows());
  constraint_rows(tree, constraints, curvatures_, rows);
  MatX<S> bias(rows.size(), 1);
  for (Eigen::Index r = 0; r < rows.size(); ++r) bias(r, 0) = -rows(r).slope[0].slope[0];
  factor_ = by_unknown_;
  solve_in_place<S>(factor_, bias);
  for (std::size_t i = 0; i < split.unknown.size(); ++i) {
    S acceleration = bias(i, 0);
    for (std::size_t j = 0; j < split.independent.size(); ++j)
      acceleration += tangent_(i, j) * variable_acceleration(work, split.independent[j]);
    for (std::size_t j = 0; j < split.prescribed.size(); ++j)
      acceleration += prescribed_tangent_(i, j) * variable_acceleration(work, split.prescribed[j]);
    variable_acceleration(work, split.unknown[i]) = acceleration;
  }
}

}  // namespace lithe
