// [[motors]]: rotor, gear ratio and gearbox of a joint. An elastic gearbox makes two joints of one: the joint itself
// turns the rotor (its value is the motor's angle over the ratio), and a sprung joint carries the link on from there.
#include <algorithm>

#include "lithe/base/text.h"
#include "lithe/read/parts.h"

namespace lithe {
namespace {

// Spong's model: the rotor's kinetic energy is that of its spin relative to the link that carries the motor, so that
// the link between both joints has no mass, and the spin has the inertia ratio² J on the joint's coordinate.
void insert_gearbox(const TableReader& reader, int index, double stiffness, double damping) {
  Reading& reading = reader.reading();
  Joint& motor = reading.model.joints[static_cast<std::size_t>(index)];
  Link rotor;
  rotor.name = cat(motor.name, " rotor");
  rotor.place = reader.place();
  rotor.rigid = true;
  rotor.nodes = {{motor.name, Vector3::Zero()}};
  NameList nodes;
  nodes.add(motor.name);
  Joint gear;
  gear.name = cat(motor.name, " gear");
  gear.place = reader.place();
  gear.set_type(motor.type);
  gear.parent = static_cast<int>(reading.model.links.size());
  gear.parent_node = 0;
  gear.child = motor.child;
  gear.child_node = motor.child_node;
  gear.child_frame = motor.child_frame;
  gear.stiffness = {stiffness};
  gear.damping = {damping};
  motor.child = gear.parent;
  motor.child_node = 0;
  motor.child_frame = {};
  for (const auto& [names, name] : {std::pair(&reading.links, rotor.name), std::pair(&reading.joints, gear.name)})
    if (!names->add(name)) {
      reader.error("joint", cat("the name '", name, "', which the gearbox needs, is used already"));
      names->add_unnamed();
    }
  reading.link_nodes.push_back(std::move(nodes));
  reading.model.links.push_back(std::move(rotor));
  reading.model.joints.push_back(std::move(gear));
}

void read_motor(Reading& reading, const Value& table, std::size_t number, std::vector<int>& driven) {
  const TableReader reader(reading, motor_table(), table, cat("motors[", number, "]"), cat("motor ", number + 1));
  const std::optional<int> index = reader.reference("joint", reading.joints, "joint");
  if (!index) return;
  if (std::find(driven.begin(), driven.end(), *index) != driven.end()) {
    reader.error("joint", "the joint has a motor already");
    return;
  }
  driven.push_back(*index);
  const JointType type = reading.model.joints[static_cast<std::size_t>(*index)].type;
  if (num_freedoms(type) != 1) {
    reader.error("joint", "a motor moves a joint of one degree of freedom");
    return;
  }
  const bool turns = is_rotation(type, 0);
  const auto value = [&](std::string_view key) {
    return reader.number(key, unit_of_freedom(motor_table().find(key)->unit, turns));
  };
  const double inertia = reader.number("rotor_inertia").value_or(0), ratio = value("ratio").value_or(1),
               friction = value("friction").value_or(0), stiffness = value("stiffness").value_or(0),
               damping = value("damping").value_or(0);
  Joint& joint = reading.model.joints[static_cast<std::size_t>(*index)];
  DriveTrain train;
  train.place = reader.place();
  train.joint = *index;
  train.ratio = ratio;
  train.efficiency = value("efficiency").value_or(1);
  train.max_torque = value("max_torque");
  train.rated_torque = value("rated_torque");
  train.max_speed = value("max_speed");
  train.gear_max_torque = value("gear_max_torque");
  train.gear_rated_torque = value("gear_rated_torque");
  train.torque_constant = value("torque_constant");
  train.winding_resistance = value("winding_resistance");
  if (reader.has("winding_resistance") && !reader.has_or_means("torque_constant"))
    reader.error("winding_resistance", "the heat of the winding needs 'torque_constant' as well");
  joint.inertia[0] += ratio * ratio * inertia;
  joint.friction[0] += friction;
  if (reader.has("damping") && !reader.has_or_means("stiffness"))
    reader.error("damping", "'damping' is that of an elastic gearbox, which needs 'stiffness'");
  if (reader.has("stiffness")) train.gear = static_cast<int>(reading.model.joints.size());
  const auto known = std::find_if(reading.drive_trains.begin(), reading.drive_trains.end(),
                                  [&](const DriveTrain& other) { return other.described && other.joint == *index; });
  if (known != reading.drive_trains.end()) {  // the description says what the motor leaves out
    if (!train.gear_max_torque) train.gear_max_torque = known->gear_max_torque;
    if (!train.max_speed && known->max_speed) train.max_speed = *known->max_speed * ratio;
    reading.drive_trains.erase(known);
  }
  reading.drive_trains.push_back(train);
  if (!reader.has("stiffness")) return;
  if (joint.stiffness[0] != 0) reader.error("stiffness", "the joint has a spring of its own");
  if (!(joint.inertia[0] > 0))
    reader.error("stiffness", "an elastic gearbox needs 'rotor_inertia': without it nothing turns on its motor side");
  insert_gearbox(reader, *index, stiffness, damping);
}

}  // namespace

void read_motors(Reading& reading, const TableReader& file) {
  const std::vector<Value>& tables = file.tables("motors");
  std::vector<int> driven;
  for (std::size_t i = 0; i < tables.size(); ++i) read_motor(reading, tables[i], i, driven);
}

}  // namespace lithe
