#include "lithe/formulate/erls/loops/constraints.h"

#include <algorithm>

namespace lithe {

// Translations first, then rotations. Axes of F and M: z is the joint's axis (model/model.h).
std::vector<LoopRow> constrained_directions(JointType type) {
  const auto along = [](int axis) { return LoopRow{false, axis, 0}; };
  const auto about = [](int i, int j) { return LoopRow{true, i, j}; };
  switch (type) {
    case JointType::fixed:
      return {along(0), along(1), along(2), about(0, 1), about(0, 2), about(1, 2)};
    case JointType::revolute:
      return {along(0), along(1), along(2), about(0, 2), about(1, 2)};
    case JointType::prismatic:
      return {along(0), along(1), about(0, 1), about(0, 2), about(1, 2)};
    case JointType::cylindrical:
      return {along(0), along(1), about(0, 2), about(1, 2)};
    case JointType::universal:
      return {along(0), along(1), along(2), about(2, 0)};
    case JointType::spherical:
      return {along(0), along(1), along(2)};
    case JointType::planar:
      return {along(2), about(0, 2), about(1, 2)};
    case JointType::free:
      return {};
  }
  return {};
}

namespace {

LoopSide loop_side(int frame, int node, const Pose& joint_frame, const ErlsTree& tree) {
  LoopSide side;
  side.frame = frame;
  side.joint_frame = joint_frame;
  if (frame < 0) return side;
  side.link = tree.frames[frame].link;
  for (int i = frame; i >= 0; i = tree.frames[i].parent) side.path.push_back(i);
  if (side.link < 0) return side;
  const ModalLink& body = tree.links[side.link];
  side.joint_frame.position -= body.origin;
  if (body.num_modes > 0) {
    side.translation = body.translation_shapes[node];
    side.rotation = body.rotation_shapes[node];
    if (tree.carried) side.carrier = tree.carrier(side.link, node);
  }
  return side;
}

}  // namespace

int num_modes(const LoopSide& side, const ErlsTree& tree) {
  return side.link < 0 ? 0 : tree.links[side.link].num_modes;
}

std::vector<LoopJoint> loop_joints(const Model& model, const Mechanism& mechanism, const ErlsTree& tree) {
  std::vector<LoopJoint> loops;
  for (const CutJoint& cut : mechanism.cuts()) {
    const Joint& joint = model.joints[cut.joint];
    LoopJoint loop;
    if (cut.couples()) {
      loop.coupled = cut.coordinates;
      loop.offset = cut.offset;
      loop.rows.resize(1);
      loops.push_back(std::move(loop));
      continue;
    }
    loop.joint = cut.joint;
    loop.type = cut.type;
    loop.parent = loop_side(cut.parent_frame, joint.parent_node, cut.frame_in_parent, tree);
    loop.child = loop_side(cut.child_frame, joint.child_node, cut.frame_in_child, tree);
    loop.parent_link = cut.carried ? loop_side(joint.parent < 0 ? -1 : mechanism.frame_of_link(joint.parent),
                                               joint.parent_node, joint.parent_frame, tree)
                                   : loop.parent;
    loop.rows = constrained_directions(cut.type);
    loops.push_back(std::move(loop));
  }
  return loops;
}

}  // namespace lithe
