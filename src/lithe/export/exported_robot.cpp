#include "lithe/export/exported_robot.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

#include "lithe/analyse/inspect/inspect.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/model/control_setup.h"
#include "lithe/read/urdf/link_graph.h"

namespace lithe {
namespace {

constexpr int world = 0;  // its link in the graph; link i of the model is i + 1

class Exporter {
 public:
  Exporter(const Model& model, const std::vector<DriveTrain>& drive_trains, RobotFormat format,
           const std::vector<DrawnShape>& shapes)
      : model_(model), drive_trains_(drive_trains), format_(format), shapes_(shapes), info_(inspect(model)) {}

  ExportedRobot build() {
    add_links();
    for (std::size_t j = 0; j < model_.joints.size(); ++j) add_joint(j);
    ExportedRobot result;
    result.start = std::move(start_);
    result.start_elsewhere = start_elsewhere_;
    result.robot = tree_of(std::move(links_), std::move(joints_), world);
    result.robot.file = model_.file;
    result.robot.name = model_.name;
    say_what_is_left_out(result);
    result.robot.notes = std::move(notes_);
    return result;
  }

 private:
  bool in_urdf() const { return format_ == RobotFormat::urdf; }
  void note(const std::string& sentence) { notes_.push_back(sentence); }

  // Names of links as a list for a note; empty where there are none.
  static std::string list(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < most; ++i) text += cat(i ? ", " : "", "'", names[i], "'");
    return names.size() > most ? cat(text, " and ", names.size() - most, " more") : text;
  }

  void add_links() {
    DescribedLink ground;
    ground.name = "world";
    links_.push_back(ground);
    std::vector<std::set<int>> joined(model_.links.size());
    for (const Joint& joint : model_.joints) {
      if (joint.parent >= 0) joined[static_cast<std::size_t>(joint.parent)].insert(joint.parent_node);
      if (joint.child >= 0) joined[static_cast<std::size_t>(joint.child)].insert(joint.child_node);
    }
    std::vector<std::string> flexible;
    std::set<std::string> names;
    for (const Link& link : model_.links) names.insert(link.name);
    for (std::size_t i = 0; i < model_.links.size(); ++i) {
      const Link& from = model_.links[i];
      const LinkInfo& info = info_.links[i];
      DescribedLink link;
      link.name = from.name;
      while (link.name == "world" || (link.name != from.name && names.contains(link.name))) link.name += "_link";
      if (info.mass > 0 || info.inertia.norm() > 0)
        link.inertia = DescribedInertia{info.mass, {Matrix3::Identity(), info.centre}, info.inertia, 0};
      for (std::size_t n = 0; n < from.nodes.size(); ++n)
        if (!from.nodes[n].name.empty() && !joined[i].contains(static_cast<int>(n)))
          link.points.push_back({from.nodes[n].name, from.nodes[n].position});
      for (const DrawnShape& drawn : shapes_)
        if (drawn.link == from.name && may_be_drawn(drawn.shape)) link.shapes.push_back(drawn.shape);
      if (!from.rigid) flexible.push_back(from.name);
      links_.push_back(std::move(link));
    }
    if (!flexible.empty())
      note(cat("flexible links are written as rigid, with their mass, centre and inertia: ", list(flexible)));
  }

  bool may_be_drawn(const LinkShape& shape) {
    if (shape.kind != ShapeKind::mesh) {
      const Vector3& s = shape.size;
      return shape.kind == ShapeKind::box      ? s.minCoeff() > 0
             : shape.kind == ShapeKind::sphere ? s[0] > 0
                                               : s[0] > 0 && s[1] > 0;
    }
    const std::size_t dot = shape.file.rfind('.');
    std::string ending = dot == std::string::npos ? "" : shape.file.substr(dot);
    for (char& letter : ending) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    const bool known = in_urdf() || (ending != ".dae" && shape.file.find("://") == std::string::npos);
    if (!known) note(cat("MJCF takes meshes of STL and OBJ files by their paths, left out: '", shape.file, "'"));
    return known;
  }

  RobotJointProperties properties(std::size_t j, std::size_t freedom) const {
    const Joint& joint = model_.joints[j];
    RobotJointProperties result;
    result.limits = joint.limits[freedom];
    result.damping = joint.damping[freedom];
    result.friction = joint.friction[freedom];
    result.inertia = joint.inertia[freedom];
    result.stiffness = joint.stiffness[freedom];
    result.rest_value = joint.rest_value[freedom];
    for (const DriveTrain& train : drive_trains_) {
      if (train.joint != static_cast<int>(j) || num_freedoms(joint.type) != 1) continue;
      result.max_force = train.gear_max_torque;
      if (train.max_torque) {
        const double force = *train.max_torque * train.ratio * train.efficiency;
        result.max_force = std::min(force, result.max_force.value_or(force));
      }
      if (train.max_speed) result.max_speed = *train.max_speed / train.ratio;
    }
    result.mimic = mimic(j);
    return result;
  }

  // Both formats couple a joint of one freedom to one other that follows none.
  bool is_mimic(const Coupling& coupling) const {
    const auto has_one_freedom = [&](int joint) {
      return num_freedoms(model_.joints[static_cast<std::size_t>(joint)].type) == 1;
    };
    if (coupling.terms.size() != 1 || !has_one_freedom(coupling.joint) || !has_one_freedom(coupling.terms[0].joint))
      return false;
    return std::none_of(model_.couplings.begin(), model_.couplings.end(),
                        [&](const Coupling& other) { return other.joint == coupling.terms[0].joint; });
  }

  std::optional<DescribedMimic> mimic(std::size_t j) const {
    for (const Coupling& coupling : model_.couplings) {
      if (coupling.joint != static_cast<int>(j) || !is_mimic(coupling)) continue;
      DescribedMimic mimic;
      mimic.of = model_.joints[static_cast<std::size_t>(coupling.terms[0].joint)].name;
      mimic.factor = coupling.terms[0].factor;
      mimic.offset = coupling.offset;
      return mimic;
    }
    return std::nullopt;
  }

  bool is_gearbox(std::size_t j) const {
    return std::any_of(drive_trains_.begin(), drive_trains_.end(),
                       [&](const DriveTrain& train) { return train.gear == static_cast<int>(j); });
  }

  void add_joint(std::size_t j) {
    const Joint& from = model_.joints[j];
    GraphJoint joint;
    joint.name = from.name;
    joint.line = from.place.line;
    joint.type = from.type;
    joint.a = from.parent + 1;
    joint.b = from.child + 1;
    joint.in_a = from.parent_frame;
    joint.in_b = from.child_frame;
    joint.prefer_cut = from.prefer_cut;
    if (in_urdf() && is_gearbox(j)) {
      rigid_gearboxes_.push_back(from.name);
      joint.type = JointType::fixed;
    }
    std::vector<SeriesAxis> axes;
    const auto add = [&](JointType type, int axis, const char* suffix) {
      axes.push_back({type, Vector3::Unit(axis), from.name + suffix, properties(j, axes.size())});
    };
    switch (joint.type) {
      case JointType::revolute:
      case JointType::prismatic:
        add(joint.type, 2, "");
        break;
      case JointType::cylindrical:
        add(JointType::prismatic, 2, " slide");
        add(JointType::revolute, 2, "");
        break;
      case JointType::universal:
        add(JointType::revolute, 2, "");
        add(JointType::revolute, 0, " axis2");
        break;
      case JointType::planar:
        add(JointType::prismatic, 0, " x");
        add(JointType::prismatic, 1, " y");
        add(JointType::revolute, 2, "");
        break;
      default:
        add_ball_or_free(j, joint);
        return;
    }
    for (std::size_t k = 0; k < axes.size(); ++k) start_[axes[k].name] = value(j, k);
    append_in_series(joint, axes, links_, joints_);
    if (axes.size() == 1) joints_.back().prefer_cut = from.prefer_cut;
  }

  double value(std::size_t j, std::size_t freedom) const {
    const std::vector<double>& values = info_.joints[j].values;
    return freedom < values.size() ? values[freedom] : 0;
  }

  void add_ball_or_free(std::size_t j, GraphJoint joint) {
    const Joint& from = model_.joints[j];
    const auto given = [](const std::vector<double>& values) {
      return std::any_of(values.begin(), values.end(), [](double v) { return v != 0; });
    };
    if (given(from.stiffness) || given(from.friction) || given(from.inertia))
      note(cat("joint '", from.name, "': springs, friction and rotors of spherical and free joints are left out"));
    for (const double start : info_.joints[j].values)
      if (std::abs(start) > 1e-12) start_elsewhere_ = true;
    if (joint.type == JointType::spherical) {
      joint.damping = from.damping[0];  // all three act on the angular velocity
      if (in_urdf()) return add_ball_in_series(j, joint);
    } else if (joint.type == JointType::free && given(from.damping)) {
      note(cat("joint '", from.name, "': the damping of a free joint is left out"));
    }
    joints_.push_back(std::move(joint));
  }

  // R = Rx Ry Rz, as the coordinates of the joint are.
  void add_ball_in_series(std::size_t j, const GraphJoint& joint) {
    note(cat("joint '", joint.name,
             "' is written as three axes in series, x, y and z: it is singular where the second ",
             "stands at 90 degrees"));
    std::vector<SeriesAxis> axes;
    for (int k = 0; k < 3; ++k) {
      RobotJointProperties own;
      own.damping = model_.joints[j].damping[static_cast<std::size_t>(k)];
      axes.push_back({JointType::revolute, Vector3::Unit(k), cat(joint.name, k == 0 ? " x" : k == 1 ? " y" : ""), own});
      start_[axes.back().name] = value(j, static_cast<std::size_t>(k));
    }
    append_in_series(joint, axes, links_, joints_);
  }

  static std::string with_capsules(const RobotDescription& robot) {
    std::vector<std::string> names;
    for (const DescribedLink& link : robot.links)
      if (std::any_of(link.shapes.begin(), link.shapes.end(),
                      [](const LinkShape& shape) { return shape.kind == ShapeKind::capsule; }))
        names.push_back(link.name);
    return list(names);
  }

  void say_what_is_left_out(const ExportedRobot& exported) {
    const auto with = [&](const auto& has) {
      std::vector<std::string> names;
      for (const DescribedJoint& joint : exported.robot.joints)
        if (has(joint)) names.push_back(joint.name);
      return list(names);
    };
    const auto say = [&](const std::string& names, const char* what) {
      if (!names.empty()) note(cat(what, ": ", names));
    };
    if (in_urdf()) {
      say(list(rigid_gearboxes_), "URDF has no springs, elastic gearboxes are written as rigid");
      say(with([](const DescribedJoint& joint) { return joint.stiffness != 0; }), "URDF has no springs, left out at");
      say(with([](const DescribedJoint& joint) { return joint.inertia != 0; }),
          "URDF has no inertia of rotors, left out at");
      say(with([&](const DescribedJoint& joint) {
            const auto found = exported.start.find(joint.name);
            return found != exported.start.end() && found->second != 0;
          }),
          "URDF has no initial values, left out at");
      say(with_capsules(exported.robot), "URDF has no capsules, written as cylinders of their whole length");
      std::vector<std::string> loops;
      for (const DescribedLoop& loop : exported.robot.loops) loops.push_back(loop.name);
      say(list(loops), "a URDF is a tree, the loops stay open that are closed by");
    } else {
      say(with([](const DescribedJoint& joint) { return joint.max_speed.has_value(); }),
          "MJCF has no speed limits, left out at");
      for (const DescribedLoop& loop : exported.robot.loops)
        if (loop.type != JointType::fixed && loop.type != JointType::spherical && loop.type != JointType::revolute)
          note(cat("MJCF closes loops by fixed, spherical and revolute joints; the loop of '", loop.name,
                   "' stays open"));
      if (exported.start_elsewhere)
        note("spherical and free joints do not start at zero; no initial values are written");
    }
    if (model_.gravity != Vector3(0, 0, -9.81) && in_urdf())
      note(cat("URDF has no gravity; that of the model is [", number_text(model_.gravity.x()), ", ",
               number_text(model_.gravity.y()), ", ", number_text(model_.gravity.z()), "] m/s^2"));
    std::vector<std::string> coupled, with_laws;
    for (const Coupling& coupling : model_.couplings)
      if (!is_mimic(coupling)) coupled.push_back(model_.joints[static_cast<std::size_t>(coupling.joint)].name);
    for (const Joint& joint : model_.joints)
      if (joint.law) with_laws.push_back(joint.name);
    say(list(coupled), "couplings to several joints, or to one that follows itself, are left out at");
    say(list(with_laws), "stiffness curves, backlash and friction that changes with speed are left out at");
    for (const auto& [there, what] :
         {std::pair(!model_.drives.empty(), "drives"), std::pair(!model_.loads.empty(), "loads"),
          std::pair(!model_.sensors.empty(), "sensors"),
          std::pair(model_.control && !model_.control->controllers.empty(), "controllers")})
      if (there) note(cat(what, " are left out"));
  }

  const Model& model_;
  const std::vector<DriveTrain>& drive_trains_;
  RobotFormat format_;
  const std::vector<DrawnShape>& shapes_;
  MechanismInfo info_;
  std::vector<DescribedLink> links_;
  std::vector<GraphJoint> joints_;
  std::map<std::string, double> start_;
  bool start_elsewhere_ = false;
  std::vector<std::string> notes_, rigid_gearboxes_;
};

}  // namespace

ExportedRobot exported_robot(const Model& model, const std::vector<DriveTrain>& drive_trains, RobotFormat format,
                             const std::vector<DrawnShape>& shapes) {
  return Exporter(model, drive_trains, format, shapes).build();
}

std::string xml_attribute(const std::string& text) {
  std::string result;
  for (const char letter : text) switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
    }
  return result;
}

std::string xml_numbers(const Vector3& given) {
  const double rounding = 1e-15 * given.cwiseAbs().maxCoeff();
  const Vector3 v = given.unaryExpr([=](double x) { return std::abs(x) > rounding ? x : 0; });
  return cat(number_text(v[0]), " ", number_text(v[1]), " ", number_text(v[2]));
}

std::vector<std::vector<std::string>> names_of_points(const RobotDescription& robot) {
  std::map<std::string, int> uses;
  for (const DescribedLink& link : robot.links) {
    ++uses[link.name];
    for (const DescribedPoint& point : link.points) ++uses[point.name];
  }
  std::vector<std::vector<std::string>> names(robot.links.size());
  for (std::size_t i = 0; i < robot.links.size(); ++i)
    for (const DescribedPoint& point : robot.links[i].points) {
      std::string name = uses[point.name] == 1 ? point.name : cat(robot.links[i].name, "/", point.name);
      while (name != point.name && uses.contains(name)) name += "_";
      ++uses[name];
      names[i].push_back(std::move(name));
    }
  return names;
}

std::string xml_colour(const LinkShape& shape) {
  const std::array<double, 4> c = shape.colour.value_or(std::array<double, 4>{0.7, 0.7, 0.7, 1});
  return cat(number_text(c[0]), " ", number_text(c[1]), " ", number_text(c[2]), " ", number_text(c[3]));
}

RobotText robot_text(const Model& model, const std::vector<DriveTrain>& drive_trains, RobotFormat format,
                     const std::vector<DrawnShape>& shapes) {
  const ExportedRobot exported = exported_robot(model, drive_trains, format, shapes);
  std::string text = "<?xml version=\"1.0\"?>\n";
  for (std::string note : exported.robot.notes) {
    for (std::size_t at = 0; (at = note.find("--", at)) != std::string::npos;) note.replace(at, 2, "- ");
    text += cat("<!-- ", note, " -->\n");
  }
  text += format == RobotFormat::urdf ? urdf_text(exported) : mjcf_text(exported, model.gravity);
  return {std::move(text), exported.robot.notes};
}

}  // namespace lithe
