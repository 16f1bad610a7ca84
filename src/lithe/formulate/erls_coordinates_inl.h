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

// Whether a pivot is so small a part of its column that the dependent coordinates hardly follow the independent ones
// any more: a coupler that has become straight. In a four-bar the part is the sine of the transmission angle. Beyond,
// motion would be lost in rounding long before the matrix itself becomes singular.
template <class S>
bool near_singular(const MatX<S>& matrix, const MatX<S>& eliminated) {
  constexpr double least_part = 1e-5;
  for (Eigen::Index k = 0; k < matrix.cols(); ++k) {
    double column = 0;
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) column = std::max(column, std::abs(plain_value(matrix(i, k))));
    if (std::abs(plain_value(eliminated(k, k))) < least_part * column) return true;
  }
  return false;
}

template <class S>
ConstraintScratch<S>::ConstraintScratch(const ErlsTree& tree, const ErlsConstraints& constraints)
    : linear(tree.frames.size()), angular(tree.frames.size()) {
  const VariableSplit& split = constraints.split;
  const auto dependent = static_cast<Eigen::Index>(split.closure_rows.size());
  rows.resize(split.num_rows());
  closure.resize(constraints.num_loop_rows);
  elastic.resize(constraints.num_loop_rows);
  momentum.resize(tree.num_coordinates);
  closure_slopes.resize(constraints.num_loop_rows, tree.num_coordinates);
  elastic_slopes.resize(constraints.num_loop_rows, tree.num_variables());
  if (split.gauge_coordinates.empty()) return;
  transposed.resize(dependent, dependent);
  along_dependent.resize(dependent, 1);
}

template <class S>
ConstraintSolver<S>::ConstraintSolver(const ErlsTree& tree, const ErlsConstraints& constraints)
    : slopes_(tree, constraints.num_charts),
      curvatures_(tree, constraints.num_charts),
      scratch_(tree, constraints),
      slope_scratch_(tree, constraints),
      curvature_scratch_(tree, constraints) {
  const VariableSplit& split = constraints.split;
  const auto rows = split.num_rows();
  by_unknown_.resize(rows, split.unknown.size());
  by_independent_.resize(rows, split.independent.size());
  by_prescribed_.resize(rows, split.prescribed.size());
  tangent_.resize(rows, split.independent.size());
  prescribed_tangent_.resize(rows, split.prescribed.size());
  factor_.resize(rows, rows);
  right_side_.resize(rows, 1);
}

// Γᵀ Θ_β: momentum of the displacement field along the motions that the loops allow, in place of `momentum`.
template <class S>
void project_on_loops(const ErlsTree& tree, const ErlsConstraints& constraints, const TreeWork<S>& work,
                      ConstraintScratch<S>& scratch) {
  const VariableSplit& split = constraints.split;
  const auto num_dependent = static_cast<Eigen::Index>(split.closure_rows.size());
  if (num_dependent == 0) return;
  MatX<S>& full = scratch.closure_slopes;
  loop_jacobians(constraints.loops, tree, work, full, scratch.elastic_slopes);
  for (Eigen::Index j = 0; j < num_dependent; ++j) {
    for (Eigen::Index i = 0; i < num_dependent; ++i)
      scratch.transposed(j, i) = full(split.closure_rows[i], split.unknown[j]);
    scratch.along_dependent(j, 0) = scratch.momentum(split.unknown[j]);
  }
  solve_in_place<S>(scratch.transposed, scratch.along_dependent);
  for (int c : split.gauge_coordinates)
    for (Eigen::Index i = 0; i < num_dependent; ++i)
      scratch.momentum(c) -= scratch.along_dependent(i, 0) * full(split.closure_rows[i], c);
}

template <class S>
void constraint_rows(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work,
                     ConstraintScratch<S>& scratch) {
  const VariableSplit& split = constraints.split;
  update_displacement(tree, work);
  loop_residuals(constraints.loops, tree, work, scratch.closure, scratch.elastic);
  Eigen::Index row = 0;
  for (int r : split.closure_rows) scratch.rows(row++) = scratch.closure(r);
  for (int r : split.elastic_rows) scratch.rows(row++) = scratch.elastic(r);
  if (split.gauge_coordinates.empty()) return;
  displacement_momentum(tree, work, scratch.linear, scratch.angular, scratch.momentum);
  project_on_loops(tree, constraints, work, scratch);
  for (int c : split.gauge_coordinates) scratch.rows(row++) = scratch.momentum(c);
}

template <class S, class T>
void copy_positions(const TreeWork<S>& from, TreeWork<T>& to) {
  for (Eigen::Index i = 0; i < from.beta.size(); ++i) to.beta(i) = T(from.beta(i)), to.eps(i) = T(from.eps(i));
  for (Eigen::Index i = 0; i < from.q.size(); ++i) to.q(i) = T(from.q(i));
  for (std::size_t i = 0; i < from.references.size(); ++i)
    for (int k = 0; k < 9; ++k) to.references[i](k) = T(from.references[i](k));
}

template <class S>
void ConstraintSolver<S>::update_slopes(const ErlsTree& tree, const ErlsConstraints& constraints,
                                        const TreeWork<S>& work) {
  if (constraints.split.gauge_coordinates.empty())
    loop_jacobians(constraints.loops, tree, work, scratch_.closure_slopes, scratch_.elastic_slopes);
}

template <class S>
void ConstraintSolver<S>::jacobian(const ErlsTree& tree, const ErlsConstraints& constraints, const TreeWork<S>& work,
                                   const std::vector<int>& variables, MatX<S>& result) {
  const VariableSplit& split = constraints.split;
  if (!split.gauge_coordinates.empty()) return sweep_jacobian(tree, constraints, work, variables, result);
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const int v = variables[k];
    Eigen::Index row = 0;
    for (int r : split.closure_rows)
      result(row++, k) = v < tree.num_coordinates ? scratch_.closure_slopes(r, v) : S(0.0);
    for (int r : split.elastic_rows) result(row++, k) = scratch_.elastic_slopes(r, v);
  }
}

template <class S>
void ConstraintSolver<S>::sweep_jacobian(const ErlsTree& tree, const ErlsConstraints& constraints,
                                         const TreeWork<S>& work, const std::vector<int>& variables, MatX<S>& result) {
  const int n = static_cast<int>(variables.size());
  for (int first = 0; first < n; first += jacobian_lanes) {
    const int lanes = std::min(jacobian_lanes, n - first);
    copy_positions(work, slopes_);
    for (int lane = 0; lane < lanes; ++lane) variable(slopes_, variables[first + lane]).slope[lane] = S(1.0);
    constraint_rows(tree, constraints, slopes_, slope_scratch_);
    for (int lane = 0; lane < lanes; ++lane)
      for (Eigen::Index r = 0; r < result.rows(); ++r) result(r, first + lane) = slope_scratch_.rows(r).slope[lane];
  }
}

template <class S>
bool ConstraintSolver<S>::solve_position(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work,
                                         int max_iterations) {
  const std::vector<int>& unknown = constraints.split.unknown;
  MatX<S>& step = right_side_;
  bool close_before = false;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    constraint_rows(tree, constraints, work, scratch_);
    step.col(0) = scratch_.rows;
    for (Eigen::Index r = 0; r < step.rows(); ++r)
      if (!std::isfinite(plain_value(step(r, 0)))) return false;
    update_slopes(tree, constraints, work);
    jacobian(tree, constraints, work, unknown, by_unknown_);
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
  update_displacement(tree, work);
  update_slopes(tree, constraints, work);
  jacobian(tree, constraints, work, split.unknown, by_unknown_);
  jacobian(tree, constraints, work, split.independent, by_independent_);
  jacobian(tree, constraints, work, split.prescribed, by_prescribed_);
  factor_ = by_unknown_;
  tangent_ = -by_independent_;
  if (!solve_in_place<S>(factor_, tangent_) || near_singular(by_unknown_, factor_)) return false;
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
  constraint_rows(tree, constraints, curvatures_, curvature_scratch_);
  MatX<S>& bias = right_side_;
  for (Eigen::Index r = 0; r < bias.rows(); ++r) bias(r, 0) = -curvature_scratch_.rows(r).slope[0].slope[0];
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

template <class S>
bool ConstraintSolver<S>::multipliers(const VecX<S>& forces, VecX<S>& result) {
  factor_ = by_unknown_.transpose();
  right_side_.col(0) = -forces;
  const bool solved = solve_in_place<S>(factor_, right_side_);
  result = right_side_.col(0);
  return solved;
}

}  // namespace lithe
