#include "lithe/analyse/observe/sensors.h"

#include <limits>
#include <map>

#include "lithe/analyse/observe/spring_force.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/solid_stress.h"
#include "lithe/model/mesh/stress_points.h"
#include "lithe/model/sections/section_stress.h"
#include "lithe/model/sensor_unit.h"
#include "lithe/model/stress_measure.h"

namespace lithe {
namespace {

constexpr double not_provided = std::numeric_limits<double>::quiet_NaN();

Vector3 node_value(const NodeMotion& motion, Quantity quantity) {
  switch (quantity) {
    case Quantity::position:
      return motion.position;
    case Quantity::velocity:
      return motion.velocity;
    case Quantity::acceleration:
      return motion.acceleration;
    case Quantity::displacement:
      return motion.displacement;
    default:
      return motion.rotation;
  }
}

double motion_value(const SignalValue& motion, Quantity quantity) {
  return quantity == Quantity::joint_value   ? motion.value
         : quantity == Quantity::joint_speed ? motion.rate
                                             : motion.acceleration;
}

// The one that a sensor wants, or all three.
void add_components(const Sensor& sensor, const Vector3& vector, std::vector<double>& values) {
  for (int i = 0; i < 3; ++i)
    if (sensor.component < 0 || sensor.component == i) values.push_back(vector[i]);
}

double energy_value(const Energies& energies, Quantity quantity) {
  switch (quantity) {
    case Quantity::kinetic_energy:
      return energies.kinetic;
    case Quantity::gravity_energy:
      return energies.gravity;
    case Quantity::elastic_energy:
      return energies.elastic;
    default:
      return energies.total();
  }
}

// Von Mises, from force and moment of a beam's section.
double stress_value(const Model& model, const Sensor& sensor, const Vector3& force, const Vector3& moment) {
  const Section* section = section_at(model, sensor.link, sensor.node);
  return section == nullptr ? not_provided : section_stress(*section, force, moment).von_mises();
}

// At all points of a link of solid elements; none where the formulation does not provide them.
Matrix6X stresses_of(const Equations& equations, const State& state, const Inputs& inputs,
                     const Accelerations& accelerations, int link, int num_points, Workspace& workspace) {
  Matrix6X stresses(6, 0);
  if (!solid_stresses(equations, state, inputs, accelerations, link, num_points, stresses, workspace))
    stresses.resize(6, 0);
  return stresses;
}

std::vector<Sensor> all_joint_values(const Model& model) {
  std::vector<Sensor> sensors;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int f = 0; f < num_freedoms(model.joints[j].type); ++f) {
      Sensor sensor;
      sensor.name = model.joints[j].name;
      if (num_freedoms(model.joints[j].type) > 1) sensor.name = cat(sensor.name, ".", f + 1);
      sensor.quantity = Quantity::joint_value;
      sensor.joint = static_cast<int>(j);
      sensor.freedom = f;
      sensors.push_back(sensor);
    }
  return sensors;
}

}  // namespace

namespace {

double part_value(const SensorPart& part, const Equations& equations, const State& state, const Inputs& inputs,
                  const Accelerations& accelerations, Workspace& workspace) {
  if (part.kind == SensorPart::Kind::drive_force)
    return part.factor * joint_force(equations, state, inputs, accelerations, part.joint, 0, workspace);
  const SignalValue motion = equations.joint_motion(state, inputs, accelerations, part.joint, 0, workspace);
  switch (part.kind) {
    case SensorPart::Kind::value:
      return part.factor * motion.value;
    case SensorPart::Kind::speed:
      return part.factor * motion.rate;
    case SensorPart::Kind::acceleration:
      return part.factor * motion.acceleration;
    default:
      return part.factor * spring_force(equations.model().joints[static_cast<std::size_t>(part.joint)], motion).force;
  }
}

double sum_of_parts(const Sensor& sensor, const Equations& equations, const State& state, const Inputs& inputs,
                    const Accelerations& accelerations, Workspace& workspace) {
  double sum = 0;
  for (const SensorPart& part : sensor.parts)
    sum += part_value(part, equations, state, inputs, accelerations, workspace);
  return sum;
}

}  // namespace

double joint_force(const Equations& equations, const State& state, const Inputs& inputs,
                   const Accelerations& accelerations, int joint, int freedom, Workspace& workspace) {
  for (const Drive& drive : equations.model().drives)
    if (drive.prescribes_motion && drive.joint == joint && drive.freedom == freedom)
      return equations.prescribed_force(state, inputs, accelerations, joint, freedom, workspace);
  return inputs.joint_forces[joint][freedom];
}

SensorReader::SensorReader(const Equations& equations)
    : SensorReader(equations, equations.model().sensors.empty() ? all_joint_values(equations.model())
                                                                : equations.model().sensors) {}

SensorReader::SensorReader(const Equations& equations, std::vector<Sensor> sensors)
    : equations_(equations), sensors_(std::move(sensors)) {
  for (std::size_t i = 0; i < sensors_.size(); ++i) add_channels(static_cast<int>(i));
  add_solid_readings();
}

void SensorReader::add_solid_readings() {
  const Model& model = equations_.model();
  std::map<int, std::vector<int>> of_link;
  solid_.resize(sensors_.size());
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    const Sensor& sensor = sensors_[i];
    if (sensor.quantity != Quantity::stress) continue;
    const auto& part = model.links[static_cast<std::size_t>(sensor.link)].mesh;
    const StressReading* reading = part ? stress_reading(*part, sensor.name) : nullptr;
    if (!reading) continue;
    const auto [found, first] = of_link.try_emplace(sensor.link);
    if (first) found->second = stress_points(*part);
    solid_[i] = {reading->measure, points_of(*reading, found->second), static_cast<int>(found->second.size())};
  }
}

SensorReader::StressAt SensorReader::largest(std::size_t sensor, const Matrix6X& stresses) const {
  StressAt result{Vector6::Constant(not_provided), -1};
  const StressMeasure measure = solid_[sensor].measure;
  double most = 0;
  for (const int point : solid_[sensor].points) {
    if (point >= stresses.cols()) continue;
    const double value = severity(measure_of(stresses.col(point), measure), measure);
    if (result.point >= 0 && value <= most) continue;
    most = value;
    result = {stresses.col(point), point};
  }
  return result;
}

SensorReader::StressAt SensorReader::stress_at(std::size_t sensor, const State& state, const Inputs& inputs,
                                               const Accelerations& accelerations, Workspace& workspace) const {
  return largest(sensor, stresses_of(equations_, state, inputs, accelerations, sensors_[sensor].link,
                                     solid_[sensor].num_points, workspace));
}

void SensorReader::add_channels(int index) {
  const Sensor& sensor = sensors_[index];
  const std::string unit(unit_of(equations_.model(), sensor));
  if (is_vector(sensor.quantity) && sensor.component < 0) {
    for (const char* axis : {".x", ".y", ".z"}) channels_.push_back({cat(sensor.name, axis), unit});
  } else {
    channels_.push_back({sensor.name, unit});
  }
  sensor_of_channel_.resize(channels_.size(), index);
}

void SensorReader::read(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                        Workspace& workspace, std::vector<double>& values) const {
  values.clear();
  const auto push = [&values](const Sensor& sensor, const Vector3& v) { add_components(sensor, v, values); };
  Matrix6X stresses;
  int stressed = -1;  // the link that they are of
  for (std::size_t index = 0; index < sensors_.size(); ++index) {
    const Sensor& sensor = sensors_[index];
    if (!sensor.parts.empty()) {
      values.push_back(sum_of_parts(sensor, equations_, state, inputs, accelerations, workspace));
      continue;
    }
    Vector3 force = Vector3::Constant(not_provided), moment = force;
    switch (sensor.quantity) {
      case Quantity::position:
      case Quantity::velocity:
      case Quantity::acceleration:
      case Quantity::displacement:
      case Quantity::rotation:
        push(sensor,
             node_value(equations_.node_motion(state, inputs, accelerations, sensor.link, sensor.node, workspace),
                        sensor.quantity));
        break;
      case Quantity::joint_value:
      case Quantity::joint_speed:
      case Quantity::joint_acceleration:
        values.push_back(
            motion_value(equations_.joint_motion(state, inputs, accelerations, sensor.joint, sensor.freedom, workspace),
                         sensor.quantity));
        break;
      case Quantity::joint_force:
        values.push_back(
            joint_force(equations_, state, inputs, accelerations, sensor.joint, sensor.freedom, workspace));
        break;
      case Quantity::kinetic_energy:
      case Quantity::gravity_energy:
      case Quantity::elastic_energy:
      case Quantity::total_energy:
        values.push_back(energy_value(equations_.energies(state, inputs, workspace), sensor.quantity));
        break;
      case Quantity::reaction_force:
      case Quantity::reaction_torque:
        equations_.reaction(state, inputs, accelerations, sensor.joint, force, moment, workspace);
        push(sensor, sensor.quantity == Quantity::reaction_force ? force : moment);
        break;
      case Quantity::section_force:
      case Quantity::section_moment:
      case Quantity::stress:
        if (const SolidReading& solid = solid_[index]; !solid.points.empty()) {
          if (stressed != sensor.link)
            stresses = stresses_of(equations_, state, inputs, accelerations, sensor.link, solid.num_points, workspace);
          stressed = sensor.link;
          values.push_back(measure_of(largest(index, stresses).stress, solid.measure));
          break;
        }
        equations_.section_load(state, inputs, accelerations, sensor.link, sensor.node, force, moment, workspace);
        if (sensor.quantity == Quantity::stress)
          values.push_back(stress_value(equations_.model(), sensor, force, moment));
        else
          push(sensor, sensor.quantity == Quantity::section_force ? force : moment);
        break;
    }
  }
}

}  // namespace lithe
