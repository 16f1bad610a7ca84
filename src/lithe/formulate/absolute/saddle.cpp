// Linear algebra of bodies joined by multipliers: block-diagonal bodies, rows of joints that touch two bodies each.
#include <algorithm>

#include "lithe/formulate/absolute/work.h"

namespace lithe {

void add_jacobian_times(const AbsolutePlan& plan, const std::vector<JointBlocks>& joints, const VectorX& speeds,
                        VectorX& rows) {
  for (std::size_t j = 0; j < plan.joints.size(); ++j) {
    const JointPlan& joint = plan.joints[j];
    const JointBlocks& blocks = joints[j];
    auto out = rows.segment(joint.first_row, static_cast<Eigen::Index>(joint.rows.size()));
    if (joint.parent.body >= 0)
      out.noalias() += blocks.parent * speeds.segment(plan.first_coordinate[joint.parent.body] + blocks.parent_first,
                                                      blocks.parent.cols());
    if (joint.child.body >= 0)
      out.noalias() += blocks.child * speeds.segment(plan.first_coordinate[joint.child.body] + blocks.child_first,
                                                     blocks.child.cols());
    for (std::size_t r = 0; r < joint.rows.size(); ++r)
      if (joint.rows[r].kind == RowKind::rotor)
        out[static_cast<Eigen::Index>(r)] -= speeds[plan.rotors[joint.rows[r].rotor].coordinate];
  }
}

void add_transposed_times(const AbsolutePlan& plan, const std::vector<JointBlocks>& joints, const VectorX& multipliers,
                          VectorX& forces) {
  for (std::size_t j = 0; j < plan.joints.size(); ++j) {
    const JointPlan& joint = plan.joints[j];
    const JointBlocks& blocks = joints[j];
    const auto in = multipliers.segment(joint.first_row, static_cast<Eigen::Index>(joint.rows.size()));
    if (joint.parent.body >= 0)
      forces.segment(plan.first_coordinate[joint.parent.body] + blocks.parent_first, blocks.parent.cols()).noalias() +=
          blocks.parent.transpose() * in;
    if (joint.child.body >= 0)
      forces.segment(plan.first_coordinate[joint.child.body] + blocks.child_first, blocks.child.cols()).noalias() +=
          blocks.child.transpose() * in;
    for (std::size_t r = 0; r < joint.rows.size(); ++r)
      if (joint.rows[r].kind == RowKind::rotor)
        forces[plan.rotors[joint.rows[r].rotor].coordinate] -= in[static_cast<Eigen::Index>(r)];
  }
}

namespace {

// The joint's block on one body, with S⁻¹ Jᵀ and the place where its columns begin.
struct Touch {
  const MatrixX* jacobian;
  const MatrixX* solved;
  int first_column;
  int first_row;
};

bool touches(const JointPlan& plan, const JointBlocks& blocks, int body, Touch& touch) {
  if (plan.parent.body == body) {
    touch = {&blocks.parent, &blocks.parent_solved, blocks.parent_first, plan.first_row};
    return true;
  }
  if (plan.child.body == body) {
    touch = {&blocks.child, &blocks.child_solved, blocks.child_first, plan.first_row};
    return true;
  }
  return false;
}

// J_a S⁻¹ J_bᵀ of one body, in the lower triangle; a has the higher rows.
void add_product(const Touch& a, const Touch& b, bool same, EnvelopeCholesky& schur) {
  for (Eigen::Index i = 0; i < a.jacobian->rows(); ++i)
    for (Eigen::Index j = 0; j < (same ? i + 1 : b.jacobian->rows()); ++j)
      schur.at(a.first_row + static_cast<int>(i), b.first_row + static_cast<int>(j)) +=
          a.jacobian->row(i).dot(b.solved->col(j).segment(a.first_column, a.jacobian->cols()));
}

void copy_rows(const JointPlan& plan, const JointBlocks& source, bool with_springs, JointBlocks& target) {
  target.parent_first = source.parent_first;
  target.child_first = source.child_first;
  target.parent = source.parent;
  target.child = source.child;
  if (with_springs) return;
  for (std::size_t r = 0; r < plan.rows.size(); ++r)
    if (!has_multiplier(plan.rows[r].kind)) {
      target.parent.row(static_cast<Eigen::Index>(r)).setZero();
      target.child.row(static_cast<Eigen::Index>(r)).setZero();
    }
}

void solve_block(const AbsoluteBody& body, const BodyFactors& factors, const MatrixX& jacobian, int first,
                 MatrixX& solved) {
  solved.setZero();
  solved.middleRows(first, jacobian.cols()) = jacobian.transpose();
  body.solve(factors, solved);
}

void add_bodies_to_complement(const AbsolutePlan& plan, int num_bodies, SaddleFactors& factors) {
  for (int body = 0; body < num_bodies; ++body)
    for (const int a : plan.joints_of_body[body])
      for (const int b : plan.joints_of_body[body]) {
        Touch high, low;
        if (b > a || !touches(plan.joints[a], factors.joints[a], body, high) ||
            !touches(plan.joints[b], factors.joints[b], body, low))
          continue;
        add_product(high, low, a == b, factors.schur);
      }
}

}  // namespace

void set_up(const AbsolutePlan& plan, const std::vector<std::unique_ptr<AbsoluteBody>>& bodies,
            SaddleFactors& factors) {
  for (const auto& body : bodies) factors.bodies.push_back(body->make_factors());
  factors.rotor_inverse.setZero(static_cast<Eigen::Index>(plan.rotors.size()));
  std::vector<int> first_column(plan.num_joint_rows());
  for (std::size_t j = 0; j < plan.joints.size(); ++j) {
    const JointPlan& joint = plan.joints[j];
    const auto rows = static_cast<Eigen::Index>(joint.rows.size());
    int first = joint.first_row;
    JointBlocks blocks;
    for (const int body : {joint.parent.body, joint.child.body}) {
      if (body < 0) continue;
      for (const int other : plan.joints_of_body[body]) first = std::min(first, plan.joints[other].first_row);
      (body == joint.parent.body ? blocks.parent_solved : blocks.child_solved)
          .setZero(bodies[body]->num_speeds(), rows);
    }
    for (Eigen::Index r = 0; r < rows; ++r) first_column[joint.first_row + r] = first;
    factors.joints.push_back(std::move(blocks));
  }
  factors.schur.set_structure(first_column);
  for (VectorX* v : {&factors.rhs, &factors.correction, &factors.product, &factors.joint_rows})
    v->setZero(plan.num_joint_rows());
  if (plan.num_couplings() == 0) return;
  factors.border_speeds.setZero(plan.num_coordinates, plan.num_couplings());
  factors.border_multipliers.setZero(plan.num_joint_rows(), plan.num_couplings());
  factors.border_schur = Eigen::ColPivHouseholderQR<MatrixX>(plan.num_couplings(), plan.num_couplings());
  factors.border_forces.setZero(plan.num_couplings());
}

namespace {
void factorise_border(const AbsolutePlan& plan, const std::vector<std::unique_ptr<AbsoluteBody>>& bodies,
                      const MatrixX& couplings, SaddleFactors& factors);
}

bool factorise_rows(const AbsolutePlan& plan, const std::vector<std::unique_ptr<AbsoluteBody>>& bodies,
                    const std::vector<JointBlocks>& jacobians, const MatrixX& couplings, const VectorX* softness,
                    SaddleFactors& factors) {
  factors.schur.set_zero();
  for (std::size_t j = 0; j < plan.joints.size(); ++j) {
    const JointPlan& joint = plan.joints[j];
    JointBlocks& blocks = factors.joints[j];
    copy_rows(joint, jacobians[j], softness != nullptr, blocks);
    if (joint.parent.body >= 0)
      solve_block(*bodies[joint.parent.body], factors.bodies[joint.parent.body], blocks.parent, blocks.parent_first,
                  blocks.parent_solved);
    if (joint.child.body >= 0)
      solve_block(*bodies[joint.child.body], factors.bodies[joint.child.body], blocks.child, blocks.child_first,
                  blocks.child_solved);
    for (std::size_t r = 0; r < joint.rows.size(); ++r) {
      const int row = joint.first_row + static_cast<int>(r);
      if (joint.rows[r].kind == RowKind::rotor)
        factors.schur.at(row, row) += factors.rotor_inverse[joint.rows[r].rotor];
      if (!has_multiplier(joint.rows[r].kind)) factors.schur.at(row, row) += softness ? (*softness)[row] : 1.0;
    }
  }
  add_bodies_to_complement(plan, static_cast<int>(bodies.size()), factors);
  // A pivot lost to cancellation: rows that say the same (an overconstrained loop), or a singular configuration.
  constexpr double lost_pivot = 1e-9, shift = 1e-9;
  factors.redundant = !(factors.schur.factorise() > lost_pivot);
  if (factors.redundant && !(factors.schur.factorise(shift) > 0)) return false;
  if (plan.num_couplings() > 0) factorise_border(plan, bodies, couplings, factors);
  return true;
}

namespace {

// λ with (J S⁻¹ Jᵀ) λ = rhs. A singular complement is solved by the iteration λ += (A + shift)⁻¹ (rhs - A λ), which
// keeps the constraints exact and adds nothing in the directions that carry no force.
void solve_complement(SaddleFactors& factors, VectorX& multipliers) {
  multipliers = factors.rhs;
  factors.schur.solve(multipliers);
  if (!factors.redundant) return;
  constexpr int max_iterations = 6;
  for (int i = 0; i < max_iterations; ++i) {
    factors.schur.multiply(multipliers, factors.product);
    factors.correction = factors.rhs - factors.product;
    factors.schur.solve(factors.correction);
    multipliers += factors.correction;
    if (factors.correction.squaredNorm() <= 1e-28 * multipliers.squaredNorm()) return;
  }
}

// forces -> S⁻¹ forces of bodies and rotors alone.
void solve_bodies(const AbsolutePlan& plan, const std::vector<std::unique_ptr<AbsoluteBody>>& bodies,
                  const SaddleFactors& factors, VectorX& forces) {
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    Eigen::Map<MatrixX> block(forces.data() + plan.first_coordinate[b], bodies[b]->num_speeds(), 1);
    bodies[b]->solve(factors.bodies[b], block);
  }
  for (std::size_t r = 0; r < plan.rotors.size(); ++r)
    forces[plan.rotors[r].coordinate] *= factors.rotor_inverse[static_cast<Eigen::Index>(r)];
}

// The system of bodies and joints, without couplings: K (x, λ) = (forces, rows).
void solve_joints(const AbsolutePlan& plan, const std::vector<std::unique_ptr<AbsoluteBody>>& bodies,
                  SaddleFactors& factors, VectorX& forces, VectorX& rows) {
  solve_bodies(plan, bodies, factors, forces);
  factors.rhs = -rows;
  add_jacobian_times(plan, factors.joints, forces, factors.rhs);
  solve_complement(factors, rows);
  for (std::size_t j = 0; j < plan.joints.size(); ++j) {
    const JointPlan& joint = plan.joints[j];
    const JointBlocks& blocks = factors.joints[j];
    const auto lambda = rows.segment(joint.first_row, static_cast<Eigen::Index>(joint.rows.size()));
    if (joint.parent.body >= 0)
      forces.segment(plan.first_coordinate[joint.parent.body], blocks.parent_solved.rows()).noalias() -=
          blocks.parent_solved * lambda;
    if (joint.child.body >= 0)
      forces.segment(plan.first_coordinate[joint.child.body], blocks.child_solved.rows()).noalias() -=
          blocks.child_solved * lambda;
    for (std::size_t r = 0; r < joint.rows.size(); ++r)
      if (joint.rows[r].kind == RowKind::rotor)
        forces[plan.rotors[joint.rows[r].rotor].coordinate] +=
            factors.rotor_inverse[joint.rows[r].rotor] * lambda[static_cast<Eigen::Index>(r)];
  }
}

// K⁻¹ Cᵀ column by column, and C K⁻¹ Cᵀ. A row that the joints say already, as of a coupling within a loop, moves
// nothing compared with C S⁻¹ Cᵀ and is left out; rows that repeat each other are left to the pivoting.
void factorise_border(const AbsolutePlan& plan, const std::vector<std::unique_ptr<AbsoluteBody>>& bodies,
                      const MatrixX& couplings, SaddleFactors& factors) {
  constexpr double redundant = 1e-9;
  factors.border = couplings;
  for (int k = 0; k < plan.num_couplings(); ++k) {
    factors.border_column = couplings.row(k).transpose();
    solve_bodies(plan, bodies, factors, factors.border_column);
    const double apart = couplings.row(k).dot(factors.border_column);
    factors.border_column = couplings.row(k).transpose();
    factors.joint_rows.setZero();
    solve_joints(plan, bodies, factors, factors.border_column, factors.joint_rows);
    factors.border_speeds.col(k) = factors.border_column;
    factors.border_multipliers.col(k) = factors.joint_rows;
    if (couplings.row(k).dot(factors.border_column) > redundant * apart) continue;
    factors.border.row(k).setZero();
    factors.border_speeds.col(k).setZero();
    factors.border_multipliers.col(k).setZero();
  }
  factors.border_schur.setThreshold(redundant);
  MatrixX complement = factors.border * factors.border_speeds;
  for (int k = 0; k < plan.num_couplings(); ++k)
    if (complement(k, k) == 0) complement(k, k) = 1;  // of a row that is left out
  factors.border_schur.compute(complement);
}

}  // namespace

void solve_saddle(const AbsolutePlan& plan, const std::vector<std::unique_ptr<AbsoluteBody>>& bodies,
                  SaddleFactors& factors, VectorX& forces, VectorX& rows) {
  if (plan.num_couplings() == 0) return solve_joints(plan, bodies, factors, forces, rows);
  const int joints = plan.num_joint_rows(), couplings = plan.num_couplings();
  factors.joint_rows = rows.head(joints);
  solve_joints(plan, bodies, factors, forces, factors.joint_rows);
  factors.border_forces = factors.border * forces - rows.tail(couplings);
  for (int k = 0; k < couplings; ++k)
    if (factors.border.row(k).isZero(0)) factors.border_forces[k] = 0;
  rows.tail(couplings) = factors.border_schur.solve(factors.border_forces);
  forces.noalias() -= factors.border_speeds * rows.tail(couplings);
  rows.head(joints) = factors.joint_rows - factors.border_multipliers * rows.tail(couplings);
}

}  // namespace lithe
