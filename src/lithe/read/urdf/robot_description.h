// A robot as its description file gives it: a tree of links and joints with lines, before it becomes a Model or a model
// file. Readers of the formats fill it; what is wrong in it is reported by `finished`.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lithe/base/diagnostics.h"
#include "lithe/base/math.h"
#include "lithe/model/link_shape.h"
#include "lithe/model/model.h"

namespace lithe {

struct DescribedInertia {
  double mass = 0;
  Pose pose;                          // of the axes in which the inertia is written, in the link frame
  Matrix3 inertia = Matrix3::Zero();  // about the centre of mass, in those axes
  int line = 0;
};

struct DescribedPoint {
  std::string name;
  Vector3 position = Vector3::Zero();
};

struct DescribedLink {
  std::string name;
  int line = 0;
  std::optional<DescribedInertia> inertia;
  std::vector<LinkShape> shapes;
  std::vector<DescribedPoint> points;  // named places that are no joints: merged links, sites
};

// q = factor q_of + offset.
struct DescribedMimic {
  int line = 0;
  std::string of;
  double factor = 1, offset = 0;
};

// What joints of one degree of freedom have beside their geometry.
struct RobotJointProperties {
  std::optional<std::pair<double, double>> limits;
  std::optional<double> max_force, max_speed;
  std::optional<double> ratio;  // of the motor's speed to the joint's, where the description has it
  double damping = 0, friction = 0;
  double inertia = 0, stiffness = 0, rest_value = 0;  // of the joint itself: its rotor, its spring
  std::optional<DescribedMimic> mimic;
};

struct DescribedJoint : RobotJointProperties {
  std::string name;
  int line = 0;
  JointType type = JointType::fixed;
  int parent = -1, child = -1;  // links
  Pose origin;                  // X_PC with all coordinates zero
  Vector3 axis = Vector3::UnitX();
};

// A joint that closes a loop of the tree. Its axis is the z axis of both frames, which coincide at its value zero.
struct DescribedLoop : RobotJointProperties {
  std::string name;
  int line = 0;
  JointType type = JointType::spherical;
  int a = -1, b = -1;  // links
  Pose in_a, in_b;     // its frame there

  std::string node() const { return "loop " + name; }  // of the points that it needs on both links
};

struct RobotDescription {
  std::string file;  // as messages name it
  std::string name;
  std::vector<DescribedLink> links;
  std::vector<DescribedJoint> joints;
  std::vector<DescribedLoop> loops;
  int root = -1;
  Pose root_pose;                  // of the root link where the description places the robot
  std::optional<Vector3> gravity;  // where the description has its own
  std::vector<std::string> notes;  // what was changed or left out, for the user

  int find_link(const std::string& link_name) const;    // -1: none
  int find_joint(const std::string& joint_name) const;  // -1: none
};

struct DescriptionChoices {
  bool merge_fixed = true;
  bool repair = false;  // missing and unphysical inertias are replaced, and that is noted
  // The text of a file that the description includes, named as there; `problem` says why there is none.
  std::function<std::optional<std::string>(const std::string& name, std::string& problem)> read_file = {};
  // The bytes of a mesh, for bodies that have no mass but that of their surface.
  std::function<std::optional<std::string>(const std::string& name, std::string& problem)> read_mesh = {};
};

// The tree of a URDF file. Throws InputError with every error of the file.
RobotDescription read_urdf(std::string_view text, const std::string& file, const DescriptionChoices& choices);

// What readers of all formats end with. Throws what they found; then sets the root and throws what is wrong with the
// robot: not one root, cycles, links with two parents, mimic of a mimic, inertias that no body has, joints that move
// nothing with mass. With `repair` inertias are mended and noted instead. Joins links as the choices say.
RobotDescription finished(RobotDescription robot, const DescriptionChoices& choices, Diagnostics& diagnostics);
// Links on fixed joints become part of their parents; their origins and points stay as points.
void merge_fixed_joints(RobotDescription& robot);

// Mass, centre and inertia in link axes.
RigidInertia in_link_axes(const DescribedInertia& inertia);
// Two bodies as one, both in the same axes.
RigidInertia sum(const RigidInertia& a, const RigidInertia& b);

// The robot as a model file of its own. `folder` stands before the names of meshes: the way from the model file to the
// description, "../robots/", or nothing.
std::string model_file_of(const RobotDescription& robot, bool free_base, const std::string& folder = {});

}  // namespace lithe
