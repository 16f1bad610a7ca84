// Exact derivatives of the equations of bodies joined by multipliers: bodies give their own, joints are differentiated
// by dual numbers as functions of their two nodes' motions (docs/theory/floating_frame.md, section 8).
#include "lithe/formulate/absolute/derivatives.h"

#include <algorithm>

#include "lithe/formulate/joints/joint_rows_inl.h"

namespace lithe {
namespace joint_jacobians {

// Directions: place, turn, velocity and angular velocity (world axes) of the parent's node, then of the child's.
constexpr int num_directions = 24, num_per_side = 12;
using NodeDual = Dual<double, num_directions>;
using Jacobians = Eigen::Matrix<double, 1, num_directions>;

struct MovingNode {
  Vector3Of<NodeDual> position, velocity, angular_velocity, acceleration_bias, angular_bias;
  Matrix3Of<NodeDual> rotation;
};

// The accelerations are the node's own, so that biases of rows are the rows' accelerations.
MovingNode moving_node(const NodeFrame& frame, const Vector6& acceleration, int first) {
  MovingNode node;
  node.position = frame.position.cast<NodeDual>();
  node.velocity = frame.velocity.cast<NodeDual>();
  node.angular_velocity = frame.angular_velocity.cast<NodeDual>();
  node.rotation = frame.rotation.cast<NodeDual>();
  for (int i = 0; i < 3; ++i) {
    node.acceleration_bias[i] = acceleration[i];
    node.angular_bias[i] = acceleration[3 + i];
    node.position[i].jacobian[first + i] = 1;
    node.velocity[i].jacobian[first + 6 + i] = 1;
    node.angular_velocity[i].jacobian[first + 9 + i] = 1;
    const Matrix3 turned = skew(Vector3::Unit(i)) * frame.rotation;
    for (int k = 0; k < 9; ++k) node.rotation(k).jacobian[first + 3 + i] = turned(k);
  }
  return node;
}

Jacobians jacobians_of(const NodeDual& value) { return Eigen::Map<const Jacobians>(value.jacobian.data()); }

// One side of a joint: how its node's motion follows from the body's.
struct Side {
  const NodeFrame* frame = nullptr;
  NodeDerivatives node;
  int first = -1;  // column in ν; -1: the ground

  Eigen::Index columns() const { return frame->jacobian.cols(); }
  // Of the twelve directions of this side.
  MatrixX by_place() const {
    MatrixX result(num_per_side, columns());
    result << frame->jacobian, node.velocity_by_place;
    return result;
  }
  MatrixX by_speed() const {
    MatrixX result = MatrixX::Zero(num_per_side, columns());
    result.bottomRows<6>() = frame->jacobian;
    return result;
  }
};

// A wrench with its derivatives: force, then torque.
struct Wrench {
  Vector3Of<NodeDual> force = Vector3Of<NodeDual>::Zero(), torque = Vector3Of<NodeDual>::Zero();

  void add(const Vector3Of<NodeDual>& f, const Vector3Of<NodeDual>& t, const NodeDual& factor) {
    force += factor * f;
    torque += factor * t;
  }
  Vector6 value() const {
    Vector6 result;
    for (int i = 0; i < 3; ++i) result[i] = force[i].value, result[3 + i] = torque[i].value;
    return result;
  }
  Eigen::Matrix<double, 6, num_directions> jacobian() const {
    Eigen::Matrix<double, 6, num_directions> result;
    for (int i = 0; i < 3; ++i) result.row(i) = jacobians_of(force[i]), result.row(3 + i) = jacobians_of(torque[i]);
    return result;
  }
};

void add_row(const JointRowOf<NodeDual>& row, const RelativeJointMotionOf<NodeDual>& motion, const NodeDual& factor,
             Wrench wrenches[2]) {
  Vector3Of<NodeDual> force, torque;
  row_on_parent<NodeDual>(row, motion, force, torque);
  wrenches[0].add(force, torque, factor);
  row_on_child<NodeDual>(row, motion, force, torque);
  wrenches[1].add(force, torque, factor);
}

// Derivatives of a wrench through the bodies' motions, and the wrench through the motion of the side that it acts on.
void add_wrench(const Side sides[2], int on, const Wrench& wrench, MatrixX& by_place, MatrixX& by_speed) {
  const Side& side = sides[on];
  if (side.first < 0) return;
  const Eigen::Index n = side.columns();
  by_place.block(side.first, side.first, n, n) += side.node.wrench_by_place;
  const MatrixX through = side.frame->jacobian.transpose() * wrench.jacobian();
  for (int s = 0; s < 2; ++s) {
    if (sides[s].first < 0) continue;
    const auto own = through.middleCols(s * num_per_side, num_per_side);
    by_place.block(side.first, sides[s].first, n, sides[s].columns()) += own * sides[s].by_place();
    by_speed.block(side.first, sides[s].first, n, sides[s].columns()) += own * sides[s].by_speed();
  }
}

}  // namespace joint_jacobians

using namespace joint_jacobians;

// Nodes' accelerations with ν̇.
Vector6 AbsoluteEquations::side_acceleration(const JointSide& side, const NodeFrame& frame,
                                             const VectorX& accelerations) const {
  Vector6 result = Vector6::Zero();
  if (side.body < 0) return result;
  result << frame.acceleration_bias, frame.angular_bias;
  result +=
      frame.jacobian * accelerations.segment(plan_.first_coordinate[side.body] + frame.first, frame.jacobian.cols());
  return result;
}

// What acts at a joint, and its rows, with their derivatives by the motions of the two nodes.
struct AbsoluteEquations::JointJacobians {
  Side sides[2];                           // parent, child
  std::vector<JointRowOf<NodeDual>> rows;  // as in the plan; none of springs
  FreedomRowsOf<NodeDual> freedoms;        // where they are needed
  Wrench wrenches[2];                      // on the two nodes, as they appear in r
};

void AbsoluteEquations::find_joint_jacobians(const JointPlan& plan, const JointWork& now, const Inputs& inputs,
                                             const VectorX& accelerations, const VectorX& multipliers, const Work& work,
                                             JointJacobians& jacobians) const {
  MovingNode nodes[2];
  for (const int s : {0, 1}) {
    const JointSide& side = s == 0 ? plan.parent : plan.child;
    const NodeFrame& frame = s == 0 ? now.parent : now.child;
    jacobians.sides[s].frame = &frame;
    if (side.body >= 0) jacobians.sides[s].first = plan_.first_coordinate[side.body] + frame.first;
    nodes[s] = moving_node(frame, side_acceleration(side, frame, accelerations), s * num_per_side);
  }
  const auto motion = relative_motion<NodeDual>(nodes[0], plan.parent.axes, nodes[1], plan.child.axes);
  const std::vector<double>& drives = inputs.joint_forces[plan.joint];
  const bool driven = std::any_of(drives.begin(), drives.end(), [](double force) { return force != 0; });
  FreedomRowsOf<NodeDual>& freedoms = jacobians.freedoms;
  if (plan.freedoms_needed || driven) {
    freedom_rows<NodeDual>(plan.type, motion, freedoms);
    for (int k = 0; k < num_freedoms(plan.type); ++k) {
      const double value = plan.freedoms_needed ? work.values[plan.first_value + k] : freedoms[k].value.value;
      const NodeDual force = force_on_freedom<NodeDual>(model_.joints[plan.joint], k, freedoms[k], value, drives[k]);
      add_row(freedoms[k], motion, -force, jacobians.wrenches);
    }
  }
  for (int k = 0; k < 3; ++k) {
    if (plan.turn_damping[k] == 0) continue;
    const JointRowOf<NodeDual> row = turning_row<NodeDual>(k, motion);
    add_row(row, motion, plan.turn_damping[k] * row.rate, jacobians.wrenches);
  }
  jacobians.rows.resize(plan.rows.size());
  for (std::size_t r = 0; r < plan.rows.size(); ++r) {
    const RowPlan& kind = plan.rows[r];
    if (!has_multiplier(kind.kind)) continue;
    jacobians.rows[r] = kind.kind == RowKind::constraint ? constraint_row<NodeDual>(plan.type, kind.index, motion)
                                                         : freedoms[kind.index];
    add_row(jacobians.rows[r], motion, NodeDual(multipliers[plan.first_row + static_cast<int>(r)]), jacobians.wrenches);
  }
  for (const CoupledTerm& term : plan.coupled)
    add_row(freedoms[term.freedom], motion, NodeDual(term.factor * multipliers[plan_.num_joint_rows() + term.coupling]),
            jacobians.wrenches);
}

// Rates and accelerations of a row: through the nodes' places and velocities, and through their accelerations. Rows of
// couplings, of which this joint has a part, come after its own.
void AbsoluteEquations::differentiate_row(const JointPlan& plan, const JointWork& now, std::size_t r,
                                          const JointJacobians& jacobians, AbsoluteDerivatives& result) const {
  const CoupledTerm* term = r < plan.rows.size() ? nullptr : &plan.coupled[r - plan.rows.size()];
  const int row = term ? plan_.num_joint_rows() + term->coupling : plan.first_row + static_cast<int>(r);
  const double factor = term ? term->factor : 1;
  const JointRow& own = term ? now.freedoms[term->freedom] : now.rows[r];
  const JointRowOf<NodeDual>& changes = term ? jacobians.freedoms[term->freedom] : jacobians.rows[r];
  for (const int s : {0, 1}) {
    const Side& side = jacobians.sides[s];
    if (side.first < 0) continue;
    Vector3 force, torque;
    (s == 1 ? row_on_child<double> : row_on_parent<double>)(own, now.motion, force, torque);
    force *= factor;
    torque *= factor;
    const auto part = [&](const NodeDual& value) -> Eigen::Matrix<double, 1, num_per_side> {
      return factor * jacobians_of(value).segment<num_per_side>(s * num_per_side);
    };
    const auto through = [&](const Matrix6X& acceleration) -> MatrixX {
      return force.transpose() * acceleration.topRows<3>() + torque.transpose() * acceleration.bottomRows<3>();
    };
    const Eigen::Index n = side.columns();
    const MatrixX by_place = side.by_place(), by_speed = side.by_speed();
    result.rate_by_place.block(row, side.first, 1, n) += part(changes.rate) * by_place;
    result.acceleration_by_place.block(row, side.first, 1, n) +=
        part(changes.bias) * by_place + through(side.node.acceleration_by_place);
    result.acceleration_by_speed.block(row, side.first, 1, n) +=
        part(changes.bias) * by_speed + through(side.node.acceleration_by_speed);
  }
}

void AbsoluteEquations::differentiate_joint(int index, const Inputs& inputs, const VectorX& accelerations,
                                            const VectorX& multipliers, Work& work, AbsoluteDerivatives& result) const {
  const JointPlan& plan = plan_.joints[index];
  const JointWork& now = work.joints[index];
  JointJacobians jacobians;
  find_joint_jacobians(plan, now, inputs, accelerations, multipliers, work, jacobians);
  for (const int s : {0, 1}) {
    const JointSide& side = s == 0 ? plan.parent : plan.child;
    if (side.body < 0) continue;
    const AbsoluteBody& body = *bodies_[side.body];
    const Vector6 wrench = jacobians.wrenches[s].value();
    body.node_derivatives(*work.bodies[side.body], side.node,
                          accelerations.segment(plan_.first_coordinate[side.body], body.num_speeds()), wrench.head<3>(),
                          wrench.tail<3>(), jacobians.sides[s].node);
  }
  for (const int s : {0, 1}) add_wrench(jacobians.sides, s, jacobians.wrenches[s], result.by_place, result.by_speed);
  for (std::size_t r = 0; r < plan.rows.size(); ++r)
    if (has_multiplier(plan.rows[r].kind)) differentiate_row(plan, now, r, jacobians, result);
  for (std::size_t k = 0; k < plan.coupled.size(); ++k)
    differentiate_row(plan, now, plan.rows.size() + k, jacobians, result);
}

void AbsoluteEquations::differentiate_loads(const Inputs& inputs, const VectorX& accelerations, Work& work,
                                            AbsoluteDerivatives& result) const {
  NodeDerivatives node;
  NodeFrame frame;
  for (const NodalLoad& load : inputs.nodal_loads) {
    if (load.force.isZero(0) && load.torque.isZero(0)) continue;
    const AbsoluteBody& body = *bodies_[load.link];
    const AbsoluteBody::Work& own = *work.bodies[load.link];
    Vector3 force = load.force, torque = load.torque;
    if (load.follows_link) follow(load, work, force, torque);
    const int o = plan_.first_coordinate[load.link];
    body.node_frame(own, load.node, frame);
    body.node_derivatives(own, load.node, accelerations.segment(o, body.num_speeds()), force, torque, node);
    const int first = o + frame.first;
    const Eigen::Index n = frame.jacobian.cols();
    result.by_place.block(first, first, n, n) -= node.wrench_by_place;
    if (!load.follows_link) continue;
    const Matrix3X spin = frame.jacobian.bottomRows<3>();
    Matrix6X turned(6, n);  // spin × force
    turned << -skew(force) * spin, -skew(torque) * spin;
    result.by_place.block(first, first, n, n) -= frame.jacobian.transpose() * turned;
  }
}

// At the state that update() has loaded.
void AbsoluteEquations::differentiate(const Inputs& inputs, const VectorX& accelerations, const VectorX& multipliers,
                                      Work& work, AbsoluteDerivatives& result) const {
  const int n = plan_.num_coordinates;
  for (MatrixX* m : {&result.by_place, &result.by_speed}) m->setZero(n, n);
  for (MatrixX* m : {&result.rate_by_place, &result.acceleration_by_place, &result.acceleration_by_speed})
    m->setZero(plan_.num_rows, n);
  LinearBlocks blocks;
  dense_blocks(work, blocks);
  result.mass = blocks.mass;
  result.rows = dense_rows(false, work);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const int o = plan_.first_coordinate[b], size = bodies_[b]->num_speeds();
    bodies_[b]->add_derivatives(work.gravity, *work.bodies[b], accelerations.segment(o, size),
                                result.by_place.block(o, o, size, size), result.by_speed.block(o, o, size, size));
  }
  if (mode_damping_.size() > 0) differentiate_mode_damping(work, result);
  for (std::size_t j = 0; j < plan_.joints.size(); ++j)
    differentiate_joint(static_cast<int>(j), inputs, accelerations, multipliers, work, result);
  differentiate_loads(inputs, accelerations, work, result);
}

}  // namespace lithe
