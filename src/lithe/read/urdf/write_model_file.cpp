// A described robot as a model file that a person reads and changes.
#include <cmath>

#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/read/urdf/robot_to_model.h"

namespace lithe {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      result += '\\';
      result += letter;
    } else if (byte < 0x20 || byte == 0x7f) {
      static constexpr char digits[] = "0123456789abcdef";
      result += cat("\\u00", digits[byte >> 4], digits[byte & 15]);
    } else {
      result += letter;
    }
  }
  return result + '"';
}

std::string vector_text(const Vector3& v) {
  return cat("[", number_text(v[0]), ", ", number_text(v[1]), ", ", number_text(v[2]), "]");
}

// As a rotation vector.
std::string rotation_text(const Matrix3& rotation) {
  const Eigen::AngleAxisd turn(rotation);
  return vector_text(turn.angle() * turn.axis());
}

std::string matrix_text(const Matrix3& matrix) {
  const bool diagonal = matrix(0, 1) == 0 && matrix(0, 2) == 0 && matrix(1, 2) == 0;
  if (diagonal) return vector_text(matrix.diagonal());
  return cat("[", vector_text(matrix.row(0)), ", ", vector_text(matrix.row(1)), ", ", vector_text(matrix.row(2)), "]");
}

const char* name_of(JointType type) {
  static constexpr const char* names[] = {"fixed",     "revolute",  "prismatic", "cylindrical",
                                          "universal", "spherical", "planar",    "free"};
  return names[static_cast<int>(type)];
}

void write_shape(const LinkShape& shape, const std::string& folder, std::string& text) {
  const bool round = shape.kind != ShapeKind::box && shape.kind != ShapeKind::mesh;
  if (round && !(shape.size[0] > 0)) return;  // nothing to see
  static constexpr const char* kinds[] = {"box", "cylinder", "sphere", "capsule", "mesh"};
  text += cat("\n[[links.shapes]]\nkind = ", quoted(kinds[static_cast<int>(shape.kind)]), "\n");
  switch (shape.kind) {
    case ShapeKind::box:
      text += cat("size = ", vector_text(shape.size), "\n");
      break;
    case ShapeKind::mesh:
      text +=
          cat("file = ", quoted(shape.file.find("://") == std::string::npos ? folder + shape.file : shape.file), "\n");
      if (shape.size != Vector3::Ones()) text += cat("scale = ", vector_text(shape.size), "\n");
      break;
    default:
      text += cat("radius = ", number_text(shape.size[0]), "\n");
      if (shape.kind != ShapeKind::sphere) text += cat("length = ", number_text(shape.size[1]), "\n");
  }
  if (shape.pose.position.norm() > 0) text += cat("position = ", vector_text(shape.pose.position), "\n");
  if (!shape.pose.rotation.isIdentity(0)) text += cat("orientation = ", rotation_text(shape.pose.rotation), "\n");
  if (shape.colour) {
    const std::array<double, 4>& c = *shape.colour;
    text += cat("colour = [", number_text(c[0]), ", ", number_text(c[1]), ", ", number_text(c[2]), ", ",
                number_text(c[3]), "]\n");
  }
  if (shape.collision) text += "collision = true\n";
}

void write_link(const DescribedLink& link, const std::vector<Node>& named_nodes, const std::string& folder,
                std::string& text) {
  text += cat("\n[[links]]\nname = ", quoted(link.name), "\ntype = \"rigid\"\n");
  std::string nodes;
  for (const Node& node : named_nodes)
    nodes += cat(nodes.empty() ? "" : ", ", quoted(node.name), " = ", vector_text(node.position));
  text += cat("nodes = {", nodes, "}\n");
  const RigidInertia body = link.inertia ? in_link_axes(*link.inertia) : RigidInertia{};
  text += cat("mass = ", number_text(body.mass), "\n");
  if (body.centre.norm() > 0) text += cat("centre = ", vector_text(body.centre), "\n");
  if (body.inertia.norm() > 0) text += cat("inertia = ", matrix_text(body.inertia), "\n");
  for (const LinkShape& shape : link.shapes) write_shape(shape, folder, text);
}

void write_properties(const RobotJointProperties& joint, std::string& text) {
  if (joint.damping != 0) text += cat("damping = ", number_text(joint.damping), "\n");
  if (joint.inertia != 0) text += cat("inertia = ", number_text(joint.inertia), "\n");
  if (joint.stiffness != 0) text += cat("stiffness = ", number_text(joint.stiffness), "\n");
  if (joint.rest_value != 0) text += cat("rest_value = ", number_text(joint.rest_value), "\n");
  if (joint.friction != 0) text += cat("friction = ", number_text(joint.friction), "\n");
  if (joint.limits)
    text += cat("limits = [", number_text(joint.limits->first), ", ", number_text(joint.limits->second), "]\n");
}

void write_joint(const RobotDescription& robot, const DescribedJoint& joint, std::string& text) {
  const auto name = [&](int link) { return quoted(robot.links[static_cast<std::size_t>(link)].name); };
  text += cat("\n[[joints]]\nname = ", quoted(joint.name), "\ntype = \"", name_of(joint.type),
              "\"\nparent = ", name(joint.parent), "\nparent_node = ", quoted(joint.name),
              "\nchild = ", name(joint.child), "\nchild_node = ", quoted(joint.name), "\n");
  const bool has_axis = joint.type != JointType::fixed && joint.type != JointType::free;
  if (has_axis) text += cat("axis = ", vector_text(joint.origin.rotation * joint.axis), "\n");
  if (!joint.origin.rotation.isIdentity(0)) text += cat("orientation = ", rotation_text(joint.origin.rotation), "\n");
  if (joint.type == JointType::spherical && joint.damping != 0) {
    const std::string damping = number_text(joint.damping);
    text += cat("damping = [", damping, ", ", damping, ", ", damping, "]\n");
  }
  if (num_freedoms(joint.type) != 1) return;
  const double start = initial_value(robot, joint);
  if (start != 0) text += cat(joint.mimic ? "guess = " : "value = ", number_text(start), "\n");
  write_properties(joint, text);
}

void write_coupling(const DescribedJoint& joint, std::string& text) {
  text += cat("\n[[couplings]]\njoint = ", quoted(joint.name), "\nof = ", quoted(joint.mimic->of),
              "\nfactor = ", number_text(joint.mimic->factor), "\n");
  if (joint.mimic->offset != 0) text += cat("offset = ", number_text(joint.mimic->offset), "\n");
}

void write_loop(const RobotDescription& robot, const DescribedLoop& loop, std::string& text) {
  const auto name = [&](int link) { return quoted(robot.links[static_cast<std::size_t>(link)].name); };
  const Matrix3 turn = loop.in_a.rotation * loop.in_b.rotation.transpose();
  text += cat("\n[[joints]]\nname = ", quoted(loop.name), "\ntype = \"", name_of(loop.type),
              "\"\nparent = ", name(loop.a), "\nparent_node = ", quoted(loop.node()), "\nchild = ", name(loop.b),
              "\nchild_node = ", quoted(loop.node()), "\n");
  const bool one_axis = num_freedoms(loop.type) == 1;
  if (one_axis) text += cat("axis = ", vector_text(loop.in_a.rotation.col(2)), "\n");
  if (!turn.isIdentity(0)) text += cat("orientation = ", rotation_text(turn), "\n");
  if (one_axis) write_properties(loop, text);
}

}  // namespace

std::string model_file_of(const RobotDescription& robot, bool free_base, const std::string& folder) {
  const std::string base_name = base_joint_name(robot);
  std::string text = cat("lithe = 1\nname = ", quoted(robot.name), "\ngravity = [0, 0, -9.81]\n");
  const std::vector<std::vector<Node>> nodes = nodes_of_links(robot, base_name);
  for (std::size_t i = 0; i < robot.links.size(); ++i) write_link(robot.links[i], nodes[i], folder, text);
  text += cat("\n[[joints]]\nname = ", quoted(base_name), "\ntype = \"", free_base ? "free" : "fixed",
              "\"\nchild = ", quoted(robot.links[static_cast<std::size_t>(robot.root)].name),
              "\nchild_node = ", quoted(base_name), "\n");
  const Pose& place = robot.root_pose;
  if (place.position.norm() > 0) text += cat("parent_point = ", vector_text(place.position), "\n");
  if (!place.rotation.isIdentity(0)) text += cat("orientation = ", rotation_text(place.rotation), "\n");
  for (const DescribedJoint& joint : robot.joints) write_joint(robot, joint, text);
  for (const DescribedLoop& loop : robot.loops) write_loop(robot, loop, text);
  for (const DescribedJoint& joint : robot.joints)
    if (joint.mimic) write_coupling(joint, text);
  return text;
}

}  // namespace lithe
