#include "lithe/model/check/check_rotations.h"

#include <algorithm>

#include "lithe/base/text.h"
#include "lithe/model/error_at.h"

namespace lithe {
namespace {

class RotationCheck {
 public:
  RotationCheck(const Model& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics) {}

  void run() {
    if (std::none_of(model_.links.begin(), model_.links.end(),
                     [](const Link& link) { return !link.rigid && link.from_elsewhere(); }))
      return;
    for (const Joint& joint : model_.joints) check_joint(joint);
    for (const Drive& drive : model_.drives)
      if (const Joint* joint = joint_without(drive.joint, drive.freedom))
        refuse(drive.place, cat("drive '", drive.name, "' on joint '", joint->name, "'"), *joint);
    for (const Load& load : model_.loads)
      if (load.torque && lacks(load.link, load.node))
        refuse(load.place, cat("the torque of load '", load.name, "'"), load.link, load.node);
    for (const Sensor& sensor : model_.sensors) check_sensor(sensor);
    for (const PoseTarget& target : model_.initial_configuration.targets)
      if (target.orientation && lacks(target.link, target.node))
        refuse(target.place, "the orientation of a target", target.link, target.node);
    for (std::size_t k = 0; k < model_.links.size(); ++k)
      for (const LumpedMass& lumped : model_.links[k].lumped_masses)
        if (!lumped.inertia.isZero(0) && lacks(static_cast<int>(k), lumped.node))
          refuse(model_.links[k].place, "the inertia of a lumped mass", static_cast<int>(k), lumped.node);
  }

 private:
  bool lacks(int link, int node) const {
    if (link < 0 || link >= static_cast<int>(model_.links.size())) return false;
    const Link& of = model_.links[static_cast<std::size_t>(link)];
    if (of.rigid || node < 0 || node >= static_cast<int>(of.nodes.size())) return false;
    return !has_rotation(of, node);
  }
  bool lacks(const Joint& joint) const {
    return lacks(joint.parent, joint.parent_node) || lacks(joint.child, joint.child_node);
  }

  void refuse(const SourcePlace& place, const std::string& who, int link, int node) {
    const Link& of = model_.links[static_cast<std::size_t>(link)];
    diagnostics_.error(
        error_at(place, cat(who, " needs the rotation of node '", of.nodes[static_cast<std::size_t>(node)].name,
                            "' of link '", of.name, "', which has none: ", without_rotations)));
  }
  void refuse(const SourcePlace& place, const std::string& who, const Joint& joint) {
    if (lacks(joint.child, joint.child_node)) return refuse(place, who, joint.child, joint.child_node);
    refuse(place, who, joint.parent, joint.parent_node);
  }

  // Whether something acts on a freedom by the joint's own keys.
  static bool acts(const Joint& joint, std::size_t freedom) {
    const auto given = [&](const std::vector<double>& values) {
      return freedom < values.size() && values[freedom] != 0;
    };
    return given(joint.inertia) || given(joint.stiffness) || given(joint.damping) || given(joint.friction) ||
           (freedom < joint.limits.size() && joint.limits[freedom]);
  }

  void check_joint(const Joint& joint) {
    if (!lacks(joint)) return;
    bool needed = joint.type != JointType::spherical && joint.type != JointType::free;
    for (int freedom = 0; freedom < num_freedoms(joint.type); ++freedom)
      needed = needed || (is_rotation(joint.type, freedom) && acts(joint, static_cast<std::size_t>(freedom)));
    if (needed) refuse(joint.place, cat("joint '", joint.name, "'"), joint);
  }

  // The joint, where an angle of it is that of a node without rotations; others are refused as a whole.
  const Joint* joint_without(int index, int freedom) const {
    if (index < 0 || index >= static_cast<int>(model_.joints.size())) return nullptr;
    const Joint& joint = model_.joints[static_cast<std::size_t>(index)];
    const bool ball = joint.type == JointType::spherical || joint.type == JointType::free;
    return ball && lacks(joint) && is_rotation(joint.type, freedom) ? &joint : nullptr;
  }

  void check_sensor(const Sensor& sensor) {
    const std::string who = cat("sensor '", sensor.name, "'");
    if (sensor.quantity == Quantity::rotation && lacks(sensor.link, sensor.node))
      refuse(sensor.place, who, sensor.link, sensor.node);
    if (needs_freedom(sensor.quantity))
      if (const Joint* joint = joint_without(sensor.joint, sensor.freedom)) refuse(sensor.place, who, *joint);
  }

  const Model& model_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_rotations(const Model& model, Diagnostics& diagnostics) { RotationCheck(model, diagnostics).run(); }

}  // namespace lithe
