#include <algorithm>
#include <set>

#include "lithe/base/text.h"
#include "lithe/read/urdf/robot_description.h"

namespace lithe {

RigidInertia in_link_axes(const DescribedInertia& inertia) {
  const Matrix3& R = inertia.pose.rotation;
  const Matrix3 turned = R * inertia.inertia * R.transpose();
  return {inertia.mass, inertia.pose.position, (turned + turned.transpose()) / 2};
}

// Steiner: I = Σ I_i + m_i (d² 1 - d dᵀ), d from the common centre of mass.
RigidInertia sum(const RigidInertia& a, const RigidInertia& b) {
  RigidInertia result;
  result.mass = a.mass + b.mass;
  if (result.mass > 0) result.centre = (a.mass * a.centre + b.mass * b.centre) / result.mass;
  for (const RigidInertia* part : {&a, &b}) {
    const Vector3 d = part->centre - result.centre;
    result.inertia += part->inertia + part->mass * (d.squaredNorm() * Matrix3::Identity() - d * d.transpose());
  }
  return result;
}

namespace {

// Adds what a link has to the one it is fixed to; `place` is its frame there.
void absorb(DescribedLink& into, const DescribedLink& link, const Pose& place) {
  if (link.inertia) {
    DescribedInertia moved = *link.inertia;
    moved.pose = place * moved.pose;
    RigidInertia total = in_link_axes(moved);
    if (into.inertia) total = sum(in_link_axes(*into.inertia), total);
    into.inertia = DescribedInertia{total.mass, {Matrix3::Identity(), total.centre}, total.inertia, moved.line};
  }
  for (LinkShape shape : link.shapes) {
    shape.pose = place * shape.pose;
    into.shapes.push_back(std::move(shape));
  }
  into.points.push_back({link.name, place.position});
  for (const DescribedPoint& point : link.points) into.points.push_back({point.name, place * point.position});
}

}  // namespace

void merge_fixed_joints(RobotDescription& robot) {
  const std::size_t count = robot.links.size();
  std::vector<int> joint_to(count, -1), target(count, -1);
  std::vector<Pose> place(count);
  for (std::size_t j = 0; j < robot.joints.size(); ++j)
    joint_to[static_cast<std::size_t>(robot.joints[j].child)] = static_cast<int>(j);
  // Where each link ends up: parents first, whatever the order of the file.
  const auto settle = [&](std::size_t start) {
    std::vector<std::size_t> way;
    for (std::size_t at = start; target[at] < 0;) {
      way.push_back(at);
      const int j = joint_to[at];
      if (j < 0) break;
      at = static_cast<std::size_t>(robot.joints[static_cast<std::size_t>(j)].parent);
    }
    for (auto at = way.rbegin(); at != way.rend(); ++at) {
      const int j = joint_to[*at];
      const DescribedJoint* joint = j < 0 ? nullptr : &robot.joints[static_cast<std::size_t>(j)];
      if (!joint || joint->type != JointType::fixed) {
        target[*at] = static_cast<int>(*at);
        continue;
      }
      const auto parent = static_cast<std::size_t>(joint->parent);
      target[*at] = target[parent];
      place[*at] = place[parent] * joint->origin;
    }
  };
  for (std::size_t i = 0; i < count; ++i) settle(i);

  std::vector<int> renumbered(count, -1);
  std::vector<DescribedLink> links;
  for (std::size_t i = 0; i < count; ++i)
    if (target[i] == static_cast<int>(i)) {
      renumbered[i] = static_cast<int>(links.size());
      links.push_back(robot.links[i]);
    }
  for (std::size_t i = 0; i < count; ++i)
    if (target[i] != static_cast<int>(i))
      absorb(links[static_cast<std::size_t>(renumbered[static_cast<std::size_t>(target[i])])], robot.links[i],
             place[i]);
  std::vector<DescribedJoint> joints;
  for (DescribedJoint& joint : robot.joints) {
    if (joint.type == JointType::fixed) continue;
    const auto parent = static_cast<std::size_t>(joint.parent), child = static_cast<std::size_t>(joint.child);
    joint.origin = place[parent] * joint.origin;
    joint.parent = renumbered[static_cast<std::size_t>(target[parent])];
    joint.child = renumbered[child];
    joints.push_back(std::move(joint));
  }
  for (DescribedLoop& loop : robot.loops)
    for (const auto& [link, frame] : {std::pair(&loop.a, &loop.in_a), std::pair(&loop.b, &loop.in_b)}) {
      const auto from = static_cast<std::size_t>(*link);
      *frame = place[from] * *frame;
      *link = renumbered[static_cast<std::size_t>(target[from])];
    }
  robot.root = renumbered[static_cast<std::size_t>(target[static_cast<std::size_t>(robot.root)])];
  robot.links = std::move(links);
  robot.joints = std::move(joints);
}

}  // namespace lithe
