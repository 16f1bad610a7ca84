#include "lithe/analyse/observe/watched_outputs.h"

#include <algorithm>
#include <cmath>

#include "lithe/analyse/observe/sensors.h"
#include "lithe/integrate/capabilities.h"

namespace lithe {
namespace {

// What rounding may make of a quantity that is zero, in its unit; 0: vibrations too small for positions to see them
// hardly show in it.
double noise_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::acceleration:
    case Quantity::joint_acceleration:
    case Quantity::joint_force:
    case Quantity::reaction_force:
    case Quantity::reaction_torque:
    case Quantity::section_force:
    case Quantity::section_moment:
      return 1e-6;
    case Quantity::stress:
      return 1;
    default:
      return 0;
  }
}

// A drive that does not prescribe a motion has the force of its signal, whatever the mechanism does.
bool is_given(const Model& model, const Sensor& sensor) {
  return sensor.quantity == Quantity::joint_force &&
         std::none_of(model.drives.begin(), model.drives.end(), [&](const Drive& drive) {
           return drive.prescribes_motion && drive.joint == sensor.joint && drive.freedom == sensor.freedom;
         });
}

// One per cent at the default tolerance. The amplitude of a vibration that positions just see grows with the tolerance;
// how well forces are asked for follows more slowly.
double accuracy_of_outputs(double tolerance) {
  constexpr double usual = 0.01, usual_tolerance = 1e-6, coarsest = 0.03;
  return std::min(coarsest, usual * std::sqrt(tolerance / usual_tolerance));
}

std::shared_ptr<const WatchedOutputs> watched_outputs(const Equations& equations, double tolerance) {
  std::vector<Sensor> sensors;
  for (const Sensor& sensor : equations.model().sensors)
    if (noise_of(sensor.quantity) > 0 && !is_given(equations.model(), sensor)) sensors.push_back(sensor);
  if (sensors.empty()) return nullptr;
  const auto reader = std::make_shared<const SensorReader>(equations, std::move(sensors));
  auto outputs = std::make_shared<WatchedOutputs>();
  outputs->groups = reader->sensor_of_channel();
  for (const Sensor& sensor : reader->sensors()) outputs->noise.push_back(noise_of(sensor.quantity));
  outputs->tolerance = accuracy_of_outputs(tolerance);
  outputs->read = [reader](const State& state, const Inputs& inputs, const Accelerations& accelerations,
                           Workspace& workspace, std::vector<double>& values) {
    reader->read(state, inputs, accelerations, workspace, values);
  };
  return outputs;
}

}  // namespace

void watch_outputs(const Equations& equations, double tolerance, double duration, Integrator& integrator) {
  if (WatchesOutputs* watches = watches_outputs(integrator))
    watches->watch(duration, watched_outputs(equations, tolerance));
}

}  // namespace lithe
