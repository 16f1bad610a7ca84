// Derivatives of what sensors read with ErlsCms: the same observation with Dual numbers.
#include <algorithm>

#include "lithe/formulate/erls/dual_work.h"
#include "lithe/formulate/erls/observe_inl.h"
#include "lithe/formulate/joints/joint_rows_inl.h"

namespace lithe {
namespace {

// Acceleration of a cut joint's freedom: the rigid mechanism's, and the elastic displacement along the free direction.
ErlsDual cut_acceleration(const LoopJoint& loop, int freedom, const ErlsTree& tree, const TreeWork<ErlsDual>& work,
                          LoopMotion<ErlsDual>& motion) {
  const LoopMotionStep<ErlsDual> step{tree, work, true};
  for (std::size_t i = 0; i < tree.frames.size(); ++i) step.frame(static_cast<int>(i), motion);
  const MovingSide<ErlsDual> a = moving_side(loop.parent, step, motion), b = moving_side(loop.child, step, motion);
  FreedomRowsOf<ErlsDual> rows;
  const Matrix3 along = Matrix3::Identity();
  freedom_rows<ErlsDual>(
      loop.type, relative_motion<ErlsDual>(ErlsSideNode<ErlsDual>(a), along, ErlsSideNode<ErlsDual>(b), along), rows);
  if (loop.type == JointType::universal || loop.type == JointType::spherical || loop.type == JointType::free)
    return rows[freedom].bias;
  const Freedom& direction = freedoms_of(loop.type)[freedom];
  const Moving<ErlsDual> axis = carried<ErlsDual>(a.omega, a.alpha, a.axes * direction.axis.cast<ErlsDual>());
  const Moving<ErlsDual> apart = direction.motion == FrameMotion::revolute
                                     ? b.rotation - a.rotation
                                     : b.displacement - a.displacement - cross(a.rotation, b.point - a.point);
  return rows[freedom].bias + dot_acceleration(axis, apart);
}

ErlsDual joint_acceleration(const Mechanism& mechanism, const Configuration& configuration, int c,
                            const TreeWork<ErlsDual>& tree) {
  const int chart = moved_chart(mechanism, configuration, c);
  if (chart < 0) return tree.beta_acceleration(c) + tree.eps_acceleration(c);
  Vec3<ErlsDual> rates, accelerations;
  whole_rates<ErlsDual>(configuration.references[chart].toRotationMatrix(),
                        ball_motion<ErlsDual>(mechanism.charts()[chart].coordinates, tree), rates, accelerations);
  return accelerations[angle_in_chart(mechanism.charts()[chart], c)];
}

void put_jacobians(const ErlsDual& value, int row, Eigen::Index first, int count, MatrixX& jacobians) {
  for (int lane = 0; lane < count; ++lane) jacobians(row, first + lane) = value.jacobian[lane];
}

void put_jacobians(const Vec3<ErlsDual>& value, Eigen::Index first, int count, MatrixX& jacobians) {
  for (int i = 0; i < 3; ++i) put_jacobians(value[i], i, first, count, jacobians);
}

}  // namespace

// Derivatives of the independent variables as given, and those of the unknown ones so that the loops stay closed.
void ErlsCms::enter_jacobians(const NearbyMotions& motions, Eigen::Index first, int count, Work& work) const {
  TreeWork<ErlsDual>& tree = work.dual->tree;
  const VariableSplit& split = work.constraints.split;
  for (int lane = 0; lane < count; ++lane) {
    const auto enter = [&](const auto& values, auto&& target) {
      for (int k = 0; k < num_coordinates(); ++k) target(split.independent[k]).jacobian[lane] = values(k);
      for (std::size_t u = 0; u < split.unknown.size(); ++u)
        target(split.unknown[u]).jacobian[lane] = work.solver->tangent().row(static_cast<Eigen::Index>(u)).dot(values);
    };
    enter(motions.coordinates.col(first + lane), [&](int v) -> ErlsDual& { return variable(tree, v); });
    enter(motions.speeds.col(first + lane), [&](int v) -> ErlsDual& { return variable_rate(tree, v); });
    enter(motions.accelerations.col(first + lane), [&](int v) -> ErlsDual& { return variable_acceleration(tree, v); });
  }
}

// λ with derivatives: those that keep the forces on the unknown variables balanced.
void ErlsCms::jacobian_multipliers(const Work& work, int count, VecX<ErlsDual>& multipliers) const {
  const std::vector<int>& unknown = work.constraints.split.unknown;
  DualWork& dual = *work.dual;
  if (dual.solver) {
    VecX<ErlsDual> forces(static_cast<Eigen::Index>(unknown.size()));
    for (std::size_t u = 0; u < unknown.size(); ++u)
      forces(static_cast<Eigen::Index>(u)) = variable_force(dual.tree, unknown[u]);
    multipliers.resize(work.multipliers.size());
    dual.solver->multipliers(forces, multipliers);
    return;
  }
  multipliers = work.multipliers.cast<ErlsDual>();
  VectorX forces(static_cast<Eigen::Index>(unknown.size())), change(work.multipliers.size());
  for (int lane = 0; lane < count; ++lane) {  // forces with the multipliers held have no other part
    for (std::size_t u = 0; u < unknown.size(); ++u)
      forces(static_cast<Eigen::Index>(u)) = variable_force(dual.tree, unknown[u]).jacobian[lane];
    work.solver->multipliers(forces, change);
    for (Eigen::Index r = 0; r < change.size(); ++r) multipliers(r).jacobian[lane] = change(r);
  }
}

// Nodes, joints and forces of prescribed motions, from one sweep.
void ErlsCms::read_motion_jacobians(Work& work, const Configuration& configuration, const Sensor& sensor,
                                    Eigen::Index first, int count, MatrixX& jacobians) const {
  const DualWork& dual = *work.dual;
  const TreeWork<ErlsDual>& tree = dual.tree;
  switch (sensor.quantity) {
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::acceleration:
    case Quantity::displacement:
    case Quantity::rotation: {
      if (tree_.carried && (sensor.quantity == Quantity::displacement || sensor.quantity == Quantity::rotation)) {
        jacobians.middleCols(first, count) = displacement_lanes(configuration, sensor, count, work);
        return;
      }
      const ErlsNode<ErlsDual> node = erls_node<ErlsDual>(tree_, tree, sensor.link, sensor.node);
      const Vec3<ErlsDual> rotation = tree.frames[tree_.frame_of_link[sensor.link]].R_W * node.psi;
      put_jacobians(sensor.quantity == Quantity::position       ? node.position
                    : sensor.quantity == Quantity::velocity     ? node.velocity
                    : sensor.quantity == Quantity::acceleration ? node.acceleration
                    : sensor.quantity == Quantity::displacement ? node.displacement
                                                                : rotation,
                    first, count, jacobians);
      return;
    }
    case Quantity::joint_acceleration: {
      const int c = mechanism_.coordinate_of(sensor.joint, sensor.freedom);
      put_jacobians(c >= 0 ? joint_acceleration(mechanism_, configuration, c, tree)
                           : cut_acceleration(work.constraints.loops[mechanism_.cut_of_joint(sensor.joint)],
                                              sensor.freedom, tree_, tree, work.dual->motion),
                    0, first, count, jacobians);
      return;
    }
    default:
      return;
  }
}

// The generalised force on a prescribed coordinate, through the loops too.
void ErlsCms::read_drive_jacobians(const Work& work, const Sensor& sensor, Eigen::Index first, int count,
                                   MatrixX& jacobians) const {
  const VariableSplit& split = work.constraints.split;
  const TreeWork<ErlsDual>& tree = work.dual->tree;
  const int c = mechanism_.coordinate_of(sensor.joint, sensor.freedom);
  for (std::size_t p = 0; p < split.prescribed.size(); ++p) {
    if (split.prescribed[p] != c) continue;
    ErlsDual force = tree.f_beta(c);
    for (std::size_t u = 0; u < split.unknown.size(); ++u) {
      const auto row = static_cast<Eigen::Index>(u), column = static_cast<Eigen::Index>(p);
      const ErlsDual tangent = work.dual->solver ? work.dual->solver->prescribed_tangent()(row, column)
                                                 : ErlsDual(work.solver->prescribed_tangent()(row, column));
      force += tangent * variable_force(tree, split.unknown[u]);
    }
    put_jacobians(force, 0, first, count, jacobians);
  }
}

void ErlsCms::read_reaction_jacobians(const Work& work, const std::vector<ErlsWrench<ErlsDual>>& cuts,
                                      const Sensor& sensor, Eigen::Index first, int count, MatrixX& jacobians) const {
  const auto put_part = [&](const ErlsWrench<ErlsDual>& wrench) {
    put_jacobians(sensor.quantity == Quantity::reaction_force ? wrench.force : wrench.torque, first, count, jacobians);
  };
  if (const int cut = mechanism_.cut_of_joint(sensor.joint); cut >= 0) return put_part(cuts[cut]);
  for (std::size_t i = 0; i < tree_.frames.size(); ++i) {
    const TreeFrame& frame = mechanism_.frames()[i];
    if (frame.joint == sensor.joint && frame.link >= 0)
      return put_part(frame_reaction(work.dual->tree.frames[i], frame.backwards));
  }
}

void ErlsCms::read_section_jacobians(const Inputs& inputs, const std::vector<ErlsLoad<ErlsDual>>& cut_loads,
                                     const Sensor& sensor, Eigen::Index first, int count, const Work& work,
                                     MatrixX& jacobians) const {
  Vec3<ErlsDual> force, moment;
  if (section_of<ErlsDual>(inputs, cut_loads, sensor.link, sensor.node, work.dual->tree, force, moment))
    put_jacobians(sensor.quantity == Quantity::section_force ? force : moment, first, count, jacobians);
}

// Sections, reactions and energies, after the motion has been read: they overwrite it.
void ErlsCms::read_load_jacobians(const Inputs& inputs, const std::vector<Sensor>& sensors, Eigen::Index first,
                                  int count, Work& work, std::vector<MatrixX>& jacobians) const {
  TreeWork<ErlsDual>& tree = work.dual->tree;
  std::vector<ErlsWrench<ErlsDual>> cuts;
  std::vector<ErlsLoad<ErlsDual>> cut_loads;
  if (!work.constraints.loops.empty()) {
    VecX<ErlsDual> multipliers;
    jacobian_multipliers(work, count, multipliers);
    cuts = cut_wrenches_of<ErlsDual>(work.constraints, tree_, multipliers, tree);
    cut_loads = cut_loads_of<ErlsDual>(model_, work.constraints, tree_, cuts, tree);
    tree_forces<ErlsDual>(inputs, cut_loads, tree);
  }
  for (std::size_t i = 0; i < sensors.size(); ++i)
    if (sensors[i].quantity == Quantity::section_force || sensors[i].quantity == Quantity::section_moment)
      read_section_jacobians(inputs, cut_loads, sensors[i], first, count, work, jacobians[i]);
  for (std::size_t i = 0; i < sensors.size(); ++i)
    if (sensors[i].quantity == Quantity::reaction_force || sensors[i].quantity == Quantity::reaction_torque)
      read_reaction_jacobians(work, cuts, sensors[i], first, count, jacobians[i]);
  if (std::none_of(sensors.begin(), sensors.end(), reads_energy)) return;
  ErlsTree symmetric;
  if (tree_.published_virtual_displacement) {
    symmetric = tree_;
    symmetric.published_virtual_displacement = false;
  }
  const ErlsEnergies<ErlsDual> energy =
      energies_of<ErlsDual>(tree_.published_virtual_displacement ? symmetric : tree_, tree);
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    if (!reads_energy(sensors[i])) continue;
    const Quantity quantity = sensors[i].quantity;
    put_jacobians(quantity == Quantity::kinetic_energy   ? energy.kinetic
                  : quantity == Quantity::gravity_energy ? energy.gravity
                  : quantity == Quantity::elastic_energy ? energy.elastic
                                                         : energy.kinetic + energy.gravity + energy.elastic,
                  0, first, count, jacobians[i]);
  }
}

EvaluationStatus ErlsCms::sensor_jacobians(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                           const NearbyMotions& motions, const std::vector<Sensor>& sensors,
                                           Workspace& workspace, std::vector<MatrixX>& jacobians) const {
  Work& work = static_cast<Work&>(workspace);
  jacobians = unknown_jacobians(sensors, motions.size());
  const EvaluationStatus status = observe(state, inputs, accelerations, work);
  if (status != EvaluationStatus::ok) return status;
  if (!work.dual) work.dual = std::make_unique<DualWork>(tree_, work.constraints);
  DualWork& dual = *work.dual;
  const bool loops = work.solver && !dual.solver;
  if (loops) find_multipliers(inputs, work);
  for (Eigen::Index first = 0; first < motions.size(); first += erls_lanes) {
    const int count = static_cast<int>(std::min<Eigen::Index>(erls_lanes, motions.size() - first));
    start_sweep(work);
    enter_jacobians(motions, first, count, work);
    if (dual.solver && !follow_gauge(work)) return EvaluationStatus::loop_not_closed;
    update_position(tree_, dual.tree);
    if (loops) follow_loops(work, count);
    update_velocity(tree_, dual.tree);
    tree_forces<ErlsDual>(inputs, {}, dual.tree);
    for (std::size_t i = 0; i < sensors.size(); ++i)
      read_motion_jacobians(work, state.configuration, sensors[i], first, count, jacobians[i]);
    if (loops) add_loop_forces(work);
    for (std::size_t i = 0; i < sensors.size(); ++i)
      if (sensors[i].quantity == Quantity::joint_force)
        read_drive_jacobians(work, sensors[i], first, count, jacobians[i]);
    read_load_jacobians(inputs, sensors, first, count, work, jacobians);
  }
  work.known.valid = false;  // the tree's forces were overwritten
  work.known.forget_forces();
  return EvaluationStatus::ok;
}

template ErlsNode<ErlsDual> erls_node<ErlsDual>(const ErlsTree&, const TreeWork<ErlsDual>&, int, int);

template void ErlsCms::tree_forces<ErlsDual>(const Inputs&, const std::vector<ErlsLoad<ErlsDual>>&,
                                             TreeWork<ErlsDual>&) const;

}  // namespace lithe
