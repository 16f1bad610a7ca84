#include "lithe/formulate/absolute/absolute_equations.h"

#include <cmath>
#include <numbers>

#include "lithe/formulate/absolute/work.h"
#include "lithe/formulate/joints/ball_damper.h"
#include "lithe/formulate/joints/joint_values.h"
#include "lithe/formulate/numerics/rotation_vector.h"
#include "lithe/kinematics/charts.h"
#include "lithe/model/joint_law.h"

namespace lithe {
namespace {

// The part of the coordinates that belongs to one frame: p = p_ref + R_ref ρ, R = R_ref exp(θ).
struct FrameChart {
  Vector3 rho, theta;
  FrameChart(const VectorX& coordinates, int first)
      : rho(coordinates.segment<3>(first)), theta(coordinates.segment<3>(first + 3)) {}
};

double unwrapped(double angle, double near) {
  constexpr double turn = 2 * std::numbers::pi;
  return angle + turn * std::round((near - angle) / turn);
}

// Whether three angles of a joint, the second read within a right angle, are at one or have gone beyond it: then those
// that continue the ones before are (a1 + π, π - a2, a3 + π), which are the same rotation.
bool are_singular(const Vector3& angles, const Vector3& before) {
  if (std::cos(angles[1]) < least_cosine_of_second_angle) return true;
  constexpr double half = std::numbers::pi;
  double beyond = 0;
  const Vector3 other(angles[0] + half, half - angles[1], angles[2] + half);
  for (int k = 0; k < 3; ++k) beyond += std::pow(unwrapped(other[k], before[k]) - before[k], 2);
  return beyond < (angles - before).squaredNorm();
}

// Of a freedom's spring at a value; none where the law leaves none, as within a backlash.
double tangent_stiffness(const Joint& joint, int freedom, double value) {
  const double stiffness = freedom_value(joint.stiffness, freedom);
  if (!joint.law) return stiffness;
  constexpr double least = 1e-9;
  const double excess = spring_excess_stiffness(*joint.law, value - freedom_value(joint.rest_value, freedom));
  return std::max(stiffness + excess, least * stiffness);
}

template <class Visit>
void each_frame(const AbsolutePlan& plan, const std::vector<std::unique_ptr<AbsoluteBody>>& bodies,
                const Visit& visit) {
  for (std::size_t b = 0; b < bodies.size(); ++b)
    for (int k = 0; k < bodies[b]->num_frames(); ++k) visit(plan.first_frame[b] + k, plan.first_coordinate[b] + 6 * k);
}

}  // namespace

// Frames and body velocities from charts: v = exp(-θ) ρ̇, ω = T(θ) θ̇ (section 2).
void AbsoluteEquations::load(const State& state, Work& work) const {
  work.nu = state.speeds;
  each_frame(plan_, bodies_, [&](int f, int o) {
    const FrameChart chart(state.coordinates, o);
    const Matrix3 R_ref = state.configuration.references[f].toRotationMatrix();
    const Matrix3 E = rotation_of(chart.theta);
    work.frames[f].position = state.configuration.coordinates.segment<3>(3 * f) + R_ref * chart.rho;
    work.frames[f].rotation = R_ref * E;
    work.nu.segment<3>(o) = E.transpose() * state.speeds.segment<3>(o);
    work.nu.segment<3>(o + 3) = rate_map(chart.theta) * state.speeds.segment<3>(o + 3);
  });
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const int o = plan_.first_coordinate[b], frames = bodies_[b]->num_frames();
    bodies_[b]->set_state(&work.frames[plan_.first_frame[b]], state.coordinates.data() + o + 6 * frames,
                          work.nu.data() + o, *work.bodies[b]);
  }
}

// Chart accelerations from body accelerations: ρ̈ = exp(θ) v̇ + (R_refᵀ ω_W) × ρ̇, θ̈ = T⁻¹ (ω̇ - Ṫ θ̇).
void AbsoluteEquations::chart_accelerations(const State& state, const VectorX& accelerations, VectorX& result) const {
  result = accelerations;
  each_frame(plan_, bodies_, [&](int, int o) {
    const FrameChart chart(state.coordinates, o);
    const Vector3 rho_rate = state.speeds.segment<3>(o), rate = state.speeds.segment<3>(o + 3);
    const Matrix3 E = rotation_of(chart.theta), T = rate_map(chart.theta);
    const Vector3 turning = E * (T * rate);
    result.segment<3>(o) = E * accelerations.segment<3>(o) + turning.cross(rho_rate);
    result.segment<3>(o + 3) = T.inverse() * (accelerations.segment<3>(o + 3) - rate_map_bias(chart.theta, rate));
  });
}

void AbsoluteEquations::from_chart(const State& state, const VectorX& accelerations, VectorX& result) const {
  result = accelerations;
  each_frame(plan_, bodies_, [&](int, int o) {
    const FrameChart chart(state.coordinates, o);
    const Vector3 rho_rate = state.speeds.segment<3>(o), rate = state.speeds.segment<3>(o + 3);
    const Matrix3 E = rotation_of(chart.theta), T = rate_map(chart.theta);
    const Vector3 turning = E * (T * rate);
    result.segment<3>(o) = E.transpose() * (Vector3(accelerations.segment<3>(o)) - turning.cross(rho_rate));
    result.segment<3>(o + 3) = T * accelerations.segment<3>(o + 3) + rate_map_bias(chart.theta, rate);
  });
}

void AbsoluteEquations::chart_speeds(const State& state, const VectorX& nu, VectorX& speeds) const {
  speeds = nu;
  each_frame(plan_, bodies_, [&](int, int o) {
    const FrameChart chart(state.coordinates, o);
    speeds.segment<3>(o) = rotation_of(chart.theta) * nu.segment<3>(o);
    speeds.segment<3>(o + 3) = rate_map(chart.theta).inverse() * nu.segment<3>(o + 3);
  });
}

// A small motion of every frame in its own axes, and of the elastic coordinates.
void AbsoluteEquations::displace(State& state, const VectorX& increments) const {
  each_frame(plan_, bodies_, [&](int, int o) {
    const FrameChart chart(state.coordinates, o);
    const Matrix3 E = rotation_of(chart.theta);
    state.coordinates.segment<3>(o) += E * increments.segment<3>(o);
    state.coordinates.segment<3>(o + 3) = rotation_vector(E * rotation_of(increments.segment<3>(o + 3)));
  });
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const int o = plan_.first_coordinate[b] + 6 * bodies_[b]->num_frames(), d = bodies_[b]->num_elastic();
    state.coordinates.segment(o, d) += increments.segment(o, d);
  }
  for (const Rotor& rotor : plan_.rotors) state.coordinates[rotor.coordinate] += increments[rotor.coordinate];
}

void AbsoluteEquations::recentre(State& state) const {
  each_frame(plan_, bodies_, [&](int f, int o) {
    const FrameChart chart(state.coordinates, o);
    Quaternion& reference = state.configuration.references[f];
    const Matrix3 E = rotation_of(chart.theta);
    state.speeds.segment<3>(o) = (E.transpose() * state.speeds.segment<3>(o)).eval();
    state.speeds.segment<3>(o + 3) = (rate_map(chart.theta) * state.speeds.segment<3>(o + 3)).eval();
    state.configuration.coordinates.segment<3>(3 * f) += reference.toRotationMatrix() * chart.rho;
    reference = (reference * Quaternion(E)).normalized();
    state.coordinates.segment<6>(o).setZero();
  });
}

// The screw motion of constant (v, ω): ρ grows by the left Jacobian of exp, T(-θ).
void AbsoluteEquations::move(const State& start, const VectorX& step, const VectorX& velocities, State& result) const {
  result.coordinates = start.coordinates + step;
  each_frame(plan_, bodies_, [&](int, int o) {
    const Vector3 theta = step.segment<3>(o + 3);
    result.coordinates.segment<3>(o) = rate_map(-theta) * step.segment<3>(o);
    result.coordinates.segment<3>(o + 3) = theta;
  });
  result.configuration = start.configuration;
  chart_speeds(result, velocities, result.speeds);
}

VectorX AbsoluteEquations::motion_between(const State& from, const State& to) const {
  VectorX result = to.coordinates - from.coordinates;
  each_frame(plan_, bodies_, [&](int f, int o) {
    const Quaternion& start = from.configuration.references[f];
    const Matrix3 turned = (start.conjugate() * to.configuration.references[f]).toRotationMatrix();
    result.segment<3>(o) = start.conjugate() * (to.configuration.coordinates.segment<3>(3 * f) -
                                                from.configuration.coordinates.segment<3>(3 * f));
    result.segment<3>(o + 3) = rotation_vector(turned);
  });
  for (const Rotor& rotor : plan_.rotors)
    if (is_rotation(model_.joints[rotor.joint].type, rotor.freedom))
      result[rotor.coordinate] = std::remainder(result[rotor.coordinate], 2 * std::numbers::pi);
  return result;
}

void AbsoluteEquations::side_frame(const JointSide& side, const Work& work, NodeFrame& frame) const {
  if (side.body >= 0) {
    bodies_[side.body]->node_frame(*work.bodies[side.body], side.node, frame);
  } else {
    frame.position = side.position;
  }
}

double AbsoluteEquations::continuous_value(const JointPlan& plan, int freedom, double value, const State& state) const {
  if (!is_rotation(plan.type, freedom)) return value;
  return unwrapped(value, state.configuration.coordinates[3 * plan_.num_frames + plan.first_value + freedom]);
}

namespace {

// Rows of J on one side: the row's force and torque times the node's Jacobian.
void fill_block(const std::vector<JointRow>& rows, const RelativeJointMotion& motion, const NodeFrame& frame,
                bool child, MatrixX& block) {
  const Eigen::Index columns = frame.jacobian.cols();
  block.resize(static_cast<Eigen::Index>(rows.size()), columns);
  if (columns == 0) return;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Vector3 force, torque;
    (child ? row_on_child<double> : row_on_parent<double>)(rows[r], motion, force, torque);
    block.row(static_cast<Eigen::Index>(r)).noalias() =
        force.transpose() * frame.jacobian.topRows<3>() + torque.transpose() * frame.jacobian.bottomRows<3>();
  }
}

}  // namespace

void AbsoluteEquations::update_joint(const JointPlan& plan, const State& state, const Inputs& inputs, Work& work,
                                     int index) const {
  JointWork& joint = work.joints[index];
  side_frame(plan.parent, work, joint.parent);
  side_frame(plan.child, work, joint.child);
  joint.motion = relative_motion<double>(joint.parent, plan.parent.axes, joint.child, plan.child.axes);
  if (plan.freedoms_needed) {
    freedom_rows(plan.type, joint.motion, joint.freedoms);
    for (int k = 0; k < num_freedoms(plan.type); ++k)
      work.values[plan.first_value + k] = continuous_value(plan, k, joint.freedoms[k].value, state);
  }
  if (plan.first_angle >= 0) {
    const int at = plan.first_value + plan.first_angle;
    joint.singular_angles =
        are_singular(work.values.segment<3>(at), state.configuration.coordinates.segment<3>(3 * plan_.num_frames + at));
  }
  for (std::size_t r = 0; r < plan.rows.size(); ++r) {
    const RowPlan& kind = plan.rows[r];
    const int row = plan.first_row + static_cast<int>(r);
    JointRow& out = joint.rows[r];
    out = kind.kind == RowKind::constraint ? constraint_row(plan.type, kind.index, joint.motion)
          : kind.kind == RowKind::damper   ? turning_row(kind.index, joint.motion)
                                           : joint.freedoms[kind.index];
    work.value[row] = out.value;
    work.rate[row] = out.rate;
    work.bias[row] = out.bias;
    const bool turn = kind.kind != RowKind::constraint && is_rotation(plan.type, kind.index);
    if (!has_multiplier(kind.kind)) {
      work.value[row] = work.rate[row] = work.bias[row] = 0;
    } else if (kind.kind == RowKind::prescribed) {
      const SignalValue& wanted = inputs.prescribed_motion[plan.joint][kind.index];
      work.value[row] = (turn ? unwrapped(out.value, wanted.value) : out.value) - wanted.value;
      work.rate[row] -= wanted.rate;
      work.bias[row] -= wanted.acceleration;
    } else if (kind.kind == RowKind::rotor) {
      const int z = plan_.rotors[kind.rotor].coordinate;
      work.value[row] = (turn ? unwrapped(out.value, state.coordinates[z]) : out.value) - state.coordinates[z];
      work.rate[row] -= work.nu[z];
    }
  }
  JointBlocks& blocks = work.jacobians[index];
  blocks.parent_first = joint.parent.first;
  blocks.child_first = joint.child.first;
  fill_block(joint.rows, joint.motion, joint.parent, false, blocks.parent);
  fill_block(joint.rows, joint.motion, joint.child, true, blocks.child);
}

void AbsoluteEquations::update_joints(const State& state, const Inputs& inputs, Work& work) const {
  for (std::size_t j = 0; j < plan_.joints.size(); ++j)
    update_joint(plan_.joints[j], state, inputs, work, static_cast<int>(j));
  if (plan_.num_couplings() > 0) update_couplings(work);
}

// Σ factor · value - offset of the joints' freedoms, and its row by all speeds.
void AbsoluteEquations::update_couplings(Work& work) const {
  const int first = plan_.num_joint_rows();
  work.couplings.setZero();
  for (int k = 0; k < plan_.num_couplings(); ++k) {
    work.value[first + k] = -plan_.coupling_offsets[static_cast<std::size_t>(k)];
    work.rate[first + k] = work.bias[first + k] = 0;
  }
  for (std::size_t j = 0; j < plan_.joints.size(); ++j)
    for (const CoupledTerm& term : plan_.joints[j].coupled) {
      const JointPlan& plan = plan_.joints[j];
      const JointRow& row = work.joints[j].freedoms[term.freedom];
      work.value[first + term.coupling] += term.factor * work.values[plan.first_value + term.freedom];
      work.rate[first + term.coupling] += term.factor * row.rate;
      work.bias[first + term.coupling] += term.factor * row.bias;
      add_dense_row(row, plan, work.joints[j], term.factor, work.couplings.row(term.coupling));
    }
}

EvaluationStatus AbsoluteEquations::angles_status(const Work& work) const {
  for (const JointWork& joint : work.joints)
    if (joint.singular_angles) return EvaluationStatus::singular_angles;
  return EvaluationStatus::ok;
}

// Torque or force on a freedom: drive, spring, damper and friction.
double AbsoluteEquations::freedom_force(const JointPlan& plan, const Inputs& inputs, const Work& work, int index,
                                        int freedom) const {
  const Joint& joint = model_.joints[plan.joint];
  double force = inputs.joint_forces[plan.joint][freedom];
  if (!plan.sprung) return force;
  const auto of = [freedom](const std::vector<double>& values) { return freedom_value(values, freedom); };
  const double stiffness = of(joint.stiffness), damping = freedom_damping(joint, freedom),
               friction = of(joint.friction);
  if (stiffness == 0 && damping == 0 && friction == 0 && !joint.law) return force;
  const double rate = work.joints[index].freedoms[freedom].rate;
  const double stretch = work.values[plan.first_value + freedom] - of(joint.rest_value);
  force -= stiffness * stretch + damping * rate + friction * std::tanh(rate / joint.friction_speed);
  if (joint.law)
    force -=
        spring_excess<double>(*joint.law, stretch) + friction_excess<double>(*joint.law, rate, joint.friction_speed);
  return force;
}

void AbsoluteEquations::add_joint_forces(const Inputs& inputs, Work& work) const {
  for (std::size_t j = 0; j < plan_.joints.size(); ++j) {
    const JointPlan& plan = plan_.joints[j];
    const bool damped = !plan.turn_damping.isZero(0);
    if (!plan.freedoms_needed && !damped) continue;
    const JointWork& joint = work.joints[j];
    Vector3 on_child = Vector3::Zero(), child_torque = on_child, on_parent = on_child, parent_torque = on_child;
    const auto add = [&](const JointRow& row, double value) {
      if (value == 0) return;
      Vector3 force, torque;
      row_on_child(row, joint.motion, force, torque);
      on_child += value * force;
      child_torque += value * torque;
      row_on_parent(row, joint.motion, force, torque);
      on_parent += value * force;
      parent_torque += value * torque;
    };
    for (int k = 0; plan.freedoms_needed && k < num_freedoms(plan.type); ++k)
      add(joint.freedoms[k], freedom_force(plan, inputs, work, static_cast<int>(j), k));
    for (int k = 0; damped && k < 3; ++k) {
      const JointRow row = turning_row(k, joint.motion);
      add(row, -plan.turn_damping[k] * row.rate);
    }
    for (const bool child : {false, true}) {
      const NodeFrame& frame = child ? joint.child : joint.parent;
      const int body = child ? plan.child.body : plan.parent.body;
      if (body < 0) continue;
      auto own = work.force.segment(plan_.first_coordinate[body] + frame.first, frame.jacobian.cols());
      own.noalias() += frame.jacobian.topRows<3>().transpose() * (child ? on_child : on_parent);
      own.noalias() += frame.jacobian.bottomRows<3>().transpose() * (child ? child_torque : parent_torque);
    }
  }
}

// A follower load keeps its components in the axes of its deformed node.
void AbsoluteEquations::follow(const NodalLoad& load, const Work& work, Vector3& force, Vector3& torque) const {
  const Matrix3 R = bodies_[load.link]->node_rotation(*work.bodies[load.link], load.node);
  force = R * load.force;
  torque = R * load.torque;
}

void AbsoluteEquations::add_loads(const Inputs& inputs, Work& work) const {
  for (const NodalLoad& load : inputs.nodal_loads) {
    Vector3 force = load.force, torque = load.torque;
    if (load.follows_link) follow(load, work, force, torque);
    bodies_[load.link]->add_load(
        *work.bodies[load.link], load.node, force, torque,
        work.force.segment(plan_.first_coordinate[load.link], bodies_[load.link]->num_speeds()));
  }
}

// Kinematics, rows and forces of a state.
void AbsoluteEquations::update(const State& state, const Inputs& inputs, Work& work) const {
  load(state, work);
  update_joints(state, inputs, work);
  work.force.setZero();
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    bodies_[b]->forces(work.gravity, *work.bodies[b],
                       work.force.segment(plan_.first_coordinate[b], bodies_[b]->num_speeds()));
  add_joint_forces(inputs, work);
  add_loads(inputs, work);
  if (mode_damping_.size() > 0) add_mode_damping(work);
}

EvaluationStatus AbsoluteEquations::factorise_mass(Work& work) const {
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    if (!bodies_[b]->factorise(*work.bodies[b], 0, 0, work.mass.bodies[b])) return EvaluationStatus::singular_mass;
  for (std::size_t r = 0; r < plan_.rotors.size(); ++r)
    work.mass.rotor_inverse[static_cast<Eigen::Index>(r)] = 1 / plan_.rotors[r].inertia;
  return factorise_rows(plan_, bodies_, work.jacobians, work.couplings, nullptr, work.mass)
             ? EvaluationStatus::ok
             : EvaluationStatus::loop_not_closed;
}

// What is left of f - M x - Jᵀ λ and of -bias - J x.
void AbsoluteEquations::remaining(Work& work, const VectorX& accelerations, const VectorX& multipliers, VectorX& forces,
                                  VectorX& rows) const {
  mass_times(work, accelerations, forces);
  add_transposed_times(plan_, work.mass.joints, multipliers, forces);
  rows.setZero();
  add_jacobian_times(plan_, work.mass.joints, accelerations, rows);
  if (plan_.num_couplings() > 0) {
    forces.noalias() += work.mass.border.transpose() * multipliers.tail(plan_.num_couplings());
    rows.tail(plan_.num_couplings()).noalias() += work.mass.border * accelerations;
  }
  forces = work.force - forces;
  rows = -work.bias - rows;
}

// M x + Jᵀ λ = f with the factors of M + E: x grows by the solution for what is left over. That falls as E over the
// inertia that the joints leave to the motion, and takes with it the rounding errors of the factors, which are large
// since E is small. Where the joints leave no inertia, it does not fall.
EvaluationStatus AbsoluteEquations::solve_filled(Work& work, VectorX& accelerations, VectorX& multipliers) const {
  constexpr int max_iterations = 16;
  constexpr double goal = 1e-13, enough = 1e-9;
  // Where all accelerations vanish, what weight and joints cancel out is known to rounding alone.
  const double least = model().gravity.norm() + work.bias.norm();
  double change = 0, size = 1;
  for (int i = 0; i < max_iterations; ++i) {
    remaining(work, accelerations, multipliers, work.scratch, work.row_scratch);
    solve_saddle(plan_, bodies_, work.mass, work.scratch, work.row_scratch);
    accelerations += work.scratch;
    multipliers += work.row_scratch;
    change = work.scratch.norm();
    size = std::max(accelerations.norm(), least);
    if (!(change > goal * size)) break;
  }
  if (!accelerations.allFinite()) return EvaluationStatus::not_finite;
  return change <= enough * size ? EvaluationStatus::ok : EvaluationStatus::singular_mass;
}

EvaluationStatus AbsoluteEquations::body_accelerations(const State& state, const Inputs& inputs, Workspace& workspace,
                                                       VectorX& accelerations, VectorX& multipliers) const {
  Work& work = static_cast<Work&>(workspace);
  update(state, inputs, work);
  EvaluationStatus status = angles_status(work);
  if (status == EvaluationStatus::ok) status = factorise_mass(work);
  if (status != EvaluationStatus::ok) return status;
  accelerations = work.force;
  multipliers = -work.bias;
  solve_saddle(plan_, bodies_, work.mass, accelerations, multipliers);
  if (filled_) return solve_filled(work, accelerations, multipliers);
  return accelerations.allFinite() ? EvaluationStatus::ok : EvaluationStatus::not_finite;
}

EvaluationStatus AbsoluteEquations::evaluate(const State& state, const Inputs& inputs, Workspace& workspace,
                                             Accelerations& result) const {
  Work& work = static_cast<Work&>(workspace);
  const EvaluationStatus status = body_accelerations(state, inputs, workspace, work.accelerations, work.multipliers);
  work.known.forget();
  if (status != EvaluationStatus::ok) return status;
  work.known.keep(state, inputs, work.multipliers);
  chart_accelerations(state, work.accelerations, result.values);
  return status;
}

EvaluationStatus AbsoluteEquations::residual(const State& state, const Inputs& inputs, const VectorX& accelerations,
                                             const VectorX& multipliers, Workspace& workspace, VectorX& dynamic,
                                             VectorX& constraint) const {
  Work& work = static_cast<Work&>(workspace);
  update(state, inputs, work);
  mass_times(workspace, accelerations, dynamic);
  dynamic -= work.force;
  add_transposed_times(plan_, work.jacobians, multipliers, dynamic);
  dynamic.noalias() += work.couplings.transpose() * multipliers.tail(plan_.num_couplings());
  constraint = work.value;
  if (!dynamic.allFinite()) return EvaluationStatus::not_finite;
  return angles_status(work);
}

void AbsoluteEquations::mass_times(const Workspace& workspace, const VectorX& values, VectorX& result) const {
  const Work& work = static_cast<const Work&>(workspace);
  result.setZero(plan_.num_coordinates);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const int o = plan_.first_coordinate[b], n = bodies_[b]->num_speeds();
    bodies_[b]->add_mass_times(*work.bodies[b], values.segment(o, n), result.segment(o, n));
  }
  for (const Rotor& rotor : plan_.rotors) result[rotor.coordinate] = rotor.inertia * values[rotor.coordinate];
}

EvaluationStatus AbsoluteEquations::factorise_tangent(double damping, double stiffness, bool bodies,
                                                      Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  if (bodies) {
    for (std::size_t b = 0; b < bodies_.size(); ++b)
      if (!bodies_[b]->factorise(*work.bodies[b], damping, stiffness, work.tangent.bodies[b]))
        return EvaluationStatus::singular_mass;
    for (std::size_t r = 0; r < plan_.rotors.size(); ++r)
      work.tangent.rotor_inverse[static_cast<Eigen::Index>(r)] = 1 / plan_.rotors[r].inertia;
    for (const JointPlan& plan : plan_.joints)
      for (std::size_t r = 0; r < plan.rows.size(); ++r) {
        if (has_multiplier(plan.rows[r].kind)) continue;
        const Joint& joint = model_.joints[plan.joint];
        const int k = plan.rows[r].index;
        work.softness[plan.first_row + static_cast<int>(r)] =
            plan.rows[r].kind == RowKind::damper
                ? 1 / (damping * plan.turn_damping[k])
                : 1 / (damping * freedom_damping(joint, k) +
                       stiffness * tangent_stiffness(joint, k, work.values[plan.first_value + k]));
      }
  }
  return factorise_rows(plan_, bodies_, work.jacobians, work.couplings, &work.softness, work.tangent)
             ? EvaluationStatus::ok
             : EvaluationStatus::loop_not_closed;
}

// The multipliers of the springs' rows serve the solution only.
void AbsoluteEquations::solve_tangent(Workspace& workspace, VectorX& dynamic, VectorX& constraint) const {
  Work& work = static_cast<Work&>(workspace);
  solve_saddle(plan_, bodies_, work.tangent, dynamic, constraint);
  for (const JointPlan& plan : plan_.joints)
    for (std::size_t r = 0; r < plan.rows.size(); ++r)
      if (!has_multiplier(plan.rows[r].kind)) constraint[plan.first_row + static_cast<int>(r)] = 0;
}

double AbsoluteEquations::constraint_violation(const State& state, const Inputs& inputs, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  load(state, work);
  update_joints(state, inputs, work);
  return plan_.num_rows > 0 ? work.value.cwiseAbs().maxCoeff() : 0.0;
}

// Newton's steps of least kinetic norm onto g = 0; the factors of the first state serve all of them.
void AbsoluteEquations::project_positions(State& state, const Inputs& inputs, Work& work) const {
  constexpr int max_steps = 8;
  const double goal = 1e-13 * std::max(1.0, length_scale_);
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < max_steps; ++i) {
    const double violation = work.value.cwiseAbs().maxCoeff();
    if (!(violation > goal) || violation > 0.5 * last) return;
    last = violation;
    work.scratch.setZero();
    work.row_scratch = -work.value;
    solve_saddle(plan_, bodies_, work.mass, work.scratch, work.row_scratch);
    displace(state, work.scratch);
    load(state, work);
    update_joints(state, inputs, work);
  }
}

void AbsoluteEquations::project_speeds(State& state, Work& work) const {
  work.scratch.setZero();
  work.row_scratch = -work.rate;
  solve_saddle(plan_, bodies_, work.mass, work.scratch, work.row_scratch);
  work.scratch += work.nu;
  chart_speeds(state, work.scratch, state.speeds);
}

void AbsoluteEquations::project(State& state, const Inputs& inputs, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  load(state, work);
  update_joints(state, inputs, work);
  if (plan_.num_rows == 0 || factorise_mass(work) != EvaluationStatus::ok) return;
  project_positions(state, inputs, work);
  project_speeds(state, work);
}

// δ with J (δ + change) = 0 and least kinetic norm, by the factors of the last evaluation.
void AbsoluteEquations::keep_admissible(const State& state, Workspace& workspace, VectorX& change) const {
  Work& work = static_cast<Work&>(workspace);
  if (plan_.num_rows == 0) return;
  each_frame(plan_, bodies_, [&](int, int o) {
    const FrameChart chart(state.coordinates, o);
    change.segment<3>(o) = (rotation_of(chart.theta).transpose() * change.segment<3>(o)).eval();
    change.segment<3>(o + 3) = (rate_map(chart.theta) * change.segment<3>(o + 3)).eval();
  });
  work.scratch.setZero();
  work.row_scratch.setZero();
  add_jacobian_times(plan_, work.mass.joints, change, work.row_scratch);
  if (plan_.num_couplings() > 0) work.row_scratch.tail(plan_.num_couplings()) += work.mass.border * change;
  work.row_scratch = -work.row_scratch;
  solve_saddle(plan_, bodies_, work.mass, work.scratch, work.row_scratch);
  work.scratch += change;
  chart_speeds(state, work.scratch, change);
}

bool AbsoluteEquations::accept(State& state, const Inputs& inputs, Workspace& workspace) const {
  Work& work = static_cast<Work&>(workspace);
  project(state, inputs, workspace);
  for (const JointPlan& plan : plan_.joints)
    if (plan.freedoms_needed)
      for (int k = 0; k < num_freedoms(plan.type); ++k)
        state.configuration.coordinates[3 * plan_.num_frames + plan.first_value + k] =
            work.values[plan.first_value + k];
  constexpr double largest_turn = 1;  // rad, from the reference
  bool far = false;
  each_frame(plan_, bodies_,
             [&](int, int o) { far = far || state.coordinates.segment<3>(o + 3).norm() > largest_turn; });
  if (far) recentre(state);
  return far;
}

}  // namespace lithe
