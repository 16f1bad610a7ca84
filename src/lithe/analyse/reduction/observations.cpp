#include "lithe/analyse/reduction/observations.h"

#include <algorithm>
#include <map>

#include "lithe/analyse/modes/modes.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/equations.h"

namespace lithe {
namespace {

constexpr int most_coordinates = 400;      // beyond, frequencies cost more than the line in the report is worth
constexpr double smallest_of_unit = 1e-6;  // part of the largest reading of a unit

// Components of a sensor: columns "tip.x", "tip.y", "tip.z", or "tip" alone.
bool is_of_sensor(const std::string& column, const std::string& sensor) {
  if (!column.starts_with(sensor)) return false;
  const std::string rest = column.substr(sensor.size());
  return rest.empty() || rest == ".x" || rest == ".y" || rest == ".z";
}

VectorX as_vector(const std::vector<double>& values) {
  return Eigen::Map<const VectorX>(values.data(), static_cast<Eigen::Index>(values.size()));
}

void add_column(const Column& column, Observed& to) {
  to.unit = column.unit;
  const VectorX values = as_vector(column.values);
  if (values.size() > 0) to.scale = std::max(to.scale, values.maxCoeff() - values.minCoeff());
  to.values.push_back(values);
}

std::vector<Observed> sensor_readings(const Trajectory& motion, const Model& model) {
  std::vector<Observed> found;
  for (const Sensor& sensor : model.sensors) {
    found.push_back({cat("sensor '", sensor.name, "'"), {}, 0});
    for (const Column& column : motion.columns)
      if (is_of_sensor(column.name, sensor.name)) add_column(column, found.back());
  }
  return found;
}

std::vector<Observed> energy_readings(const Trajectory& motion) {
  std::vector<Observed> found;
  for (const char* name : {"kinetic_energy", "elastic_energy"})
    if (const Column* column = motion.column(name)) {
      found.push_back({name, {}, 0});
      add_column(*column, found.back());
    }
  return found;
}

VectorX start_frequencies(const Equations& equations) {
  if (equations.num_coordinates() > most_coordinates) return {};
  const ModesResult found = mechanism_modes(equations, equations.initial_state(), 0);
  return found.status == EvaluationStatus::ok ? found.modes.frequencies : VectorX();
}

}  // namespace

Observation observe_motion(const Trajectory& motion, const Equations& equations) {
  Observation observation;
  observation.cancelled = motion.end == RunEnd::cancelled;
  observation.finished = motion.end == RunEnd::finished || motion.end == RunEnd::stopped;
  observation.readings = sensor_readings(motion, equations.model());
  if (observation.readings.empty()) observation.readings = energy_readings(motion);
  judge_by_unit(observation.readings);
  if (!observation.cancelled) observation.frequencies = start_frequencies(equations);
  return observation;
}

void add_frequencies(const VectorX& frequencies, int count, Observation& observation) {
  observation.frequencies = frequencies;
  observation.spectral = true;
  const double zero = frequencies.size() > 0 ? 1e-9 * frequencies.cwiseAbs().maxCoeff() : 0;
  int mode = 0;
  for (Eigen::Index k = 0; k < frequencies.size() && mode < count; ++k) {
    if (std::abs(frequencies(k)) <= zero) continue;
    ++mode;
    observation.readings.push_back(
        {cat("mode ", mode), {VectorX::Constant(1, frequencies(k))}, std::abs(frequencies(k))});
  }
}

Observed reading_of(const Channel& output, const Channel& input, const Eigen::VectorXcd& response) {
  return {cat("response of '", output.name, "' to '", input.name, "'"),
          {response.real(), response.imag()},
          response.size() > 0 ? response.cwiseAbs().maxCoeff() : 0,
          cat(output.unit, " per ", input.unit)};
}

void judge_by_unit(std::vector<Observed>& readings) {
  std::map<std::string, double> largest;
  for (const Observed& item : readings) largest[item.unit] = std::max(largest[item.unit], item.scale);
  for (Observed& item : readings)
    if (!item.unit.empty()) item.scale = std::max(item.scale, smallest_of_unit * largest[item.unit]);
}

}  // namespace lithe
