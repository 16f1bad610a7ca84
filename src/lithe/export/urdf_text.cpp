// http://wiki.ros.org/urdf/XML
#include <cmath>

#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/export/exported_robot.h"

namespace lithe {
namespace {

// Fixed-axis roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll). Roll and pitch are those of Rz(yaw)ᵀ R, so that they
// make up for a yaw that a pitch near 90 degrees leaves undefined.
std::string rpy(const Matrix3& R) {
  const double yaw = std::atan2(R(1, 0), R(0, 0)), c = std::cos(yaw), s = std::sin(yaw);
  return xml_numbers({std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1)),
                      std::atan2(-R(2, 0), c * R(0, 0) + s * R(1, 0)), yaw});
}

std::string origin(const Pose& pose) {
  std::string text = cat("<origin xyz=\"", xml_numbers(pose.position), "\"");
  if (!pose.rotation.isIdentity(0)) text += cat(" rpy=\"", rpy(pose.rotation), "\"");
  return text + "/>";
}

std::string shape_text(const LinkShape& shape, const std::string& material) {
  const char* element = shape.collision ? "collision" : "visual";
  const double radius = shape.size[0], length = shape.size[1];
  std::string text = cat("    <", element, ">\n      ", origin(shape.pose), "\n      <geometry>");
  switch (shape.kind) {
    case ShapeKind::box:
      text += cat("<box size=\"", xml_numbers(shape.size), "\"/>");
      break;
    case ShapeKind::sphere:
      text += cat("<sphere radius=\"", number_text(radius), "\"/>");
      break;
    case ShapeKind::mesh:
      text += cat("<mesh filename=\"", xml_attribute(shape.file), "\" scale=\"", xml_numbers(shape.size), "\"/>");
      break;
    default: {
      const double whole = shape.kind == ShapeKind::capsule ? length + 2 * radius : length;
      text += cat("<cylinder radius=\"", number_text(radius), "\" length=\"", number_text(whole), "\"/>");
    }
  }
  text += "</geometry>\n";
  if (!shape.collision && shape.colour)
    text += cat("      <material name=\"", xml_attribute(material), "\"><color rgba=\"", xml_colour(shape),
                "\"/></material>\n");
  return cat(text, "    </", element, ">\n");
}

std::string inertial_text(const DescribedLink& link) {
  if (!link.inertia) return {};
  const RigidInertia body = in_link_axes(*link.inertia);
  const Matrix3& I = body.inertia;
  return cat("    <inertial>\n      ", origin({Matrix3::Identity(), body.centre}), "\n      <mass value=\"",
             number_text(body.mass), "\"/>\n      <inertia ixx=\"", number_text(I(0, 0)), "\" ixy=\"",
             number_text(I(0, 1)), "\" ixz=\"", number_text(I(0, 2)), "\" iyy=\"", number_text(I(1, 1)), "\" iyz=\"",
             number_text(I(1, 2)), "\" izz=\"", number_text(I(2, 2)), "\"/>\n    </inertial>\n");
}

std::string link_text(const DescribedLink& link) {
  const std::string name = xml_attribute(link.name);
  if (!link.inertia && link.shapes.empty()) return cat("  <link name=\"", name, "\"/>\n");
  std::string text = cat("  <link name=\"", name, "\">\n", inertial_text(link));
  for (std::size_t i = 0; i < link.shapes.size(); ++i) text += shape_text(link.shapes[i], cat(link.name, " ", i + 1));
  return text + "  </link>\n";
}

const char* type_of(const DescribedJoint& joint) {
  switch (joint.type) {
    case JointType::revolute:
      return joint.limits ? "revolute" : "continuous";
    case JointType::prismatic:
      return "prismatic";
    case JointType::free:
      return "floating";
    default:
      return "fixed";
  }
}

std::string joint_text(const RobotDescription& robot, const DescribedJoint& joint) {
  const auto link = [&](int index) { return xml_attribute(robot.links[static_cast<std::size_t>(index)].name); };
  std::string text = cat("  <joint name=\"", xml_attribute(joint.name), "\" type=\"", type_of(joint), "\">\n    ",
                         origin(joint.origin), "\n    <parent link=\"", link(joint.parent), "\"/>\n    <child link=\"",
                         link(joint.child), "\"/>\n");
  if (num_freedoms(joint.type) == 1) {
    text += cat("    <axis xyz=\"", xml_numbers(joint.axis), "\"/>\n");
    // A limit needs all four numbers.
    constexpr double far = 1e9;
    const auto limits = joint.limits.value_or(std::pair(-far, far));
    if (joint.limits || joint.max_force || joint.max_speed || joint.type == JointType::prismatic)
      text += cat("    <limit lower=\"", number_text(limits.first), "\" upper=\"", number_text(limits.second),
                  "\" effort=\"", number_text(joint.max_force.value_or(far)), "\" velocity=\"",
                  number_text(joint.max_speed.value_or(far)), "\"/>\n");
    if (joint.damping != 0 || joint.friction != 0)
      text += cat("    <dynamics damping=\"", number_text(joint.damping), "\" friction=\"", number_text(joint.friction),
                  "\"/>\n");
    if (joint.mimic)
      text += cat("    <mimic joint=\"", xml_attribute(joint.mimic->of), "\" multiplier=\"",
                  number_text(joint.mimic->factor), "\" offset=\"", number_text(joint.mimic->offset), "\"/>\n");
  }
  return text + "  </joint>\n";
}

}  // namespace

std::string urdf_text(const ExportedRobot& exported) {
  const RobotDescription& robot = exported.robot;
  std::string text = cat("<robot name=\"", xml_attribute(robot.name), "\">\n");
  for (const DescribedLink& link : robot.links) text += link_text(link);
  for (const DescribedJoint& joint : robot.joints) text += joint_text(robot, joint);
  const std::vector<std::vector<std::string>> points = names_of_points(robot);
  for (std::size_t i = 0; i < robot.links.size(); ++i)
    for (std::size_t p = 0; p < points[i].size(); ++p) {
      const std::string name = xml_attribute(points[i][p]);
      text += cat("  <link name=\"", name, "\"/>\n  <joint name=\"", name, " place\" type=\"fixed\">\n    ",
                  origin({Matrix3::Identity(), robot.links[i].points[p].position}), "\n    <parent link=\"",
                  xml_attribute(robot.links[i].name), "\"/>\n    <child link=\"", name, "\"/>\n  </joint>\n");
    }
  return text + "</robot>\n";
}

}  // namespace lithe
