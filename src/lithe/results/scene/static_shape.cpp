#include "lithe/results/scene/static_shape.h"

#include "lithe/base/diagnostics.h"
#include "lithe/fem/assemble.h"
#include "lithe/formulate/add_formulation.h"

namespace lithe {
namespace {

bool may_leave_modes_out(const Equations& equations, const Link& link) {
  const ReductionChoice& choice = link.reduction;
  return !link.rigid && !link.from_elsewhere() && formulation_traits(equations.name()).keeps_reductions &&
         (choice.method != ReductionMethod::none || choice.num_kept_modes || choice.max_frequency);
}

// The node of the joint towards the ground, or of any joint.
int held_node(const Model& model, int link) {
  int found = 0;
  for (const Joint& joint : model.joints) {
    if (joint.child == link && joint.child_node >= 0) return joint.child_node;
    if (joint.parent == link && joint.parent_node >= 0) found = joint.parent_node;
  }
  return found;
}

// Of a small rotation.
Vector3 turn_of(const Matrix3& R) { return 0.5 * Vector3(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)); }

}  // namespace

StaticShape::StaticShape(const Equations& equations, int link) : equations_(equations), link_(link) {
  const Model& model = equations.model();
  const Link& own = model.links[static_cast<std::size_t>(link)];
  if (!may_leave_modes_out(equations, own)) return;
  mesh_ = assemble(model, own, true);
  base_ = held_node(model, link);
  try {
    held_ = std::make_unique<HeldBody>(mesh_, base_, model.space);
  } catch (const InputError&) {
    held_ = nullptr;  // parts that move without stress: what they carry is not known
  }
}

bool StaticShape::find(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                       const std::vector<NodeMotion>& nodes, Workspace& workspace, VectorX& displacements) {
  if (!wanted() || static_cast<int>(nodes.size()) < mesh_.num_nodes()) return false;
  const NodeMotion& frame = nodes[static_cast<std::size_t>(base_)];
  const Matrix3 to_link = frame.orientation.transpose();
  move(nodes);
  forces_.setZero(mesh_.num_dofs());
  add_inertia(frame);
  for (const NodalLoad& load : inputs.nodal_loads) {
    if (load.link != link_) continue;
    const Matrix3 turn =
        load.follows_link ? Matrix3(to_link * nodes[static_cast<std::size_t>(load.node)].orientation) : to_link;
    add_wrench(load.node, load.force, load.torque, turn);
  }
  if (!add_joints(state, inputs, accelerations, nodes, workspace)) return false;
  displacements = held_->displacements(forces_);
  return true;
}

void StaticShape::add_wrench(int node, const Vector3& force, const Vector3& torque, const Matrix3& to_link) {
  forces_.segment<3>(6 * node) += to_link * force;
  forces_.segment<3>(6 * node + 3) += to_link * torque;
}

// Small displacements beside the frame that moves with the base node, in its axes.
void StaticShape::move(const std::vector<NodeMotion>& nodes) {
  const NodeMotion& frame = nodes[static_cast<std::size_t>(base_)];
  const Matrix3 to_link = frame.orientation.transpose();
  const Vector3 omega = frame.angular_velocity, alpha = frame.angular_acceleration;
  motion_.resize(mesh_.num_dofs(), 3);
  for (int i = 0; i < mesh_.num_nodes(); ++i) {
    const NodeMotion& node = nodes[static_cast<std::size_t>(i)];
    const Vector3 apart = node.position - frame.position, turning = node.angular_velocity - omega;
    const Vector3 speed = node.velocity - frame.velocity - omega.cross(apart);
    const Vector3 second = node.acceleration - frame.acceleration - alpha.cross(apart) -
                           omega.cross(omega.cross(apart)) - 2 * omega.cross(speed);
    const Vector3 rest =
        mesh_.node_positions[static_cast<std::size_t>(i)] - mesh_.node_positions[static_cast<std::size_t>(base_)];
    motion_.block<3, 1>(6 * i, 0) = to_link * apart - rest;
    motion_.block<3, 1>(6 * i, 1) = to_link * speed;
    motion_.block<3, 1>(6 * i, 2) = to_link * second;
    motion_.block<3, 1>(6 * i + 3, 0) = turn_of(to_link * node.orientation);
    motion_.block<3, 1>(6 * i + 3, 1) = to_link * turning;
    motion_.block<3, 1>(6 * i + 3, 2) = to_link * (node.angular_acceleration - alpha - omega.cross(turning));
  }
}

// -∫ρ (u, ψ) · A of the acceleration field of docs/theory/modal_body.md, (2), weight included.
void StaticShape::add_inertia(const NodeMotion& frame) {
  const Matrix3 to_link = frame.orientation.transpose();
  const Vector3 centre = mesh_.node_positions[static_cast<std::size_t>(base_)];
  const Vector3 A0 = to_link * (frame.acceleration - equations_.model().gravity);
  const Matrix3 W = skew(to_link * frame.angular_velocity);
  const Matrix3 X = skew(to_link * frame.angular_acceleration) + W * W;
  for (const MassPoint& point : mesh_.mass_points) {
    const MatrixX own = motion_(point.dofs, Eigen::all);
    const Matrix3 u = point.translation_rows * own, psi = point.rotation_rows * own;
    const Vector3 A = A0 + X * (point.position - centre + u.col(0)) + 2 * W * u.col(1) + u.col(2);
    const Matrix3 Y = (X + X * skew(psi.col(0)) + 2 * W * skew(psi.col(1)) + skew(psi.col(2))) * point.section_moment;
    const Vector3 turn(Y(2, 1) - Y(1, 2), Y(0, 2) - Y(2, 0), Y(1, 0) - Y(0, 1));
    const VectorX part = point.mass * (point.translation_rows.transpose() * A) + point.rotation_rows.transpose() * turn;
    for (std::size_t i = 0; i < point.dofs.size(); ++i) forces_(point.dofs[i]) -= part(static_cast<Eigen::Index>(i));
  }
}

// What joints exert on the child acts at the joint's point there, on the parent at the same point.
bool StaticShape::add_joints(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                             const std::vector<NodeMotion>& nodes, Workspace& workspace) {
  const Model& model = equations_.model();
  const Matrix3 to_link = nodes[static_cast<std::size_t>(base_)].orientation.transpose();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const bool child = joint.child == link_, parent = joint.parent == link_;
    if (!child && !parent) continue;
    if ((child && joint.child_node < 0) || (parent && joint.parent_node < 0)) return false;
    Vector3 force, torque;
    if (!equations_.reaction(state, inputs, accelerations, static_cast<int>(j), force, torque, workspace)) return false;
    if (child) add_wrench(joint.child_node, force, torque, to_link);
    if (!parent) continue;
    Vector3 apart = Vector3::Zero();  // the child's point from the parent's
    const bool slides = joint.type == JointType::prismatic || joint.type == JointType::cylindrical ||
                        joint.type == JointType::planar || joint.type == JointType::free;
    if (slides) {
      if (joint.child_node < 0) return false;
      apart = equations_.node_motion(state, inputs, accelerations, joint.child, joint.child_node, workspace).position -
              nodes[static_cast<std::size_t>(joint.parent_node)].position;
    }
    add_wrench(joint.parent_node, -force, -torque - apart.cross(force), to_link);
  }
  return true;
}

}  // namespace lithe
