// A planar model moves in the x-y plane: whatever would leave it is an error, reported where it stands.
#include "lithe/model/check/check_planar.h"

#include <cmath>

#include "lithe/base/text.h"

namespace lithe {
namespace {

constexpr double tolerance = 1e-9;  // of a direction, and m

class PlanarChecker {
 public:
  PlanarChecker(const Model& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics) {}

  void check() {
    require(std::abs(model_.gravity.z()) <= tolerance, {model_.file, 0, 0}, "gravity has a part along z (",
            model_.gravity.z(), " m/s^2)");
    for (const Link& link : model_.links) check_link(link);
    for (const Joint& joint : model_.joints) check_joint(joint);
    for (const Load& load : model_.loads) check_load(load);
  }

 private:
  template <class... Parts>
  void require(bool good, const SourcePlace& place, const Parts&... parts) {
    if (good) return;
    diagnostics_.error({.file = place.file,
                        .line = place.line,
                        .column = place.column,
                        .path = {},
                        .message = cat("the model is planar, but ", parts...)});
  }

  void check_link(const Link& link) {
    for (const Node& node : link.nodes)
      require(std::abs(node.position.z()) <= tolerance, link.place, "node '", node.name, "' of link '", link.name,
              "' lies at z = ", node.position.z(), " m");
    for (const BeamSegment& segment : link.segments)
      if (!link.rigid) check_section(link, segment);
  }

  // Bending must not lead out of the plane: a principal axis of the section stands on it.
  void check_section(const Link& link, const BeamSegment& segment) {
    if (segment.section < 0 || segment.section >= static_cast<int>(model_.sections.size())) return;
    const Section& section = model_.sections[segment.section];
    if (section.second_moment_y == section.second_moment_z || segment.section_z.isZero()) return;
    const Vector3 along = (link.nodes[segment.to].position - link.nodes[segment.from].position).normalized();
    const Vector3 normal = (segment.section_z - along * along.dot(segment.section_z)).normalized();
    const double out = std::abs(normal.z());
    require(out <= tolerance || out >= 1 - tolerance, link.place, "the section of link '", link.name,
            "' stands oblique to the plane");
  }

  void check_joint(const Joint& joint) {
    const bool known = joint.type == JointType::revolute || joint.type == JointType::prismatic ||
                       joint.type == JointType::planar || joint.type == JointType::fixed;
    require(known, joint.place, "joint '", joint.name, "' is none of revolute, prismatic, planar and fixed");
    if (!known) return;
    // The plane's normal as the joint's two frames see it.
    const Vector3 parent = joint.parent_frame.rotation.row(2), child = joint.child_frame.rotation.row(2);
    const double along = std::abs(parent.z());
    const bool turns = joint.type == JointType::revolute || joint.type == JointType::planar;
    require(!turns || along >= 1 - tolerance, joint.place, "the axis of joint '", joint.name,
            "' does not stand on the plane");
    require(joint.type != JointType::prismatic || along <= tolerance, joint.place, "the axis of joint '", joint.name,
            "' leads out of the plane");
    require(parent.cross(child).norm() <= tolerance, joint.place, "joint '", joint.name,
            "' tilts its child out of the plane");
    require(joint.parent >= 0 || std::abs(joint.parent_frame.position.z()) <= tolerance, joint.place, "joint '",
            joint.name, "' is on the ground at z = ", joint.parent_frame.position.z(), " m");
  }

  void check_load(const Load& load) {
    const Vector3 direction = load.direction.normalized();
    const double out = load.torque ? direction.head<2>().norm() : std::abs(direction.z());
    require(out <= tolerance, load.place, "load '", load.name, "' ",
            load.torque ? "turns about an axis in the plane" : "has a part along z");
  }

  const Model& model_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_planar(const Model& model, Diagnostics& diagnostics) { PlanarChecker(model, diagnostics).check(); }

}  // namespace lithe
