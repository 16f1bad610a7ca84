// Derivatives of what sensors read with bodies joined by multipliers: bodies' nodes by their own derivatives, joints by
// dual numbers along the motions asked for (docs/theory/floating_frame.md, section 8).
#include <Eigen/LU>
#include <algorithm>

#include "lithe/formulate/absolute/derivatives.h"
#include "lithe/formulate/absolute/left_out_sections.h"
#include "lithe/formulate/joints/joint_rows_inl.h"
#include "lithe/formulate/links/rigid_jacobians.h"
#include "lithe/formulate/numerics/rotation_vector.h"

namespace lithe {
namespace absolute_jacobians {

constexpr int along_lanes = 8;
static_assert(std::is_same_v<Along, Dual<double, along_lanes>>);

// A vector with its derivatives along the motions `first` and on.
Vector3Of<Along> with_jacobians(const Vector3& value, const Eigen::Ref<const MatrixX>& jacobians, Eigen::Index first) {
  Vector3Of<Along> result = value.cast<Along>();
  const int count = static_cast<int>(std::min<Eigen::Index>(along_lanes, jacobians.cols() - first));
  for (int lane = 0; lane < count; ++lane)
    for (int i = 0; i < 3; ++i) result[i].jacobian[lane] = jacobians(i, first + lane);
  return result;
}

void keep_jacobians(const Along& value, int row, Eigen::Index first, MatrixX& jacobians) {
  const int count = static_cast<int>(std::min<Eigen::Index>(along_lanes, jacobians.cols() - first));
  for (int lane = 0; lane < count; ++lane) jacobians(row, first + lane) = value.jacobian[lane];
}

// A node's motion in the world along the motions asked for; rows: translation, turn.
struct NodeChanges {
  Matrix6X place, velocity, acceleration;
};

struct NodeAlong {
  Vector3Of<Along> position, velocity, angular_velocity, acceleration_bias, angular_bias;
  Matrix3Of<Along> rotation;

  NodeAlong(const NodeFrame& frame, const Vector6& acceleration, const NodeChanges& changes, Eigen::Index first)
      : position(with_jacobians(frame.position, changes.place.topRows<3>(), first)),
        velocity(with_jacobians(frame.velocity, changes.velocity.topRows<3>(), first)),
        angular_velocity(with_jacobians(frame.angular_velocity, changes.velocity.bottomRows<3>(), first)),
        acceleration_bias(with_jacobians(acceleration.head<3>(), changes.acceleration.topRows<3>(), first)),
        angular_bias(with_jacobians(acceleration.tail<3>(), changes.acceleration.bottomRows<3>(), first)) {
    const Vector3Of<Along> turn = with_jacobians(Vector3::Zero(), changes.place.bottomRows<3>(), first);
    rotation = frame.rotation.cast<Along>() + skew_of<Along>(turn) * frame.rotation.cast<Along>();
  }
};

// The other side of a reaction: the same with the other sign, at the child's point, which is `apart` from the node.
NodeWrench on_parent(int node, const NodeWrench& on_child, const Vector3& apart, const MatrixX& apart_jacobians) {
  NodeWrench result{node, -on_child.force, -on_child.torque - apart.cross(on_child.force), -on_child.jacobians};
  result.jacobians.bottomRows(3) +=
      skew(on_child.force) * apart_jacobians - skew(apart) * on_child.jacobians.topRows(3);
  return result;
}

}  // namespace absolute_jacobians

using namespace absolute_jacobians;

// Changes of places (own axes), ν and ν̇ from those of the charts, v = exp(-θ) ρ̇, ω = T(θ) θ̇ and their rates.
void AbsoluteEquations::from_chart_motions(const State& state, const Accelerations& accelerations,
                                           const NearbyMotions& motions, BodyMotions& result) const {
  result = {motions.coordinates, motions.speeds, motions.accelerations};
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    for (int k = 0; k < bodies_[b]->num_frames(); ++k) {
      const int o = plan_.first_coordinate[b] + 6 * k, r = o + 3;
      const Matrix3 back = rotation_of(state.coordinates.segment<3>(r)).transpose();
      const Matrix3 turn = rate_map(state.coordinates.segment<3>(r));
      result.place.middleRows<3>(o) = back * motions.coordinates.middleRows<3>(o);
      result.place.middleRows<3>(r) = turn * motions.coordinates.middleRows<3>(r);
      for (Eigen::Index first = 0; first < motions.size(); first += along_lanes) {
        const auto part = [&](const VectorX& value, const MatrixX& jacobians, int at) {
          return with_jacobians(value.segment<3>(at), jacobians.middleRows<3>(at), first);
        };
        const Vector3Of<Along> theta = part(state.coordinates, motions.coordinates, r);
        const Vector3Of<Along> rho_rate = part(state.speeds, motions.speeds, o);
        const Vector3Of<Along> rate = part(state.speeds, motions.speeds, r);
        const Vector3Of<Along> rho_second = part(accelerations.values, motions.accelerations, o);
        const Vector3Of<Along> second = part(accelerations.values, motions.accelerations, r);
        const Matrix3Of<Along> E = rotation_of(theta), T = rate_map(theta);
        const Vector3Of<Along> omega = T * rate, turning = E * omega, v = E.transpose() * rho_rate;
        const Vector3Of<Along> v_rate = E.transpose() * Vector3Of<Along>(rho_second - turning.cross(rho_rate));
        const Vector3Of<Along> omega_rate = T * second + rate_map_bias<Along>(theta, rate);
        for (int i = 0; i < 3; ++i) {
          keep_jacobians(v[i], o + i, first, result.speed);
          keep_jacobians(omega[i], r + i, first, result.speed);
          keep_jacobians(v_rate[i], o + i, first, result.acceleration);
          keep_jacobians(omega_rate[i], r + i, first, result.acceleration);
        }
      }
    }
}

void AbsoluteEquations::node_changes(const JacobianWork& jacobians, int link, int node, const NodeFrame& frame,
                                     NodeChanges& changes) const {
  const int o = plan_.first_coordinate[link], first = o + frame.first;
  const Eigen::Index n = frame.jacobian.cols();
  NodeDerivatives of_node;
  bodies_[link]->node_derivatives(*jacobians.work.bodies[link], node,
                                  jacobians.about.segment(o, bodies_[link]->num_speeds()), Vector3::Zero(),
                                  Vector3::Zero(), of_node);
  const auto place = jacobians.motions.place.middleRows(first, n), speed = jacobians.motions.speed.middleRows(first, n);
  changes.place = frame.jacobian * place;
  changes.velocity = of_node.velocity_by_place * place + frame.jacobian * speed;
  changes.acceleration = of_node.acceleration_by_place * place + of_node.acceleration_by_speed * speed +
                         frame.jacobian * jacobians.motions.acceleration.middleRows(first, n);
}

// Both sides of a joint along the motions `first` and on.
RelativeJointMotionOf<Along> AbsoluteEquations::joint_along(const JacobianWork& jacobians, int index,
                                                            Eigen::Index first) const {
  const JointPlan& plan = plan_.joints[index];
  const JointWork& now = jacobians.work.joints[index];
  NodeChanges changes[2];
  for (const int s : {0, 1}) {
    const JointSide& side = s == 0 ? plan.parent : plan.child;
    const NodeFrame& frame = s == 0 ? now.parent : now.child;
    if (side.body >= 0) {
      node_changes(jacobians, side.body, side.node, frame, changes[s]);
    } else {
      changes[s].place = changes[s].velocity = changes[s].acceleration = Matrix6X::Zero(6, jacobians.size());
    }
  }
  const NodeAlong parent(now.parent, side_acceleration(plan.parent, now.parent, jacobians.about), changes[0], first);
  const NodeAlong child(now.child, side_acceleration(plan.child, now.child, jacobians.about), changes[1], first);
  return relative_motion<Along>(parent, plan.parent.axes, child, plan.child.axes);
}

void AbsoluteEquations::read_joint_jacobians(const JacobianWork& jacobians, const Sensor& sensor,
                                             MatrixX& result) const {
  const int index = plan_.plan_of_joint[sensor.joint];
  for (Eigen::Index first = 0; first < jacobians.size(); first += along_lanes) {
    FreedomRowsOf<Along> rows;
    freedom_rows<Along>(plan_.joints[index].type, joint_along(jacobians, index, first), rows);
    keep_jacobians(rows[sensor.freedom].bias, 0, first, result);
  }
}

// A multiplier with its derivatives along the motions `first` and on.
Along AbsoluteEquations::multiplier_along(const JacobianWork& jacobians, int row, Eigen::Index first) {
  Along multiplier = jacobians.multipliers[row];
  for (int lane = 0; lane < along_lanes && first + lane < jacobians.size(); ++lane)
    multiplier.jacobian[lane] = jacobians.multiplier_jacobians(row, first + lane);
  return multiplier;
}

// Multipliers of the rows, and drives, springs and dampers of the freedoms, as in reaction(). A column more gets the
// reaction itself.
void AbsoluteEquations::read_reaction_jacobians(const JacobianWork& jacobians, const Sensor& sensor,
                                                MatrixX& result) const {
  const int index = plan_.plan_of_joint[sensor.joint];
  const JointPlan& plan = plan_.joints[index];
  for (Eigen::Index first = 0; first < jacobians.size(); first += along_lanes) {
    const RelativeJointMotionOf<Along> motion = joint_along(jacobians, index, first);
    FreedomRowsOf<Along> freedoms;
    freedom_rows<Along>(plan.type, motion, freedoms);
    Vector3Of<Along> sum = Vector3Of<Along>::Zero();
    const auto add = [&](const JointRowOf<Along>& row, const Along& value) {
      Vector3Of<Along> force, torque;
      row_on_child<Along>(row, motion, force, torque);
      sum += value * (sensor.quantity == Quantity::reaction_force ? force : torque);
    };
    for (std::size_t r = 0; r < plan.rows.size(); ++r) {
      const RowPlan& kind = plan.rows[r];
      if (!has_multiplier(kind.kind)) continue;
      const int row = plan.first_row + static_cast<int>(r);
      add(kind.kind == RowKind::constraint ? constraint_row<Along>(plan.type, kind.index, motion)
                                           : freedoms[kind.index],
          -multiplier_along(jacobians, row, first));
    }
    for (const CoupledTerm& term : plan.coupled)
      add(freedoms[term.freedom],
          -term.factor * multiplier_along(jacobians, plan_.num_joint_rows() + term.coupling, first));
    for (int k = 0; k < num_freedoms(plan.type); ++k) {
      const double value = plan.freedoms_needed ? jacobians.work.values[plan.first_value + k] : freedoms[k].value.value;
      add(freedoms[k], force_on_freedom<Along>(model_.joints[plan.joint], k, freedoms[k], value,
                                               jacobians.inputs.joint_forces[plan.joint][k]));
    }
    for (int k = 0; k < 3; ++k) {
      if (plan.turn_damping[k] == 0) continue;
      const JointRowOf<Along> row = turning_row<Along>(k, motion);
      add(row, -plan.turn_damping[k] * row.rate);
    }
    for (int i = 0; i < 3; ++i) keep_jacobians(sum[i], i, first, result);
    if (result.cols() > jacobians.size())
      for (int i = 0; i < 3; ++i) result(i, jacobians.size()) = sum[i].value;
  }
}

void AbsoluteEquations::read_node_jacobians(const JacobianWork& jacobians, const Sensor& sensor,
                                            MatrixX& result) const {
  NodeFrame frame;
  bodies_[sensor.link]->node_frame(*jacobians.work.bodies[sensor.link], sensor.node, frame);
  NodeChanges changes;
  node_changes(jacobians, sensor.link, sensor.node, frame, changes);
  if (sensor.quantity == Quantity::position || sensor.quantity == Quantity::velocity ||
      sensor.quantity == Quantity::acceleration) {
    result = (sensor.quantity == Quantity::position   ? changes.place
              : sensor.quantity == Quantity::velocity ? changes.velocity
                                                      : changes.acceleration)
                 .topRows<3>();
    return;
  }
  result.setZero();
  if (!flexible_) return;
  const Pose rigid = rigid_pose(sensor.link, jacobians.work);
  const MatrixX rows = dense_rows(true, jacobians.work).bottomRows(plan_.num_values) * jacobians.motions.place;
  MatrixX of_coordinates = MatrixX::Zero(mechanism_.num_coordinates(), jacobians.size());
  for (const JointPlan& plan : plan_.joints)
    for (int k = 0; k < num_freedoms(plan.type); ++k)
      if (const int c = mechanism_.coordinate_of(plan.joint, k); c >= 0)
        of_coordinates.row(c) = rows.row(plan.first_value + k);
  const Matrix6X of_link =
      rigid_link_jacobians(mechanism_, independent_, std::move(of_coordinates), sensor.link, jacobians.work.rigid);
  const Vector3 arm = rigid.rotation * bodies_[sensor.link]->rest_position(sensor.node);
  const Matrix6X all = displacement_jacobians(rigid.rotation, arm, of_link, frame.rotation, changes.place);
  result = sensor.quantity == Quantity::displacement ? all.topRows<3>() : all.bottomRows<3>();
}

void AbsoluteEquations::read_section_jacobians(const JacobianWork& jacobians, const Sensor& sensor,
                                               MatrixX& result) const {
  Matrix6X wrench;
  const int link = sensor.link, first = plan_.first_coordinate[link], count = bodies_[link]->num_speeds();
  const BodyChanges changes{jacobians.motions.place.middleRows(first, count),
                            jacobians.motions.speed.middleRows(first, count),
                            jacobians.motions.acceleration.middleRows(first, count)};
  const AbsoluteBody::Work& own = *jacobians.work.bodies[link];
  const auto about = jacobians.about.segment(first, count);
  if (!bodies_[link]->section_jacobians(jacobians.work.gravity, own, sensor.node, about, changes, wrench)) return;
  const LeftOutSections* left_out = bodies_[link]->left_out_sections();
  std::vector<NodeWrench> wrenches;  // as in section_load()
  for (const int index : left_out != nullptr ? plan_.joints_of_body[link] : std::vector<int>{}) {
    const JointPlan& plan = plan_.joints[index];
    const JointWork& now = jacobians.work.joints[index];
    NodeWrench on_child{plan.child.node, {}, {}, MatrixX(6, jacobians.size())};
    for (const bool turning : {false, true}) {
      Sensor of_joint;
      of_joint.joint = plan.joint;
      of_joint.quantity = turning ? Quantity::reaction_torque : Quantity::reaction_force;
      MatrixX reaction(3, jacobians.size() + 1);
      read_reaction_jacobians(jacobians, of_joint, reaction);
      (turning ? on_child.torque : on_child.force) = reaction.rightCols<1>();
      on_child.jacobians.middleRows<3>(turning ? 3 : 0) = reaction.leftCols(jacobians.size());
    }
    if (plan.child.body == link) wrenches.push_back(on_child);
    if (plan.parent.body != link) continue;
    NodeChanges of_parent, of_child;
    node_changes(jacobians, link, plan.parent.node, now.parent, of_parent);
    of_child.place = Matrix6X::Zero(6, jacobians.size());
    if (plan.child.body >= 0) node_changes(jacobians, plan.child.body, plan.child.node, now.child, of_child);
    wrenches.push_back(on_parent(plan.parent.node, on_child, now.child.position - now.parent.position,
                                 (of_child.place - of_parent.place).topRows(3)));
  }
  for (const NodalLoad& load : jacobians.inputs.nodal_loads) {
    if (left_out == nullptr || load.link != link) continue;
    wrenches.push_back({load.node, load.force, load.torque, MatrixX::Zero(6, jacobians.size())});
    if (!load.follows_link) continue;
    NodeWrench& turned = wrenches.back();
    follow(load, jacobians.work, turned.force, turned.torque);
    NodeFrame frame;
    bodies_[link]->node_frame(own, load.node, frame);
    const MatrixX spin = frame.jacobian.bottomRows<3>() * changes.place.middleRows(frame.first, frame.jacobian.cols());
    turned.jacobians << -skew(turned.force) * spin, -skew(turned.torque) * spin;
  }
  if (left_out != nullptr)
    left_out->add_left_out_jacobians(jacobians.work.gravity, own, sensor.node, about, changes, wrenches, wrench);
  result = sensor.quantity == Quantity::section_force ? wrench.topRows<3>() : wrench.bottomRows<3>();
}

// Rows: kinetic, gravity, elastic.
MatrixX AbsoluteEquations::energy_jacobians(const JacobianWork& jacobians) const {
  MatrixX result = MatrixX::Zero(3, jacobians.size());
  EnergyGradients gradients;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const int o = plan_.first_coordinate[b], n = bodies_[b]->num_speeds();
    bodies_[b]->energy_gradients(jacobians.work.gravity, *jacobians.work.bodies[b], gradients);
    const auto place = jacobians.motions.place.middleRows(o, n);
    result.row(0) += gradients.kinetic_by_place.transpose() * place +
                     gradients.kinetic_by_speed.transpose() * jacobians.motions.speed.middleRows(o, n);
    result.row(1) += gradients.gravity_by_place.transpose() * place;
    result.row(2) += gradients.elastic_by_place.transpose() * place;
  }
  for (const Rotor& rotor : plan_.rotors)
    result.row(0) +=
        rotor.inertia * jacobians.work.nu[rotor.coordinate] * jacobians.motions.speed.row(rotor.coordinate);
  const MatrixX stretches = dense_rows(true, jacobians.work).bottomRows(plan_.num_values) * jacobians.motions.place;
  for (const JointPlan& plan : plan_.joints) {
    if (!plan.sprung) continue;
    const Joint& joint = model_.joints[plan.joint];
    for (int k = 0; k < num_freedoms(plan.type); ++k) {
      const double stretch = jacobians.work.values[plan.first_value + k] - freedom_value(joint.rest_value, k);
      double force = freedom_value(joint.stiffness, k) * stretch;
      if (joint.law) force += spring_excess<double>(*joint.law, stretch);
      result.row(2) += force * stretches.row(plan.first_value + k);
    }
  }
  return result;
}

void AbsoluteEquations::read_jacobians(const JacobianWork& jacobians, const MatrixX& energy, const Sensor& sensor,
                                       MatrixX& result) const {
  switch (sensor.quantity) {
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::acceleration:
    case Quantity::displacement:
    case Quantity::rotation:
      return read_node_jacobians(jacobians, sensor, result);
    case Quantity::joint_acceleration:
      return read_joint_jacobians(jacobians, sensor, result);
    case Quantity::joint_force: {
      const JointPlan& plan = plan_.joints[plan_.plan_of_joint[sensor.joint]];
      for (std::size_t r = 0; r < plan.rows.size(); ++r)
        if (plan.rows[r].kind == RowKind::prescribed && plan.rows[r].index == sensor.freedom)
          result = -jacobians.multiplier_jacobians.row(plan.first_row + static_cast<int>(r));
      return;
    }
    case Quantity::reaction_force:
    case Quantity::reaction_torque:
      return read_reaction_jacobians(jacobians, sensor, result);
    case Quantity::section_force:
    case Quantity::section_moment:
      return read_section_jacobians(jacobians, sensor, result);
    default:
      if (reads_energy(sensor)) result = energy_row(energy, sensor.quantity);
  }
}

EvaluationStatus AbsoluteEquations::sensor_jacobians(const State& state, const Inputs& inputs,
                                                     const Accelerations& accelerations, const NearbyMotions& motions,
                                                     const std::vector<Sensor>& sensors, Workspace& workspace,
                                                     std::vector<MatrixX>& jacobians) const {
  Work& work = static_cast<Work&>(workspace);
  jacobians = unknown_jacobians(sensors, motions.size());
  JacobianWork all{work, {}, {}, inputs, {}, {}};
  const auto needs_multipliers = [&](const Sensor& sensor) {
    const bool section = sensor.quantity == Quantity::section_force || sensor.quantity == Quantity::section_moment;
    return reads_joint_loads(sensor) || (section && bodies_[sensor.link]->left_out_sections() != nullptr);
  };
  if (std::any_of(sensors.begin(), sensors.end(), needs_multipliers)) {
    const EvaluationStatus status = jacobian_multipliers(state, accelerations, motions, all);
    if (status != EvaluationStatus::ok) return status;
  } else {
    load_with_accelerations(state, inputs, accelerations, work);
    all.about = work.accelerations;
    from_chart_motions(state, accelerations, motions, all.motions);
  }
  MatrixX energy;
  if (std::any_of(sensors.begin(), sensors.end(), reads_energy)) energy = energy_jacobians(all);
  for (std::size_t i = 0; i < sensors.size(); ++i) read_jacobians(all, energy, sensors[i], jacobians[i]);
  return EvaluationStatus::ok;
}

}  // namespace lithe
