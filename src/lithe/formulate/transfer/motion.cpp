#include "lithe/formulate/transfer/motion.h"

#include <cmath>

#include "lithe/formulate/transfer/beam_inl.h"
#include "lithe/formulate/transfer/jet.h"

namespace lithe {
BallMotion<double> ball_motion(const std::array<int, 3>& coordinates, const TransferWork& work) {
  const auto of = [&](const VectorX& values) {
    return Vector3(values(coordinates[0]), values(coordinates[1]), values(coordinates[2]));
  };
  return {of(work.y), of(work.y_rate), of(work.y_acceleration)};
}

namespace {

using Jacobian = Dual<double, 6>;

Vector3 axial(const Matrix3& m) { return 0.5 * Vector3(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)); }

// Where a beam's vectors stand in the field: those up to the shortenings in a row, then the second node's axes.
int field_place(int vector) {
  if (vector == second_x) return -1;
  return vector < second_x ? 1 + vector : 11 + (vector - second_y);
}

// The frame before the joint moves: X_before with the chart's reference.
Matrix3 joint_axes(const TransferFrame& frame, const TransferWork& work) {
  if (frame.chart < 0) return frame.before.rotation;
  const Matrix3& reference = work.references[frame.chart];
  return frame.before.rotation * (frame.chart_transposed ? Matrix3(reference.transpose()) : reference);
}

void move_joint(const TransferFrame& frame, const TransferWork& work, ElementMotion& m) {
  const Matrix3 axes = joint_axes(frame, work);
  m.rho = frame.before.position + axes * frame.after.position;
  m.Q = axes * frame.after.rotation;
  if (frame.count == 0) return;
  const double value = work.y(frame.first), rate = work.y_rate(frame.first), acc = work.y_acceleration(frame.first);
  const Vector3 u = axes * frame.axis;
  if (frame.motion == FrameMotion::prismatic) {
    m.rho += value * u;
    m.rho_jacobian.col(0) = u;
    m.rho_rate = rate * u;
    m.rho_acceleration = acc * u;
    return;
  }
  const Matrix3 turn = Eigen::AngleAxisd(value, u).toRotationMatrix();
  const Vector3 arm = turn * (axes * frame.after.position);
  m.Q = turn * m.Q;
  m.rho = frame.before.position + arm;
  m.w_jacobian.col(0) = u;
  m.rho_jacobian.col(0) = u.cross(arm);
  m.w = rate * u;
  m.w_rate = acc * u;
  m.rho_rate = rate * u.cross(arm);
  m.rho_acceleration = acc * u.cross(arm) + rate * rate * u.cross(u.cross(arm));
}

void jacobian_joint(const TransferFrame& frame, const TransferWork& work, const ElementMotion& m, ElementJacobians& s) {
  if (frame.count == 0 || frame.motion == FrameMotion::prismatic) return;
  const double rate = work.y_rate(frame.first), acc = work.y_acceleration(frame.first);
  const Vector3 u = m.w_jacobian.col(0), across = u.cross(Vector3(m.rho_jacobian.col(0)));
  s.rho_rate.col(0) = rate * across;
  s.rho_acceleration.col(0) = acc * across - rate * rate * m.rho_jacobian.col(0);
}

// Values and derivatives of vector k.
template <class Get>
Vector3 pick(int vector, const Get& get) {
  return {get(3 * vector), get(3 * vector + 1), get(3 * vector + 2)};
}

template <class Get>
Matrix3 pick_axes(const Get& get) {
  Matrix3 Q;
  for (int j = 0; j < 3; ++j) Q.col(j) = pick(second_x + j, get);
  return Q;
}

int num_used_vectors(const BeamForm& form) { return form.has_field ? num_beam_vectors : 0; }

void move_beam(const TransferBeam& beam, const TransferFrame& frame, const TransferWork& work, ElementMotion& m,
               FieldMotion& field) {
  std::array<Jacobian, 6> e;
  std::array<Jet<double>, 6> jets;
  for (int l = 0; l < frame.count; ++l) {
    const int v = frame.first + l;
    const int k = beam.form.order[l];
    e[k].value = work.y(v);
    e[k].jacobian[l] = 1;
    jets[k] = {work.y(v), work.y_rate(v), work.y_acceleration(v)};
  }
  BeamVectors<Jacobian> jacobians;
  BeamVectors<Jet<double>> motion;
  beam_vectors(beam.form, e.data(), jacobians);
  beam_vectors(beam.form, jets.data(), motion);
  m.rho = pick(chord, [&](int i) { return motion[i].value; });
  m.rho_rate = pick(chord, [&](int i) { return motion[i].rate; });
  m.rho_acceleration = pick(chord, [&](int i) { return motion[i].acceleration; });
  m.Q = pick_axes([&](int i) { return motion[i].value; });
  for (int l = 0; l < frame.count; ++l) {
    m.rho_jacobian.col(l) = pick(chord, [&](int i) { return jacobians[i].jacobian[l]; });
    m.w_jacobian.col(l) = axial(pick_axes([&](int i) { return jacobians[i].jacobian[l]; }) * m.Q.transpose());
  }
  m.w = axial(pick_axes([&](int i) { return motion[i].rate; }) * m.Q.transpose());
  m.w_rate = axial(pick_axes([&](int i) { return motion[i].acceleration; }) * m.Q.transpose());
  for (int k = 0; k < num_used_vectors(beam.form); ++k) {
    const int place = field_place(k);
    if (place < 0) continue;
    field.value.col(place) = pick(k, [&](int i) { return motion[i].value; });
    field.rate.col(place) = pick(k, [&](int i) { return motion[i].rate; });
    field.acceleration.col(place) = pick(k, [&](int i) { return motion[i].acceleration; });
    for (int l = 0; l < frame.count; ++l)
      field.jacobian[l].col(place) = pick(k, [&](int i) { return jacobians[i].jacobian[l]; });
  }
}

// Third-order transfer functions contracted with velocities, [LIN] (62): derivatives of rates and accelerations.
void jacobian_beam(const TransferBeam& beam, const TransferFrame& frame, const TransferWork& work,
                   const ElementMotion& m, ElementJacobians& s, FieldJacobians& field) {
  std::array<Jet<Jacobian>, 6> e;
  for (int l = 0; l < frame.count; ++l) {
    const int v = frame.first + l;
    Jet<Jacobian>& one = e[beam.form.order[l]];
    one.value.value = work.y(v);
    one.value.jacobian[l] = 1;
    one.rate.value = work.y_rate(v);
    one.acceleration.value = work.y_acceleration(v);
  }
  BeamVectors<Jet<Jacobian>> out;
  beam_vectors(beam.form, e.data(), out);
  const Matrix3 Qt = m.Q.transpose();
  const Matrix3 Q_rate = pick_axes([&](int i) { return out[i].rate.value; });
  const Matrix3 Q_acceleration = pick_axes([&](int i) { return out[i].acceleration.value; });
  for (int l = 0; l < frame.count; ++l) {
    s.rho_rate.col(l) = pick(chord, [&](int i) { return out[i].rate.jacobian[l]; });
    s.rho_acceleration.col(l) = pick(chord, [&](int i) { return out[i].acceleration.jacobian[l]; });
    const Matrix3 Q_l = pick_axes([&](int i) { return out[i].value.jacobian[l]; });
    const Matrix3 Q_rate_l = pick_axes([&](int i) { return out[i].rate.jacobian[l]; });
    const Matrix3 Q_acceleration_l = pick_axes([&](int i) { return out[i].acceleration.jacobian[l]; });
    s.w.col(l) = axial(Q_rate_l * Qt + Q_rate * Q_l.transpose());
    s.w_rate.col(l) = axial(Q_acceleration_l * Qt + Q_acceleration * Q_l.transpose());
    s.w_rate_by_rate.col(l) = 2 * axial(Q_rate_l * Qt);
    for (int k = 0; k < num_used_vectors(beam.form); ++k) {
      const int place = field_place(k);
      if (place < 0) continue;
      field.rate[l].col(place) = pick(k, [&](int i) { return out[i].rate.jacobian[l]; });
      field.acceleration[l].col(place) = pick(k, [&](int i) { return out[i].acceleration.jacobian[l]; });
    }
  }
}

}  // namespace

TransferWork::TransferWork(const TransferTree& tree, int num_charts)
    : y(VectorX::Zero(tree.num_variables)),
      y_rate(y),
      y_acceleration(y),
      references(num_charts, Matrix3::Identity()),
      elements(tree.frames.size()),
      fields(tree.beams.size()),
      frames(tree.frames.size()),
      joint_drive(VectorX::Zero(tree.num_joint_coordinates)),
      forces(y),
      inertia(tree.frames.size()),
      carries(tree.frames.size()),
      directions(tree.frames.size()),
      mass(MatrixX::Zero(tree.num_variables, tree.num_variables)),
      jacobians(tree.frames.size()),
      field_jacobians(tree.beams.size()) {
  for (FieldMotion& field : fields) {
    field.jacobian.fill(FieldVectors::Zero());
    field.value.col(9) = Vector3::UnitY();
    field.value.col(10) = Vector3::UnitZ();
  }
  for (FieldJacobians& field : field_jacobians) {
    field.rate.fill(FieldVectors::Zero());
    field.acceleration.fill(FieldVectors::Zero());
  }
}

void update_elements(const TransferTree& tree, TransferWork& work) {
  for (std::size_t i = 0; i < tree.frames.size(); ++i) {
    const TransferFrame& frame = tree.frames[i];
    if (frame.beam < 0) {
      move_joint(frame, work, work.elements[i]);
    } else {
      move_beam(tree.beams[frame.beam], frame, work, work.elements[i], work.fields[frame.beam]);
    }
  }
}

void update_jacobians(const TransferTree& tree, TransferWork& work) {
  for (std::size_t i = 0; i < tree.frames.size(); ++i) {
    const TransferFrame& frame = tree.frames[i];
    if (frame.beam < 0) {
      jacobian_joint(frame, work, work.elements[i], work.jacobians[i]);
    } else {
      jacobian_beam(tree.beams[frame.beam], frame, work, work.elements[i], work.jacobians[i],
                    work.field_jacobians[frame.beam]);
    }
  }
}

void update_frames(const TransferTree& tree, TransferWork& work) {
  FrameState ground;
  ground.acceleration = -tree.gravity;
  for (std::size_t i = 0; i < tree.frames.size(); ++i) {
    const int parent = tree.frames[i].parent;
    const FrameState& p = parent < 0 ? ground : work.frames[parent];
    const ElementMotion& m = work.elements[i];
    FrameState& c = work.frames[i];
    const Matrix3 Qt = m.Q.transpose();
    c.R_W.noalias() = p.R_W * m.Q;
    c.p_W = p.p_W + p.R_W * m.rho;
    c.velocity = Qt * (p.velocity + p.omega.cross(m.rho) + m.rho_rate);
    c.omega = Qt * (p.omega + m.w);
    c.alpha = Qt * (p.alpha + p.omega.cross(m.w) + m.w_rate);
    c.acceleration = Qt * (p.acceleration + p.alpha.cross(m.rho) + p.omega.cross(p.omega.cross(m.rho)) +
                           2 * p.omega.cross(m.rho_rate) + m.rho_acceleration);
  }
}

void body_wrench(const FrameInertia& body, const FrameState& s, Vector3& force, Vector3& torque) {
  const Vector3& c = body.moment;
  force = body.mass * s.acceleration + s.alpha.cross(c) + s.omega.cross(s.omega.cross(c));
  torque = c.cross(s.acceleration) + body.inertia * s.alpha + s.omega.cross(body.inertia * s.omega);
}

namespace {

// Forces of the field: A_b = α × B + ω × (ω × B) + 2 ω × Ḃ + B̈, weighted with the mass matrix (9).
void field_forces(const BeamForm& form, const FrameState& p, FieldMotion& field) {
  const Matrix3 spin = skew(p.omega), turn = skew(p.alpha) + spin * spin;
  FieldVectors A = turn * field.value + 2 * spin * field.rate + field.acceleration;
  A.col(0) = p.acceleration;
  field.force.noalias() = A.lazyProduct(form.mass);
}

void add_field(const TransferTree& tree, const TransferFrame& frame, const FrameState& parent, TransferWork& work,
               Vector3& force, Vector3& torque) {
  const BeamForm& form = tree.beams[frame.beam].form;
  FieldMotion& field = work.fields[frame.beam];
  field_forces(form, parent, field);
  force += field.force.col(0);
  for (int b = 1; b < num_field_vectors; ++b) torque += field.value.col(b).cross(field.force.col(b));
  for (int l = 0; l < frame.count; ++l)
    work.forces(frame.first + l) += field.jacobian[l].cwiseProduct(field.force).sum();
}

void add_stress(const TransferBeam& beam, const TransferFrame& frame, TransferWork& work) {
  const auto S = beam.form.stiffness.topLeftCorner(frame.count, frame.count);
  for (int i = 0; i < frame.count; ++i)
    for (int j = 0; j < frame.count; ++j)
      work.forces(frame.first + i) +=
          S(i, j) * (work.y(frame.first + j) + beam.damping_factor * work.y_rate(frame.first + j));
}

void add_link_damping(const TransferTree& tree, TransferWork& work) {
  for (const LinkDamping& damping : tree.link_damping) {
    const Eigen::Index n = damping.matrix.rows();
    work.forces.segment(damping.first, n).noalias() += damping.matrix * work.y_rate.segment(damping.first, n);
  }
}

void add_joint_forces(const TransferTree& tree, TransferWork& work) {
  for (int c = 0; c < tree.num_joint_coordinates; ++c) {
    const JointElement& joint = tree.joints[c];
    const double rate = work.y_rate(c);
    work.forces(c) += joint.inertia * work.y_acceleration(c) + joint.stiffness * (work.y(c) - joint.rest_value) +
                      joint.damping * rate + joint.friction * std::tanh(rate / joint.friction_speed) -
                      work.joint_drive(c);
    if (!joint.law) continue;
    work.forces(c) += spring_excess<double>(*joint.law, work.y(c) - joint.rest_value) +
                      friction_excess<double>(*joint.law, rate, joint.friction_speed);
  }
  for (const BallDamper& damper : tree.ball_dampers) {
    const Vector3 force = ball_damper_force<double>(damper, ball_motion(damper.coordinates, work));
    for (int k = 0; k < 3; ++k) work.forces(damper.coordinates[k]) += force[k];
  }
}

void add_loads(TransferWork& work) {
  for (const FrameLoad& load : work.loads) {
    FrameState& f = work.frames[load.frame];
    const Vector3 force = load.follows ? load.force : Vector3(f.R_W.transpose() * load.force);
    const Vector3 torque = load.follows ? load.torque : Vector3(f.R_W.transpose() * load.torque);
    f.force -= force;
    f.torque -= torque + load.offset.cross(force);
  }
}

}  // namespace

void update_forces(const TransferTree& tree, TransferWork& work) {
  FrameState ground;
  ground.acceleration = -tree.gravity;
  work.forces.setZero();
  for (std::size_t i = 0; i < tree.frames.size(); ++i)
    body_wrench(tree.frames[i].body, work.frames[i], work.frames[i].force, work.frames[i].torque);
  add_loads(work);
  for (int i = static_cast<int>(tree.frames.size()) - 1; i >= 0; --i) {
    const TransferFrame& frame = tree.frames[i];
    const ElementMotion& m = work.elements[i];
    const FrameState& c = work.frames[i];
    Vector3 force = m.Q * c.force, torque = m.Q * c.torque;
    for (int l = 0; l < frame.count; ++l)
      work.forces(frame.first + l) += m.rho_jacobian.col(l).dot(force) + m.w_jacobian.col(l).dot(torque);
    torque += m.rho.cross(force);
    FrameState& p = frame.parent < 0 ? ground : work.frames[frame.parent];
    if (frame.beam >= 0) {
      if (tree.beams[frame.beam].form.has_field) add_field(tree, frame, p, work, force, torque);
      add_stress(tree.beams[frame.beam], frame, work);
    }
    p.force += force;
    p.torque += torque;
  }
  add_link_damping(tree, work);
  add_joint_forces(tree, work);
}

Matrix6 carry(const ElementMotion& m) {
  Matrix6 X;
  const Matrix3 Qt = m.Q.transpose();
  X << Qt, -Qt * skew(m.rho), Matrix3::Zero(), Qt;
  return X;
}

Matrix6 free_directions(const ElementMotion& m) {
  Matrix6 directions;
  directions << m.Q.transpose() * m.rho_jacobian, m.Q.transpose() * m.w_jacobian;
  return directions;
}

namespace {

struct ElementMass {
  Matrix6 parent, coupling, own;  // of (a, α), between (a, α) and ë, of ë
};

// The field's mass by (a, α) of the parent and the deformations' accelerations (9).
void field_mass(const BeamForm& form, const FieldMotion& field, int count, ElementMass& mass) {
  std::array<FieldVectors, 6> carried;  // fields of unit (a, α), times the mass matrix
  const auto wrench = [&](const FieldVectors& f) {
    Vector6 w;
    w.head<3>() = f.col(0);
    Vector3 torque = Vector3::Zero();
    for (int b = 1; b < num_field_vectors; ++b) torque += field.value.col(b).cross(f.col(b));
    w.tail<3>() = torque;
    return w;
  };
  for (int k = 0; k < 6; ++k) {
    FieldVectors unit = FieldVectors::Zero();
    if (k < 3) {
      unit(k, 0) = 1;
    } else {
      unit = skew(Vector3::Unit(k - 3)) * field.value;
    }
    carried[k].noalias() = unit.lazyProduct(form.mass);
    mass.parent.col(k) += wrench(carried[k]);
  }
  for (int l = 0; l < count; ++l) {
    const FieldVectors f = field.jacobian[l].lazyProduct(form.mass);
    mass.coupling.col(l) += wrench(f);
    for (int j = 0; j < count; ++j) mass.own(j, l) += field.jacobian[j].cwiseProduct(f).sum();
  }
}

// A block and its mirror image.
void put_block(const TransferFrame& row, const TransferFrame& column, const Matrix6& block, MatrixX& result) {
  if (row.count == 6 && column.count == 6) {
    result.block<6, 6>(row.first, column.first) = block;
    result.block<6, 6>(column.first, row.first) = block.transpose();
  } else {
    const auto part = block.topLeftCorner(row.count, column.count);
    result.block(row.first, column.first, row.count, column.count) = part;
    result.block(column.first, row.first, column.count, row.count) = part.transpose();
  }
}

// An element's own block and those with all elements nearer to the ground.
void put_columns(const TransferTree& tree, int element, const ElementMass& mass, TransferWork& work) {
  const TransferFrame& frame = tree.frames[element];
  work.mass.block(frame.first, frame.first, frame.count, frame.count) =
      mass.own.topLeftCorner(frame.count, frame.count);
  Matrix6 wrench = mass.coupling, block;
  for (int j = frame.parent; j >= 0; j = tree.frames[j].parent) {
    const TransferFrame& other = tree.frames[j];
    if (other.count > 0) {
      block.noalias() = work.directions[j].transpose().lazyProduct(wrench);
      put_block(other, frame, block, work.mass);
    }
    block.noalias() = work.carries[j].lazyProduct(wrench);
    wrench = block;
  }
}

Matrix6 rigid_mass(const FrameInertia& body) {
  Matrix6 mass;
  const Matrix3 c = skew(body.moment);
  mass << body.mass * Matrix3::Identity(), -c, c, body.inertia;
  return mass;
}

}  // namespace

// Blocks between different branches are zero from the beginning.
void update_mass(const TransferTree& tree, TransferWork& work) {
  for (std::size_t i = 0; i < tree.frames.size(); ++i) {
    work.inertia[i] = rigid_mass(tree.frames[i].body);
    work.carries[i] = carry(work.elements[i]).transpose();
    work.directions[i] = free_directions(work.elements[i]);
  }
  for (int i = static_cast<int>(tree.frames.size()) - 1; i >= 0; --i) {
    const TransferFrame& frame = tree.frames[i];
    const Matrix6 XI = work.carries[i] * work.inertia[i];
    ElementMass mass;
    mass.parent = XI * work.carries[i].transpose();
    mass.coupling = XI * work.directions[i];
    mass.own = work.directions[i].transpose() * work.inertia[i] * work.directions[i];
    if (frame.beam >= 0 && tree.beams[frame.beam].form.has_field)
      field_mass(tree.beams[frame.beam].form, work.fields[frame.beam], frame.count, mass);
    if (frame.parent >= 0) work.inertia[frame.parent] += mass.parent;
    if (frame.count > 0) put_columns(tree, i, mass, work);
  }
  for (int c = 0; c < tree.num_joint_coordinates; ++c) work.mass(c, c) += tree.joints[c].inertia;
}

Matrix6 weighted_hessian(const BeamForm& form, const double* deformations, int count,
                         const Eigen::Matrix<double, 3, num_beam_vectors>& weights) {
  using Curve = Dual<Jacobian, 6>;
  std::array<Curve, 6> e;
  for (int l = 0; l < count; ++l) {
    Curve& one = e[form.order[l]];
    one.value.value = deformations[l];
    one.value.jacobian[l] = 1;
    one.jacobian[l] = Jacobian(1.0);
  }
  BeamVectors<Curve> out;
  beam_vectors(form, e.data(), out);
  Matrix6 hessian = Matrix6::Zero();
  for (int k = 0; k < num_beam_vectors; ++k) {
    if (!form.has_field && k != chord && k < second_x) continue;
    for (int i = 0; i < 3; ++i)
      for (int l = 0; l < count; ++l)
        for (int j = 0; j < count; ++j) hessian(l, j) += weights(i, k) * out[3 * k + i].jacobian[l].jacobian[j];
  }
  return hessian;
}

}  // namespace lithe
