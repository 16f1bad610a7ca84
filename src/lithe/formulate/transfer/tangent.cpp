#include "lithe/formulate/transfer/tangent.h"

#include <cmath>

#include "lithe/formulate/numerics/dual.h"

namespace lithe {
namespace {

// Places of δθ, δω, δα, δa in a perturbation.
constexpr int at_theta = 0, at_omega = 3, at_alpha = 6, at_a = 9;

// The child's motion by the parent's.
void carry_motion(const ElementMotion& m, const FrameState& p, Matrix12x12& T) {
  const Matrix3 Qt = m.Q.transpose(), rho = skew(m.rho);
  T.setZero();
  T.block<3, 3>(at_theta, at_theta) = Qt;
  T.block<3, 3>(at_omega, at_omega) = Qt;
  T.block<3, 3>(at_alpha, at_alpha) = Qt;
  T.block<3, 3>(at_alpha, at_omega) = -Qt * skew(m.w);
  T.block<3, 3>(at_a, at_a) = Qt;
  T.block<3, 3>(at_a, at_alpha) = -Qt * rho;
  T.block<3, 3>(at_a, at_omega) = -Qt * (skew(p.omega.cross(m.rho)) + skew(p.omega) * rho + 2 * skew(m.rho_rate));
}

// The child's motion by the element's coordinates and their rates.
void own_motion(const ElementMotion& m, const ElementJacobians& s, const FrameState& p, int count, ElementTangent& t) {
  const Matrix3 Qt = m.Q.transpose(), spin = skew(p.omega), turn = skew(p.alpha) + spin * spin;
  const Vector3 omega = p.omega + m.w, alpha = p.alpha + p.omega.cross(m.w) + m.w_rate;
  const Vector3 a = p.acceleration + turn * m.rho + 2 * spin * m.rho_rate + m.rho_acceleration;
  t.by_value.setZero();
  t.by_rate.setZero();
  for (int l = 0; l < count; ++l) {
    const Vector3 w = m.w_jacobian.col(l), rho = m.rho_jacobian.col(l);
    t.by_value.col(l).segment<3>(at_theta) = Qt * w;
    t.by_value.col(l).segment<3>(at_omega) = Qt * (s.w.col(l) - w.cross(omega));
    t.by_value.col(l).segment<3>(at_alpha) = Qt * (spin * s.w.col(l) + s.w_rate.col(l) - w.cross(alpha));
    t.by_value.col(l).segment<3>(at_a) =
        Qt * (turn * rho + 2 * spin * s.rho_rate.col(l) + s.rho_acceleration.col(l) - w.cross(a));
    t.by_rate.col(l).segment<3>(at_omega) = Qt * w;
    t.by_rate.col(l).segment<3>(at_alpha) = Qt * (spin * w + s.w_rate_by_rate.col(l));
    t.by_rate.col(l).segment<3>(at_a) = Qt * (2 * spin * rho + 2 * s.rho_rate.col(l));
  }
}

// Wrench of a frame's own body by the frame's motion.
void body_tangent(const FrameInertia& body, const FrameState& s, Matrix6x12& result) {
  const Vector3& c = body.moment;
  const Matrix3 spin = skew(s.omega);
  result.setZero();
  result.block<3, 3>(0, at_omega) = -skew(s.omega.cross(c)) - spin * skew(c);
  result.block<3, 3>(0, at_alpha) = -skew(c);
  result.block<3, 3>(0, at_a) = body.mass * Matrix3::Identity();
  result.block<3, 3>(3, at_omega) = spin * body.inertia - skew(body.inertia * s.omega);
  result.block<3, 3>(3, at_alpha) = body.inertia;
  result.block<3, 3>(3, at_a) = skew(c);
}

// A load that keeps its direction in the world turns in the frame's axes: δ(Rᵀ f) = (Rᵀ f) × δθ.
void load_tangent(const FrameLoad& load, const FrameState& f, Matrix6x12& result) {
  if (load.follows) return;
  const Matrix3 force = skew(f.R_W.transpose() * load.force), torque = skew(f.R_W.transpose() * load.torque);
  result.block<3, 3>(0, at_theta) -= force;
  result.block<3, 3>(3, at_theta) -= torque + skew(load.offset) * force;
}

// A perturbed field of accelerations as wrench on the parent and forces on the coordinates.
struct FieldWrench {
  const BeamForm& form;
  const FieldMotion& field;
  int count;

  void operator()(const FieldVectors& change, Eigen::Ref<Vector6> wrench, Eigen::Ref<Vector6> force) const {
    FieldVectors f;
    f.noalias() = change.lazyProduct(form.mass);
    wrench.head<3>() += f.col(0);
    Vector3 torque = Vector3::Zero();
    for (int b = 1; b < num_field_vectors; ++b) torque += field.value.col(b).cross(f.col(b));
    wrench.tail<3>() += torque;
    for (int l = 0; l < count; ++l) force(l) += field.jacobian[l].cwiseProduct(f).sum();
  }
};

// Mass of the beam by the parent's motion: [LIN] (23) and the terms with D M in (28).
void field_by_parent(const FieldWrench& put, const FrameState& p, ElementTangent& t) {
  const FieldVectors& B = put.field.value;
  const auto add = [&](int column, const FieldVectors& change) {
    Vector6 wrench = Vector6::Zero(), force = Vector6::Zero();
    put(change, wrench, force);
    t.wrench_by_parent.col(column) += wrench;
    t.force_by_parent.col(column) += force;
  };
  const Matrix3 spin = skew(p.omega);
  for (int k = 0; k < 3; ++k) {
    const Matrix3 unit = skew(Vector3::Unit(k));
    add(at_omega + k, (unit * spin + spin * unit) * B + 2 * unit * put.field.rate);
    add(at_alpha + k, unit * B);
    FieldVectors uniform = FieldVectors::Zero();
    uniform(k, 0) = 1;
    add(at_a + k, uniform);
  }
}

void field_by_own(const FieldWrench& put, const FieldJacobians& s, const FrameState& p, ElementTangent& t) {
  const Matrix3 spin = skew(p.omega), turn = skew(p.alpha) + spin * spin;
  for (int l = 0; l < put.count; ++l) {
    const FieldVectors& jacobian = put.field.jacobian[l];
    const FieldVectors by_value = turn * jacobian + 2 * spin * s.rate[l] + s.acceleration[l];
    const FieldVectors by_rate = 2 * spin * jacobian + 2 * s.rate[l];
    put(by_value, t.wrench_by_value.col(l), t.force_by_value.col(l));
    put(by_rate, t.wrench_by_rate.col(l), t.force_by_rate.col(l));
    for (int b = 1; b < num_field_vectors; ++b)
      t.wrench_by_value.col(l).tail<3>() += jacobian.col(b).cross(put.field.force.col(b));
  }
}

// The child's wrench turns with the child: what that does to the parent and to the element's own coordinates, without
// second derivatives.
void child_wrench(const ElementMotion& m, const Vector3& force, const Vector3& torque, int count, ElementTangent& t) {
  for (int l = 0; l < count; ++l) {
    const Vector3 w = m.w_jacobian.col(l), turned_force = w.cross(force), turned_torque = w.cross(torque);
    t.wrench_by_value.col(l).head<3>() += turned_force;
    t.wrench_by_value.col(l).tail<3>() +=
        turned_torque + m.rho_jacobian.col(l).cross(force) + m.rho.cross(turned_force);
    for (int j = 0; j < count; ++j)
      t.force_by_value(j, l) += m.rho_jacobian.col(j).dot(turned_force) + m.w_jacobian.col(j).dot(turned_torque);
  }
}

// Second derivatives of a beam's vectors with the forces on them: the static and dynamic geometric stiffness [LIN]
// (27), (28). ∂w_l/∂e_m = axial(Q_lm Qᵀ + Q_l Q_mᵀ), and Q_l = [w_l] Q.
void beam_curvature(const TransferBeam& beam, const FieldMotion& field, const ElementMotion& m, const double* e,
                    const Vector3& force, const Vector3& torque, int count, ElementTangent& t) {
  Eigen::Matrix<double, 3, num_beam_vectors> weights = Eigen::Matrix<double, 3, num_beam_vectors>::Zero();
  weights.col(chord) = force;
  weights.rightCols<3>() = 0.5 * skew(torque) * m.Q;
  if (beam.form.has_field) {
    weights.leftCols<8>() += field.force.middleCols<8>(1);
    weights.col(second_y) += field.force.col(11);
    weights.col(second_z) += field.force.col(12);
  }
  const Matrix6 hessian = weighted_hessian(beam.form, e, count, weights);
  for (int l = 0; l < count; ++l)
    for (int j = 0; j < count; ++j) {
      const Matrix3 product = -skew(m.w_jacobian.col(l)) * skew(m.w_jacobian.col(j));
      t.force_by_value(l, j) += hessian(l, j) + 0.5 * skew(torque).cwiseProduct(product).sum();
    }
}

void joint_curvature(const TransferFrame& frame, const ElementMotion& m, const Vector3& force, ElementTangent& t) {
  if (frame.count == 0 || frame.motion != FrameMotion::revolute) return;
  const Vector3 u = m.w_jacobian.col(0), across = m.rho_jacobian.col(0);
  t.force_by_value(0, 0) += u.cross(across).dot(force);
}

void clear(ElementTangent& t) {
  t.wrench_by_parent.setZero();
  t.force_by_parent.setZero();
  for (Matrix6* m : {&t.wrench_by_value, &t.wrench_by_rate, &t.force_by_value, &t.force_by_rate}) m->setZero();
}

}  // namespace

TransferTangent::TransferTangent(const TransferTree& tree)
    : elements_(tree.frames.size()),
      below_(tree.frames.size()),
      moved_(tree.frames.size(), 0),
      has_beyond_(tree.frames.size(), 0) {
  int num_roots = 0, num_variables = 0;
  for (const TransferFrame& frame : tree.frames) {
    const bool branches = frame.parent < 0 ? num_roots++ > 0 : has_beyond_[frame.parent] != 0;
    has_gaps_ = has_gaps_ || branches;
    num_variables += frame.count;
    if (frame.parent >= 0) has_beyond_[frame.parent] = 1;
  }
  has_gaps_ = has_gaps_ || num_variables < tree.num_variables;
}

void TransferTangent::update_elements(const TransferTree& tree, const TransferWork& work) {
  FrameState ground;
  ground.acceleration = -tree.gravity;
  for (std::size_t i = 0; i < elements_.size(); ++i)
    body_tangent(tree.frames[i].body, work.frames[i], elements_[i].all_by_child);
  for (const FrameLoad& load : work.loads)
    load_tangent(load, work.frames[load.frame], elements_[load.frame].all_by_child);
  for (int i = static_cast<int>(elements_.size()) - 1; i >= 0; --i) {
    const TransferFrame& frame = tree.frames[i];
    const ElementMotion& m = work.elements[i];
    const FrameState& p = frame.parent < 0 ? ground : work.frames[frame.parent];
    ElementTangent& t = elements_[i];
    clear(t);
    carry_motion(m, p, t.carry);
    own_motion(m, work.jacobians[i], p, frame.count, t);
    const Vector3 force = m.Q * work.frames[i].force, torque = m.Q * work.frames[i].torque;
    child_wrench(m, force, torque, frame.count, t);
    if (frame.beam < 0) {
      joint_curvature(frame, m, force, t);
    } else {
      const TransferBeam& beam = tree.beams[frame.beam];
      const FieldMotion& field = work.fields[frame.beam];
      if (beam.form.has_field) {
        const FieldWrench put{beam.form, field, frame.count};
        field_by_parent(put, p, t);
        field_by_own(put, work.field_jacobians[frame.beam], p, t);
      }
      beam_curvature(beam, field, m, work.y.data() + frame.first, force, torque, frame.count, t);
    }
    t.carry_wrench = lithe::carry(m).transpose();
    t.directions = free_directions(m);
    const Matrix6x12 beyond = t.all_by_child.lazyProduct(t.carry);
    t.force_by_parent_total = t.force_by_parent;
    t.force_by_parent_total.noalias() += t.directions.transpose().lazyProduct(beyond);
    if (frame.parent < 0) continue;
    Matrix6x12& parent = elements_[frame.parent].all_by_child;
    parent += t.wrench_by_parent;
    parent.noalias() += t.carry_wrench.lazyProduct(beyond);
  }
}

namespace {

using WrenchColumns = Eigen::Matrix<double, 6, 12, Eigen::RowMajor>;

// carry times columns, by the blocks of carry_motion() that are not zero.
void carry_columns(const Matrix12x12& carry, const PerturbationColumns& parent, PerturbationColumns& child) {
  const Matrix3 Qt = carry.topLeftCorner<3, 3>();
  const auto product = [&](int row, int column) {
    child.middleRows<3>(row).noalias() +=
        Matrix3(carry.block<3, 3>(row, column)).lazyProduct(parent.middleRows<3>(column));
  };
  for (const int row : {at_theta, at_omega, at_alpha, at_a})
    child.middleRows<3>(row).noalias() = Qt.lazyProduct(parent.middleRows<3>(row));
  product(at_alpha, at_omega);
  product(at_a, at_omega);
  product(at_a, at_alpha);
}

// The first six columns belong to the stiffness, the others to the damping.
void put_blocks(const TransferFrame& row, const TransferFrame& column, int first, const WrenchColumns& blocks,
                MatrixX& stiffness, MatrixX& damping) {
  const int r = row.first - first, c = column.first - first;
  if (row.count == 6 && column.count == 6) {
    stiffness.block<6, 6>(r, c) = blocks.leftCols<6>();
    damping.block<6, 6>(r, c) = blocks.rightCols<6>();
  } else {
    stiffness.block(r, c, row.count, column.count) = blocks.topLeftCorner(row.count, column.count);
    damping.block(r, c, row.count, column.count) = blocks.rightCols<6>().topLeftCorner(row.count, column.count);
  }
}

}  // namespace

// One element's columns: its own rows, then those of all elements nearer to the ground through the wrench, then those
// beyond it through the motion. Products are of small fixed sizes, without the packing that serves large ones.
void TransferTangent::add_columns(const TransferTree& tree, int k, int first, MatrixX& stiffness, MatrixX& damping) {
  const auto is_wanted = [&](const TransferFrame& row) { return row.count > 0 && row.first >= first; };
  const TransferFrame& frame = tree.frames[k];
  const ElementTangent& own = elements_[k];
  PerturbationColumns& motion = below_[k];
  motion << own.by_value, own.by_rate;
  const WrenchColumns beyond = own.all_by_child.lazyProduct(motion);
  WrenchColumns block, carried;
  block << own.force_by_value, own.force_by_rate;
  block.noalias() += own.directions.transpose().lazyProduct(beyond);
  put_blocks(frame, frame, first, block, stiffness, damping);
  carried << own.wrench_by_value, own.wrench_by_rate;
  carried.noalias() += own.carry_wrench.lazyProduct(beyond);
  for (int j = frame.parent; j >= 0; j = tree.frames[j].parent) {
    if (is_wanted(tree.frames[j])) {
      block.noalias() = elements_[j].directions.transpose().lazyProduct(carried);
      put_blocks(tree.frames[j], frame, first, block, stiffness, damping);
    }
    block.noalias() = elements_[j].carry_wrench.lazyProduct(carried);
    carried = block;
  }
  moved_[k] = 1;
  for (std::size_t i = k + 1; i < elements_.size(); ++i) {
    const int parent = tree.frames[i].parent;
    moved_[i] = parent >= k && moved_[parent];
    if (!moved_[i]) continue;
    if (is_wanted(tree.frames[i])) {
      block.noalias() = elements_[i].force_by_parent_total.lazyProduct(below_[parent]);
      put_blocks(tree.frames[i], frame, first, block, stiffness, damping);
    }
    if (has_beyond_[i]) carry_columns(elements_[i].carry, below_[parent], below_[i]);
  }
}

namespace {

// Derivatives of Eᵀ diag(d) E β̇ by the angles and their rates, where both are wanted.
void add_ball_damper(const BallDamper& damper, const TransferWork& work, int first, MatrixX& damping,
                     MatrixX& stiffness) {
  using Derivative = Dual<double, 6>;
  const BallMotion<double> now = ball_motion(damper.coordinates, work);
  BallMotion<Derivative> motion{now.angles.cast<Derivative>(), now.rates.cast<Derivative>(),
                                now.accelerations.cast<Derivative>()};
  for (int k = 0; k < 3; ++k) motion.angles[k].jacobian[k] = motion.rates[k].jacobian[3 + k] = 1;
  const Eigen::Matrix<Derivative, 3, 1> force = ball_damper_force<Derivative>(damper, motion);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int row = damper.coordinates[i] - first, column = damper.coordinates[j] - first;
      if (row < 0 || column < 0) continue;
      stiffness(row, column) += force[i].jacobian[j];
      damping(row, column) += force[i].jacobian[3 + j];
    }
}

}  // namespace

void TransferTangent::assemble(const TransferTree& tree, const TransferWork& work, int first, MatrixX& damping,
                               MatrixX& stiffness) {
  const int n = tree.num_variables - first;
  for (MatrixX* matrix : {&damping, &stiffness}) {
    matrix->resize(n, n);
    if (has_gaps_) matrix->setZero();
  }
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const TransferFrame& frame = tree.frames[k];
    if (frame.count == 0 || frame.first < first) continue;
    add_columns(tree, static_cast<int>(k), first, stiffness, damping);
    if (frame.beam < 0) continue;
    const TransferBeam& beam = tree.beams[frame.beam];
    const auto S = beam.form.stiffness.topLeftCorner(frame.count, frame.count);
    const int c = frame.first - first;
    stiffness.block(c, c, frame.count, frame.count) += S;
    damping.block(c, c, frame.count, frame.count) += beam.damping_factor * S;
  }
  for (const LinkDamping& link : tree.link_damping)
    damping.block(link.first - first, link.first - first, link.matrix.rows(), link.matrix.cols()) += link.matrix;
  for (int y = first; y < tree.num_joint_coordinates; ++y) {
    const JointElement& joint = tree.joints[y];
    const double jacobian = std::tanh(work.y_rate(y) / joint.friction_speed);
    const int c = y - first;
    stiffness(c, c) += joint.stiffness;
    damping(c, c) += joint.damping;
    if (joint.friction > 0) damping(c, c) += joint.friction / joint.friction_speed * (1 - jacobian * jacobian);
    if (!joint.law) continue;
    stiffness(c, c) += spring_excess_stiffness(*joint.law, work.y(y) - joint.rest_value);
    damping(c, c) += friction_excess_damping(*joint.law, work.y_rate(y), joint.friction_speed);
  }
  for (const BallDamper& damper : tree.ball_dampers) add_ball_damper(damper, work, first, damping, stiffness);
}

namespace {

// The frame's motion that (δθ, δω, δα, δa) leaves out: where its origin is and how fast.
void place_changes(const ElementMotion& m, const ElementJacobians& s, const FrameState& p, const FrameChanges& parent,
                   const MatrixX& y, const MatrixX& rates, FrameChanges& c) {
  const Eigen::Index count = y.rows();
  const Matrix3 Qt = m.Q.transpose();
  const Matrix3X stretch = m.rho_jacobian.leftCols(count) * y, turn = m.w_jacobian.leftCols(count) * y;
  const Vector3 velocity = p.velocity + p.omega.cross(m.rho) + m.rho_rate;
  c.position = parent.position + p.R_W * (stretch - skew(m.rho) * parent.theta);
  c.velocity = Qt * (parent.velocity - skew(m.rho) * parent.omega + skew(p.omega) * stretch +
                     s.rho_rate.leftCols(count) * y + m.rho_jacobian.leftCols(count) * rates + skew(velocity) * turn);
}

}  // namespace

namespace {

// What accelerations of a beam's own coordinates do to its wrench on the parent.
void add_field_changes(const TransferTree& tree, const TransferWork& work, const TransferFrame& frame,
                       const MatrixX& accelerations, Matrix6X& passed) {
  if (frame.beam < 0 || !tree.beams[frame.beam].form.has_field) return;
  const FieldWrench put{tree.beams[frame.beam].form, work.fields[frame.beam], frame.count};
  for (int l = 0; l < frame.count; ++l) {
    Vector6 wrench = Vector6::Zero(), force = Vector6::Zero();
    put(put.field.jacobian[l], wrench, force);
    passed += wrench * accelerations.row(frame.first + l);
  }
}

}  // namespace

Matrix6X TransferTangent::passed_changes(const TransferTree& tree, const TransferWork& work, int frame,
                                         const MatrixX& y, const MatrixX& rates, const MatrixX& accelerations,
                                         const std::vector<FrameChanges>& changes) const {
  const TransferFrame& own = tree.frames[frame];
  const ElementTangent& t = elements_[frame];
  const FrameChanges& child = changes[frame];
  Matrix6X passed = t.carry_wrench * child.wrench +
                    t.wrench_by_value.leftCols(own.count) * y.middleRows(own.first, own.count) +
                    t.wrench_by_rate.leftCols(own.count) * rates.middleRows(own.first, own.count);
  if (own.parent >= 0) {
    const FrameChanges& parent = changes[own.parent];
    MatrixX motion(12, y.cols());
    motion << parent.theta, parent.omega, parent.alpha, parent.acceleration;
    passed += t.wrench_by_parent * motion;
  }
  add_field_changes(tree, work, own, accelerations, passed);
  return passed;
}

void TransferTangent::find_changes(const TransferTree& tree, const TransferWork& work, const MatrixX& y,
                                   const MatrixX& rates, const MatrixX& accelerations,
                                   const std::vector<Matrix6X>& loads, std::vector<FrameChanges>& changes) const {
  using Perturbations = Eigen::Matrix<double, 12, Eigen::Dynamic>;
  const Eigen::Index n = y.cols();
  const Matrix3X zero = Matrix3X::Zero(3, n);
  const FrameChanges ground{zero, zero, zero, zero, zero, zero, Matrix6X::Zero(6, n)};
  const FrameState still;
  std::vector<Perturbations> own(elements_.size());
  changes.assign(elements_.size(), ground);
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const TransferFrame& frame = tree.frames[i];
    const ElementTangent& t = elements_[i];
    const auto part = [&](const MatrixX& of) -> MatrixX { return of.middleRows(frame.first, frame.count); };
    const FrameChanges& parent = frame.parent < 0 ? ground : changes[frame.parent];
    FrameChanges& c = changes[i];
    own[i] = t.by_value.leftCols(frame.count) * part(y) + t.by_rate.leftCols(frame.count) * part(rates);
    own[i].middleRows<3>(at_a) += t.directions.topLeftCorner(3, frame.count) * part(accelerations);
    own[i].middleRows<3>(at_alpha) += t.directions.bottomLeftCorner(3, frame.count) * part(accelerations);
    Perturbations whole(12, n);
    whole << parent.theta, parent.omega, parent.alpha, parent.acceleration;
    whole = (t.carry * whole + own[i]).eval();
    c.theta = whole.middleRows<3>(at_theta);
    c.omega = whole.middleRows<3>(at_omega);
    c.alpha = whole.middleRows<3>(at_alpha);
    c.acceleration = whole.middleRows<3>(at_a);
    c.wrench = t.all_by_child * whole + loads[i];
    place_changes(work.elements[i], work.jacobians[i], frame.parent < 0 ? still : work.frames[frame.parent], parent,
                  part(y), part(rates), c);
  }
  // What all_by_child leaves out: elements beyond that change by themselves.
  std::vector<Matrix6X> beyond = loads;
  for (int i = static_cast<int>(elements_.size()) - 1; i >= 0; --i) {
    const TransferFrame& frame = tree.frames[i];
    if (frame.parent < 0) continue;
    const ElementTangent& t = elements_[i];
    const auto part = [&](const MatrixX& of) -> MatrixX { return of.middleRows(frame.first, frame.count); };
    Matrix6X passed = t.wrench_by_value.leftCols(frame.count) * part(y) +
                      t.wrench_by_rate.leftCols(frame.count) * part(rates) +
                      t.carry_wrench * (t.all_by_child * own[i] + beyond[i]);
    add_field_changes(tree, work, frame, accelerations, passed);
    beyond[frame.parent] += passed;
    changes[frame.parent].wrench += passed;
  }
}

}  // namespace lithe
