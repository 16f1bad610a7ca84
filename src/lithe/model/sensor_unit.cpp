#include "lithe/model/sensor_unit.h"

namespace lithe {

std::string_view unit_of(const Model& model, const Sensor& sensor) {
  const bool turns =
      sensor.of_motor || (sensor.joint >= 0 && needs_freedom(sensor.quantity) &&
                          is_rotation(model.joints[static_cast<std::size_t>(sensor.joint)].type, sensor.freedom));
  switch (sensor.quantity) {
    case Quantity::position:
    case Quantity::displacement:
      return "m";
    case Quantity::velocity:
      return "m/s";
    case Quantity::acceleration:
      return "m/s^2";
    case Quantity::rotation:
      return "rad";
    case Quantity::joint_value:
      return turns ? "rad" : "m";
    case Quantity::joint_speed:
      return turns ? "rad/s" : "m/s";
    case Quantity::joint_acceleration:
      return turns ? "rad/s^2" : "m/s^2";
    case Quantity::reaction_force:
    case Quantity::section_force:
      return "N";
    case Quantity::reaction_torque:
    case Quantity::section_moment:
      return "N m";
    case Quantity::stress:
      return "Pa";
    case Quantity::joint_force:
      return turns ? "N m" : "N";
    case Quantity::kinetic_energy:
    case Quantity::gravity_energy:
    case Quantity::elastic_energy:
    case Quantity::total_energy:
      return "J";
  }
  return "";
}

}  // namespace lithe
