// Links and joints as a graph, in any order and with any loops, as a tree with joints that close its loops.
#pragma once

#include "lithe/read/urdf/robot_description.h"

namespace lithe {

// A joint between links a and b: its frame on either, z along its axis. The two coincide at its value zero, a positive
// value moves b's in the positive direction. Types: fixed, revolute, prismatic, spherical, free.
struct GraphJoint : RobotJointProperties {
  std::string name;
  int line = 0;
  JointType type = JointType::fixed;
  int a = -1, b = -1;
  Pose in_a, in_b;
  bool prefer_cut = false;
};

// One axis of a joint that has several, in the joint's frame at zero.
struct SeriesAxis {
  JointType type = JointType::revolute;  // or prismatic
  Vector3 axis = Vector3::UnitZ();
  std::string name;
  RobotJointProperties properties;
};

// Appends what stands for a joint of several degrees of freedom: axes in series, `NAME carrier` links without mass
// between them. Type and properties of `joint` do not count.
void append_in_series(const GraphJoint& joint, const std::vector<SeriesAxis>& axes, std::vector<DescribedLink>& links,
                      std::vector<GraphJoint>& joints);

// The links from `root` outwards. Frames of links move to the joint that leads to them and keep their axes; what they
// hold moves along. Joints that are not needed to reach all links close loops: those that prefer it, then spherical,
// revolute, prismatic ones; later ones before earlier ones. A joint whose child is nearer to the root is turned round,
// its value keeps its sign. Links that no joint reaches stay without one.
RobotDescription tree_of(std::vector<DescribedLink> links, std::vector<GraphJoint> joints, int root);

}  // namespace lithe
