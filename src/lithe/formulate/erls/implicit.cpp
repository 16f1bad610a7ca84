// Newton's corrections of implicit integrators for open chains, link by link: docs/theory/integrators.md, section 3.
#include <algorithm>
#include <cmath>

#include "lithe/formulate/erls/work.h"

namespace lithe {

bool ErlsCms::solves_recursively() const {
  return constraints_.split.open() && !tree_.published_virtual_displacement && tree_.coupled_damping.size() == 0;
}

double ErlsCms::fastest_vibration() const {
  double largest = 0;
  for (const ModalLink& link : tree_.links)
    if (link.num_modes > 0) largest = std::max(largest, link.squared_frequencies.maxCoeff());
  return std::sqrt(largest);
}

// S x = values in place, with the factors and positions in `work`.
void ErlsCms::solve_implicit(Work& work, VectorX& values) const {
  const int joints = num_joint_coordinates();
  work.beta_rhs.setZero();
  for (int i = 0; i < joints; ++i) work.beta_rhs(work.constraints.split.independent[i]) = values(i);
  work.q_rhs = values.tail(tree_.num_modes);
  work.implicit->solve(tree_, work.tree, work.beta_rhs, work.q_rhs);
  for (int i = 0; i < joints; ++i) values(i) = work.beta_rhs(work.constraints.split.independent[i]);
  values.tail(tree_.num_modes) = work.q_rhs;
}

EvaluationStatus ErlsCms::implicit_correction(const State& state, const Inputs& inputs, const VectorX& accelerations,
                                              double damping, double stiffness, Workspace& workspace,
                                              VectorX& correction) const {
  Work& work = static_cast<Work&>(workspace);
  if (!work.implicit) work.implicit = std::make_unique<ArticulatedMass>(tree_, solved_, true);
  const EvaluationStatus status = update_kinematics(state, inputs, work);
  if (status != EvaluationStatus::ok) return status;
  const std::vector<int>& independent = work.constraints.split.independent;
  const int n = num_coordinates();
  for (int i = 0; i < n; ++i) variable_acceleration(work.tree, independent[i]) = accelerations(i);
  tree_forces<double>(inputs, work.tree);
  if (!work.implicit->factorise(tree_, work.tree, damping, stiffness)) return EvaluationStatus::singular_mass;
  work.implicit_damping = damping;
  work.implicit_stiffness = stiffness;
  correction.resize(n);
  for (int i = 0; i < n; ++i) correction(i) = -variable_force(work.tree, independent[i]);
  solve_implicit(work, correction);
  return correction.allFinite() ? EvaluationStatus::ok : EvaluationStatus::not_finite;
}

// S⁻¹ M v = v - S⁻¹ (damping C + stiffness K) v
void ErlsCms::filter_implicitly(Workspace& workspace, VectorX& values) const {
  Work& work = static_cast<Work&>(workspace);
  const int joints = num_joint_coordinates();
  VectorX& rhs = work.implicit_rhs;
  rhs.resize(values.size());
  for (int i = 0; i < joints; ++i) {
    const int c = work.constraints.split.independent[i];
    rhs(i) = joint_resistance(tree_, work.tree, c, work.implicit_damping, work.implicit_stiffness) * values(i);
  }
  for (std::size_t link = 0; link < tree_.links.size(); ++link) {
    const ModalLink& body = tree_.links[link];
    if (body.num_modes == 0) continue;
    const auto first = joints + tree_.first_mode[link];
    const auto own = values.segment(first, body.num_modes);
    auto result = rhs.segment(first, body.num_modes);
    result = work.implicit_stiffness * body.squared_frequencies.cwiseProduct(own);
    if (body.damped) result.noalias() += work.implicit_damping * (body.damping * own);
  }
  solve_implicit(work, rhs);
  values -= rhs;
}

bool ErlsCms::solves_structured() const {
  return constraints_.split.gauge_coordinates.empty() && !tree_.published_virtual_displacement;
}

EvaluationStatus ErlsCms::residual(const State& state, const Inputs& inputs, const VectorX& accelerations,
                                   Workspace& workspace, VectorX& result) const {
  Work& work = static_cast<Work&>(workspace);
  const EvaluationStatus status = update_kinematics(state, inputs, work);
  if (status != EvaluationStatus::ok) return status;
  const VariableSplit& split = work.constraints.split;
  const int n = num_coordinates();
  for (int i = 0; i < n; ++i) variable_acceleration(work.tree, split.independent[i]) = accelerations(i);
  if (work.solver) work.solver->solve_acceleration(work.constraints, work.tree);
  tree_forces<double>(inputs, work.tree);
  for (int i = 0; i < n; ++i) result(i) = reduced_force<double>(work.constraints, work.solver.get(), work.tree, i);
  return result.allFinite() ? EvaluationStatus::ok : EvaluationStatus::not_finite;
}

EvaluationStatus ErlsCms::factorise_tangent(const State& state, const Inputs& inputs, double damping, double stiffness,
                                            std::complex<double> complex_damping,
                                            std::complex<double> complex_stiffness, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  const EvaluationStatus status = update_kinematics(state, inputs, work);
  if (status != EvaluationStatus::ok) return status;
  if (!work.real_factor) {
    work.real_factor = std::make_unique<LoopFactor<double>>(tree_, work.constraints);
    work.complex_factor = std::make_unique<LoopFactor<std::complex<double>>>(tree_, work.constraints);
  }
  const ConstraintSolver<double>* solver = work.solver.get();
  const bool good =
      work.real_factor->factorise(tree_, work.constraints, solver, work.tree, damping, stiffness) &&
      work.complex_factor->factorise(tree_, work.constraints, solver, work.tree, complex_damping, complex_stiffness);
  return good ? EvaluationStatus::ok : EvaluationStatus::singular_mass;
}

void ErlsCms::solve_tangent(Workspace& workspace, VectorX& values) const {
  Work& work = static_cast<Work&>(workspace);
  work.real_factor->solve(tree_, work.constraints, values);
}

void ErlsCms::solve_tangent(Workspace& workspace, Eigen::VectorXcd& values) const {
  Work& work = static_cast<Work&>(workspace);
  work.complex_factor->solve(tree_, work.constraints, values);
}

// S⁻¹ M v = v - S⁻¹ (d C + k K) v
void ErlsCms::filter_tangent(Workspace& workspace, VectorX& values) const {
  Work& work = static_cast<Work&>(workspace);
  work.real_factor->resist(tree_, work.constraints, work.solver.get(), values, work.implicit_rhs);
  work.real_factor->solve(tree_, work.constraints, work.implicit_rhs);
  values -= work.implicit_rhs;
}

}  // namespace lithe
