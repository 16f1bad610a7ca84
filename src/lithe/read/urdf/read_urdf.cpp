// URDF as the ROS wiki defines it: http://wiki.ros.org/urdf/XML. What this engine has no use for (sensors, simulator
// tags, safety controllers) is passed over.
#include <charconv>
#include <cmath>
#include <map>

#include "lithe/base/in_quotes.h"
#include "lithe/base/nearest_name.h"
#include "lithe/base/text.h"
#include "lithe/read/urdf/robot_description.h"
#include "lithe/read/urdf/urdf_dialects.h"
#include "lithe/read/xml/xml.h"

namespace lithe {
namespace {

using Colour = std::array<double, 4>;

class UrdfReader {
 public:
  UrdfReader(const std::string& file, bool repair, Diagnostics& diagnostics)
      : repair_(repair), diagnostics_(diagnostics) {
    robot_.file = file;
  }

  RobotDescription read(const XmlElement& root) {
    if (root.name != "robot") {
      error(root.line, cat("the root element must be <robot>, got <", root.name, ">"));
      return robot_;
    }
    if (const auto xacro = find_xacro(root)) {
      error(xacro->line, cat("this is a template for xacro, which was not expanded (", xacro->what,
                             "); make the URDF file first: xacro ROBOT.urdf.xacro > ROBOT.urdf"));
      return robot_;
    }
    if (const XmlAttribute* name = root.find("name")) robot_.name = name->value;
    for (const XmlElement* material : root.all("material")) read_material(*material);
    for (const XmlElement* link : root.all("link")) read_link(*link);
    for (const XmlElement* joint : root.all("joint")) read_joint(*joint);
    read_transmissions(root, robot_);
    if (robot_.links.empty()) error(root.line, "the robot has no links");
    return std::move(robot_);
  }

 private:
  static constexpr std::size_t most_errors = 200;

  void error(int line, const std::string& message) {
    if (diagnostics_.errors().size() < most_errors)
      diagnostics_.error({.file = robot_.file, .line = line, .column = 1, .path = {}, .message = message});
  }

  // Numbers apart by white space, as many as wanted.
  std::optional<std::vector<double>> numbers(const XmlAttribute& attribute, std::size_t count,
                                             const std::string& what) {
    std::vector<double> values;
    const std::string& text = attribute.value;
    const char *at = text.data(), *const end = at + text.size();
    const auto skip = [&] {
      while (at < end && std::isspace(static_cast<unsigned char>(*at))) ++at;
    };
    for (skip(); at < end && values.size() <= count; skip()) {
      if (*at == '+') ++at;
      double value = 0;
      const auto [next, status] = std::from_chars(at, end, value);
      if (status != std::errc() || !std::isfinite(value)) break;
      values.push_back(value);
      at = next;
    }
    if (at == end && values.size() == count) return values;
    error(attribute.line, cat(what, ": ", attribute.name, " must be ", count == 1 ? "a number" : cat(count, " numbers"),
                              ", got ", in_quotes(text)));
    return std::nullopt;
  }

  std::optional<double> number(const XmlElement& element, std::string_view name, const std::string& what) {
    const XmlAttribute* attribute = element.find(name);
    if (!attribute) return std::nullopt;
    const auto values = numbers(*attribute, 1, what);
    return values ? std::optional((*values)[0]) : std::nullopt;
  }

  Vector3 vector(const XmlElement& element, std::string_view name, const Vector3& otherwise, const std::string& what) {
    const XmlAttribute* attribute = element.find(name);
    if (!attribute) return otherwise;
    const auto values = numbers(*attribute, 3, what);
    return values ? Vector3((*values)[0], (*values)[1], (*values)[2]) : otherwise;
  }

  // <origin xyz rpy/> of an element: fixed-axis roll, pitch, yaw.
  Pose origin(const XmlElement& owner, const std::string& what) {
    const XmlElement* element = owner.child("origin");
    if (!element) return {};
    const Vector3 rpy = vector(*element, "rpy", Vector3::Zero(), what);
    return {(Eigen::AngleAxisd(rpy[2], Vector3::UnitZ()) * Eigen::AngleAxisd(rpy[1], Vector3::UnitY()) *
             Eigen::AngleAxisd(rpy[0], Vector3::UnitX()))
                .toRotationMatrix(),
            vector(*element, "xyz", Vector3::Zero(), what)};
  }

  std::string name_of(const XmlElement& element, std::string_view kind) {
    const XmlAttribute* name = element.find("name");
    if (!name || name->value.empty()) {
      error(element.line, cat("a ", kind, " has no name"));
      return {};
    }
    constexpr std::size_t longest = 255;
    if (name->value.size() > longest) {
      error(name->line,
            cat("a name has at most ", longest, " bytes; ", in_quotes(name->value), " has ", name->value.size()));
      return {};
    }
    return name->value;
  }

  std::optional<Colour> colour_of(const XmlElement& material, const std::string& what) {
    const XmlElement* colour = material.child("color");
    const XmlAttribute* rgba = colour ? colour->find("rgba") : nullptr;
    if (!rgba) return std::nullopt;
    const auto values = numbers(*rgba, 4, what);
    if (!values) return std::nullopt;
    Colour result;
    for (std::size_t i = 0; i < 4; ++i) result[i] = std::clamp((*values)[i], 0.0, 1.0);
    return result;
  }

  void read_material(const XmlElement& element) {
    const std::string name = name_of(element, "material");
    if (const auto colour = colour_of(element, cat("material '", name, "'"))) colours_[name] = *colour;
  }

  void read_shape(const XmlElement& element, bool collision, const std::string& what, DescribedLink& link) {
    const XmlElement* geometry = element.child("geometry");
    if (!geometry || geometry->children.empty()) {
      error(element.line, cat(what, ": <", element.name, "> has no geometry"));
      return;
    }
    LinkShape shape;
    shape.pose = origin(element, what);
    shape.collision = collision;
    const XmlElement& form = geometry->children.front();
    shape.line = form.line;
    const auto length = [&](std::string_view name) {
      const std::optional<double> value = number(form, name, what);
      if (!form.find(name)) error(form.line, cat(what, ": <", form.name, "> has no ", name));
      if (value && !(*value >= 0)) error(form.line, cat(what, ": ", name, " must not be negative, got ", *value));
      return value.value_or(0);
    };
    if (form.name == "box") {
      shape.size = vector(form, "size", Vector3::Zero(), what);
      if (!form.find("size")) error(form.line, cat(what, ": <box> has no size"));
    } else if (form.name == "cylinder" || form.name == "capsule") {
      shape.kind = form.name == "capsule" ? ShapeKind::capsule : ShapeKind::cylinder;
      shape.size = Vector3(length("radius"), length("length"), 0);
    } else if (form.name == "sphere") {
      shape.kind = ShapeKind::sphere;
      shape.size = Vector3(length("radius"), 0, 0);
    } else if (form.name == "mesh") {
      shape.kind = ShapeKind::mesh;
      shape.size = vector(form, "scale", Vector3::Ones(), what);
      const XmlAttribute* file = form.find("filename");
      if (!file) error(form.line, cat(what, ": <mesh> has no filename"));
      if (file) shape.file = file->value;
    } else {
      robot_.notes.push_back(cat(robot_.file, ":", form.line, ": ", what, ": the geometry <", form.name,
                                 "> is not drawn; known are box, cylinder, sphere, capsule and mesh"));
      return;
    }
    if (const XmlElement* material = element.child("material")) {
      shape.colour = colour_of(*material, what);
      const XmlAttribute* name = material->find("name");
      if (!shape.colour && name && colours_.count(name->value)) shape.colour = colours_[name->value];
    }
    link.shapes.push_back(std::move(shape));
  }

  void read_inertia(const XmlElement& element, const std::string& what, DescribedLink& link) {
    DescribedInertia result;
    result.line = element.line;
    result.pose = origin(element, what);
    const XmlElement* mass = element.child("mass");
    if (mass && !mass->find("value")) error(mass->line, cat(what, ": <mass> has no value"));
    if (mass) result.mass = number(*mass, "value", what).value_or(0);
    if (!mass && repair_) {
      robot_.notes.push_back(cat(robot_.file, ":", element.line, ": ", what, ": <inertial> without mass was left out"));
      return;
    }
    if (!mass)
      error(element.line, cat(what, ": <inertial> has no mass; --repair (or repair = true in [robot]) leaves it out"));
    if (mass) result.line = mass->line;
    if (const XmlElement* inertia = element.child("inertia")) {
      result.line = inertia->line;
      const auto moment = [&](const char* name) { return number(*inertia, name, what).value_or(0); };
      const double xx = moment("ixx"), yy = moment("iyy"), zz = moment("izz"), xy = moment("ixy"), xz = moment("ixz"),
                   yz = moment("iyz");
      result.inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    }
    link.inertia = result;
  }

  void read_link(const XmlElement& element) {
    DescribedLink link;
    link.line = element.line;
    link.name = name_of(element, "link");
    const std::string what = cat("link '", link.name, "'");
    const std::string described_name = link.name;
    if (link.name == "ground") {
      link.name = "ground link";
      robot_.notes.push_back(cat(robot_.file, ":", element.line, ": ", what, " is called 'ground link' here"));
    }
    if (const XmlElement* inertial = element.child("inertial")) read_inertia(*inertial, what, link);
    for (const XmlElement* visual : element.all("visual")) read_shape(*visual, false, what, link);
    for (const XmlElement* collision : element.all("collision")) read_shape(*collision, true, what, link);
    const bool is_new = links_.emplace(described_name, static_cast<int>(robot_.links.size())).second;
    if (!described_name.empty() && !is_new) error(element.line, cat(what, ": the name is used twice"));
    robot_.links.push_back(std::move(link));
  }

  int end_of_joint(const XmlElement& joint, std::string_view side, const std::string& what) {
    const XmlElement* element = joint.child(side);
    const XmlAttribute* link = element ? element->find("link") : nullptr;
    if (!link) {
      error(joint.line, cat(what, ": it has no ", side, " link"));
      return -1;
    }
    const auto found = links_.find(link->value);
    if (found != links_.end()) return found->second;
    if (diagnostics_.errors().size() >= most_errors) return -1;  // a search through all names for each would not end
    std::vector<std::string> known;
    for (const DescribedLink& candidate : robot_.links) known.push_back(candidate.name);
    const std::string near = nearest_name(link->value, known);
    error(link->line, cat(what, ": the ", side, " link ", in_quotes(link->value), " does not exist",
                          near.empty() ? "" : cat("; did you mean '", near, "'?")));
    return -1;
  }

  std::optional<JointType> joint_type(const XmlElement& element, const std::string& what) {
    static const std::map<std::string, JointType> types = {
        {"revolute", JointType::revolute},  {"continuous", JointType::revolute}, {"prismatic", JointType::prismatic},
        {"fixed", JointType::fixed},        {"floating", JointType::free},       {"planar", JointType::planar},
        {"spherical", JointType::spherical}};  // the last is PyBullet's
    const XmlAttribute* type = element.find("type");
    if (!type) {
      error(element.line, cat(what, ": it has no type"));
      return std::nullopt;
    }
    const auto found = types.find(type->value);
    if (found != types.end()) return found->second;
    error(type->line, cat(what, ": the type must be revolute, continuous, prismatic, fixed, floating or planar, got ",
                          in_quotes(type->value)));
    return std::nullopt;
  }

  void read_limits(const XmlElement& element, const std::string& what, DescribedJoint& joint) {
    const XmlElement* limit = element.child("limit");
    const bool bounded = element.find("type")->value == "revolute" || joint.type == JointType::prismatic;
    if (!limit) {
      if (bounded) error(element.line, cat(what, ": a ", element.find("type")->value, " joint needs <limit>"));
      return;
    }
    joint.max_force = number(*limit, "effort", what);
    joint.max_speed = number(*limit, "velocity", what);
    for (const auto& [value, name] : {std::pair(joint.max_force, "effort"), std::pair(joint.max_speed, "velocity")})
      if (value && *value < 0) error(limit->line, cat(what, ": ", name, " must not be negative, got ", *value));
    const double lower = number(*limit, "lower", what).value_or(0), upper = number(*limit, "upper", what).value_or(0);
    if (!bounded) return;
    if (lower < upper) joint.limits = {lower, upper};
    if (lower > upper && !repair_)
      error(limit->line, cat(what, ": the lower limit ", lower, " is above the upper one, ", upper,
                             "; --repair (or repair = true in [robot]) takes it as unlimited"));
    // Both zero: descriptions in the wild leave the numbers out for a joint without stops.
    if (lower == upper || (lower > upper && repair_))
      robot_.notes.push_back(cat(robot_.file, ":", limit->line, ": ", what, ": the limits ", lower, " and ", upper,
                                 " leave no range; the joint is taken as unlimited"));
  }

  void read_joint(const XmlElement& element) {
    DescribedJoint joint;
    joint.line = element.line;
    joint.name = name_of(element, "joint");
    const std::string what = cat("joint '", joint.name, "'");
    if (!joint.name.empty() && !joints_.emplace(joint.name, 0).second)
      error(element.line, cat(what, ": the name is used twice"));
    const std::optional<JointType> type = joint_type(element, what);
    joint.parent = end_of_joint(element, "parent", what);
    joint.child = end_of_joint(element, "child", what);
    joint.origin = origin(element, what);
    if (!type) return;
    joint.type = *type;
    if (const XmlElement* axis = element.child("axis")) {
      joint.axis = vector(*axis, "xyz", Vector3::UnitX(), what);
      const bool needed = joint.type != JointType::fixed && joint.type != JointType::free;
      if (needed && !(joint.axis.norm() > 1e-12)) {
        error(axis->line, cat(what, ": the axis has no length"));
        joint.axis = Vector3::UnitX();
      }
    }
    if (joint.axis.norm() > 0) joint.axis.normalize();
    read_limits(element, what, joint);
    read_dynamics(element, what, joint);
    robot_.joints.push_back(std::move(joint));
  }

  void read_dynamics(const XmlElement& element, const std::string& what, DescribedJoint& joint) {
    if (const XmlElement* dynamics = element.child("dynamics")) {
      joint.damping = number(*dynamics, "damping", what).value_or(0);
      joint.friction = number(*dynamics, "friction", what).value_or(0);
      for (const auto& [value, name] : {std::pair(joint.damping, "damping"), std::pair(joint.friction, "friction")})
        if (value < 0) error(dynamics->line, cat(what, ": ", name, " must not be negative, got ", value));
    }
    const XmlElement* mimic = element.child("mimic");
    if (!mimic) return;
    DescribedMimic result;
    result.line = mimic->line;
    const XmlAttribute* of = mimic->find("joint");
    if (!of) error(mimic->line, cat(what, ": <mimic> names no joint"));
    if (of) result.of = of->value;
    result.factor = number(*mimic, "multiplier", what).value_or(1);
    result.offset = number(*mimic, "offset", what).value_or(0);
    joint.mimic = result;
  }

  RobotDescription robot_;
  bool repair_;
  Diagnostics& diagnostics_;
  std::map<std::string, Colour> colours_;
  std::map<std::string, int> links_, joints_;
};

}  // namespace

int RobotDescription::find_link(const std::string& link_name) const {
  for (std::size_t i = 0; i < links.size(); ++i)
    if (links[i].name == link_name) return static_cast<int>(i);
  return -1;
}

int RobotDescription::find_joint(const std::string& joint_name) const {
  for (std::size_t i = 0; i < joints.size(); ++i)
    if (joints[i].name == joint_name) return static_cast<int>(i);
  return -1;
}

RobotDescription read_urdf(std::string_view text, const std::string& file, const DescriptionChoices& choices) {
  Diagnostics diagnostics;
  return finished(UrdfReader(file, choices.repair, diagnostics).read(parse_xml(text, file)), choices, diagnostics);
}

}  // namespace lithe
