// https://mujoco.readthedocs.io/en/stable/XMLreference.html. Links without mass that carry one other link become joints
// of its body, since MuJoCo wants mass in every body that moves.
#include <set>

#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/export/exported_robot.h"

namespace lithe {
namespace {

class MjcfWriter {
 public:
  explicit MjcfWriter(const ExportedRobot& exported)
      : exported_(exported),
        robot_(exported.robot),
        points_(names_of_points(robot_)),
        joints_from_(robot_.links.size()),
        ends_of_loops_(robot_.links.size()) {
    for (const DescribedJoint& joint : robot_.joints)
      joints_from_[static_cast<std::size_t>(joint.parent)].push_back(&joint);
    for (std::size_t l = 0; l < robot_.loops.size(); ++l)
      for (const bool of_b : {false, true}) {
        const DescribedLoop& loop = robot_.loops[l];
        ends_of_loops_[static_cast<std::size_t>(of_b ? loop.b : loop.a)].push_back({l, of_b});
      }
  }

  std::string text(const Vector3& gravity) {
    std::string result = cat("<mujoco model=\"", xml_attribute(robot_.name),
                             "\">\n  <compiler angle=\"radian\" autolimits=\"true\"/>\n  <option gravity=\"",
                             xml_numbers(gravity), "\"/>\n  <worldbody>\n");
    write_content(robot_.root, 2, result);
    for (const DescribedJoint* joint : joints_from_[static_cast<std::size_t>(robot_.root)])
      write_body({joint}, 2, result);
    result += "  </worldbody>\n";
    if (!meshes_.empty()) result += cat("  <asset>\n", meshes_, "  </asset>\n");
    result += equalities() + motors();
    if (any_start_ && !exported_.start_elsewhere)
      result += cat("  <keyframe>\n    <key name=\"start\" qpos=\"", positions_.substr(1), "\"/>\n  </keyframe>\n");
    return result + "</mujoco>\n";
  }

 private:
  static std::string pose(const Pose& pose) {
    std::string text = cat(" pos=\"", xml_numbers(pose.position), "\"");
    if (pose.rotation.isIdentity(0)) return text;
    const Quaternion q(pose.rotation);
    return text + cat(" quat=\"", number_text(q.w()), " ", number_text(q.x()), " ", number_text(q.y()), " ",
                      number_text(q.z()), "\"");
  }

  const DescribedLink& link(int index) const { return robot_.links[static_cast<std::size_t>(index)]; }
  std::string name(int index) const { return xml_attribute(link(index).name); }

  // Whether the link is only a step between two joints of another one's body.
  bool is_step(int index) const {
    const auto i = static_cast<std::size_t>(index);
    return !link(index).inertia && link(index).points.empty() && ends_of_loops_[i].empty() &&
           joints_from_[i].size() == 1 && joints_from_[i].front()->type != JointType::free;
  }

  // The body that the last joint of a chain of steps leads to.
  void write_body(std::vector<const DescribedJoint*> chain, int depth, std::string& text) {
    while (chain.back()->type != JointType::free && is_step(chain.back()->child))
      chain.push_back(joints_from_[static_cast<std::size_t>(chain.back()->child)].front());
    Pose place;  // of the body where its parent is
    for (const DescribedJoint* joint : chain) place = place * joint->origin;
    const int body = chain.back()->child;
    const std::string space(static_cast<std::size_t>(2 * depth), ' ');
    text += cat(space, "<body name=\"", name(body), "\"", pose(place), ">\n");
    Pose before;
    for (const DescribedJoint* joint : chain) {
      before = before * joint->origin;
      write_joint(*joint, place.inverse() * before, space, text);
    }
    if (link(body).inertia) write_inertia(in_link_axes(*link(body).inertia), space, text);
    write_content(body, depth + 1, text);
    for (const DescribedJoint* joint : joints_from_[static_cast<std::size_t>(body)])
      write_body({joint}, depth + 1, text);
    text += space + "</body>\n";
  }

  // `frame`: of the joint's child in the body, when all values are zero.
  void write_joint(const DescribedJoint& joint, const Pose& frame, const std::string& space, std::string& text) {
    const std::string named = cat(space, "  <joint name=\"", xml_attribute(joint.name), "\"");
    const std::string at = frame.position.norm() > 1e-15 ? cat(" pos=\"", xml_numbers(frame.position), "\"") : "";
    const auto add = [&](const char* key, double value) {
      if (value != 0) text += cat(" ", key, "=\"", number_text(value), "\"");
    };
    if (joint.type == JointType::fixed) return;
    if (joint.type == JointType::free) {
      text += cat(space, "  <freejoint name=\"", xml_attribute(joint.name), "\"/>\n");
      positions_ += " 0 0 0 1 0 0 0";
      return;
    }
    if (joint.type == JointType::spherical) {
      text += cat(named, " type=\"ball\"", at);
      add("damping", joint.damping);
      text += "/>\n";
      positions_ += " 1 0 0 0";
      return;
    }
    const auto found = exported_.start.find(joint.name);
    const double start = found == exported_.start.end() ? 0 : found->second;
    any_start_ = any_start_ || start != 0;
    positions_ += " " + number_text(start);
    text += cat(named, " type=\"", joint.type == JointType::revolute ? "hinge" : "slide", "\"", at, " axis=\"",
                xml_numbers(frame.rotation * joint.axis), "\"");
    add("damping", joint.damping);
    add("frictionloss", joint.friction);
    add("armature", joint.inertia);
    add("stiffness", joint.stiffness);
    add("springref", joint.rest_value);
    if (joint.limits)
      text += cat(" range=\"", number_text(joint.limits->first), " ", number_text(joint.limits->second), "\"");
    text += "/>\n";
  }

  static void write_inertia(const RigidInertia& body, const std::string& space, std::string& text) {
    const Matrix3& I = body.inertia;
    text += cat(space, "  <inertial pos=\"", xml_numbers(body.centre), "\" mass=\"", number_text(body.mass),
                "\" fullinertia=\"", xml_numbers(I.diagonal()), " ", number_text(I(0, 1)), " ", number_text(I(0, 2)),
                " ", number_text(I(1, 2)), "\"/>\n");
  }

  // Sites: named points, and where loops close; a revolute joint has two places on its axis.
  void write_content(int body, int depth, std::string& text) {
    const std::string space(static_cast<std::size_t>(2 * depth), ' ');
    for (const LinkShape& shape : link(body).shapes) text += space + geom(shape);
    const auto i = static_cast<std::size_t>(body);
    for (std::size_t p = 0; p < points_[i].size(); ++p)
      if (!link(body).points[p].name.starts_with("loop "))
        text += cat(space, "<site name=\"", xml_attribute(points_[i][p]), "\"",
                    pose({Matrix3::Identity(), link(body).points[p].position}), "/>\n");
    for (const auto& [l, of_b] : ends_of_loops_[i]) {
      const DescribedLoop& loop = robot_.loops[l];
      const Pose& frame = of_b ? loop.in_b : loop.in_a;
      text += cat(space, "<site name=\"", site(loop, of_b, 0), "\"", pose(frame), "/>\n");
      if (loop.type == JointType::revolute)
        text += cat(space, "<site name=\"", site(loop, of_b, 1), "\"",
                    pose({frame.rotation, frame * Vector3(0, 0, apart)}), "/>\n");
    }
  }

  // To be seen, without mass or contact.
  std::string geom(const LinkShape& shape) {
    static constexpr const char* types[] = {"box", "cylinder", "sphere", "capsule", "mesh"};
    std::string text = cat("<geom type=\"", types[static_cast<int>(shape.kind)], "\"");
    if (shape.kind == ShapeKind::mesh) {
      const std::string mesh = cat("mesh ", ++num_meshes_);
      meshes_ += cat("    <mesh name=\"", mesh, "\" file=\"", xml_attribute(shape.file), "\" scale=\"",
                     xml_numbers(shape.size), "\"/>\n");
      text += cat(" mesh=\"", mesh, "\"");
    } else if (shape.kind == ShapeKind::box) {
      text += cat(" size=\"", xml_numbers(shape.size / 2), "\"");
    } else if (shape.kind == ShapeKind::sphere) {
      text += cat(" size=\"", number_text(shape.size[0]), "\"");
    } else {
      text += cat(" size=\"", number_text(shape.size[0]), " ", number_text(shape.size[1] / 2), "\"");
    }
    return cat(text, pose(shape.pose), " rgba=\"", xml_colour(shape), "\" group=\"", shape.collision ? 3 : 2,
               "\" mass=\"0\" contype=\"0\" conaffinity=\"0\"/>\n");
  }

  static std::string site(const DescribedLoop& loop, bool of_b, int which) {
    return xml_attribute(cat(loop.name, of_b ? " b" : " a", which == 0 ? "" : "2"));
  }

  std::string equalities() const {
    std::string text;
    for (const DescribedLoop& loop : robot_.loops) {
      const bool turns = loop.type == JointType::revolute;
      if (!turns && loop.type != JointType::spherical && loop.type != JointType::fixed) continue;
      for (int k = 0; k < (turns ? 2 : 1); ++k)
        text += cat("    <", loop.type == JointType::fixed ? "weld" : "connect", " name=\"", xml_attribute(loop.name),
                    k == 0 ? "" : " axis", "\" site1=\"", site(loop, false, k), "\" site2=\"", site(loop, true, k),
                    "\"/>\n");
    }
    for (const DescribedJoint& joint : robot_.joints)
      if (joint.mimic)
        text += cat("    <joint joint1=\"", xml_attribute(joint.name), "\" joint2=\"", xml_attribute(joint.mimic->of),
                    "\" polycoef=\"", number_text(joint.mimic->offset), " ", number_text(joint.mimic->factor),
                    " 0 0 0\"/>\n");
    return text.empty() ? text : cat("  <equality>\n", text, "  </equality>\n");
  }

  std::string motors() const {
    std::string text;
    for (const DescribedJoint& joint : robot_.joints)
      if (joint.max_force && num_freedoms(joint.type) == 1)
        text += cat("    <motor name=\"", xml_attribute(joint.name), "\" joint=\"", xml_attribute(joint.name),
                    "\" ctrlrange=\"", number_text(-*joint.max_force), " ", number_text(*joint.max_force), "\"/>\n");
    return text.empty() ? text : cat("  <actuator>\n", text, "  </actuator>\n");
  }

  static constexpr double apart = 0.1;  // m, between the two places on the axis of a revolute joint

  const ExportedRobot& exported_;
  const RobotDescription& robot_;
  std::vector<std::vector<std::string>> points_;
  std::vector<std::vector<const DescribedJoint*>> joints_from_;
  std::vector<std::vector<std::pair<std::size_t, bool>>> ends_of_loops_;
  bool any_start_ = false;
  int num_meshes_ = 0;
  std::string meshes_;
  std::string positions_;
};

}  // namespace

std::string mjcf_text(const ExportedRobot& exported, const Vector3& gravity) {
  return MjcfWriter(exported).text(gravity);
}

}  // namespace lithe
