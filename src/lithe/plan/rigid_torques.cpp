#include "lithe/plan/rigid_torques.h"

#include "lithe/reduce/reduce.h"

namespace lithe {

RigidTorques::RigidTorques(const Model& model, const Mechanism& mechanism, std::vector<Quaternion> references)
    : model_(model),
      mechanism_(mechanism),
      configuration_{mechanism.initial_coordinates(), std::move(references)},
      state_(mechanism) {
  Model rigid = model;
  for (Link& link : rigid.links) link.reduction.num_kept_modes = 0;
  for (const ReducedBody& reduced : reduce(rigid).bodies) {
    const InertiaInvariants& of = reduced.invariants;
    bodies_.push_back({of.mass, of.first_moment, of.second_moment.trace() * Matrix3::Identity() - of.second_moment});
  }
}

VectorX RigidTorques::inverse_dynamics(const VectorX& coordinates, const VectorX& rates, const VectorX& accelerations,
                                       const Vector3& gravity) const {
  configuration_.coordinates = coordinates;
  update_position(mechanism_, configuration_, state_);
  update_velocity(mechanism_, rates, state_);
  update_acceleration(mechanism_, accelerations, state_);
  const std::vector<TreeFrame>& frames = mechanism_.frames();
  std::vector<Vector3> force(frames.size(), Vector3::Zero()), torque(frames.size(), Vector3::Zero());
  VectorX result = VectorX::Zero(mechanism_.num_coordinates());
  for (std::size_t f = frames.size(); f-- > 0;) {
    const TreeFrame& frame = frames[f];
    if (frame.link >= 0) {
      const Body& body = bodies_[static_cast<std::size_t>(frame.link)];
      const Vector3 a = state_.acceleration[f] - state_.in_world[f].rotation.transpose() * gravity;
      const Vector3 &w = state_.angular_velocity[f], &alpha = state_.angular_acceleration[f], &c = body.first_moment;
      force[f] += body.mass * a + alpha.cross(c) + w.cross(w.cross(c));
      torque[f] += body.inertia * alpha + w.cross(body.inertia * w) + c.cross(a);
    }
    if (frame.coordinate >= 0)
      result[frame.coordinate] = frame.unit_velocity.dot(force[f]) + frame.unit_angular_velocity.dot(torque[f]);
    if (frame.parent < 0) continue;
    const auto parent = static_cast<std::size_t>(frame.parent);
    const Pose& X = state_.in_parent[f];
    const Vector3 turned = X.rotation * force[f];
    force[parent] += turned;
    torque[parent] += X.rotation * torque[f] + X.position.cross(turned);
  }
  return result;
}

PathTorques RigidTorques::along(const PathNode& node) const {
  const VectorX zero = VectorX::Zero(node.value.size());
  PathTorques result{inverse_dynamics(node.value, zero, node.first, Vector3::Zero()),
                     inverse_dynamics(node.value, node.first, node.second, Vector3::Zero()),
                     inverse_dynamics(node.value, zero, zero, model_.gravity)};
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    for (int f = 0; f < num_freedoms(joint.type); ++f) {
      const int c = mechanism_.coordinate_of(static_cast<int>(j), f);
      if (c < 0) continue;
      const auto k = static_cast<std::size_t>(f);
      result.inertia[c] += joint.inertia[k] * node.first[c];
      result.velocity[c] += joint.inertia[k] * node.second[c];
      result.rest[c] += joint.stiffness[k] * (node.value[c] - joint.rest_value[k]);
      if (node.first[c] != 0) result.rest[c] += node.first[c] > 0 ? joint.friction[k] : -joint.friction[k];
    }
  }
  return result;
}

}  // namespace lithe
