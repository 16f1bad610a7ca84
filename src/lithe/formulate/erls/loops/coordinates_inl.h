// Definitions of ConstraintSolver; included by the sources that instantiate it.
#pragma once

#include <cmath>
#include <type_traits>

#include "lithe/formulate/erls/loops/coordinates.h"
#include "lithe/formulate/erls/loops/loop_motion_inl.h"

namespace lithe {

// The smallest pivot as a part of its column. Where it is tiny, the dependent coordinates hardly follow the independent
// ones (in a four-bar it is the sine of the transmission angle): motion would be lost in rounding long before the
// matrix itself becomes singular.
constexpr double least_part = 1e-5;
template <class S>
double smallest_part(const MatX<S>& matrix, const SmallLu<S>& factor) {
  double smallest = 1;
  for (Eigen::Index k = 0; k < matrix.cols(); ++k) {
    double column = 0;
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) column = std::max(column, std::abs(plain_value(matrix(i, k))));
    smallest = std::min(smallest, std::abs(plain_value(factor.pivot(k))) / column);
  }
  return smallest;
}

// The same of closure rows alone, as a part of what the unknown joints do in all rows: rows that no longer see a joint
// have a small column altogether.
template <class S>
double smallest_closure_part(const MatX<S>& jacobians, const std::vector<int>& unknown, const SmallLu<S>& factor,
                             std::size_t size) {
  double smallest = 1;
  for (std::size_t k = 0; k < size; ++k) {
    double column = 0;
    for (Eigen::Index i = 0; i < jacobians.rows(); ++i)
      column = std::max(column, std::abs(plain_value(jacobians(i, unknown[k]))));
    smallest = std::min(smallest, std::abs(plain_value(factor.pivot(static_cast<Eigen::Index>(k)))) / column);
  }
  return smallest;
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
  closure_jacobians.resize(constraints.num_loop_rows, tree.num_coordinates);
  elastic_jacobians.resize(constraints.num_loop_rows, tree.num_variables());
  for (auto* values : {&closure, &elastic}) values->setConstant(S(0.0));
  for (auto* jacobians : {&closure_jacobians, &elastic_jacobians}) jacobians->setConstant(S(0.0));
  if (split.gauge_coordinates.empty()) return;
  loop_factor.resize(dependent);
  transposed.resize(dependent, dependent);
  along_dependent.resize(dependent, 1);
}

template <class S>
ConstraintSolver<S>::GaugeWork::GaugeWork(const ErlsTree& tree, const ErlsConstraints& constraints)
    : jacobians(tree, constraints.num_charts),
      curvatures(tree, constraints.num_charts),
      jacobian_scratch(tree, constraints),
      curvature_scratch(tree, constraints) {}

template <class S>
ConstraintSolver<S>::ConstraintSolver(const ErlsTree& tree, const ErlsConstraints& constraints)
    : scratch_(tree, constraints) {
  const VariableSplit& split = constraints.split;
  if (!split.gauge_coordinates.empty()) gauge_ = std::make_unique<GaugeWork>(tree, constraints);
  motion_.frames.resize(tree.frames.size());
  const auto rows = split.num_rows();
  by_unknown_.resize(rows, rows);
  inverse_.resize(rows, rows);
  by_independent_.resize(rows, split.independent.size());
  along_.resize(static_cast<Eigen::Index>(split.independent.size()));
  across_.resize(rows);
  tangent_.resize(rows, split.independent.size());
  prescribed_tangent_.resize(rows, split.prescribed.size());
  factor_.resize(rows);
  right_side_.resize(rows, 1);
  bias_.resize(rows, 1);
  const auto closing = static_cast<Eigen::Index>(split.closure_rows.size());
  const auto bending = static_cast<Eigen::Index>(split.elastic_rows.size());
  closure_matrix_.resize(closing, closing);
  closure_step_.resize(closing, 1);
  closure_factor_.resize(closing);
  elastic_matrix_.resize(bending, bending);
  elastic_step_.resize(bending, 1);
  elastic_factor_.resize(bending);
}

// Γᵀ Θ_β: momentum of the displacement field along the motions that the loops allow, in place of `momentum`.
template <class S>
void project_on_loops(const ErlsTree& tree, const ErlsConstraints& constraints, const TreeWork<S>& work,
                      ConstraintScratch<S>& scratch) {
  const VariableSplit& split = constraints.split;
  const auto num_dependent = static_cast<Eigen::Index>(split.closure_rows.size());
  if (num_dependent == 0) return;
  MatX<S>& full = scratch.closure_jacobians;
  loop_jacobians(constraints.loops, tree, work, full, scratch.elastic_jacobians);
  for (Eigen::Index j = 0; j < num_dependent; ++j) {
    for (Eigen::Index i = 0; i < num_dependent; ++i)
      scratch.transposed(j, i) = full(split.closure_rows[i], split.unknown[j]);
    scratch.along_dependent(j, 0) = scratch.momentum(split.unknown[j]);
  }
  if (!scratch.loop_factor.compute(scratch.transposed)) return;
  scratch.loop_factor.solve(scratch.along_dependent);
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
void ConstraintSolver<S>::jacobian(const ErlsTree& tree, const ErlsConstraints& constraints, const TreeWork<S>& work,
                                   const std::vector<int>& variables, MatX<S>& result) {
  const VariableSplit& split = constraints.split;
  if (!split.gauge_coordinates.empty()) return sweep_jacobian(tree, constraints, work, variables, result);
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const int v = variables[k];
    Eigen::Index row = 0;
    for (int r : split.closure_rows)
      result(row++, k) = v < tree.num_coordinates ? scratch_.closure_jacobians(r, v) : S(0.0);
    for (int r : split.elastic_rows) result(row++, k) = scratch_.elastic_jacobians(r, v);
  }
}

template <class S>
void ConstraintSolver<S>::sweep_jacobian(const ErlsTree& tree, const ErlsConstraints& constraints,
                                         const TreeWork<S>& work, const std::vector<int>& variables, MatX<S>& result) {
  const int n = static_cast<int>(variables.size());
  for (int first = 0; first < n; first += jacobian_lanes) {
    const int lanes = std::min(jacobian_lanes, n - first);
    copy_positions(work, gauge_->jacobians);
    for (int lane = 0; lane < lanes; ++lane)
      variable(gauge_->jacobians, variables[first + lane]).jacobian[lane] = S(1.0);
    constraint_rows(tree, constraints, gauge_->jacobians, gauge_->jacobian_scratch);
    const VecX<Dual<S, jacobian_lanes>>& rows = gauge_->jacobian_scratch.rows;
    for (int lane = 0; lane < lanes; ++lane)
      for (Eigen::Index r = 0; r < result.rows(); ++r) result(r, first + lane) = rows(r).jacobian[lane];
  }
}

// Newton's iteration is over when a step is so small that the next one would be lost in rounding: it converges
// quadratically. Derivative derivatives follow one step later.
template <class S>
class NewtonEnd {
 public:
  bool reached(double largest) {
    const bool close = largest < 1e-8, before = close_before_;
    close_before_ = close;
    return close && (std::is_same_v<S, double> || before);
  }

 private:
  bool close_before_ = false;
};

template <class S>
bool all_finite(const MatX<S>& values) {
  for (Eigen::Index i = 0; i < values.size(); ++i)
    if (!std::isfinite(plain_value(values(i)))) return false;
  return true;
}

template <class S>
bool ConstraintSolver<S>::solve_position(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work,
                                         int max_iterations) {
  if (gauge_) return solve_together(tree, constraints, work, max_iterations);
  if (tree.carried) return close_deformed(tree, constraints, work, max_iterations);
  return close_loops(tree, constraints, work, max_iterations) && solve_elastic(tree, constraints, work);
}

// Ψ knows the joints alone. Of an overconstrained loop all rows are met, by least squares: a choice of as many as there
// are unknown joints may be met in other ways, too, where it is singular.
template <class S>
bool ConstraintSolver<S>::close_loops(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work,
                                      int max_iterations) {
  const VariableSplit& split = constraints.split;
  const std::vector<int>& rows = split.closure_rows;
  const bool overconstrained = static_cast<int>(rows.size()) < constraints.num_loop_rows;
  const auto along = [&](int joint) { return scratch_.closure_jacobians.col(joint); };
  NewtonEnd<S> end;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    for (std::size_t i = 0; i < tree.frames.size(); ++i) place_frame(tree.frames[i], work, work.frames[i]);
    loop_closure(constraints.loops, tree, work, scratch_.closure, scratch_.closure_jacobians);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      closure_step_(i, 0) = overconstrained ? along(split.unknown[i]).dot(scratch_.closure) : scratch_.closure(rows[i]);
      for (std::size_t k = 0; k < rows.size(); ++k)
        closure_matrix_(i, k) = overconstrained ? along(split.unknown[i]).dot(along(split.unknown[k]))
                                                : scratch_.closure_jacobians(rows[i], split.unknown[k]);
    }
    if (!all_finite(closure_step_) || !closure_factor_.compute(closure_matrix_)) return false;
    closure_factor_.solve(closure_step_);
    double largest = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      work.beta(split.unknown[k]) -= closure_step_(k, 0);
      largest = std::max(largest, std::abs(plain_value(closure_step_(k, 0))));
    }
    if (end.reached(largest)) return true;
  }
  return false;
}

// Loops of deformed links, Ψ(β, q) = 0. Of an overconstrained loop all rows are met, by least squares, as above.
template <class S>
bool ConstraintSolver<S>::close_deformed(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work,
                                         int max_iterations) {
  const VariableSplit& split = constraints.split;
  const std::vector<int>& rows = split.elastic_rows;
  const bool overconstrained = static_cast<int>(rows.size()) < constraints.num_loop_rows;
  const bool bends =
      std::any_of(split.unknown.begin(), split.unknown.end(), [&](int v) { return v >= 2 * tree.num_coordinates; });
  const MatX<S>& jacobians = bends ? scratch_.elastic_jacobians : scratch_.closure_jacobians;
  place_carriers(tree, work);
  NewtonEnd<S> end;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    if (bends && iteration > 0) place_carriers(tree, work);
    for (std::size_t i = 0; i < tree.frames.size(); ++i) place_frame(tree.frames[i], work, work.frames[i]);
    loop_closure(constraints.loops, tree, work, scratch_.closure, scratch_.closure_jacobians);
    if (bends)
      loop_elastic_jacobians(constraints.loops, tree, work, scratch_.closure_jacobians, scratch_.elastic_jacobians);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto along = jacobians.col(split.unknown[i]);
      elastic_step_(i, 0) = overconstrained ? along.dot(scratch_.closure) : scratch_.closure(rows[i]);
      for (std::size_t k = 0; k < rows.size(); ++k)
        elastic_matrix_(i, k) =
            overconstrained ? along.dot(jacobians.col(split.unknown[k])) : jacobians(rows[i], split.unknown[k]);
    }
    if (!all_finite(elastic_step_) || !elastic_factor_.compute(elastic_matrix_)) return false;
    elastic_factor_.solve(elastic_step_);
    double largest = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      variable(work, split.unknown[k]) -= elastic_step_(k, 0);
      largest = std::max(largest, std::abs(plain_value(elastic_step_(k, 0))));
    }
    if (end.reached(largest)) {
      if (bends) place_carriers(tree, work);  // otherwise no mode has moved
      for (std::size_t i = 0; i < tree.frames.size(); ++i) place_frame(tree.frames[i], work, work.frames[i]);
      loop_elastic_jacobians(constraints.loops, tree, work, scratch_.closure_jacobians, scratch_.elastic_jacobians);
      return true;
    }
  }
  return false;
}

// Λ is linear in ε and q: one step.
template <class S>
bool ConstraintSolver<S>::solve_elastic(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work) {
  const VariableSplit& split = constraints.split;
  const std::vector<int>& rows = split.elastic_rows;
  const std::size_t first = split.closure_rows.size();
  update_displacement(tree, work);
  loop_residuals(constraints.loops, tree, work, scratch_.closure, scratch_.elastic);
  loop_elastic_jacobians(constraints.loops, tree, work, scratch_.closure_jacobians, scratch_.elastic_jacobians);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    elastic_step_(i, 0) = scratch_.elastic(rows[i]);
    for (std::size_t k = 0; k < rows.size(); ++k)
      elastic_matrix_(i, k) = scratch_.elastic_jacobians(rows[i], split.unknown[first + k]);
  }
  if (!all_finite(elastic_step_) || !elastic_factor_.compute(elastic_matrix_)) return false;
  elastic_factor_.solve(elastic_step_);
  for (std::size_t k = 0; k < rows.size(); ++k) variable(work, split.unknown[first + k]) -= elastic_step_(k, 0);
  return true;
}

template <class S>
bool ConstraintSolver<S>::solve_together(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work,
                                         int max_iterations) {
  const std::vector<int>& unknown = constraints.split.unknown;
  MatX<S>& step = right_side_;
  NewtonEnd<S> end;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    constraint_rows(tree, constraints, work, scratch_);
    step.col(0) = scratch_.rows;
    jacobian(tree, constraints, work, unknown, by_unknown_);
    if (!all_finite(step) || !factor_.compute(by_unknown_)) return false;
    factor_.solve(step);
    double largest = 0;
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      variable(work, unknown[i]) -= step(i, 0);
      largest = std::max(largest, std::abs(plain_value(step(i, 0))));
    }
    if (end.reached(largest)) return true;
  }
  return false;
}

// A B, where a column of B has entries only in the rows of the loops that its variable moves.
template <class S>
void multiply_loops(const MatX<S>& A, const MatX<S>& B, MatX<S>& result) {
  constexpr Eigen::Index many = 32;
  if (!std::is_same_v<S, double> || A.cols() <= many) {
    result.noalias() = A.lazyProduct(B);
    return;
  }
  result.setZero(A.rows(), B.cols());
  for (Eigen::Index j = 0; j < B.cols(); ++j)
    for (Eigen::Index k = 0; k < B.rows(); ++k)
      if (plain_value(B(k, j)) != 0) result.col(j) += B(k, j) * A.col(k);
}

template <class S>
bool ConstraintSolver<S>::solve_tangent(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work) {
  const VariableSplit& split = constraints.split;
  if (gauge_) {
    update_displacement(tree, work);
  } else if (!tree.carried) {
    displace_frames(tree, work);
    loop_joint_jacobians(constraints.loops, tree, work, scratch_.elastic_jacobians);
  }
  jacobian(tree, constraints, work, split.unknown, by_unknown_);
  if (!factor_.compute(by_unknown_)) return false;
  conditioning_ = smallest_part(by_unknown_, factor_);
  if (!gauge_ && static_cast<int>(split.closure_rows.size()) < constraints.num_loop_rows) {
    for (std::size_t i = 0; i < split.closure_rows.size(); ++i)
      for (std::size_t k = 0; k < split.closure_rows.size(); ++k)
        closure_matrix_(i, k) = scratch_.closure_jacobians(split.closure_rows[i], split.unknown[k]);
    if (!closure_factor_.compute(closure_matrix_)) return false;
    conditioning_ = std::min(conditioning_, smallest_closure_part(scratch_.closure_jacobians, split.unknown,
                                                                  closure_factor_, split.closure_rows.size()));
  }
  if (!(conditioning_ > least_part)) return false;
  jacobian(tree, constraints, work, split.independent, by_independent_);
  jacobian(tree, constraints, work, split.prescribed, prescribed_tangent_);
  factor_.invert(inverse_);  // one or two loops: small, with many columns on the right
  inverse_ = -inverse_;
  multiply_loops<S>(inverse_, by_independent_, tangent_);
  prescribed_tangent_ = -prescribed_tangent_;
  factor_.solve(prescribed_tangent_);
  return true;
}

template <class S>
void ConstraintSolver<S>::solve_velocity(const ErlsConstraints& constraints, TreeWork<S>& work) {
  const VariableSplit& split = constraints.split;
  for (std::size_t j = 0; j < split.independent.size(); ++j)
    along_(static_cast<Eigen::Index>(j)) = variable_rate(work, split.independent[j]);
  across_.noalias() = tangent_.lazyProduct(along_);
  for (std::size_t i = 0; i < split.unknown.size(); ++i) {
    S rate = across_(static_cast<Eigen::Index>(i));
    for (std::size_t j = 0; j < split.prescribed.size(); ++j)
      rate += prescribed_tangent_(i, j) * variable_rate(work, split.prescribed[j]);
    variable_rate(work, split.unknown[i]) = rate;
  }
}

// Ξ_u b = -ẏᵀ Ξ_yy ẏ: what the rows do when no variable accelerates. Of the gauge by a second derivative along the
// velocity.
template <class S>
void ConstraintSolver<S>::solve_bias(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work) {
  const VariableSplit& split = constraints.split;
  if (gauge_) {
    copy_positions(work, gauge_->curvatures);
    for (int index = 0; index < tree.num_variables(); ++index) {
      Dual<Dual<S, 1>, 1>& y = variable(gauge_->curvatures, index);
      y.value.jacobian[0] = variable_rate(work, index);
      y.jacobian[0] = Dual<S, 1>(variable_rate(work, index));
    }
    constraint_rows(tree, constraints, gauge_->curvatures, gauge_->curvature_scratch);
    for (Eigen::Index r = 0; r < bias_.rows(); ++r)
      bias_(r, 0) = -gauge_->curvature_scratch.rows(r).jacobian[0].jacobian[0];
  } else {
    loop_accelerations(constraints.loops, tree, work, false, motion_, scratch_.closure, scratch_.elastic);
    Eigen::Index row = 0;
    for (int r : split.closure_rows) bias_(row++, 0) = -scratch_.closure(r);
    for (int r : split.elastic_rows) bias_(row++, 0) = -scratch_.elastic(r);
  }
  factor_.solve(bias_);
}

// ü = T ẍ + T_p p̈ + b
template <class S>
void ConstraintSolver<S>::solve_acceleration(const ErlsConstraints& constraints, TreeWork<S>& work,
                                             bool independent_vanish) {
  const VariableSplit& split = constraints.split;
  across_ = bias_.col(0);
  if (!independent_vanish) {
    for (std::size_t j = 0; j < split.independent.size(); ++j)
      along_(static_cast<Eigen::Index>(j)) = variable_acceleration(work, split.independent[j]);
    across_.noalias() += tangent_.lazyProduct(along_);
  }
  for (std::size_t i = 0; i < split.unknown.size(); ++i) {
    S acceleration = across_(static_cast<Eigen::Index>(i));
    for (std::size_t j = 0; j < split.prescribed.size(); ++j)
      acceleration += prescribed_tangent_(i, j) * variable_acceleration(work, split.prescribed[j]);
    variable_acceleration(work, split.unknown[i]) = acceleration;
  }
}

template <class S>
void ConstraintSolver<S>::multipliers(const VecX<S>& forces, VecX<S>& result) const {
  result = -forces;
  factor_.solve_transposed(result);
}

// In coordinates.cpp and coordinates_dual.cpp.
extern template ConstraintScratch<double>::ConstraintScratch(const ErlsTree&, const ErlsConstraints&);
extern template ConstraintScratch<ErlsDual>::ConstraintScratch(const ErlsTree&, const ErlsConstraints&);
extern template class ConstraintSolver<double>;
extern template class ConstraintSolver<ErlsDual>;

}  // namespace lithe
