#include <cmath>
#include <set>

#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"
#include "lithe/model/check/check_couplings.h"
#include "lithe/model/check/check_planar.h"
#include "lithe/model/check/check_rotations.h"
#include "lithe/model/coordinate_choice.h"
#include "lithe/model/mesh/stress_points.h"
#include "lithe/model/model.h"
#include "lithe/model/motion_pieces.h"

namespace lithe {
namespace {

// Collects errors about one item: "link 'arm': ...".
class Checker {
 public:
  Checker(Diagnostics& diagnostics, const SourcePlace& place, std::string owner)
      : diagnostics_(diagnostics), place_(place), owner_(std::move(owner)) {}

  template <class... Parts>
  void require(bool good, const Parts&... parts) const {
    if (good) return;
    diagnostics_.error({.file = place_.file,
                        .line = place_.line,
                        .column = place_.column,
                        .path = {},
                        .message = cat(owner_, ": ", parts...)});
  }

 private:
  Diagnostics& diagnostics_;
  SourcePlace place_;
  std::string owner_;
};

bool positive_number(double value) { return std::isfinite(value) && value > 0; }
bool valid_index(int index, std::size_t size) { return index >= 0 && index < static_cast<int>(size); }

void check_materials(const Model& model, Diagnostics& diagnostics) {
  for (const Material& material : model.materials) {
    const Checker check(diagnostics, {model.file, 0, 0}, cat("material '", material.name, "'"));
    check.require(positive_number(material.density), "density must be positive, got ", material.density);
    check.require(positive_number(material.young_modulus), "Young's modulus must be positive, got ",
                  material.young_modulus);
    check.require(positive_number(material.shear_modulus), "shear modulus must be positive, got ",
                  material.shear_modulus);
  }
}

void check_sections(const Model& model, Diagnostics& diagnostics) {
  for (const Section& section : model.sections) {
    const Checker check(diagnostics, {model.file, 0, 0}, cat("section '", section.name, "'"));
    check.require(positive_number(section.area), "area must be positive, got ", section.area);
    check.require(positive_number(section.second_moment_y), "second moment y must be positive, got ",
                  section.second_moment_y);
    check.require(positive_number(section.second_moment_z), "second moment z must be positive, got ",
                  section.second_moment_z);
    check.require(positive_number(section.torsion_constant), "torsion constant must be positive, got ",
                  section.torsion_constant);
    check.require(positive_number(section.shear_factor_y) && positive_number(section.shear_factor_z),
                  "shear factors must be positive, got ", section.shear_factor_y, " and ", section.shear_factor_z);
    check.require(std::isfinite(section.slenderness_factor) && section.slenderness_factor >= 0,
                  "slenderness factor must not be negative, got ", section.slenderness_factor);
  }
}

bool has_no_negative_moment(const Matrix3& inertia) {
  const Vector3 moments = symmetric_values(inertia).values;
  return moments[0] >= -1e-9 * inertia.norm();
}

void check_segment(const Model& model, const Link& link, const BeamSegment& segment, const Checker& check) {
  const bool has_nodes = valid_index(segment.from, link.nodes.size()) && valid_index(segment.to, link.nodes.size());
  check.require(has_nodes, "a segment names node ", segment.from, " or ", segment.to, ", which does not exist");
  check.require(segment.num_elements >= 1, "a segment needs at least one element, got ", segment.num_elements);
  if (!link.rigid) {
    check.require(valid_index(segment.material, model.materials.size()), "a segment has no material");
    check.require(valid_index(segment.section, model.sections.size()), "a segment has no section");
  }
  if (!has_nodes) return;
  const Node &from = link.nodes[static_cast<std::size_t>(segment.from)],
             &to = link.nodes[static_cast<std::size_t>(segment.to)];
  const double length = (to.position - from.position).norm();
  check.require(length > 0, "the beam from '", from.name, "' to '", to.name, "' has no length");
  if (link.rigid || !(length > 0) || !valid_index(segment.section, model.sections.size())) return;
  // Bending stiffness grows with the cube of 1/length: numbers would no longer tell it from other stiffnesses.
  constexpr double shortest = 1e-6;
  const double across = std::sqrt(model.sections[static_cast<std::size_t>(segment.section)].area);
  check.require(length / segment.num_elements > shortest * across, "the elements of the beam from '", from.name,
                "' to '", to.name, "' are ", length / segment.num_elements,
                " m long, less than a millionth of its section's size ", across, " m");
}

void check_links(const Model& model, Diagnostics& diagnostics) {
  Checker(diagnostics, {model.file, 0, 0}, cat("model '", model.name, "'"))
      .require(!model.links.empty(), "there are no links");
  std::set<std::string> names;
  for (const Link& link : model.links) {
    const Checker check(diagnostics, link.place, cat("link '", link.name, "'"));
    check.require(names.insert(link.name).second, "the name is used twice");
    check.require(link.rigid || link.from_elsewhere() || !link.segments.empty(), "a flexible link needs beams");
    for (const Node& node : link.nodes) {
      check.require(node.position.allFinite(), "node '", node.name, "' has no finite position");
    }
    for (const BeamSegment& segment : link.segments) check_segment(model, link, segment, check);
    for (const LumpedMass& lump : link.lumped_masses) {
      check.require(valid_index(lump.node, link.nodes.size()), "a mass sits on node ", lump.node,
                    ", which does not exist");
      check.require(lump.mass >= 0 && std::isfinite(lump.mass), "a lumped mass must not be negative, got ", lump.mass);
    }
    for (const int node : link.reduction.interface_nodes) {
      check.require(valid_index(node, link.nodes.size()), "interface node ", node, " does not exist");
    }
    if (link.rigid) {
      check.require(link.rigid_inertia.mass >= 0 && std::isfinite(link.rigid_inertia.mass),
                    "mass must not be negative, got ", link.rigid_inertia.mass);
      const Matrix3& inertia = link.rigid_inertia.inertia;
      check.require(
          inertia.allFinite() && inertia.isApprox(inertia.transpose(), 1e-9) && has_no_negative_moment(inertia),
          "inertia must be symmetric without negative moments");
    }
  }
}

// An empty vector of a freedom's property is not allowed: later stages index it.
void check_joint_sizes(const Joint& joint, const Checker& check) {
  const auto freedoms = static_cast<std::size_t>(num_freedoms(joint.type));
  const bool good = joint.initial_value.size() == freedoms && joint.initial_speed.size() == freedoms &&
                    joint.inertia.size() == freedoms && joint.stiffness.size() == freedoms &&
                    joint.rest_value.size() == freedoms && joint.damping.size() == freedoms &&
                    joint.friction.size() == freedoms && joint.limits.size() == freedoms &&
                    joint.initial_value_given.size() == freedoms;
  check.require(good, "every property of a degree of freedom needs ", freedoms, " entries (see set_type)");
}

void check_joint_end(const Model& model, int link, int node, const Pose& frame, std::string_view end,
                     const Checker& check) {
  const Matrix3 defect = frame.rotation.transpose() * frame.rotation - Matrix3::Identity();
  check.require(defect.norm() < 1e-9, "the ", end, " frame is not a rotation");
  check.require(frame.position.allFinite(), "the ", end, " frame has no finite position");
  if (link < 0) return;
  const std::vector<Node>& nodes = model.links[static_cast<std::size_t>(link)].nodes;
  check.require(valid_index(node, nodes.size()), "the ", end, " node ", node, " does not exist");
  if (!valid_index(node, nodes.size())) return;
  const Vector3& position = nodes[static_cast<std::size_t>(node)].position;
  check.require((frame.position - position).norm() <= 1e-9 * (1 + position.norm()), "the ", end,
                " frame does not sit at its node");
}

void check_joints(const Model& model, Diagnostics& diagnostics) {
  std::set<std::string> names;
  for (const Joint& joint : model.joints) {
    const Checker check(diagnostics, joint.place, cat("joint '", joint.name, "'"));
    check.require(names.insert(joint.name).second, "the name is used twice");
    const bool ends_exist = valid_index(joint.child, model.links.size()) &&
                            (joint.parent == -1 || valid_index(joint.parent, model.links.size()));
    check.require(ends_exist, "parent ", joint.parent, " or child ", joint.child, " does not exist");
    check.require(joint.parent != joint.child, "it joins a link to itself");
    check_joint_sizes(joint, check);
    if (!ends_exist) continue;
    check_joint_end(model, joint.parent, joint.parent_node, joint.parent_frame, "parent", check);
    check_joint_end(model, joint.child, joint.child_node, joint.child_frame, "child", check);
  }
}

bool has_joint_freedom(const Model& model, int joint, int freedom) {
  return valid_index(joint, model.joints.size()) && freedom >= 0 &&
         freedom < num_freedoms(model.joints[static_cast<std::size_t>(joint)].type);
}

bool has_link_node(const Model& model, int link, int node) {
  return valid_index(link, model.links.size()) &&
         valid_index(node, model.links[static_cast<std::size_t>(link)].nodes.size());
}

bool increasing(const std::vector<double>& times) {
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (!(times[i] > times[i - 1])) return false;
  }
  return true;
}

void check_signal(const Signal& signal, const Checker& check) {
  if (const auto* table = std::get_if<SignalTable>(&signal)) {
    check.require(!table->times.empty() && table->times.size() == table->values.size(),
                  "a table needs as many values as times");
    check.require(increasing(table->times), "the times of a table must increase");
    check.require(!table->smooth || has_pieces(*table) || table->second_derivatives.size() == table->times.size(),
                  "a smooth table must be made by smooth_table()");
  } else if (const auto* steps = std::get_if<SignalSteps>(&signal)) {
    check.require(!steps->times.empty() && steps->times.size() == steps->values.size(),
                  "steps need as many values as times");
    check.require(increasing(steps->times), "the times of steps must increase");
  } else if (const auto* ramp = std::get_if<SignalRamp>(&signal)) {
    check.require(ramp->end_time > ramp->start_time, "a ramp must end after its start");
  } else if (const auto* move = std::get_if<SignalSmoothMove>(&signal)) {
    check.require(move->end_time > move->start_time, "a move must end after its start");
  } else if (const auto* chirp = std::get_if<SignalChirp>(&signal)) {
    check.require(chirp->end_time > chirp->start_time, "a chirp must end after its start");
  }
}

// A mechanism can follow a jump of speed, as an impact, but not one of place.
void check_motion(const Signal& signal, const Checker& check) {
  constexpr double rounding = 1e-9;
  for (const double time : break_times(signal)) {
    if (!(time > 0)) continue;
    const double before = evaluate(signal, std::nextafter(time, 0.0)).value, after = evaluate(signal, time).value;
    if (std::abs(after - before) <= rounding * (1 + std::abs(before) + std::abs(after))) continue;
    check.require(false, "a prescribed motion must not jump, but at ", time, " s it does, from ", before, " to ",
                  after);
    return;
  }
}

void check_drives_and_loads(const Model& model, Diagnostics& diagnostics) {
  std::set<std::pair<int, int>> prescribed;
  for (const Drive& drive : model.drives) {
    const Checker check(diagnostics, drive.place, cat("drive '", drive.name, "'"));
    check.require(has_joint_freedom(model, drive.joint, drive.freedom), "joint ", drive.joint,
                  " has no degree of freedom ", drive.freedom);
    check.require(!drive.prescribes_motion || prescribed.insert({drive.joint, drive.freedom}).second,
                  "the motion of this degree of freedom is prescribed twice");
    check_signal(drive.signal, check);
    if (drive.prescribes_motion) check_motion(drive.signal, check);
  }
  for (const Load& load : model.loads) {
    const Checker check(diagnostics, load.place, cat("load '", load.name, "'"));
    check.require(has_link_node(model, load.link, load.node), "link ", load.link, " has no node ", load.node);
    check.require(load.direction.allFinite(), "the direction is not finite");
    check_signal(load.signal, check);
  }
}

// Without a node: the largest over nodes that the mesh lists for it.
void check_stress(const Model& model, const Sensor& sensor, const Checker& check) {
  const auto* mesh = valid_index(sensor.link, model.links.size())
                         ? model.links[static_cast<std::size_t>(sensor.link)].mesh.get()
                         : nullptr;
  const StressReading* reading = mesh ? stress_reading(*mesh, sensor.name) : nullptr;
  check.require(reading, "a stress without a node needs a link of type mesh that lists the sensor");
  if (!reading) return;
  for (const int node : reading->nodes) check.require(node >= 0, "the mesh has no node ", node);
}

void check_sensors(const Model& model, Diagnostics& diagnostics) {
  for (const Sensor& sensor : model.sensors) {
    const Checker check(diagnostics, sensor.place, cat("sensor '", sensor.name, "'"));
    if (sensor.quantity == Quantity::stress && sensor.node < 0) {
      check_stress(model, sensor, check);
    } else if (needs_node(sensor.quantity)) {
      check.require(has_link_node(model, sensor.link, sensor.node), "link ", sensor.link, " has no node ", sensor.node);
    } else if (needs_freedom(sensor.quantity)) {
      check.require(has_joint_freedom(model, sensor.joint, sensor.freedom), "joint ", sensor.joint,
                    " has no degree of freedom ", sensor.freedom);
    } else if (needs_joint(sensor.quantity)) {
      check.require(valid_index(sensor.joint, model.joints.size()), "joint ", sensor.joint, " does not exist");
    }
    check.require(sensor.component >= -1 && sensor.component <= 2, "component must be 0, 1, 2 or -1, got ",
                  sensor.component);
  }
  for (const PoseTarget& target : model.initial_configuration.targets) {
    Checker(diagnostics, target.place, "target")
        .require(has_link_node(model, target.link, target.node), "link ", target.link, " has no node ", target.node);
  }
}

void check_coordinates(const Model& model, Diagnostics& diagnostics) {
  check_chosen_coordinates(model, diagnostics);
  for (const ChosenCoordinate& item : chosen_coordinates(model))
    if (item.role == CoordinateRole::prescribed) {
      const Checker check(diagnostics, item.place, "coordinate");
      check_signal(item.motion, check);
      check_motion(item.motion, check);
    }
}

}  // namespace

void check_model(const Model& model, Diagnostics& diagnostics) {
  check_materials(model, diagnostics);
  check_sections(model, diagnostics);
  check_links(model, diagnostics);
  check_joints(model, diagnostics);
  check_couplings(model, diagnostics);
  check_drives_and_loads(model, diagnostics);
  check_sensors(model, diagnostics);
  check_coordinates(model, diagnostics);
  check_rotations(model, diagnostics);
  if (model.space == Space::planar) check_planar(model, diagnostics);
}

void check_model(const Model& model) {
  Diagnostics diagnostics;
  check_model(model, diagnostics);
  diagnostics.throw_if_any();
}

}  // namespace lithe
