// Motions in time as the analysis of a sweep.
#include <algorithm>
#include <cmath>
#include <limits>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/observe/sensors.h"
#include "lithe/analyse/sweep/motion_says.h"
#include "lithe/analyse/sweep/sweep_equations.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/reduce/interface_nodes.h"

namespace lithe {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double peak_of(const std::vector<double>& values) {
  double peak = 0;
  for (const double value : values) peak = std::max(peak, std::abs(value));
  return peak;
}

double rms_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, values.size())));
}

// Of the highest peak; none where the sensor rests.
double peak_frequency(const std::vector<double>& times, const std::vector<double>& values,
                      const SpectrumOptions& options) {
  try {
    const Spectrum found = spectrum(times, values, options);
    const auto highest = std::max_element(found.peaks.begin(), found.peaks.end(),
                                          [](const Peak& a, const Peak& b) { return a.value < b.value; });
    return highest == found.peaks.end() ? none : highest->frequency;
  } catch (const InputError&) {  // too few samples, or not at constant steps
    return none;
  }
}

class MotionPoints : public EquationsPoints {
 public:
  MotionPoints(const Model& model, const EquationsPointOptions& options, MotionPointOptions wanted)
      : EquationsPoints(model, options), wanted_(std::move(wanted)) {
    wanted_.simulation.keep_states = false;
    wanted_.simulation.watch_deformation = true;
  }

 protected:
  std::shared_ptr<const Equations> stiffened_at(const Equations&, const PointPlace&) const override {
    return nullptr;  // simulate() finds out
  }
  Trajectory motion_of(const Equations& equations, const PointPlace& place) const {
    SimulateOptions options = wanted_.simulation;
    options.cancel = place.cancel;
    if (wanted_.control) options.control = wanted_.control(equations);
    options.start = start_state;
    return simulate(equations, start_state(equations), options);
  }
  const MotionPointOptions& wanted() const { return wanted_; }

 private:
  MotionPointOptions wanted_;
};

class SimulatePoints : public MotionPoints {
 public:
  using MotionPoints::MotionPoints;

 protected:
  std::vector<SweepColumn> columns_of(const Equations& equations) const override {
    std::vector<SweepColumn> columns;
    const std::vector<Channel> channels = SensorReader(equations).channels();
    for (const Channel& channel : channels) {
      const SweepShow often = channels.size() <= 4 ? SweepShow::picture : SweepShow::page;
      columns.push_back({cat(channel.name, ".least"), channel.unit});
      columns.push_back({cat(channel.name, ".most"), channel.unit});
      columns.push_back({cat(channel.name, ".peak"), channel.unit, often});
      columns.push_back({cat(channel.name, ".final"), channel.unit, SweepShow::page});
      columns.push_back({cat(channel.name, ".rms"), channel.unit, SweepShow::page});
      columns.push_back({cat(channel.name, ".settling_time"), "s", SweepShow::page});
      columns.push_back({cat(channel.name, ".peak_frequency"), "Hz", SweepShow::page});
    }
    columns.push_back({"end_time", "s"});
    columns.push_back({"end_energy", "J", SweepShow::page});
    columns.push_back({"largest_kinetic_energy", "J", SweepShow::page});
    columns.push_back({"input_work", "J", SweepShow::page});
    columns.push_back({"dissipated", "J", SweepShow::page});
    columns.push_back({"energy_imbalance", "J"});
    add_motion_columns(columns);
    return columns;
  }

  PointResult answer(const Equations& equations, const PointPlace& place, double* next) const override {
    const Trajectory motion = motion_of(equations, place);
    if (motion.end == RunEnd::failed || motion.end == RunEnd::cancelled) return {PointStatus::failed, motion.message};
    const std::size_t num_channels = SensorReader(equations).channels().size();
    for (std::size_t c = 0; c < num_channels; ++c, next += 7) {
      const std::vector<double>& values = motion.columns[c].values;
      if (values.empty()) continue;
      const auto [least, most] = std::minmax_element(values.begin(), values.end());
      next[0] = *least;
      next[1] = *most;
      next[2] = peak_of(values);
      next[3] = values.back();
      next[4] = rms_of(values);
      next[5] = settling_time(motion.times, values, wanted().band);
      next[6] = peak_frequency(motion.times, values, wanted().spectrum);
    }
    const EnergyBalance& energy = motion.energy;
    for (const double value : {motion.times.back(), energy.end, energy.largest_kinetic, energy.input_work,
                               energy.dissipated, energy.imbalance()})
      *next++ = value;
    return motion_says(equations, motion, next);
  }
};

// Sensors are pairs of force and speed of one drive.
class InversePoints : public MotionPoints {
 public:
  using MotionPoints::MotionPoints;

 protected:
  std::vector<SweepColumn> columns_of(const Equations& equations) const override {
    std::vector<SweepColumn> columns;
    const std::vector<Channel> channels = SensorReader(equations).channels();
    for (std::size_t c = 0; c < channels.size(); c += 2) {
      const SweepShow often = channels.size() <= 8 ? SweepShow::picture : SweepShow::page;
      columns.push_back({cat(channels[c].name, ".peak"), channels[c].unit, often});
      columns.push_back({cat(channels[c].name, ".rms"), channels[c].unit, SweepShow::page});
      columns.push_back({cat(channels[c].name, ".peak_power"), "W", SweepShow::page});
    }
    add_motion_columns(columns);
    return columns;
  }

  PointResult answer(const Equations& equations, const PointPlace& place, double* next) const override {
    const Trajectory motion = motion_of(equations, place);
    if (motion.end == RunEnd::failed || motion.end == RunEnd::cancelled) return {PointStatus::failed, motion.message};
    const std::size_t num_channels = SensorReader(equations).channels().size();
    for (std::size_t c = 0; c < num_channels; c += 2) {
      std::vector<double> power = motion.columns[c].values;
      for (std::size_t i = 0; i < power.size(); ++i) power[i] *= motion.columns[c + 1].values[i];
      *next++ = peak_of(motion.columns[c].values);
      *next++ = rms_of(motion.columns[c].values);
      *next++ = peak_of(power);
    }
    return motion_says(equations, motion, next);
  }
};

}  // namespace

double settling_time(const std::vector<double>& times, const std::vector<double>& values, double band) {
  if (values.empty()) return none;
  const std::size_t tail = std::max<std::size_t>(1, values.size() / 20);
  double last = 0;
  for (std::size_t i = values.size() - tail; i < values.size(); ++i) last += values[i] / static_cast<double>(tail);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double allowed = band * (*most - *least);
  std::size_t i = values.size();
  while (i > 0 && std::abs(values[i - 1] - last) <= allowed) --i;
  if (i == values.size()) return none;
  return times[i];
}

// The nodes of the file's sensors stay interfaces: the links are those of a simulation.
void keep_interfaces(Model& model) {
  const std::vector<InterfaceNodes> nodes = interface_nodes(model);
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    std::vector<int>& chosen = model.links[i].reduction.interface_nodes;
    if (chosen.empty()) chosen = nodes[i].all;
  }
}

Model with_drive_sensors(Model model, bool with_speeds) {
  keep_interfaces(model);
  model.sensors.clear();
  for (const Drive& drive : model.drives) {
    if (!drive.prescribes_motion) continue;
    Sensor sensor;
    sensor.name = drive.name;
    sensor.quantity = Quantity::joint_force;
    sensor.joint = drive.joint;
    sensor.freedom = drive.freedom;
    model.sensors.push_back(sensor);
    if (!with_speeds) continue;
    sensor.name = cat(drive.name, " speed");
    sensor.quantity = Quantity::joint_speed;
    model.sensors.push_back(sensor);
  }
  if (model.sensors.empty())
    throw InputError(cat(model.file, ": inverse dynamics needs a drive that prescribes a motion"));
  return model;
}

std::unique_ptr<EquationsPoints> simulate_points(const Model& model, const EquationsPointOptions& options,
                                                 const MotionPointOptions& wanted) {
  return std::make_unique<SimulatePoints>(model, options, wanted);
}

std::unique_ptr<EquationsPoints> inverse_dynamics_points(const Model& model, const EquationsPointOptions& options,
                                                         const MotionPointOptions& wanted, bool flexible) {
  if (flexible) return std::make_unique<InversePoints>(with_drive_sensors(model, true), options, wanted);
  EquationsPointOptions rigid = options;
  rigid.formulation = {};
  return std::make_unique<InversePoints>(without_elasticity(with_drive_sensors(model, true)), rigid, wanted);
}

}  // namespace lithe
