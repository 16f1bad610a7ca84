// M0, C0 and K0 + G0 of [LIN] (22)-(28) in the independent coordinates.
#include "lithe/formulate/transfer/work.h"

namespace lithe {

EvaluationStatus TransferFunctions::linearise(const State& state, const Inputs& inputs, Workspace& workspace,
                                              LinearBlocks& blocks) const {
  Accelerations accelerations;
  const EvaluationStatus status = evaluate(state, inputs, workspace, accelerations);
  return status == EvaluationStatus::ok ? linearise_about(state, inputs, accelerations, workspace, blocks) : status;
}

EvaluationStatus TransferFunctions::linearise_about(const State& state, const Inputs& inputs,
                                                    const Accelerations& accelerations, Workspace& workspace,
                                                    LinearBlocks& blocks) const {
  Work& work = static_cast<Work&>(workspace);
  const EvaluationStatus status = observe(state, inputs, accelerations, work);
  if (status != EvaluationStatus::ok) return status;
  if (split_.ends_with_independent) {  // the matrices of all coordinates, without those of all variables
    update_element_tangents(work);
    work.tangents.assemble(tree_, work.tree, split_.independent.front(), blocks.damping, blocks.stiffness);
  } else {
    update_tangents(work);
    project(work.damping_y, work, blocks.damping);
    project(work.stiffness_y, work, blocks.stiffness);
  }
  project(work.tree.mass, work, blocks.mass);
  if (!split_.unknown.empty()) add_loop_jacobians(work, blocks);
  input_matrix(work, blocks.input);
  const bool finite = work.tree.forces.allFinite() && blocks.stiffness.diagonal().allFinite();
  return finite ? EvaluationStatus::ok : EvaluationStatus::not_finite;
}

void TransferFunctions::update_element_tangents(Work& work) const {
  find_multipliers(work);
  update_jacobians(tree_, work.tree);
  update_mass(tree_, work.tree);
  work.tangents.update_elements(tree_, work.tree);
}

// Matrices of all variables at the motion in the work, multipliers included.
void TransferFunctions::update_tangents(Work& work) const {
  update_element_tangents(work);
  work.tangents.assemble(tree_, work.tree, 0, work.damping_y, work.stiffness_y);
  if (!split_.unknown.empty()) add_loop_stiffness(loops_, tree_, work.tree, work.multipliers, work.stiffness_y);
}

// The multipliers that balance the forces on the unknown variables, J_uᵀ λ = -f_u, and the forces with them.
void TransferFunctions::find_multipliers(Work& work) const {
  update_forces(tree_, work.tree);
  work.multipliers.setZero();
  if (split_.unknown.empty()) return;
  for (std::size_t u = 0; u < split_.unknown.size(); ++u) work.gap(u) = -work.tree.forces(split_.unknown[u]);
  work.used_multipliers = work.lu.transpose().solve(work.gap);
  for (std::size_t r = 0; r < split_.rows.size(); ++r) work.multipliers(split_.rows[r]) = work.used_multipliers(r);
  add_loop_loads(loops_, tree_, work.multipliers, work.tree);
  update_forces(tree_, work.tree);
}

// Second- and third-order transfer functions of the unknown variables, contracted with rates and accelerations, [LIN]
// (62): with X1 = ∂ẏ/∂x, X2 = ∂ÿ/∂x,
//   J X1 = -J̇ N,   J X2 = -(∂Ψ̈/∂y) N - 2 J̇ X1,   ∂ÿ/∂ẋ = 2 X1
//   K += Nᵀ C X1 + Nᵀ M X2,   C += 2 Nᵀ M X1.
void TransferFunctions::loop_transfer_jacobians(const Work& work, MatrixX& X1, MatrixX& X2) const {
  MatrixX rate, acceleration;
  loop_jacobians(loops_, tree_, work.tree, rate, acceleration);
  const auto times_n = [&](const MatrixX& A) {
    MatrixX product = A(split_.rows, split_.independent);
    product += A(split_.rows, split_.unknown) * work.tangent;
    return product;
  };
  const MatrixX rate_unknown = rate(split_.rows, split_.unknown);
  X1 = work.lu.solve(-times_n(rate));
  X2 = work.lu.solve(-times_n(acceleration) - 2 * rate_unknown * X1);
}

void TransferFunctions::add_loop_jacobians(Work& work, LinearBlocks& blocks) const {
  MatrixX X1, X2;
  loop_transfer_jacobians(work, X1, X2);
  const auto rows_of = [&](const MatrixX& A) {  // Nᵀ A, columns of the unknown variables
    MatrixX rows = A(split_.independent, split_.unknown);
    rows += work.tangent.transpose() * A(split_.unknown, split_.unknown);
    return rows;
  };
  const MatrixX mass_rows = rows_of(work.tree.mass);
  blocks.stiffness += rows_of(work.damping_y) * X1 + mass_rows * X2;
  blocks.damping += 2 * mass_rows * X1;
}

// Joint forces of all freedoms in model order; the input is ∂f/∂u.
void TransferFunctions::input_matrix(const Work& work, MatrixX& input) const {
  int columns = 0;
  for (const Joint& joint : model_.joints) columns += num_freedoms(joint.type);
  input.setZero(num_coordinates(), columns);
  VectorX unit = VectorX::Zero(tree_.num_variables);
  int column = 0;
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (int freedom = 0; freedom < num_freedoms(model_.joints[j].type); ++freedom, ++column) {
      const int c = mechanism_.coordinate_of(static_cast<int>(j), freedom);
      if (c < 0) continue;
      unit(c) = 1;
      input.col(column) = reduced(unit, work);
      unit(c) = 0;
    }
}

// Stresses, springs and dampers alone: constant in these coordinates, but for balls.
EvaluationStatus TransferFunctions::linearise_elastic(const State& state, const Inputs& inputs, Workspace& workspace,
                                                      LinearBlocks& blocks) const {
  Work& work = static_cast<Work&>(workspace);
  const EvaluationStatus status = update(state, inputs, work);
  if (status != EvaluationStatus::ok) return status;
  update_mass(tree_, work.tree);
  MatrixX stiffness = MatrixX::Zero(tree_.num_variables, tree_.num_variables), damping = stiffness;
  for (const TransferBeam& beam : tree_.beams) {
    const TransferFrame& frame = tree_.frames[beam.frame];
    const auto S = beam.form.stiffness.topLeftCorner(frame.count, frame.count);
    stiffness.block(frame.first, frame.first, frame.count, frame.count) = S;
    damping.block(frame.first, frame.first, frame.count, frame.count) = beam.damping_factor * S;
  }
  for (const LinkDamping& link : tree_.link_damping)
    damping.block(link.first, link.first, link.matrix.rows(), link.matrix.cols()) += link.matrix;
  for (int c = 0; c < tree_.num_joint_coordinates; ++c) {
    stiffness(c, c) = tree_.joints[c].stiffness;
    damping(c, c) = tree_.joints[c].damping;
  }
  for (const BallDamper& damper : tree_.ball_dampers) {
    const Matrix3 between = ball_damper_matrix(damper, ball_motion(damper.coordinates, work.tree).angles);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) damping(damper.coordinates[i], damper.coordinates[j]) += between(i, j);
  }
  project(work.tree.mass, work, blocks.mass);
  project(damping, work, blocks.damping);
  project(stiffness, work, blocks.stiffness);
  input_matrix(work, blocks.input);
  return EvaluationStatus::ok;
}

}  // namespace lithe
