#include "lithe/formulate/absolute/floating/floating_frame.h"

#include <algorithm>

#include "lithe/formulate/erls/link_damping.h"

namespace lithe {

JointNodes joint_nodes(const Model& model, const std::vector<int>& num_nodes) {
  JointNodes result;
  result.extra_of_link.resize(model.links.size());
  const auto node_of = [&](int link, int node, const Vector3& position) {
    if (link < 0 || node >= 0) return node;
    std::vector<Vector3>& extra = result.extra_of_link[link];
    extra.push_back(position);
    return num_nodes[link] + static_cast<int>(extra.size()) - 1;
  };
  for (const Joint& joint : model.joints) {
    const int parent = node_of(joint.parent, joint.parent_node, joint.parent_frame.position);
    const int child = node_of(joint.child, joint.child_node, joint.child_frame.position);
    result.of_joint.push_back({parent, child});
  }
  return result;
}

namespace {

// The node of a link's inboard joint in the mechanism's tree, and the one of another joint farthest from it.
struct EndNodes {
  int inboard = -1, outboard = -1;
  Vector3 origin = Vector3::Zero();
};

EndNodes end_nodes(const Model& model, const Mechanism& mechanism, int link) {
  EndNodes ends;
  const TreeFrame& frame = mechanism.frames()[mechanism.frame_of_link(link)];
  ends.inboard = frame.child_node;
  ends.origin = frame.after.inverse().position;
  double farthest = 0;
  const auto offer = [&](int node, const Vector3& position) {
    const double distance = (position - ends.origin).norm();
    if (node < 0 || distance <= farthest) return;
    farthest = distance;
    ends.outboard = node;
  };
  for (const Joint& joint : model.joints) {
    if (joint.parent == link) offer(joint.parent_node, joint.parent_frame.position);
    if (joint.child == link) offer(joint.child_node, joint.child_frame.position);
  }
  if (ends.outboard >= 0) return ends;
  const std::vector<Node>& nodes = model.links[link].nodes;  // a last link: its farthest node
  for (std::size_t k = 0; k < nodes.size(); ++k) offer(static_cast<int>(k), nodes[k].position);
  return ends;
}

void add_nodes(const std::vector<Vector3>& positions, ModalLink& link) {
  for (const Vector3& position : positions) {
    link.node_positions.push_back(position - link.origin);
    link.translation_shapes.push_back(Matrix3X::Zero(3, link.num_modes));
    link.rotation_shapes.push_back(Matrix3X::Zero(3, link.num_modes));
  }
}

void stack_joint_nodes(const Model& model, int link, int num_modes, SecondOrder& bending) {
  for (const Joint& joint : model.joints) {
    if (joint.parent == link) bending.nodes[static_cast<std::size_t>(joint.parent_node)].stack(num_modes);
    if (joint.child == link) bending.nodes[static_cast<std::size_t>(joint.child_node)].stack(num_modes);
  }
}

}  // namespace

std::unique_ptr<AbsoluteBody> rigid_floating_body(const Link& link, const Mechanism& mechanism, int index,
                                                  const JointNodes& nodes) {
  const ReducedBody body = rigid_body(link);
  const TreeFrame& frame = mechanism.frames()[mechanism.frame_of_link(index)];
  ModalLink modal = modal_link(body, frame.child_node, frame.after.inverse().position);
  add_nodes(nodes.extra_of_link[index], modal);
  return std::make_unique<FloatingBody>(link.name, std::move(modal), body, std::vector<BeamSection>{}, SecondOrder{});
}

std::unique_ptr<AbsoluteEquations> make_floating_frame(const ReducedModel& reduced,
                                                       const FloatingFrameOptions& options) {
  const Model& model = reduced.model;
  const Mechanism mechanism(model);
  std::vector<int> num_nodes;
  for (const ReducedBody& body : reduced.bodies) num_nodes.push_back(body.num_nodes());
  const JointNodes nodes = joint_nodes(model, num_nodes);
  std::vector<std::unique_ptr<AbsoluteBody>> bodies;
  for (std::size_t k = 0; k < model.links.size(); ++k) {
    const EndNodes ends = end_nodes(model, mechanism, static_cast<int>(k));
    ModalLink link = modal_link(reduced.bodies[k], options.reference, ends.inboard, ends.outboard, ends.origin);
    const Damping& damping = model.links[k].damping;
    link.damped = link.num_modes > 0 && is_damped(damping);
    if (link.damped) {
      const LinkMount mount = link_mount(model, mechanism, static_cast<int>(k));
      link.damping =
          link.from_reduced.transpose() * mounted_damping(reduced.bodies[k], damping, mount) * link.from_reduced;
    }
    SecondOrder bending;
    if (options.geometric_stiffening)
      bending = second_order(model.links[k], reduced.meshes[k], link, ends.inboard, model.space);
    if (!bending.empty()) stack_joint_nodes(model, static_cast<int>(k), link.num_modes, bending);
    add_nodes(nodes.extra_of_link[k], link);
    std::vector<BeamSection> sections =
        link_sections(model, static_cast<int>(k), reduced.meshes[k], reduced.bodies[k], link);
    auto body = std::make_unique<FloatingBody>(model.links[k].name, std::move(link), reduced.bodies[k],
                                               std::move(sections), std::move(bending));
    body->set_residuals(
        section_residuals(model, static_cast<int>(k), reduced.meshes[k], reduced.bodies[k], ends.inboard));
    bodies.push_back(std::move(body));
  }
  return std::make_unique<AbsoluteEquations>(options.name, model, std::move(bodies), nodes.of_joint,
                                             assembled_damping(reduced));
}

}  // namespace lithe
