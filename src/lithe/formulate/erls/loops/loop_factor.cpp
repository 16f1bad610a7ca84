#include "lithe/formulate/erls/loops/loop_factor.h"

#include <algorithm>

#include "lithe/formulate/erls/tree/tree_inl.h"

namespace lithe {
namespace {

// Joint coordinates between the two sides of a cut joint, or tied by a coupling: those that move the loop.
std::vector<char> coordinates_in_loops(const ErlsTree& tree, const ErlsConstraints& constraints) {
  std::vector<char> inside(static_cast<std::size_t>(tree.num_coordinates), 0);
  for (const LoopJoint& loop : constraints.loops) {
    std::vector<int> sides(tree.frames.size(), 0);
    for (const LoopCoordinate& member : loop.coupled) inside[member.coordinate] = 1;
    for (const LoopSide* side : {&loop.parent, &loop.child})
      for (int frame : side->path) ++sides[frame];
    for (std::size_t i = 0; i < sides.size(); ++i)
      if (sides[i] == 1 && tree.frames[i].coordinate >= 0) inside[tree.frames[i].coordinate] = 1;
  }
  return inside;
}

// Where deformed links carry the frames, loops are closed by the joints themselves: all of them are free.
std::vector<TreeFreedom> tree_freedoms(const ErlsTree& tree, const ErlsConstraints& constraints) {
  std::vector<TreeFreedom> freedoms(static_cast<std::size_t>(tree.num_coordinates), TreeFreedom::held);
  const VariableSplit& split = constraints.split;
  if (tree.carried) {
    for (const std::vector<int>* group : {&split.independent, &split.unknown})
      for (int v : *group)
        if (v < tree.num_coordinates) freedoms[v] = TreeFreedom::joint;
    return freedoms;
  }
  const std::vector<char> inside = coordinates_in_loops(tree, constraints);
  for (int i = 0; i < split.num_joint_coordinates; ++i)
    if (!inside[split.independent[i]]) freedoms[split.independent[i]] = TreeFreedom::joint;
  for (int v : split.unknown)
    if (v >= tree.num_coordinates && v < 2 * tree.num_coordinates)
      freedoms[v - tree.num_coordinates] = TreeFreedom::stretch;
  return freedoms;
}

}  // namespace

template <class S>
LoopFactor<S>::LoopFactor(const ErlsTree& tree, const ErlsConstraints& constraints)
    : factor_(tree, tree_freedoms(tree, constraints)) {
  const VariableSplit& split = constraints.split;
  for (int i = 0; i < split.num_joint_coordinates; ++i)
    if (factor_.freedom(split.independent[i]) != TreeFreedom::joint) border_joints_.push_back(i);
  const auto border = static_cast<Eigen::Index>(border_joints_.size() + split.elastic_rows.size());
  for (Matrix* m : {&border_joint_rows_, &solved_joint_rows_}) m->setZero(tree.num_coordinates, border);
  for (Matrix* m : {&border_mode_rows_, &solved_mode_rows_}) m->setZero(tree.num_modes, border);
  corner_.setZero(border, border);
  schur_ = Eigen::PartialPivLU<Matrix>(border);
  border_.setZero(border);
  joints_.setZero(tree.num_coordinates, 1);
  modes_.setZero(tree.num_modes, 1);
}

// Columns of the joints that move loops, with the dependent joints β that follow them, and of the rows Λ of the loops.
template <class S>
void LoopFactor<S>::find_border(const ErlsTree& tree, const ErlsConstraints& constraints,
                                const ConstraintSolver<double>& solver, TreeWork<double>& work) {
  const VariableSplit& split = constraints.split;
  const auto following = split.closure_rows.size();  // the first unknown variables are joints
  const int n = tree.num_coordinates;
  const auto num_joints = static_cast<Eigen::Index>(border_joints_.size());
  const auto num_rows = static_cast<Eigen::Index>(split.elastic_rows.size());
  const MatX<double>& tangent = solver.tangent();
  const MatX<double>& jacobians = solver.elastic_jacobians();
  corner_.setZero();
  border_joint_rows_.setZero();
  const auto rest = [&] {
    for (VectorX* v : {&work.beta_acceleration, &work.eps_acceleration, &work.q_acceleration}) v->setZero();
  };
  for (Eigen::Index k = 0; k < num_joints; ++k) {
    const int own = border_joints_[static_cast<std::size_t>(k)];
    rest();
    work.beta_acceleration(split.independent[own]) = 1;
    for (std::size_t u = 0; u < following; ++u)
      work.beta_acceleration(split.unknown[u]) = tangent(static_cast<Eigen::Index>(u), own);
    update_linear_acceleration(tree, work);
    inertia_forces(tree, work, false);
    collect_forces(tree, work, false);
    border_mode_rows_.col(k) = work.f_q.template cast<S>();
    for (int c = 0; c < n; ++c) {
      if (factor_.freedom(c) == TreeFreedom::joint) border_joint_rows_(c, k) = S(work.f_beta(c));
      if (factor_.freedom(c) == TreeFreedom::stretch)
        border_joint_rows_(c, k) = S(work.f_eps(c)) + factor_.resistance(c) * work.beta_acceleration(c);
    }
    for (Eigen::Index l = 0; l < num_joints; ++l) {
      const int other = border_joints_[static_cast<std::size_t>(l)], c = split.independent[other];
      S sum = S(work.f_beta(c));
      if (k == l) sum += factor_.resistance(c);
      for (std::size_t u = 0; u < following; ++u) {
        const int b = split.unknown[u];
        sum += tangent(static_cast<Eigen::Index>(u), other) *
               (S(work.f_beta(b)) + factor_.resistance(b) * work.beta_acceleration(b));
      }
      corner_(l, k) = sum;
    }
  }
  rest();
  for (Eigen::Index r = 0; r < num_rows; ++r) {
    const int row = split.elastic_rows[static_cast<std::size_t>(r)];
    const Eigen::Index column = num_joints + r;
    border_mode_rows_.col(column) = jacobians.row(row).tail(tree.num_modes).transpose().template cast<S>();
    for (int c = 0; c < n; ++c) {
      if (factor_.freedom(c) == TreeFreedom::joint) border_joint_rows_(c, column) = S(jacobians(row, c));
      if (factor_.freedom(c) == TreeFreedom::stretch) border_joint_rows_(c, column) = S(jacobians(row, n + c));
    }
    for (Eigen::Index k = 0; k < num_joints; ++k) {
      const int own = border_joints_[static_cast<std::size_t>(k)];
      double sum = jacobians(row, split.independent[own]);
      for (std::size_t u = 0; u < following; ++u)
        sum += jacobians(row, split.unknown[u]) * tangent(static_cast<Eigen::Index>(u), own);
      corner_(k, column) = corner_(column, k) = S(sum);
    }
  }
}

template <class S>
bool LoopFactor<S>::factorise(const ErlsTree& tree, const ErlsConstraints& constraints,
                              const ConstraintSolver<double>* solver, TreeWork<double>& work, S damping, S stiffness) {
  if (!factor_.factorise(tree, work, damping, stiffness)) return false;
  if (corner_.size() == 0) return true;
  find_border(tree, constraints, *solver, work);
  solved_joint_rows_ = border_joint_rows_;
  solved_mode_rows_ = border_mode_rows_;
  factor_.solve(tree, solved_joint_rows_, solved_mode_rows_);
  corner_.noalias() -= border_joint_rows_.transpose() * solved_joint_rows_;
  corner_.noalias() -= border_mode_rows_.transpose() * solved_mode_rows_;
  schur_.compute(corner_);
  return true;
}

template <class S>
void LoopFactor<S>::solve(const ErlsTree& tree, const ErlsConstraints& constraints, Vector& values) {
  const VariableSplit& split = constraints.split;
  const int joints = split.num_joint_coordinates, first = 2 * tree.num_coordinates;
  const auto n = static_cast<Eigen::Index>(split.independent.size());
  joints_.setZero();
  modes_.setZero();
  border_.setZero();
  for (int i = 0; i < joints; ++i)
    if (factor_.freedom(split.independent[i]) == TreeFreedom::joint) joints_(split.independent[i], 0) = values(i);
  for (std::size_t k = 0; k < border_joints_.size(); ++k)
    border_(static_cast<Eigen::Index>(k)) = values(border_joints_[k]);
  for (Eigen::Index i = joints; i < n; ++i) modes_(split.independent[i] - first, 0) = values(i);
  factor_.solve(tree, joints_, modes_);
  if (border_.size() > 0) {
    border_.noalias() -= border_joint_rows_.transpose() * joints_.col(0);
    border_.noalias() -= border_mode_rows_.transpose() * modes_.col(0);
    border_ = schur_.solve(border_).eval();
    joints_.col(0).noalias() -= solved_joint_rows_ * border_;
    modes_.col(0).noalias() -= solved_mode_rows_ * border_;
  }
  for (int i = 0; i < joints; ++i) values(i) = joints_(split.independent[i], 0);
  for (std::size_t k = 0; k < border_joints_.size(); ++k)
    values(border_joints_[k]) = border_(static_cast<Eigen::Index>(k));
  for (Eigen::Index i = joints; i < n; ++i) values(i) = modes_(split.independent[i] - first, 0);
}

// Nᵀ (d C + k K) N, diagonal on the tree's variables: on β + ε of joints and on q.
template <class S>
void LoopFactor<S>::resist(const ErlsTree& tree, const ErlsConstraints& constraints,
                           const ConstraintSolver<double>* solver, const Vector& values, Vector& result) const {
  const VariableSplit& split = constraints.split;
  const int n = tree.num_coordinates;
  const auto by_variable = [&](int v) {
    return v < n       ? factor_.resistance(v)
           : v < 2 * n ? factor_.resistance(v - n)
                       : factor_.modal_resistance()(v - 2 * n);
  };
  result.setZero(values.size());
  if (solver == nullptr) {
    for (Eigen::Index i = 0; i < values.size(); ++i) result(i) = by_variable(split.independent[i]) * values(i);
    return;
  }
  const MatX<double>& tangent = solver->tangent();
  Vector joint_motion = Vector::Zero(n);  // β + ε
  Vector unknown = tangent.template cast<S>() * values;
  for (int i = 0; i < split.num_joint_coordinates; ++i) joint_motion(split.independent[i]) += values(i);
  for (std::size_t u = 0; u < split.unknown.size(); ++u)
    if (split.unknown[u] < 2 * n) joint_motion(split.unknown[u] % n) += unknown(static_cast<Eigen::Index>(u));
  for (std::size_t u = 0; u < split.unknown.size(); ++u) {
    const int v = split.unknown[u];
    S& force = unknown(static_cast<Eigen::Index>(u));
    force = by_variable(v) * (v < 2 * n ? joint_motion(v % n) : force);
  }
  result.noalias() = tangent.transpose().template cast<S>() * unknown;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const int v = split.independent[i];
    result(i) += by_variable(v) * (v < n ? joint_motion(v) : values(i));
  }
}

template class LoopFactor<double>;
template class LoopFactor<std::complex<double>>;

}  // namespace lithe
