// What a user looks at: motion of nodes and joints, energies, reactions, section loads.
#include <algorithm>
#include <cmath>

#include "lithe/formulate/transfer/work.h"
#include "lithe/kinematics/charts.h"
#include "lithe/kinematics/closure.h"
#include "lithe/kinematics/cut_motion.h"

namespace lithe {

// Everything at the state with its accelerations.
EvaluationStatus TransferFunctions::observe(const State& state, const Inputs& inputs,
                                            const Accelerations& accelerations, Work& work) const {
  load_state(state, inputs, work);
  load_inputs(inputs, work);
  if (!split_.unknown.empty() && !close(work)) return EvaluationStatus::loop_not_closed;
  if (fixed_charts_are_singular(mechanism_, work.tree.y)) return EvaluationStatus::singular_angles;
  find_rates(work);
  find_accelerations(&accelerations.values, work);
  return EvaluationStatus::ok;
}

Energies TransferFunctions::energies(const State& state, const Inputs& inputs, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  Energies energies;
  if (const auto status = update(state, inputs, work); status != EvaluationStatus::ok) return unknown_energies(status);
  update_mass(tree_, work.tree);
  energies.kinetic = 0.5 * work.tree.y_rate.dot(work.tree.mass * work.tree.y_rate);
  for (std::size_t i = 0; i < tree_.frames.size(); ++i) {
    const FrameInertia& body = tree_.frames[i].body;
    const FrameState& f = work.tree.frames[i];
    energies.gravity -= tree_.gravity.dot(body.mass * f.p_W + f.R_W * body.moment);
  }
  for (std::size_t k = 0; k < tree_.beams.size(); ++k) {
    const TransferBeam& beam = tree_.beams[k];
    const TransferFrame& frame = tree_.frames[beam.frame];
    const auto e = work.tree.y.segment(frame.first, frame.count);
    energies.elastic += 0.5 * e.dot(beam.form.stiffness.topLeftCorner(frame.count, frame.count) * e);
    if (!beam.form.has_field) continue;
    const Vector3 moment = work.tree.fields[k].value * beam.form.mass.col(0);
    const FrameState ground;
    const FrameState& p = frame.parent < 0 ? ground : work.tree.frames[frame.parent];
    energies.gravity -= tree_.gravity.dot(beam.form.mass(0, 0) * p.p_W + p.R_W * moment);
  }
  for (int c = 0; c < tree_.num_joint_coordinates; ++c) {
    const double stretch = work.tree.y(c) - tree_.joints[c].rest_value;
    energies.elastic += 0.5 * tree_.joints[c].stiffness * stretch * stretch;
    if (const auto& law = tree_.joints[c].law) energies.elastic += spring_excess_energy<double>(*law, stretch);
  }
  return energies;
}

// The rigid mechanism with the same independent joint coordinates; NaN where its loops cannot be closed.
Configuration TransferFunctions::rigid_configuration(const State& state, const Work& work) const {
  Configuration configuration = state.configuration;
  configuration.coordinates = work.tree.y.head(tree_.num_joint_coordinates);
  if (!mechanism_.cuts().empty() && !close_loops(mechanism_, configuration, independent_joints_).closed())
    configuration.coordinates.setConstant(std::nan(""));
  return configuration;
}

Pose TransferFunctions::rigid_pose(const State& state, int link, const Work& work) const {
  KinematicState rigid(mechanism_);
  update_position(mechanism_, rigid_configuration(state, work), rigid);
  return rigid.in_world[mechanism_.frame_of_link(link)];
}

Pose TransferFunctions::link_pose(const State& state, const Inputs& inputs, int link, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  if (const auto status = update(state, inputs, work); status != EvaluationStatus::ok) {
    const NodeMotion unknown = unknown_motion(status);
    return {unknown.orientation, unknown.position};
  }
  return rigid_pose(state, link, work);
}

NodeMotion TransferFunctions::observed_node(int link, int node, const Pose& rigid, const Work& work) const {
  const NodePlace& place = tree_.nodes[link][node];
  const SideMotion at = side_motion(tree_, work.tree, {place.frame, {place.link_axes, place.offset}});
  NodeMotion motion;
  motion.position = at.pose.position;
  motion.orientation = at.pose.rotation;
  motion.velocity = at.velocity;
  motion.acceleration = at.acceleration;
  motion.angular_velocity = at.omega;
  motion.angular_acceleration = at.alpha;
  const Eigen::AngleAxisd turn(Matrix3(at.pose.rotation * rigid.rotation.transpose()));
  motion.displacement = at.pose.position - rigid.position;
  motion.rotation = turn.angle() * turn.axis();
  if (!motion.displacement.allFinite()) motion.status = EvaluationStatus::loop_not_closed;
  return motion;
}

void TransferFunctions::node_motions(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                     int link, std::vector<NodeMotion>& motions, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  motions.resize(static_cast<std::size_t>(num_nodes(link)));
  if (const auto status = observe(state, inputs, accelerations, work); status != EvaluationStatus::ok) {
    std::fill(motions.begin(), motions.end(), unknown_motion(status));
    return;
  }
  const Pose frame = rigid_pose(state, link, work);
  for (std::size_t node = 0; node < motions.size(); ++node) {
    const Pose at = frame * Pose{Matrix3::Identity(), tree_.nodes[link][node].rest};
    motions[node] = observed_node(link, static_cast<int>(node), at, work);
  }
}

NodeMotion TransferFunctions::node_motion(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                          int link, int node, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  if (const auto status = observe(state, inputs, accelerations, work); status != EvaluationStatus::ok)
    return unknown_motion(status);
  const Pose frame = rigid_pose(state, link, work);
  return observed_node(link, node, frame * Pose{Matrix3::Identity(), tree_.nodes[link][node].rest}, work);
}

bool TransferFunctions::observe_forces(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                       Work& work) const {
  if (observe(state, inputs, accelerations, work) != EvaluationStatus::ok) return false;
  find_multipliers(work);
  return true;
}

double TransferFunctions::prescribed_force(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                           int joint, int freedom, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  if (joint == static_cast<int>(model_.joints.size()))
    return observe_forces(state, inputs, accelerations, work) ? force_on_chosen(freedom, work) : std::nan("");
  const int c = mechanism_.coordinate_of(joint, freedom);
  for (const int p : split_.prescribed)
    if (p == c && observe_forces(state, inputs, accelerations, work)) return work.tree.forces(c);
  return std::nan("");
}

// What keeps a chosen coordinate on its motion: of a nodal one the multiplier of its row, whose derivative by it is -1.
double TransferFunctions::force_on_chosen(int item, const Work& work) const {
  double force = 0;
  for (const TransferSplit::Moved& moved : split_.moved)
    if (moved.item == item) force += work.tree.forces(moved.variable);
  for (const TransferLoop& loop : loops_.loops)
    for (const TransferSplit::Moved& moved : split_.moved)
      if (moved.item == item && moved.variable == loop.variable) force -= work.multipliers(loop.first_row);
  return force;
}

// A tree joint carries what its child and everything beyond needs; a cut joint carries its multipliers.
bool TransferFunctions::reaction(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                 int joint, Vector3& force, Vector3& torque, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  if (!observe_forces(state, inputs, accelerations, work)) return false;
  if (mechanism_.cut_of_joint(joint) >= 0) {
    std::size_t load = work.num_applied_loads;  // of the parent's side, then of the child's
    for (const TransferLoop& loop : loops_.loops) {
      if (loop.parent.frame >= 0) ++load;
      const bool on_child = loop.child.frame >= 0;
      if (loop.joint == joint) {
        const FrameLoad& on = work.tree.loads[on_child ? load : load - 1];
        force = on_child ? on.force : Vector3(-on.force);
        torque = on_child ? on.torque : Vector3(-on.torque);
        return true;
      }
      if (on_child) ++load;
    }
    return false;
  }
  for (std::size_t i = 0; i < mechanism_.frames().size(); ++i) {
    const TreeFrame& source = mechanism_.frames()[i];
    if (source.joint != joint || source.link < 0) continue;
    const FrameState& f = work.tree.frames[tree_.root_frame[source.link]];
    const NodePlace& place = tree_.nodes[source.link][source.child_node];
    force = f.R_W * f.force;
    torque = f.R_W * (f.torque - place.offset.cross(f.force));
    if (source.backwards) {
      force = -force;
      torque = -torque;
    }
    return true;
  }
  return false;
}

// S e; where the user holds or moves a deformation, what that takes ([LIN]'s stress of a fixed deformation).
Vector6 TransferFunctions::stress_of(const TransferBeam& beam, const Work& work) const {
  const TransferFrame& frame = tree_.frames[beam.frame];
  Vector6 e = Vector6::Zero();
  e.head(frame.count) = work.tree.y.segment(frame.first, frame.count);
  Vector6 stress = beam.form.stiffness * e;
  const auto add = [&](int variable) {
    const int l = variable - frame.first;
    if (l >= 0 && l < frame.count) stress(l) -= work.tree.forces(variable);
  };
  for (const TransferSplit::Held& held : split_.held) add(held.variable);
  for (const TransferSplit::Moved& moved : split_.moved) add(moved.variable);
  return stress;
}

const TransferBeam* TransferFunctions::beam_at(int link, int node) const {
  for (const TransferBeam& beam : tree_.beams)
    if (beam.link == link && (beam.node_a == node || beam.node_b == node)) return &beam;
  return nullptr;
}

// What an element and all beyond it need from its parent's frame, at that frame's origin and in its axes.
Vector6 TransferFunctions::passed_wrench(int index, const Work& work) const {
  const TransferFrame& frame = tree_.frames[index];
  const ElementMotion& m = work.tree.elements[index];
  const FrameState& c = work.tree.frames[index];
  const Vector3 force = m.Q * c.force;
  Vector6 wrench;
  wrench.head<3>() = force;
  wrench.tail<3>() = m.Q * c.torque + m.rho.cross(force);
  if (frame.beam < 0 || !tree_.beams[frame.beam].form.has_field) return wrench;
  const FieldMotion& field = work.tree.fields[frame.beam];
  wrench.head<3>() += field.force.col(0);
  for (int b = 1; b < num_field_vectors; ++b) wrench.tail<3>() += field.value.col(b).cross(field.force.col(b));
  return wrench;
}

// Signs with which the wrench that a section passes on becomes what the part beyond it exerts on the part before it.
// Frames at both ends have the beam's axes; seen from the other end axes x and z turn, and so does the side.
Vector6 TransferFunctions::section_signs(const TransferBeam& beam) {
  Vector6 signs = -Vector6::Ones();
  if (beam.reversed) signs[1] = signs[4] = 1;
  return signs;
}

// Of the first element at the node, whose own weight and inertia lie between its ends. Trusses carry axial force alone.
bool TransferFunctions::section_load(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                     int link, int node, Vector3& force, Vector3& moment, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  const TransferBeam* beam = beam_at(link, node);
  if (beam == nullptr || !observe_forces(state, inputs, accelerations, work)) return false;
  Vector6 load;
  if (beam->form.truss) {
    load = section_of(*beam, node, stress_of(*beam, work));
  } else {
    const FrameState& end = work.tree.frames[beam->frame];
    Vector6 wrench;
    if (beam->node_b == node) {
      wrench.head<3>() = end.force;
      wrench.tail<3>() = end.torque;
    } else {
      wrench = passed_wrench(beam->frame, work);
    }
    load = section_signs(*beam).cwiseProduct(wrench);
  }
  force = load.head<3>();
  moment = load.tail<3>();
  return true;
}

double TransferFunctions::dissipated_power(const State& state, const Inputs& inputs, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  if (update(state, inputs, work) != EvaluationStatus::ok) return std::nan("");
  double power = 0;
  for (int c = 0; c < tree_.num_joint_coordinates; ++c) {
    const JointElement& joint = tree_.joints[c];
    const double rate = work.tree.y_rate(c);
    power += joint.damping * rate * rate + joint.friction * std::tanh(rate / joint.friction_speed) * rate;
    if (joint.law) power += friction_excess<double>(*joint.law, rate, joint.friction_speed) * rate;
  }
  for (const BallDamper& damper : tree_.ball_dampers)
    power += ball_damper_power(damper, ball_motion(damper.coordinates, work.tree));
  for (const TransferBeam& beam : tree_.beams) {
    const TransferFrame& frame = tree_.frames[beam.frame];
    const auto rate = work.tree.y_rate.segment(frame.first, frame.count);
    power += beam.damping_factor * rate.dot(beam.form.stiffness.topLeftCorner(frame.count, frame.count) * rate);
  }
  for (const LinkDamping& link : tree_.link_damping) {
    const auto rate = work.tree.y_rate.segment(link.first, link.matrix.rows());
    power += rate.dot(link.matrix * rate);
  }
  return power;
}

SignalValue TransferFunctions::joint_motion(const State& state, const Inputs& inputs,
                                            const Accelerations& accelerations, int joint, int freedom,
                                            Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  if (observe(state, inputs, accelerations, work) != EvaluationStatus::ok) return unknown_value();
  const int c = mechanism_.coordinate_of(joint, freedom);
  if (c < 0) return cut_motion_of(joint, freedom, work);
  if (const int chart = moved_chart(mechanism_, state.configuration, c); chart >= 0)
    return whole_motion(state.configuration, chart, angle_in_chart(mechanism_.charts()[chart], c),
                        ball_motion(mechanism_.charts()[chart].coordinates, work.tree));
  return {work.tree.y(c), work.tree.y_rate(c), work.tree.y_acceleration(c)};
}

// A cut joint between two nodes as they stand: frames that carry its sides stand in for the rigid links.
SignalValue TransferFunctions::cut_motion_of(int joint, int freedom, const Work& work) const {
  const int index = mechanism_.cut_of_joint(joint);
  const CutJoint& cut = mechanism_.cuts()[index];
  KinematicState kinematics(mechanism_);
  const auto place = [&](int frame, const TransferSide& side, const Pose& joint_frame) {
    if (frame < 0) return;
    const SideMotion at = side_motion(tree_, work.tree, {side.frame, side.joint_frame * joint_frame.inverse()});
    const Matrix3 to_frame = at.pose.rotation.transpose();
    kinematics.in_world[frame] = at.pose;
    kinematics.velocity[frame] = to_frame * at.velocity;
    kinematics.angular_velocity[frame] = to_frame * at.omega;
    kinematics.acceleration[frame] = to_frame * at.acceleration;
    kinematics.angular_acceleration[frame] = to_frame * at.alpha;
  };
  const TransferLoop& loop = loops_.loops[index];
  place(cut.parent_frame, loop.parent, cut.frame_in_parent);
  place(cut.child_frame, loop.child, cut.frame_in_child);
  const CutMotion motion = cut_motion(cut, kinematics);
  return {motion.value(freedom), motion.rate(freedom), motion.acceleration(freedom)};
}

}  // namespace lithe
