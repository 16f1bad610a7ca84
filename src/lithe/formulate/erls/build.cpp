#include "lithe/formulate/erls/build.h"

#include "lithe/formulate/erls/link_damping.h"

namespace lithe {
namespace {

ErlsFrame erls_frame(const TreeFrame& source, const ErlsTree& tree) {
  ErlsFrame frame;
  frame.parent = source.parent;
  frame.link = source.link;
  frame.coordinate = source.coordinate;
  frame.chart = source.chart;
  frame.chart_transposed = source.backwards;
  frame.motion = source.motion;
  frame.axis = source.axis;
  frame.before = source.before.rotation;
  frame.after = source.after.rotation;
  frame.axis_in_frame = source.after.rotation.transpose() * source.axis;
  frame.offset = source.before.position;
  const int parent_link = source.parent >= 0 ? tree.frames[source.parent].link : -1;
  if (parent_link < 0) return frame;
  const ModalLink& parent = tree.links[parent_link];
  frame.offset -= parent.origin;
  frame.parent_flexible = parent.num_modes > 0;
  if (frame.parent_flexible) {
    frame.attach_translation = parent.translation_shapes[source.parent_node];
    frame.attach_rotation = parent.rotation_shapes[source.parent_node];
  }
  return frame;
}

int carrier_of(int link, int node, ErlsTree& tree) {
  if (const int known = tree.carrier(link, node); known >= 0) return known;
  tree.carriers.push_back({link, node});
  return static_cast<int>(tree.carriers.size()) - 1;
}

// Deformed nodes under frames and under both sides of cut joints, and what second order adds to the links.
void carry_frames(const ReducedModel& reduced, const Mechanism& mechanism, ErlsTree& tree) {
  tree.carried = true;
  for (std::size_t i = 0; i < tree.frames.size(); ++i) {
    ErlsFrame& frame = tree.frames[i];
    frame.displaced = false;
    if (frame.parent_flexible)
      frame.carrier = carrier_of(tree.frames[frame.parent].link, mechanism.frames()[i].parent_node, tree);
  }
  const auto flexible = [&](int link) { return link >= 0 && tree.links[link].num_modes > 0; };
  for (const CutJoint& cut : mechanism.cuts()) {
    if (cut.couples()) continue;
    const Joint& joint = reduced.model.joints[cut.joint];
    if (flexible(joint.parent)) carrier_of(joint.parent, joint.parent_node, tree);
    if (flexible(joint.child)) carrier_of(joint.child, joint.child_node, tree);
  }
  tree.second_order.resize(tree.links.size());
  for (std::size_t k = 0; k < tree.links.size(); ++k) {
    if (tree.links[k].num_modes == 0 || k >= reduced.meshes.size()) continue;
    const TreeFrame& frame = mechanism.frames()[mechanism.frame_of_link(static_cast<int>(k))];
    tree.second_order[k] =
        second_order(reduced.model.links[k], reduced.meshes[k], tree.links[k], frame.child_node, reduced.model.space);
    for (const ErlsCarrier& carrier : tree.carriers)
      if (carrier.link == static_cast<int>(k) && !tree.second_order[k].empty())
        tree.second_order[k].nodes[static_cast<std::size_t>(carrier.node)].stack(tree.links[k].num_modes);
  }
}

// Of each link as it is mounted, in its own coordinates; and of the mechanism's modes.
void set_damping(const ReducedModel& reduced, const Mechanism& mechanism, ErlsTree& tree) {
  tree.coupled_damping = assembled_damping(reduced);
  for (std::size_t k = 0; k < tree.links.size(); ++k) {
    ModalLink& link = tree.links[k];
    if (link.num_modes == 0) continue;
    const Damping& damping = reduced.model.links[k].damping;
    link.damped = is_damped(damping);
    const LinkMount mount = link_mount(reduced.model, mechanism, static_cast<int>(k));
    if (!link.damped)
      link.damping.setZero();
    else if (mount.held)
      link.damping = modal_damping(damping, link.squared_frequencies).asDiagonal();
    else
      link.damping =
          link.from_reduced.transpose() * mounted_damping(reduced.bodies[k], damping, mount) * link.from_reduced;
    if (tree.coupled_damping.size() == 0) continue;
    const int first = tree.first_mode[k], d = link.num_modes;
    tree.coupled_damping.middleRows(first, d) =
        (link.from_reduced.transpose() * tree.coupled_damping.middleRows(first, d)).eval();
    tree.coupled_damping.middleCols(first, d) = (tree.coupled_damping.middleCols(first, d) * link.from_reduced).eval();
  }
}

}  // namespace

ErlsTree build_erls_tree(const ReducedModel& reduced, const Mechanism& mechanism,
                         const std::vector<char>& displaced_coordinates, bool second_order) {
  ErlsTree tree;
  const int num_links = static_cast<int>(reduced.model.links.size());
  tree.gravity = reduced.model.gravity;
  tree.num_coordinates = mechanism.num_coordinates();
  tree.links.resize(num_links);
  tree.first_mode.resize(num_links);
  tree.joints.resize(tree.num_coordinates);
  for (int link = 0; link < num_links; ++link) {
    tree.frame_of_link.push_back(mechanism.frame_of_link(link));
    tree.first_mode[link] = tree.num_modes;
    tree.num_modes += reduced.bodies[link].num_modes();
  }
  for (const TreeFrame& source : mechanism.frames()) {
    if (source.link >= 0) {
      // The joint's place in the link frame: where X_after, read backwards, has its origin.
      const Vector3 origin = source.after.inverse().position;
      tree.links[source.link] = modal_link(reduced.bodies[source.link], source.child_node, origin);
    }
    ErlsFrame frame = erls_frame(source, tree);
    frame.displaced = frame.parent_flexible || (frame.parent >= 0 && tree.frames[frame.parent].displaced) ||
                      (frame.coordinate >= 0 && displaced_coordinates[frame.coordinate]);
    if (source.coordinate >= 0)
      tree.joints[source.coordinate] = {joint_element(reduced.model.joints[source.joint], source.freedom)};
    tree.frames.push_back(std::move(frame));
  }
  tree.ball_dampers = ball_dampers(reduced.model, mechanism);
  for (std::size_t i = 0; i < tree.ball_dampers.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      ErlsJoint& joint = tree.joints[tree.ball_dampers[i].coordinates[k]];
      joint.ball = static_cast<int>(i);
      joint.turn = k;
    }
  set_damping(reduced, mechanism, tree);
  if (second_order && tree.num_modes > 0) carry_frames(reduced, mechanism, tree);
  return tree;
}

}  // namespace lithe
