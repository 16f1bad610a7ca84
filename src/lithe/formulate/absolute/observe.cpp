// What a user looks at: energies, nodes, joints, reactions.
#include <algorithm>
#include <cmath>
#include <limits>

#include "lithe/formulate/absolute/left_out_sections.h"
#include "lithe/formulate/absolute/work.h"
#include "lithe/formulate/joints/ball_damper.h"
#include "lithe/formulate/joints/joint_values.h"
#include "lithe/formulate/numerics/rotation_vector.h"
#include "lithe/kinematics/closure.h"
#include "lithe/model/joint_law.h"

namespace lithe {
bool AbsoluteEquations::has_geometric_stiffening() const {
  return std::all_of(bodies_.begin(), bodies_.end(), [](const auto& body) { return body->stiffens(); });
}

bool AbsoluteEquations::stiffens_link(int link) const { return bodies_[static_cast<std::size_t>(link)]->stiffens(); }

const ModalLink* AbsoluteEquations::bending_modes(int link) const {
  return bodies_[static_cast<std::size_t>(link)]->bending_modes();
}

Energies AbsoluteEquations::energies(const State& state, const Inputs& inputs, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  load(state, work);
  update_joints(state, inputs, work);
  Energies result;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const BodyEnergies own = bodies_[b]->energies(work.gravity, *work.bodies[b]);
    result.kinetic += own.kinetic;
    result.gravity += own.gravity;
    result.elastic += own.elastic;
  }
  for (const Rotor& rotor : plan_.rotors)
    result.kinetic += 0.5 * rotor.inertia * work.nu[rotor.coordinate] * work.nu[rotor.coordinate];
  for (const JointPlan& plan : plan_.joints) {
    if (!plan.sprung) continue;
    const Joint& joint = model_.joints[plan.joint];
    for (int k = 0; k < num_freedoms(plan.type); ++k) {
      const double stretch = work.values[plan.first_value + k] - freedom_value(joint.rest_value, k);
      result.elastic += 0.5 * freedom_value(joint.stiffness, k) * stretch * stretch;
      if (joint.law) result.elastic += spring_excess_energy<double>(*joint.law, stretch);
    }
  }
  return result;
}

double AbsoluteEquations::dissipated_power(const State& state, const Inputs& inputs, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  load(state, work);
  update_joints(state, inputs, work);
  double power = 0;
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    power += bodies_[b]->energies(work.gravity, *work.bodies[b]).dissipated_power;
  if (mode_damping_.size() > 0) {
    find_mode_rates(work);
    power += work.mode_rates.dot(mode_damping_ * work.mode_rates);
  }
  for (std::size_t j = 0; j < plan_.joints.size(); ++j) {
    const JointPlan& plan = plan_.joints[j];
    for (int k = 0; k < 3; ++k)
      if (plan.turn_damping[k] != 0)
        power += plan.turn_damping[k] * std::pow(turning_row(k, work.joints[j].motion).rate, 2);
    if (!plan.sprung) continue;
    const Joint& joint = model_.joints[plan.joint];
    for (int k = 0; k < num_freedoms(plan.type); ++k) {
      const double damping = freedom_damping(joint, k), friction = freedom_value(joint.friction, k);
      if (damping == 0 && friction == 0 && !joint.law) continue;
      const double rate = work.joints[j].freedoms[k].rate;
      power += damping * rate * rate + friction * std::tanh(rate / joint.friction_speed) * rate;
      if (joint.law) power += friction_excess<double>(*joint.law, rate, joint.friction_speed) * rate;
    }
  }
  return power;
}

// The rigid mechanism with the joints' values as an encoder reads them; NaN where its loops cannot be closed.
Pose AbsoluteEquations::rigid_pose(int link, Work& work) const {
  if (!flexible_) return {};
  work.rigid_configuration.coordinates.resize(mechanism_.num_coordinates());
  work.rigid_configuration.references.assign(mechanism_.num_charts(), Quaternion::Identity());
  FreedomRows rows;
  for (std::size_t j = 0; j < plan_.joints.size(); ++j) {
    const JointPlan& plan = plan_.joints[j];
    freedom_rows(plan.type, work.joints[j].motion, rows);
    for (int k = 0; k < num_freedoms(plan.type); ++k)
      if (const int c = mechanism_.coordinate_of(plan.joint, k); c >= 0)
        work.rigid_configuration.coordinates[c] = rows[k].value;
  }
  if (!mechanism_.cuts().empty() && !close_loops(mechanism_, work.rigid_configuration, independent_).closed())
    work.rigid_configuration.coordinates.setConstant(std::numeric_limits<double>::quiet_NaN());
  update_position(mechanism_, work.rigid_configuration, work.rigid);
  return work.rigid.in_world[mechanism_.frame_of_link(link)];
}

void AbsoluteEquations::load_with_accelerations(const State& state, const Inputs& inputs,
                                                const Accelerations& accelerations, Work& work) const {
  load(state, work);
  update_joints(state, inputs, work);
  from_chart(state, accelerations.values, work.accelerations);
}

NodeMotion AbsoluteEquations::observed_node(int link, int node, const Pose& rigid, const Work& work) const {
  NodeFrame frame;
  bodies_[link]->node_frame(*work.bodies[link], node, frame);
  Vector6 acceleration;
  acceleration << frame.acceleration_bias, frame.angular_bias;
  acceleration +=
      frame.jacobian * work.accelerations.segment(plan_.first_coordinate[link] + frame.first, frame.jacobian.cols());
  NodeMotion motion;
  motion.position = frame.position;
  motion.velocity = frame.velocity;
  motion.acceleration = acceleration.head<3>();
  motion.orientation = frame.rotation;
  motion.angular_velocity = frame.angular_velocity;
  motion.angular_acceleration = acceleration.tail<3>();
  motion.displacement.setZero();
  motion.rotation.setZero();
  if (!flexible_) return motion;
  motion.displacement = frame.position - rigid * bodies_[link]->rest_position(node);
  motion.rotation = rigid.rotation * rotation_vector(rigid.rotation.transpose() * frame.rotation);
  if (!motion.displacement.allFinite()) motion.status = EvaluationStatus::loop_not_closed;
  return motion;
}

NodeMotion AbsoluteEquations::node_motion(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                          int link, int node, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  load_with_accelerations(state, inputs, accelerations, work);
  return observed_node(link, node, rigid_pose(link, work), work);
}

void AbsoluteEquations::node_motions(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                     int link, std::vector<NodeMotion>& motions, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  load_with_accelerations(state, inputs, accelerations, work);
  const Pose rigid = rigid_pose(link, work);
  motions.resize(static_cast<std::size_t>(num_nodes(link)));
  for (std::size_t node = 0; node < motions.size(); ++node)
    motions[node] = observed_node(link, static_cast<int>(node), rigid, work);
}

Pose AbsoluteEquations::link_pose(const State& state, const Inputs& inputs, int link, Workspace& workspace) const {
  if (!flexible_) return Equations::link_pose(state, inputs, link, workspace);
  Work& work = static_cast<Work&>(workspace);
  load(state, work);
  update_joints(state, inputs, work);
  return rigid_pose(link, work);
}

bool AbsoluteEquations::strained_shape(const State& state, const Inputs&, int link, VectorX& displacements,
                                       Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  load(state, work);
  return bodies_[link]->strained_shape(*work.bodies[link], displacements);
}

SignalValue AbsoluteEquations::joint_motion(const State& state, const Inputs& inputs,
                                            const Accelerations& accelerations, int joint, int freedom,
                                            Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  load_with_accelerations(state, inputs, accelerations, work);
  const int index = plan_.plan_of_joint[joint];
  const JointPlan& plan = plan_.joints[index];
  const JointWork& now = work.joints[index];
  FreedomRows rows;
  freedom_rows(plan.type, now.motion, rows);
  double acceleration = rows[freedom].bias;
  for (const bool child : {false, true}) {
    const int body = child ? plan.child.body : plan.parent.body;
    if (body < 0) continue;
    const NodeFrame& frame = child ? now.child : now.parent;
    Vector3 force, torque;
    (child ? row_on_child<double> : row_on_parent<double>)(rows[freedom], now.motion, force, torque);
    const Vector6 relative =
        frame.jacobian * work.accelerations.segment(plan_.first_coordinate[body] + frame.first, frame.jacobian.cols());
    acceleration += force.dot(relative.head<3>()) + torque.dot(relative.tail<3>());
  }
  return {continuous_value(plan, freedom, rows[freedom].value, state), rows[freedom].rate, acceleration};
}

// Multipliers at a state, in work.known: those of its own accelerations.
bool AbsoluteEquations::observe(const State& state, const Inputs& inputs, Work& work) const {
  if (work.known.belong_to(state, inputs)) return true;
  work.known.forget();
  if (body_accelerations(state, inputs, work, work.accelerations, work.multipliers) != EvaluationStatus::ok)
    return false;
  work.known.keep(state, inputs, work.multipliers);
  return true;
}

double AbsoluteEquations::prescribed_force(const State& state, const Inputs& inputs, const Accelerations&, int joint,
                                           int freedom, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  const JointPlan& plan = plan_.joints[plan_.plan_of_joint[joint]];
  for (std::size_t r = 0; r < plan.rows.size(); ++r)
    if (plan.rows[r].kind == RowKind::prescribed && plan.rows[r].index == freedom && observe(state, inputs, work))
      return -work.known.values()[plan.first_row + static_cast<int>(r)];
  return std::numeric_limits<double>::quiet_NaN();
}

// All that the parent exerts on the child: multipliers of the rows, and drives, springs and dampers of the freedoms.
bool AbsoluteEquations::reaction(const State& state, const Inputs& inputs, const Accelerations&, int joint,
                                 Vector3& force, Vector3& torque, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  if (!observe(state, inputs, work)) return false;
  load(state, work);
  update_joints(state, inputs, work);
  const VectorX& multipliers = work.known.values();
  const int index = plan_.plan_of_joint[joint];
  const JointPlan& plan = plan_.joints[index];
  const JointWork& now = work.joints[index];
  force.setZero();
  torque.setZero();
  const auto add = [&](const JointRow& row, double value) {
    Vector3 f, t;
    row_on_child(row, now.motion, f, t);
    force += value * f;
    torque += value * t;
  };
  for (std::size_t r = 0; r < plan.rows.size(); ++r)
    if (has_multiplier(plan.rows[r].kind)) add(now.rows[r], -multipliers[plan.first_row + static_cast<int>(r)]);
  for (const CoupledTerm& term : plan.coupled)
    add(now.freedoms[term.freedom], -term.factor * multipliers[plan_.num_joint_rows() + term.coupling]);
  if (plan.freedoms_needed)
    for (int k = 0; k < num_freedoms(plan.type); ++k)
      if (const double acting = freedom_force(plan, inputs, work, index, k); acting != 0) add(now.freedoms[k], acting);
  for (int k = 0; k < 3; ++k) {
    const JointRow row = turning_row(k, now.motion);
    if (plan.turn_damping[k] != 0) add(row, -plan.turn_damping[k] * row.rate);
  }
  return true;
}

// On a body of which modes were left out: loads, and what joints exert. A joint's reaction acts on the child at its
// point, on the parent at the same point with the other sign.
bool AbsoluteEquations::wrenches_on(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                    int link, Work& work, std::vector<NodeWrench>& wrenches) const {
  const bool needed = bodies_[link]->left_out_sections() != nullptr;
  for (const int index : needed ? plan_.joints_of_body[link] : std::vector<int>{}) {
    const JointPlan& plan = plan_.joints[index];
    Vector3 f, t;
    if (!reaction(state, inputs, accelerations, plan.joint, f, t, work)) return false;
    const Vector3 apart = work.joints[index].child.position - work.joints[index].parent.position;
    if (plan.child.body == link) wrenches.push_back({plan.child.node, f, t});
    if (plan.parent.body == link) wrenches.push_back({plan.parent.node, -f, -t - apart.cross(f)});
  }
  load_with_accelerations(state, inputs, accelerations, work);
  for (const NodalLoad& load : inputs.nodal_loads) {
    if (!needed || load.link != link) continue;
    wrenches.push_back({load.node, load.force, load.torque});
    if (load.follows_link) follow(load, work, wrenches.back().force, wrenches.back().torque);
  }
  return true;
}

bool AbsoluteEquations::section_load(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                                     int link, int node, Vector3& force, Vector3& moment, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  std::vector<NodeWrench> wrenches;
  return wrenches_on(state, inputs, accelerations, link, work, wrenches) &&
         loaded_section(link, node, wrenches, work, force, moment);
}

// For the state and accelerations in the work.
bool AbsoluteEquations::loaded_section(int link, int node, const std::vector<NodeWrench>& wrenches, const Work& work,
                                       Vector3& force, Vector3& moment) const {
  const AbsoluteBody& body = *bodies_[link];
  const LeftOutSections* left_out = body.left_out_sections();
  const auto own = work.accelerations.segment(plan_.first_coordinate[link], body.num_speeds());
  if (!body.section_load(work.gravity, *work.bodies[link], node, own, force, moment)) return false;
  if (left_out != nullptr) left_out->add_left_out(work.gravity, *work.bodies[link], node, own, wrenches, force, moment);
  return true;
}

// As many points as the body knows.
bool AbsoluteEquations::stresses(const State& state, const Inputs& inputs, const Accelerations& accelerations, int link,
                                 Matrix6X& values, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  std::vector<NodeWrench> wrenches;
  if (!wrenches_on(state, inputs, accelerations, link, work, wrenches)) return false;
  std::vector<Vector3> halves;
  for (int point = 0;; ++point) {
    Vector3 normal, shear;
    if (!loaded_section(link, point, wrenches, work, normal, shear)) break;
    halves.push_back(normal);
    halves.push_back(shear);
  }
  values.resize(6, static_cast<Eigen::Index>(halves.size() / 2));
  for (std::size_t k = 0; k < halves.size(); ++k)
    values.col(static_cast<Eigen::Index>(k / 2)).segment<3>(k % 2 == 0 ? 0 : 3) = halves[k];
  return !halves.empty();
}

}  // namespace lithe
