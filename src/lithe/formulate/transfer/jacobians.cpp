// Derivatives of what sensors read with transfer functions: changes of all variables, [LIN] (53)-(63), carried through
// the elements to frames, wrenches and energies.
#include <algorithm>

#include "lithe/formulate/joints/joint_rows_inl.h"
#include "lithe/formulate/links/rigid_jacobians.h"
#include "lithe/formulate/transfer/work.h"

namespace lithe {

// For every motion asked for: of all variables, of the frames, of the forces on the variables and of the loops'
// wrenches.
struct TransferFunctions::Changes {
  MatrixX y, rates, accelerations;
  MatrixX forces, multipliers;  // loops: rows x motions
  std::vector<MatrixX> wrenches;
  std::vector<FrameChanges> frames;

  Eigen::Index size() const { return y.cols(); }
};

Vector6 section_of(const TransferBeam& beam, int node, const Vector6& stress) {
  if (beam.form.truss) return stress(0) * Vector6::UnitX();
  Vector6 end = end_forces(beam.form, stress);
  if (beam.node_a == node) {  // moments about the other end: l x × force
    end[4] -= beam.form.length * end[2];
    end[5] += beam.form.length * end[1];
  }
  if (beam.reversed) {  // seen from the other end: axes x and z turn, and so does the side of the section
    end[1] = -end[1];
    end[4] = -end[4];
  }
  return end;
}

// δu = T δx, δu̇ = T δẋ + X1 δx, δü = T δẍ + X2 δx + 2 X1 δẋ of the unknown variables.
void TransferFunctions::find_variable_changes(const NearbyMotions& motions, const Work& work, Changes& changes) const {
  changes.y = changes.rates = changes.accelerations = MatrixX::Zero(tree_.num_variables, motions.size());
  changes.y(split_.independent, Eigen::all) = motions.coordinates;
  changes.rates(split_.independent, Eigen::all) = motions.speeds;
  changes.accelerations(split_.independent, Eigen::all) = motions.accelerations;
  if (split_.unknown.empty()) return;
  MatrixX X1, X2;
  loop_transfer_jacobians(work, X1, X2);
  changes.y(split_.unknown, Eigen::all) = work.tangent * motions.coordinates;
  changes.rates(split_.unknown, Eigen::all) = work.tangent * motions.speeds + X1 * motions.coordinates;
  changes.accelerations(split_.unknown, Eigen::all) =
      work.tangent * motions.accelerations + X2 * motions.coordinates + 2 * X1 * motions.speeds;
}

// Forces M ÿ - f + Jᵀ λ on all variables; the multipliers keep those on the unknown ones balanced.
void TransferFunctions::find_force_changes(const Work& work, Changes& changes) const {
  changes.forces =
      work.stiffness_y * changes.y + work.damping_y * changes.rates + work.tree.mass * changes.accelerations;
  std::vector<Matrix6X> loads(tree_.frames.size(), Matrix6X::Zero(6, changes.size()));
  if (!split_.unknown.empty()) {
    const MatrixX used = work.lu.transpose().solve(MatrixX(-changes.forces(split_.unknown, Eigen::all)));
    changes.multipliers = MatrixX::Zero(loops_.num_rows, changes.size());
    changes.multipliers(split_.rows, Eigen::all) = used;
    changes.forces += work.jacobian.transpose() * changes.multipliers;
    changes.wrenches = loop_wrench_changes(loops_, tree_, work.tree, work.multipliers, changes.y, changes.multipliers);
    for (std::size_t k = 0; k < loops_.loops.size(); ++k)
      for (const bool child : {false, true}) {
        const TransferSide& side = child ? loops_.loops[k].child : loops_.loops[k].parent;
        if (side.frame < 0) continue;
        const auto wrench = changes.wrenches[k].middleRows<6>(child ? 6 : 0);
        const Matrix3 to_frame = work.tree.frames[side.frame].R_W.transpose();
        const Matrix3X force = to_frame * wrench.topRows<3>(), torque = to_frame * wrench.bottomRows<3>();
        loads[side.frame].topRows<3>() += force;
        loads[side.frame].bottomRows<3>() += torque + skew(side.joint_frame.position) * force;
      }
  }
  work.tangents.find_changes(tree_, work.tree, changes.y, changes.rates, changes.accelerations, loads, changes.frames);
}

namespace transfer_jacobians {

// A point fixed in a frame: its motion in the world, and the changes of that.
struct PointChanges {
  Vector3 position, velocity, acceleration, omega, alpha;
  Matrix3 rotation;
  Matrix3X position_jacobian, turn, velocity_jacobian, acceleration_jacobian, omega_jacobian, alpha_jacobian;
};

PointChanges point_changes(const TransferTree& tree, const TransferWork& work, const std::vector<FrameChanges>& frames,
                           const TransferSide& side, Eigen::Index size) {
  PointChanges c;
  const SideMotion at = side_motion(tree, work, side);
  c.position = at.pose.position;
  c.rotation = at.pose.rotation;
  c.velocity = at.velocity;
  c.acceleration = at.acceleration;
  c.omega = at.omega;
  c.alpha = at.alpha;
  if (side.frame < 0) {
    for (Matrix3X* m : {&c.position_jacobian, &c.turn, &c.velocity_jacobian, &c.acceleration_jacobian,
                        &c.omega_jacobian, &c.alpha_jacobian})
      m->setZero(3, size);
    return c;
  }
  const FrameState& f = work.frames[side.frame];
  const FrameChanges& d = frames[side.frame];
  const Matrix3 R = f.R_W, spin = skew(f.omega), arm = skew(side.joint_frame.position);
  const Vector3& o = side.joint_frame.position;
  // δ(R s) = R (δs - s × δθ)
  const auto turned = [&](const Vector3& s, const Matrix3X& jacobian) -> Matrix3X {
    return R * (jacobian - skew(s) * d.theta);
  };
  c.position_jacobian = d.position - R * arm * d.theta;
  c.turn = R * d.theta;
  c.velocity_jacobian = turned(f.velocity + f.omega.cross(o), d.velocity - arm * d.omega);
  c.omega_jacobian = turned(f.omega, d.omega);
  c.alpha_jacobian = turned(f.alpha, d.alpha);
  c.acceleration_jacobian = turned(f.acceleration + f.alpha.cross(o) + f.omega.cross(f.omega.cross(o)),
                                   d.acceleration - arm * d.alpha - (skew(f.omega.cross(o)) + spin * arm) * d.omega);
  return c;
}

using OneWay = Dual<double, 1>;

// The same as relative_motion() wants it, along one motion.
struct PointNode {
  Vector3Of<OneWay> position, velocity, angular_velocity, acceleration_bias, angular_bias;
  Matrix3Of<OneWay> rotation;

  PointNode(const PointChanges& c, Eigen::Index k) {
    const auto dual = [&](const Vector3& value, const Matrix3X& jacobian) {
      Vector3Of<OneWay> result = value.cast<OneWay>();
      for (int i = 0; i < 3; ++i) result[i].jacobian[0] = jacobian(i, k);
      return result;
    };
    position = dual(c.position, c.position_jacobian);
    velocity = dual(c.velocity, c.velocity_jacobian);
    angular_velocity = dual(c.omega, c.omega_jacobian);
    acceleration_bias = dual(c.acceleration, c.acceleration_jacobian);
    angular_bias = dual(c.alpha, c.alpha_jacobian);
    const Matrix3 turned = skew(Vector3(c.turn.col(k))) * c.rotation;
    rotation = c.rotation.cast<OneWay>();
    for (int i = 0; i < 9; ++i) rotation(i).jacobian[0] = turned(i);
  }
};

}  // namespace transfer_jacobians

void TransferFunctions::read_node_jacobians(const State& state, const Work& work, const Changes& changes,
                                            const Sensor& sensor, MatrixX& result) const {
  const NodePlace& place = tree_.nodes[sensor.link][sensor.node];
  const transfer_jacobians::PointChanges node = transfer_jacobians::point_changes(
      tree_, work.tree, changes.frames, {place.frame, {place.link_axes, place.offset}}, changes.size());
  if (sensor.quantity != Quantity::displacement && sensor.quantity != Quantity::rotation) {
    result = sensor.quantity == Quantity::position   ? node.position_jacobian
             : sensor.quantity == Quantity::velocity ? node.velocity_jacobian
                                                     : node.acceleration_jacobian;
    return;
  }
  KinematicState rigid(mechanism_);
  update_position(mechanism_, rigid_configuration(state, work), rigid);
  const Matrix3 R = rigid.in_world[mechanism_.frame_of_link(sensor.link)].rotation;
  const Matrix6X of_link = rigid_link_jacobians(mechanism_, independent_joints_,
                                                changes.y.topRows(tree_.num_joint_coordinates), sensor.link, rigid);
  Matrix6X of_node(6, changes.size());
  of_node << node.position_jacobian, node.turn;
  const Matrix6X all = displacement_jacobians(R, R * place.rest, of_link, node.rotation, of_node);
  result = sensor.quantity == Quantity::displacement ? all.topRows<3>() : all.bottomRows<3>();
}

// The acceleration of a joint coordinate; of an angle whose chart has moved: as it reads with the first reference.
void TransferFunctions::read_joint_jacobians(const State& state, const Work& work, const Changes& changes,
                                             int coordinate, MatrixX& result) const {
  using NineWay = Dual<double, 9>;
  const int chart = moved_chart(mechanism_, state.configuration, coordinate);
  result = changes.accelerations.row(coordinate);
  if (chart < 0) return;
  const std::array<int, 3>& angles = mechanism_.charts()[chart].coordinates;
  const BallMotion<double> now = ball_motion(angles, work.tree);
  BallMotion<NineWay> motion{now.angles.cast<NineWay>(), now.rates.cast<NineWay>(), now.accelerations.cast<NineWay>()};
  for (int k = 0; k < 3; ++k)
    motion.angles[k].jacobian[k] = motion.rates[k].jacobian[3 + k] = motion.accelerations[k].jacobian[6 + k] = 1;
  Eigen::Matrix<NineWay, 3, 1> rates, accelerations;
  whole_rates<NineWay>(state.configuration.references[chart].toRotationMatrix(), motion, rates, accelerations);
  const auto& jacobian = accelerations[angle_in_chart(mechanism_.charts()[chart], coordinate)].jacobian;
  result.setZero();
  for (int k = 0; k < 3; ++k)
    result += jacobian[k] * changes.y.row(angles[k]) + jacobian[3 + k] * changes.rates.row(angles[k]) +
              jacobian[6 + k] * changes.accelerations.row(angles[k]);
}

// The acceleration of a freedom of a cut joint.
void TransferFunctions::read_cut_jacobians(const Work& work, const Changes& changes, const Sensor& sensor,
                                           MatrixX& result) const {
  using transfer_jacobians::OneWay;
  const TransferLoop& loop = loops_.loops[mechanism_.cut_of_joint(sensor.joint)];
  const auto side = [&](const TransferSide& of) {
    return transfer_jacobians::point_changes(tree_, work.tree, changes.frames, of, changes.size());
  };
  const transfer_jacobians::PointChanges parent = side(loop.parent), child = side(loop.child);
  const Matrix3 along = Matrix3::Identity();
  for (Eigen::Index k = 0; k < changes.size(); ++k) {
    FreedomRowsOf<OneWay> rows;
    freedom_rows<OneWay>(model_.joints[sensor.joint].type,
                         relative_motion<OneWay>(transfer_jacobians::PointNode(parent, k), along,
                                                 transfer_jacobians::PointNode(child, k), along),
                         rows);
    result(0, k) = rows[sensor.freedom].bias.jacobian[0];
  }
}

// As in reaction(): what the child and everything beyond needs, or the loop's wrench.
void TransferFunctions::read_reaction_jacobians(const Work& work, const Changes& changes, const Sensor& sensor,
                                                MatrixX& result) const {
  const bool wants_force = sensor.quantity == Quantity::reaction_force;
  if (const int cut = mechanism_.cut_of_joint(sensor.joint); cut >= 0) {
    const bool on_child = loops_.loops[cut].child.frame >= 0;
    const int first = (on_child ? 6 : 0) + (wants_force ? 0 : 3);
    result = (on_child ? -1.0 : 1.0) * changes.wrenches[cut].middleRows<3>(first);
    return;
  }
  for (const TreeFrame& source : mechanism_.frames()) {
    if (source.joint != sensor.joint || source.link < 0) continue;
    const int root = tree_.root_frame[source.link];
    const FrameState& f = work.tree.frames[root];
    const Matrix6X& wrench = changes.frames[root].wrench;
    const Vector3& offset = tree_.nodes[source.link][source.child_node].offset;
    const Vector3 value = wants_force ? f.force : Vector3(f.torque - offset.cross(f.force));
    const Matrix3X jacobian = wants_force ? Matrix3X(wrench.topRows<3>())
                                          : Matrix3X(wrench.bottomRows<3>() - skew(offset) * wrench.topRows<3>());
    result = (source.backwards ? -1.0 : 1.0) * f.R_W * (jacobian - skew(value) * changes.frames[root].theta);
    return;
  }
}

void TransferFunctions::read_section_jacobians(const Work& work, const Changes& changes, const Sensor& sensor,
                                               MatrixX& result) const {
  const TransferBeam* beam = beam_at(sensor.link, sensor.node);
  if (beam == nullptr) return;
  if (!beam->form.truss) {
    const Matrix6X wrench = beam->node_b == sensor.node
                                ? changes.frames[beam->frame].wrench
                                : work.tangents.passed_changes(tree_, work.tree, beam->frame, changes.y, changes.rates,
                                                               changes.accelerations, changes.frames);
    const int first = sensor.quantity == Quantity::section_force ? 0 : 3;
    result = section_signs(*beam).segment<3>(first).asDiagonal() * wrench.middleRows<3>(first);
    return;
  }
  const TransferFrame& frame = tree_.frames[beam->frame];
  const auto given = [&](int variable) {
    return std::any_of(split_.held.begin(), split_.held.end(), [&](const auto& h) { return h.variable == variable; }) ||
           std::any_of(split_.moved.begin(), split_.moved.end(), [&](const auto& m) { return m.variable == variable; });
  };
  for (Eigen::Index k = 0; k < changes.size(); ++k) {
    Vector6 stretch = Vector6::Zero();
    stretch.head(frame.count) = changes.y.col(k).segment(frame.first, frame.count);
    Vector6 stress = beam->form.stiffness * stretch;
    for (int l = 0; l < frame.count; ++l)
      if (given(frame.first + l)) stress(l) -= changes.forces(frame.first + l, k);
    const Vector6 load = section_of(*beam, sensor.node, stress);
    for (int i = 0; i < 3; ++i) result(i, k) = load[(sensor.quantity == Quantity::section_force ? 0 : 3) + i];
  }
}

namespace transfer_jacobians {

// Kinetic and gravity energy of a rigid body on a frame; rows as of energy_jacobians().
void add_body_energy(const Vector3& gravity, const FrameInertia& body, const FrameState& f, const FrameChanges& d,
                     MatrixX& result) {
  const Vector3 &c = body.moment, fall = f.R_W.transpose() * gravity;
  result.row(0) += (body.mass * f.velocity + f.omega.cross(c)).transpose() * d.velocity +
                   (c.cross(f.velocity) + body.inertia * f.omega).transpose() * d.omega;
  result.row(1) -= body.mass * gravity.transpose() * d.position + c.cross(fall).transpose() * d.theta;
}

// The same of a beam's field: velocities ω × B + Ḃ of its vectors, (v, ...) of the parent.
void add_field_energy(const Vector3& gravity, const BeamForm& form, const FieldMotion& field,
                      const FieldJacobians& jacobians, const FrameState& p, const FrameChanges& d, const MatrixX& y,
                      const MatrixX& rates, MatrixX& result) {
  const Matrix3 spin = skew(p.omega);
  FieldVectors V = spin * field.value + field.rate;
  V.col(0) = p.velocity;
  const FieldVectors momentum = V * form.mass;
  const Vector3 fall = p.R_W.transpose() * gravity, moment = field.value * form.mass.col(0);
  Vector3 turning = Vector3::Zero();
  for (int b = 1; b < num_field_vectors; ++b) turning += field.value.col(b).cross(momentum.col(b));
  result.row(0) += momentum.col(0).transpose() * d.velocity + turning.transpose() * d.omega;
  result.row(1) -= form.mass(0, 0) * gravity.transpose() * d.position + moment.cross(fall).transpose() * d.theta;
  for (Eigen::Index l = 0; l < y.rows(); ++l) {
    const FieldVectors &jacobian = field.jacobian[l], by_value = spin * jacobian + jacobians.rate[l];
    result.row(0) +=
        momentum.cwiseProduct(by_value).sum() * y.row(l) + momentum.cwiseProduct(jacobian).sum() * rates.row(l);
    result.row(1) -= fall.dot(jacobian * form.mass.col(0)) * y.row(l);
  }
}

}  // namespace transfer_jacobians

// Rows: kinetic, gravity, elastic.
MatrixX TransferFunctions::energy_jacobians(const Work& work, const Changes& changes) const {
  MatrixX result = MatrixX::Zero(3, changes.size());
  const Matrix3X zero = Matrix3X::Zero(3, changes.size());
  const FrameChanges still{zero, zero, zero, zero, zero, zero, Matrix6X::Zero(6, changes.size())};
  const FrameState ground;
  for (std::size_t i = 0; i < tree_.frames.size(); ++i)
    transfer_jacobians::add_body_energy(tree_.gravity, tree_.frames[i].body, work.tree.frames[i], changes.frames[i],
                                        result);
  for (std::size_t k = 0; k < tree_.beams.size(); ++k) {
    const TransferBeam& beam = tree_.beams[k];
    const TransferFrame& frame = tree_.frames[beam.frame];
    const auto y = changes.y.middleRows(frame.first, frame.count);
    const auto e = work.tree.y.segment(frame.first, frame.count);
    result.row(2) += (beam.form.stiffness.topLeftCorner(frame.count, frame.count) * e).transpose() * y;
    if (!beam.form.has_field) continue;
    const bool grounded = frame.parent < 0;
    transfer_jacobians::add_field_energy(tree_.gravity, beam.form, work.tree.fields[k], work.tree.field_jacobians[k],
                                         grounded ? ground : work.tree.frames[frame.parent],
                                         grounded ? still : changes.frames[frame.parent], y,
                                         changes.rates.middleRows(frame.first, frame.count), result);
  }
  for (int c = 0; c < tree_.num_joint_coordinates; ++c) {
    const JointElement& joint = tree_.joints[c];
    result.row(0) += joint.inertia * work.tree.y_rate(c) * changes.rates.row(c);
    const double stretch = work.tree.y(c) - joint.rest_value;
    result.row(2) += joint.stiffness * stretch * changes.y.row(c);
    if (joint.law) result.row(2) += spring_excess<double>(*joint.law, stretch) * changes.y.row(c);
  }
  return result;
}

void TransferFunctions::read_jacobians(const State& state, const Work& work, const Changes& changes,
                                       const MatrixX& energy, const Sensor& sensor, MatrixX& result) const {
  switch (sensor.quantity) {
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::acceleration:
    case Quantity::displacement:
    case Quantity::rotation:
      return read_node_jacobians(state, work, changes, sensor, result);
    case Quantity::joint_acceleration:
      if (const int c = mechanism_.coordinate_of(sensor.joint, sensor.freedom); c >= 0)
        return read_joint_jacobians(state, work, changes, c, result);
      return read_cut_jacobians(work, changes, sensor, result);
    case Quantity::joint_force:
      if (const int c = mechanism_.coordinate_of(sensor.joint, sensor.freedom); c >= 0) result = changes.forces.row(c);
      return;
    case Quantity::reaction_force:
    case Quantity::reaction_torque:
      return read_reaction_jacobians(work, changes, sensor, result);
    case Quantity::section_force:
    case Quantity::section_moment:
      return read_section_jacobians(work, changes, sensor, result);
    default:
      if (reads_energy(sensor)) result = energy_row(energy, sensor.quantity);
  }
}

EvaluationStatus TransferFunctions::sensor_jacobians(const State& state, const Inputs& inputs,
                                                     const Accelerations& accelerations, const NearbyMotions& motions,
                                                     const std::vector<Sensor>& sensors, Workspace& workspace,
                                                     std::vector<MatrixX>& jacobians) const {
  Work& work = static_cast<Work&>(workspace);
  jacobians = unknown_jacobians(sensors, motions.size());
  const EvaluationStatus status = observe(state, inputs, accelerations, work);
  if (status != EvaluationStatus::ok) return status;
  update_tangents(work);
  Changes changes;
  find_variable_changes(motions, work, changes);
  find_force_changes(work, changes);
  MatrixX energy;
  if (std::any_of(sensors.begin(), sensors.end(), reads_energy)) energy = energy_jacobians(work, changes);
  for (std::size_t i = 0; i < sensors.size(); ++i)
    read_jacobians(state, work, changes, energy, sensors[i], jacobians[i]);
  return EvaluationStatus::ok;
}

}  // namespace lithe
