// Linearised equations of bodies joined by multipliers: for analyses, not for steps.

#include "lithe/base/decompositions.h"
#include "lithe/formulate/absolute/derivatives.h"
#include "lithe/formulate/numerics/rotation_vector.h"

namespace lithe {

// A row of a joint by all coordinates.
VectorX AbsoluteEquations::dense_row(const JointRow& row, const JointPlan& plan, const JointWork& joint) const {
  Eigen::RowVectorXd result = Eigen::RowVectorXd::Zero(plan_.num_coordinates);
  add_dense_row(row, plan, joint, 1, result);
  return result.transpose();
}

void AbsoluteEquations::add_dense_row(const JointRow& row, const JointPlan& plan, const JointWork& joint, double factor,
                                      Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>> result) const {
  for (const bool child : {false, true}) {
    const int body = child ? plan.child.body : plan.parent.body;
    if (body < 0) continue;
    const NodeFrame& frame = child ? joint.child : joint.parent;
    Vector3 force, torque;
    (child ? row_on_child<double> : row_on_parent<double>)(row, joint.motion, force, torque);
    force *= factor;
    torque *= factor;
    auto own = result.segment(plan_.first_coordinate[body] + frame.first, frame.jacobian.cols());
    own.noalias() += force.transpose() * frame.jacobian.topRows<3>();
    own.noalias() += torque.transpose() * frame.jacobian.bottomRows<3>();
  }
}

// J of all rows with a multiplier, with the rotors' columns; and of all freedoms when asked for.
MatrixX AbsoluteEquations::dense_rows(bool freedoms, const Work& work) const {
  const int n = plan_.num_coordinates;
  MatrixX rows = MatrixX::Zero(plan_.num_rows + (freedoms ? plan_.num_values : 0), n);
  const auto put = [&](int at, const JointRow& row, const JointPlan& plan, const JointWork& joint) {
    rows.row(at) += dense_row(row, plan, joint).transpose();
  };
  for (std::size_t j = 0; j < plan_.joints.size(); ++j) {
    const JointPlan& plan = plan_.joints[j];
    for (std::size_t r = 0; r < plan.rows.size(); ++r) {
      if (!has_multiplier(plan.rows[r].kind)) continue;
      const int at = plan.first_row + static_cast<int>(r);
      put(at, work.joints[j].rows[r], plan, work.joints[j]);
      if (plan.rows[r].kind == RowKind::rotor) rows(at, plan_.rotors[plan.rows[r].rotor].coordinate) -= 1;
    }
    for (const CoupledTerm& term : plan.coupled)
      rows.row(plan_.num_joint_rows() + term.coupling) +=
          term.factor * dense_row(work.joints[j].freedoms[term.freedom], plan, work.joints[j]).transpose();
    if (!freedoms) continue;
    FreedomRows of_joint;
    freedom_rows(plan.type, work.joints[j].motion, of_joint);
    for (int k = 0; k < num_freedoms(plan.type); ++k)
      put(plan_.num_rows + plan.first_value + k, of_joint[k], plan, work.joints[j]);
  }
  return rows;
}

// M, C and K of bodies, rotors and joint springs in the space of ν.
void AbsoluteEquations::dense_blocks(const Work& work, LinearBlocks& blocks) const {
  const int n = plan_.num_coordinates;
  for (MatrixX* m : {&blocks.mass, &blocks.damping, &blocks.stiffness}) m->setZero(n, n);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const int o = plan_.first_coordinate[b], size = bodies_[b]->num_speeds();
    bodies_[b]->add_blocks(*work.bodies[b], blocks.mass.block(o, o, size, size), blocks.damping.block(o, o, size, size),
                           blocks.stiffness.block(o, o, size, size));
  }
  if (mode_damping_.size() > 0) {
    const MatrixX map = mode_map(work);
    blocks.damping.noalias() += map.transpose() * mode_damping_ * map;
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
      if (const double d = freedom_damping(joint, k); d != 0) blocks.damping += d * row * row.transpose();
    }
    for (int k = 0; k < 3; ++k) {
      if (plan.turn_damping[k] == 0) continue;
      const JointWork& now = work.joints[plan_.plan_of_joint[j]];
      const VectorX row = dense_row(turning_row(k, now.motion), plan, now);
      blocks.damping += plan.turn_damping[k] * row * row.transpose();
    }
  }
}

namespace {

// ν that rows leave free, and ν of least kinetic norm that gives the rows' rates: by pivoted QR of J M^-1/2.
class RowSpace {
 public:
  RowSpace(const MatrixX& mass, const MatrixX& rows) : cholesky_(mass) {  // M = L Lᵀ; ν = L⁻ᵀ y
    qr_.compute(cholesky_.matrixL().solve(rows.transpose()), 1e-9);
  }
  MatrixX free_directions() const {
    const Eigen::Index n = qr_.rows(), r = qr_.rank();
    MatrixX N = MatrixX::Zero(n, n - r);
    N.bottomRows(n - r).setIdentity();
    return turned(std::move(N));
  }
  MatrixX least(const MatrixX& rates) const {
    const Eigen::Index n = qr_.rows(), r = qr_.rank();
    MatrixX all = MatrixX::Zero(n, rates.cols());
    if (r == 0) return all;
    const MatrixX chosen = (qr_.order().transpose() * rates).topRows(r);
    all.topRows(r) = qr_.r().topLeftCorner(r, r).triangularView<Eigen::Upper>().transpose().solve(chosen);
    return turned(std::move(all));
  }
  // Multipliers whose forces along the rows come nearest to a force, or to each of several.
  MatrixX carried(const MatrixX& force) const {
    return qr_.cols() > 0 ? qr_.solve(cholesky_.matrixL().solve(force)) : MatrixX(0, force.cols());
  }
  bool redundant() const { return qr_.rank() < qr_.cols(); }

 private:
  // L⁻ᵀ Q
  MatrixX turned(MatrixX columns) const {
    qr_.apply_q(columns);
    return cholesky_.matrixU().solve(columns);
  }
  Eigen::LLT<MatrixX> cholesky_;
  PivotedQr qr_;
};

// Rows of what a planar model does not do: frames that leave the plane or tilt, in own axes.
MatrixX with_planar_rows(const AbsolutePlan& plan, const std::vector<std::unique_ptr<AbsoluteBody>>& bodies,
                         MatrixX rows) {
  std::vector<int> still;
  for (std::size_t b = 0; b < bodies.size(); ++b)
    for (int k = 0; k < bodies[b]->num_frames(); ++k)
      for (const int component : {2, 3, 4}) still.push_back(plan.first_coordinate[b] + 6 * k + component);
  const Eigen::Index first = rows.rows();
  rows.conservativeResize(first + static_cast<Eigen::Index>(still.size()), Eigen::NoChange);
  rows.bottomRows(static_cast<Eigen::Index>(still.size())).setZero();
  for (std::size_t i = 0; i < still.size(); ++i) rows(first + static_cast<Eigen::Index>(i), still[i]) = 1;
  return rows;
}

}  // namespace

// M with what bodies without inertia are filled with: positive definite, and the inner product of all that follows.
MatrixX AbsoluteEquations::weight(const MatrixX& mass) const {
  MatrixX result = mass;
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    if (bodies_[b]->filled()) result.diagonal().segment<6>(plan_.first_coordinate[b]) += bodies_[b]->filling();
  return result;
}

// The smallest part, above none, that M has in the weight of an admissible motion at the initial state.
double AbsoluteEquations::least_inertia(Work& work) const {
  constexpr double none = 1e-11;
  Inputs inputs = make_inputs(model_);
  evaluate_inputs(model_, 0, inputs);
  update_joints(initial_state_, inputs, work);
  LinearBlocks blocks;
  dense_blocks(work, blocks);
  const MatrixX N = RowSpace(weight(blocks.mass), dense_rows(false, work)).free_directions();
  if (N.cols() == 0) return 1;
  const MatrixX reduced = N.transpose() * blocks.mass * N;
  const VectorX parts = symmetric_values(reduced).values;
  for (Eigen::Index k = 0; k < parts.size(); ++k)
    if (parts[k] > none) return parts[k];
  return 1;
}

// Rows of the freedoms that are held; other rows are zero. Dependent joints follow from the loops.
MatrixX AbsoluteEquations::holding_rows(HeldJoints held, const Work& work) const {
  MatrixX rows = dense_rows(true, work).bottomRows(plan_.num_values);
  for (const JointPlan& plan : plan_.joints)
    for (int k = 0; k < num_freedoms(plan.type); ++k) {
      const int c = mechanism_.coordinate_of(plan.joint, k);
      const bool holds = held == HeldJoints::all ||
                         (held == HeldJoints::unsprung && freedom_value(model_.joints[plan.joint].stiffness, k) <= 0);
      if (c < 0 || !independent_[c] || !holds) rows.row(plan.first_value + k).setZero();
    }
  return rows;
}

// In the mass's inner product, so that the reduced mass is the identity where no body is filled.
MatrixX AbsoluteEquations::admissible_directions(const State& state, const Inputs& inputs, HeldJoints held,
                                                 Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  load(state, work);
  update_joints(state, inputs, work);
  LinearBlocks blocks;
  dense_blocks(work, blocks);
  MatrixX rows(plan_.num_rows + plan_.num_values, plan_.num_coordinates);
  rows << dense_rows(false, work), holding_rows(held, work);
  if (model_.space == Space::planar) rows = with_planar_rows(plan_, bodies_, std::move(rows));
  return RowSpace(weight(blocks.mass), rows).free_directions();
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

// matrix B, block by block.
void times_chart(const AbsolutePlan& plan, const std::vector<std::unique_ptr<AbsoluteBody>>& bodies, const State& state,
                 MatrixX& matrix) {
  for (std::size_t b = 0; b < bodies.size(); ++b)
    for (int k = 0; k < bodies[b]->num_frames(); ++k) {
      const int o = plan.first_coordinate[b] + 6 * k;
      const Vector3 theta = state.coordinates.segment<3>(o + 3);
      matrix.middleCols<3>(o) = (matrix.middleCols<3>(o) * rotation_of(theta).transpose()).eval();
      matrix.middleCols<3>(o + 3) = (matrix.middleCols<3>(o + 3) * rate_map(theta)).eval();
    }
}

}  // namespace

// The stiff part on the directions that the joints leave: Pᵀ K P with the mass-orthogonal projector P = N Nᵀ M.
EvaluationStatus AbsoluteEquations::linearise_elastic(const State& state, const Inputs& inputs, Workspace& workspace,
                                                      LinearBlocks& blocks) const {
  Work& work = static_cast<Work&>(workspace);
  load(state, work);
  update_joints(state, inputs, work);
  if (const EvaluationStatus status = angles_status(work); status != EvaluationStatus::ok) return status;
  dense_blocks(work, blocks);
  if (filled_) blocks.mass = weight(blocks.mass);  // a reference for integrators, which need it positive definite
  const MatrixX N = RowSpace(blocks.mass, dense_rows(false, work)).free_directions();
  MatrixX onto = N.transpose() * blocks.mass;
  times_chart(plan_, bodies_, state, onto);
  for (MatrixX* block : {&blocks.damping, &blocks.stiffness}) {
    const MatrixX among = N.transpose() * (*block * N);
    block->noalias() = onto.transpose() * (among * onto);
  }
  for (int side = 0; side < 2; ++side) {  // Bᵀ M B
    times_chart(plan_, bodies_, state, blocks.mass);
    blocks.mass.transposeInPlace();
  }
  blocks.input.transposeInPlace();
  times_chart(plan_, bodies_, state, blocks.input);
  blocks.input.transposeInPlace();
  return blocks.mass.allFinite() ? EvaluationStatus::ok : EvaluationStatus::not_finite;
}

void AbsoluteEquations::whole_stiffness(const State& state, const Inputs& inputs, Workspace& workspace,
                                        MatrixX& result) const {
  Work& work = static_cast<Work&>(workspace);
  load(state, work);
  update_joints(state, inputs, work);
  LinearBlocks blocks;
  dense_blocks(work, blocks);
  result = blocks.stiffness;
  for (int side = 0; side < 2; ++side) {  // Bᵀ K B
    times_chart(plan_, bodies_, state, result);
    result.transposeInPlace();
  }
}

EvaluationStatus AbsoluteEquations::linearise(const State& state, const Inputs& inputs, Workspace& workspace,
                                              LinearBlocks& blocks) const {
  Accelerations own;
  const EvaluationStatus status = evaluate(state, inputs, workspace, own);
  return status == EvaluationStatus::ok ? linearise_about(state, inputs, own, workspace, blocks) : status;
}

// The reduced matrices as those of all coordinates: onto the directions that the joints leave and back.
EvaluationStatus AbsoluteEquations::linearise_about(const State& given, const Inputs& inputs,
                                                    const Accelerations& accelerations, Workspace& workspace,
                                                    LinearBlocks& blocks) const {
  EvaluationStatus status = linearise_elastic(given, inputs, workspace, blocks);
  if (status != EvaluationStatus::ok) return status;
  VectorX body;
  from_chart(given, accelerations.values, body);
  State centred = given;
  recentre(centred);
  ConstrainedLinearisation linear;
  status = linearise_constrained(centred, inputs, body, workspace, linear);
  if (status != EvaluationStatus::ok) return status;
  MatrixX B;
  chart_map(plan_, bodies_, given, B);
  const MatrixX onto = linear.onto * B;
  blocks.stiffness = onto.transpose() * linear.stiffness * onto;
  blocks.damping = onto.transpose() * linear.damping * onto;
  return EvaluationStatus::ok;
}

// δν = δξ̇ + [ν, δξ] for small motions δξ in the frames' own axes, (21).
MatrixX AbsoluteEquations::commutator(const VectorX& velocities) const {
  MatrixX result = MatrixX::Zero(plan_.num_coordinates, plan_.num_coordinates);
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    for (int k = 0; k < bodies_[b]->num_frames(); ++k) {
      const int o = plan_.first_coordinate[b] + 6 * k;
      const Matrix3 turning = skew(velocities.segment<3>(o + 3));
      result.block<3, 3>(o, o) = result.block<3, 3>(o + 3, o + 3) = turning;
      result.block<3, 3>(o, o + 3) = skew(velocities.segment<3>(o));
    }
  return result;
}

// From ν and ν̇ to the rates of the chart (ρ, θ) at θ = 0, (24).
void AbsoluteEquations::add_chart_terms(const VectorX& velocities, const VectorX& accelerations,
                                        const MatrixX& speed_by_place, ConstrainedLinearisation& linear) const {
  const MatrixX& N = linear.directions;
  linear.speed_by_place = speed_by_place;
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    for (int k = 0; k < bodies_[b]->num_frames(); ++k) {
      const int o = plan_.first_coordinate[b] + 6 * k, r = o + 3;
      const Vector3 v = velocities.segment<3>(o), w = velocities.segment<3>(r);
      const Vector3 v_rate = accelerations.segment<3>(o), w_rate = accelerations.segment<3>(r);
      const auto turn = N.middleRows<3>(r);
      linear.speed_by_place.middleRows<3>(o) -= skew(v) * turn;
      linear.speed_by_place.middleRows<3>(r) -= 0.5 * skew(w) * turn;
      linear.acceleration_by_place.middleRows<3>(o) += -skew(v_rate) * turn + skew(v) * skew(w) * turn -
                                                       skew(v) * speed_by_place.middleRows<3>(r) +
                                                       skew(w) * linear.speed_by_place.middleRows<3>(o);
      linear.acceleration_by_place.middleRows<3>(r) += (-0.5 * skew(w_rate) + skew(w) * skew(w) / 6) * turn;
      linear.acceleration_by_speed.middleRows<3>(o) += -skew(v) * turn + skew(w) * N.middleRows<3>(o);
    }
}

// Forces on the frames that nothing balances stay as they are in the world; moments follow half of the turn, which is
// what makes the stiffness of a structure under constant loads symmetric. Without such forces nothing changes.
void AbsoluteEquations::keep_in_world(const VectorX& forces, MatrixX& by_place) const {
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    for (int k = 0; k < bodies_[b]->num_frames(); ++k) {
      const int o = plan_.first_coordinate[b] + 6 * k;
      by_place.block<3, 3>(o, o + 3) -= skew(forces.segment<3>(o));
      by_place.block<3, 3>(o + 3, o + 3) -= 0.5 * skew(forces.segment<3>(o + 3));
    }
}

namespace {

MatrixX orthonormal_kernel(const MatrixX& matrix) {
  const PivotedQr qr(matrix.transpose(), 1e-9);
  MatrixX Z = MatrixX::Zero(matrix.cols(), matrix.cols() - qr.rank());
  Z.bottomRows(Z.cols()).setIdentity();
  qr.apply_q(Z);
  return Z;
}

}  // namespace

// docs/theory/floating_frame.md, section 8.
EvaluationStatus AbsoluteEquations::linearise_constrained(const State& state, const Inputs& given,
                                                          const VectorX& wanted, Workspace& workspace,
                                                          ConstrainedLinearisation& linear) const {
  Work& work = static_cast<Work&>(workspace);
  const EvaluationStatus status = body_accelerations(state, given, workspace, work.accelerations, work.multipliers);
  if (status != EvaluationStatus::ok) return status;
  const VectorX own = work.accelerations, nu = work.nu;
  LinearBlocks blocks;
  dense_blocks(work, blocks);
  const MatrixX J = dense_rows(false, work);
  const MatrixX weighed = weight(blocks.mass);
  const RowSpace space(weighed, J);
  linear.directions = model_.space == Space::planar
                          ? RowSpace(weighed, with_planar_rows(plan_, bodies_, J)).free_directions()
                          : space.free_directions();
  linear.onto = linear.directions.transpose() * weighed;
  const MatrixX momentum = linear.directions.transpose() * blocks.mass;
  const VectorX about = wanted - space.least(J * wanted + work.bias);

  // λ, and constant forces on joint freedoms that hold what is not at rest by itself.
  MatrixX carrying(plan_.num_rows + plan_.num_values, plan_.num_coordinates);
  carrying << J, holding_rows(HeldJoints::all, work);
  const VectorX carried = RowSpace(weighed, carrying).carried(work.force - blocks.mass * about);
  Inputs& inputs = linear.inputs;
  inputs = given;
  for (const JointPlan& plan : plan_.joints)
    for (int k = 0; k < num_freedoms(plan.type); ++k)
      inputs.joint_forces[plan.joint][k] -= carried[plan_.num_rows + plan.first_value + k];
  AbsoluteDerivatives jacobians;
  differentiate(inputs, about, carried.head(plan_.num_rows), work, jacobians);
  const VectorX left = blocks.mass * about - work.force + carrying.transpose() * carried;
  keep_in_world(left, jacobians.by_place);

  const MatrixX &N = linear.directions, &E = linear.onto, D = commutator(nu), turning = D * N;
  // δν = N δż + S δz and δν̇ = N δz̈ + A δż + P δz, (22)-(23).
  const MatrixX S = N * (E * turning) - space.least(jacobians.rate_by_place * N), moved = S - turning;
  linear.acceleration_by_speed = N * (E * turning) - space.least(jacobians.acceleration_by_speed * N);
  linear.acceleration_by_place = N * (E * (commutator(about) * N + D * moved)) -
                                 space.least(jacobians.acceleration_by_place * N + jacobians.acceleration_by_speed * S);
  linear.velocity_by_place = S;
  linear.directions_rate = moved;
  linear.directions_acceleration = linear.acceleration_by_place - commutator(about) * N - D * moved;
  linear.mass = momentum * N;
  linear.damping = momentum * linear.acceleration_by_speed + N.transpose() * (jacobians.by_speed * N);
  linear.stiffness =
      momentum * linear.acceleration_by_place + N.transpose() * (jacobians.by_place * N + jacobians.by_speed * S);
  linear.input = N.transpose() * blocks.input;
  linear.force = momentum * (own - about);
  add_chart_terms(nu, about, S, linear);
  chart_accelerations(state, about, linear.accelerations);
  return linear.stiffness.allFinite() ? EvaluationStatus::ok : EvaluationStatus::not_finite;
}

// δλ from M δν̇ + ∂r δ(places, ν) + Jᵀ δλ = 0. Where rows say the same, how they share a force is a choice; the share
// that changes least is taken.
EvaluationStatus AbsoluteEquations::jacobian_multipliers(const State& state, const Accelerations& accelerations,
                                                         const NearbyMotions& motions, JacobianWork& all) const {
  Work& work = all.work;
  const EvaluationStatus status = body_accelerations(state, all.inputs, work, work.accelerations, work.multipliers);
  if (status != EvaluationStatus::ok) return status;
  from_chart(state, accelerations.values, all.about);
  from_chart_motions(state, accelerations, motions, all.motions);
  LinearBlocks blocks;
  dense_blocks(work, blocks);
  const MatrixX J = dense_rows(false, work), weighed = weight(blocks.mass);
  MatrixX carrying(plan_.num_rows + plan_.num_values, plan_.num_coordinates);
  carrying << J, holding_rows(HeldJoints::all, work);
  const VectorX lacking = blocks.mass * (work.accelerations - all.about);
  const VectorX carried = RowSpace(weighed, carrying).carried(lacking);
  all.multipliers = work.multipliers + carried.head(plan_.num_rows);
  for (const JointPlan& plan : plan_.joints)
    for (int k = 0; k < num_freedoms(plan.type); ++k)
      all.inputs.joint_forces[plan.joint][k] -= carried[plan_.num_rows + plan.first_value + k];
  AbsoluteDerivatives jacobians;
  differentiate(all.inputs, all.about, all.multipliers, work, jacobians);
  keep_in_world(carrying.transpose() * carried - lacking, jacobians.by_place);
  const RowSpace space(weighed, J);
  all.multiplier_jacobians =
      -space.carried(blocks.mass * all.motions.acceleration + jacobians.by_place * all.motions.place +
                     jacobians.by_speed * all.motions.speed);
  if (!space.redundant()) return status;
  const MatrixX Z = orthonormal_kernel(J.transpose());
  all.multiplier_jacobians -= Z * (Z.transpose() * all.multiplier_jacobians);
  return status;
}

}  // namespace lithe
