// Linearised equations of bodies joined by multipliers: for analyses, not for steps.
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include "lithe/formulate/absolute_work.h"
#include "lithe/formulate/rotation_vector.h"

namespace lithe {

// J of all rows but the springs', with the rotors' columns; and of all freedoms when asked for.
MatrixX AbsoluteEquations::dense_rows(bool freedoms, const Work& work) const {
  const int n = plan_.num_coordinates;
  MatrixX rows = MatrixX::Zero(plan_.num_rows + (freedoms ? plan_.num_values : 0), n);
  const auto put = [&](int at, const JointRow& row, const JointPlan& plan, const JointWork& joint) {
    for (const bool child : {false, true}) {
      const int body = child ? plan.child.body : plan.parent.body;
      if (body < 0) continue;
      const NodeFrame& frame = child ? joint.child : joint.parent;
      Vector3 force, torque;
      (child ? row_on_child : row_on_parent)(row, joint.motion, force, torque);
      rows.row(at).segment(plan_.first_coordinate[body] + frame.first, frame.jacobian.cols()) +=
          force.transpose() * frame.jacobian.topRows<3>() + torque.transpose() * frame.jacobian.bottomRows<3>();
    }
  };
  for (std::size_t j = 0; j < plan_.joints.size(); ++j) {
    const JointPlan& plan = plan_.joints[j];
    for (std::size_t r = 0; r < plan.rows.size(); ++r) {
      if (plan.rows[r].kind == RowKind::spring) continue;
      const int at = plan.first_row + static_cast<int>(r);
      put(at, work.joints[j].rows[r], plan, work.joints[j]);
      if (plan.rows[r].kind == RowKind::rotor) rows(at, plan_.rotors[plan.rows[r].rotor].coordinate) -= 1;
    }
    if (!freedoms) continue;
    FreedomRows of_joint;
    freedom_rows(plan.type, work.joints[j].motion, of_joint);
    for (int k = 0; k < num_freedoms(plan.type); ++k)
      put(plan_.num_rows + plan.first_value + k, of_joint[k], plan, work.joints[j]);
  }
  return rows;
}

// M, C and K of bodies, rotors and joint springs in the space of ν.
void AbsoluteEquations::dense_blocks(const State&, const Work& work, LinearBlocks& blocks) const {
  const int n = plan_.num_coordinates;
  for (MatrixX* m : {&blocks.mass, &blocks.damping, &blocks.stiffness}) m->setZero(n, n);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const int o = plan_.first_coordinate[b], size = bodies_[b]->num_speeds();
    bodies_[b]->add_blocks(*work.bodies[b], blocks.mass.block(o, o, size, size), blocks.damping.block(o, o, size, size),
                           blocks.stiffness.block(o, o, size, size));
  }
  for (const Rotor& rotor : plan_.rotors) blocks.mass(rotor.coordinate, rotor.coordinate) += rotor.inertia;
  const MatrixX rows = dense_rows(true, work).bottomRows(plan_.num_values);
  blocks.input = MatrixX::Zero(n, plan_.num_values);
  int input = 0;  // in model order, as the joints' values are
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    const JointPlan& plan = plan_.joints[plan_.plan_of_joint[j]];
    for (int k = 0; k < num_freedoms(joint.type); ++k) {
      const VectorX row = rows.row(plan.first_value + k);
      blocks.input.col(input++) = row;
      if (k < static_cast<int>(joint.stiffness.size())) blocks.stiffness += joint.stiffness[k] * row * row.transpose();
      if (k < static_cast<int>(joint.damping.size())) blocks.damping += joint.damping[k] * row * row.transpose();
    }
  }
}

// In the mass's inner product, so that the reduced mass is the identity. Rank by pivoted QR of J M^-1/2.
MatrixX AbsoluteEquations::admissible_directions(const State& state, const Inputs& inputs, bool hold_joints,
                                                 Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  load(state, work);
  update_joints(state, inputs, work);
  LinearBlocks blocks;
  dense_blocks(state, work, blocks);
  const Eigen::LLT<MatrixX> cholesky(blocks.mass);  // M = L Lᵀ; ν = L⁻ᵀ y
  MatrixX rows = dense_rows(hold_joints, work);
  if (hold_joints)  // dependent joints follow from the loops
    for (const JointPlan& plan : plan_.joints)
      for (int k = 0; k < num_freedoms(plan.type); ++k) {
        const int c = mechanism_.coordinate_of(plan.joint, k);
        if (c < 0 || !independent_[c]) rows.row(plan_.num_rows + plan.first_value + k).setZero();
      }
  const MatrixX scaled = cholesky.matrixL().solve(rows.transpose());  // n x rows
  Eigen::ColPivHouseholderQR<MatrixX> qr(scaled);
  qr.setThreshold(1e-9);
  const Eigen::Index n = blocks.mass.rows(), rank = qr.rank();
  const MatrixX Q = qr.householderQ() * MatrixX::Identity(n, n);
  return cholesky.matrixU().solve(Q.rightCols(n - rank));
}

namespace {

// ν = B ẋ at a state: chart rates to body velocities, block by block.
void chart_map(const AbsolutePlan& plan, const std::vector<std::unique_ptr<AbsoluteBody>>& bodies, const State& state,
               MatrixX& B) {
  B = MatrixX::Identity(plan.num_coordinates, plan.num_coordinates);
  for (std::size_t b = 0; b < bodies.size(); ++b)
    for (int k = 0; k < bodies[b]->num_frames(); ++k) {
      const int o = plan.first_coordinate[b] + 6 * k;
      const Vector3 theta = state.coordinates.segment<3>(o + 3);
      B.block<3, 3>(o, o) = rotation_of(theta).transpose();
      B.block<3, 3>(o + 3, o + 3) = rate_map(theta);
    }
}

}  // namespace

// The stiff part on the directions that the joints leave: Pᵀ K P with the mass-orthogonal projector P = N Nᵀ M.
EvaluationStatus AbsoluteEquations::linearise_elastic(const State& state, const Inputs& inputs, Workspace& workspace,
                                                      LinearBlocks& blocks) const {
  Work& work = static_cast<Work&>(workspace);
  const MatrixX N = admissible_directions(state, inputs, false, workspace);
  dense_blocks(state, work, blocks);
  MatrixX B;
  chart_map(plan_, bodies_, state, B);
  const MatrixX P = N * (N.transpose() * blocks.mass) * B;
  blocks.mass = B.transpose() * blocks.mass * B;
  blocks.damping = P.transpose() * blocks.damping * P;
  blocks.stiffness = P.transpose() * blocks.stiffness * P;
  blocks.input = B.transpose() * blocks.input;
  return blocks.mass.allFinite() ? EvaluationStatus::ok : EvaluationStatus::not_finite;
}

EvaluationStatus AbsoluteEquations::linearise(const State& state, const Inputs& inputs, Workspace& workspace,
                                              LinearBlocks& blocks) const {
  Accelerations own;
  const EvaluationStatus status = evaluate(state, inputs, workspace, own);
  return status == EvaluationStatus::ok ? linearise_about(state, inputs, own, workspace, blocks) : status;
}

// Derivatives of M ν̇ - f + Jᵀ λ at fixed ν̇ and λ, along the directions that the joints leave, by fourth-order
// differences whose error is 1e-10 of the result. The multipliers are the state's own.
EvaluationStatus AbsoluteEquations::linearise_about(const State& given, const Inputs& inputs,
                                                    const Accelerations& accelerations, Workspace& workspace,
                                                    LinearBlocks& blocks) const {
  EvaluationStatus status = linearise_elastic(given, inputs, workspace, blocks);
  if (status != EvaluationStatus::ok) return status;
  VectorX own, multipliers, body, residual_now, rows;
  status = body_accelerations(given, inputs, workspace, own, multipliers);
  if (status != EvaluationStatus::ok) return status;
  from_chart(given, accelerations.values, body);
  const MatrixX N = admissible_directions(given, inputs, false, workspace);
  MatrixX B;
  chart_map(plan_, bodies_, given, B);
  const MatrixX directions = B.partialPivLu().solve(N);  // in chart rates
  MatrixX by_position = MatrixX::Zero(N.rows(), N.cols()), by_speed = by_position;
  constexpr double weights[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
  constexpr int offsets[] = {-2, -1, 1, 2};
  for (Eigen::Index k = 0; k < N.cols(); ++k) {
    const double step = 1e-4 / std::max(1e-6, directions.col(k).cwiseAbs().maxCoeff());
    for (int i = 0; i < 4; ++i)
      for (const bool speed : {false, true}) {
        State probe = given;
        (speed ? probe.speeds : probe.coordinates) += offsets[i] * step * directions.col(k);
        status = residual(probe, inputs, body, multipliers, workspace, residual_now, rows);
        if (status != EvaluationStatus::ok) return status;
        (speed ? by_speed : by_position).col(k) += weights[i] / step * residual_now;
      }
  }
  const MatrixX onto = directions.transpose() * blocks.mass;  // coordinates of a motion along the directions
  blocks.stiffness = onto.transpose() * (N.transpose() * by_position) * onto;
  blocks.damping = onto.transpose() * (N.transpose() * by_speed) * onto;
  return blocks.stiffness.allFinite() ? EvaluationStatus::ok : EvaluationStatus::not_finite;
}

}  // namespace lithe
