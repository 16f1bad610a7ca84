#include "lithe/analyse/settle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "lithe/analyse/choose_controllers.h"
#include "lithe/analyse/condense/topology.h"
#include "lithe/analyse/equilibrium/settled_start.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

// A place in time, from the three columns of its sensor.
class Track {
 public:
  Track(const Trajectory& motion, std::size_t column, double from)
      : times_(motion.times), motion_(motion), column_(column) {
    first_ = static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), from - 1e-12) - times_.begin());
  }
  std::size_t first() const { return first_; }
  std::size_t size() const { return times_.size(); }
  double time(std::size_t i) const { return times_[i]; }
  Vector3 at(std::size_t i) const {
    return {motion_.columns[column_].values[i], motion_.columns[column_ + 1].values[i],
            motion_.columns[column_ + 2].values[i]};
  }

  // The mean with weights that fall to zero at both ends: vibrations of several periods average out.
  Vector3 rest() const {
    const std::size_t begin = first_ + (size() - first_) / 2;
    const double start = time(begin), length = time(size() - 1) - start;
    Vector3 sum = Vector3::Zero();
    double weights = 0;
    for (std::size_t i = begin; i < size(); ++i) {
      const double sine = std::sin(std::numbers::pi * (time(i) - start) / length), weight = sine * sine;
      sum += weight * at(i);
      weights += weight;
    }
    return sum / weights;
  }

 private:
  const std::vector<double>& times_;
  const Trajectory& motion_;
  std::size_t column_, first_;
};

// Of the component that swings most.
double frequency_of(const Track& track, const Vector3& rest) {
  std::vector<double> times;
  std::vector<std::vector<double>> values(3);
  Vector3 energy = Vector3::Zero();
  for (std::size_t i = track.first(); i < track.size(); ++i) {
    const Vector3 off = track.at(i) - rest;
    times.push_back(track.time(i));
    for (int k = 0; k < 3; ++k) values[static_cast<std::size_t>(k)].push_back(off[k]);
    energy += off.cwiseAbs2();
  }
  Eigen::Index largest = 0;
  if (!(energy.maxCoeff(&largest) > 0)) return 0;
  try {
    const Spectrum found = spectrum(times, values[static_cast<std::size_t>(largest)], SpectrumOptions{});
    const auto highest = std::max_element(found.peaks.begin(), found.peaks.end(),
                                          [](const Peak& a, const Peak& b) { return a.value < b.value; });
    return highest == found.peaks.end() ? 0 : highest->frequency;
  } catch (const InputError&) {  // too few samples
    return 0;
  }
}

SettledPoint settled(const Track& track, const std::string& name, double move_end, double band) {
  SettledPoint point;
  point.name = name;
  point.rest = track.rest();
  const double last_from = track.time(track.size() - 1) - (track.time(track.size() - 1) - move_end) / 10;
  for (std::size_t i = track.first(); i < track.size(); ++i) {
    const double off = (track.at(i) - point.rest).norm();
    point.residual = std::max(point.residual, off);
    if (track.time(i) >= last_from) point.last = std::max(point.last, off);
    if (off <= band) continue;
    const bool next = i + 1 < track.size();
    point.settling_time = next ? track.time(i + 1) - move_end : std::numeric_limits<double>::infinity();
  }
  point.frequency = frequency_of(track, point.rest);
  return point;
}

// From rest under gravity, so that what swings is what the motion has made swing.
SimulatedMotion simulated_from_rest(const Model& model, const SimulateSpec& spec, const SimulateHooks& hooks) {
  if (hooks.restart || hooks.pacer) return simulate(model, spec, hooks);
  const std::shared_ptr<const Equations> equations = make_equations(model, spec.formulation);
  SimulateOptions options = simulate_options(spec);
  options.watch_deformation = true;
  options.start = settled_start;
  options.cancel = hooks.cancel;
  if (hooks.integrators) options.make = hooks.integrators;
  if (hooks.max_rows > 0) options.max_rows = hooks.max_rows;
  if (hooks.max_states > 0) options.max_states = hooks.max_states;
  options.inputs = hooks.inputs;
  options.recorder = hooks.recorder;
  options.checkpoint = hooks.checkpoint;
  options.control = acting_control(*equations, spec.controllers, hooks.external);
  options.remake = [choice = spec.formulation](const Model& changed) {
    return std::shared_ptr<const Equations>(make_equations(changed, choice));
  };
  if (hooks.progress) options.progress = [&hooks, end = spec.end_time](double time) { hooks.progress(time / end); };
  SimulatedMotion motion{simulate(*equations, settled_start(*equations), options)};
  if (!motion.equations) motion.equations = equations;
  if (std::string why = why_not_settled(*equations); !why.empty()) motion.notes.push_back(std::move(why));
  return motion;
}

}  // namespace

Model with_watched_tool(const Model& model, const std::string& tool) {
  Model result = model;
  if (!tool.empty()) {
    const NodeOfLink at = find_node(model, tool);
    Sensor sensor;
    sensor.name = tool;
    sensor.quantity = Quantity::position;
    sensor.link = at.link;
    sensor.node = at.node;
    std::erase_if(result.sensors, [&](const Sensor& other) { return other.name == tool; });
    result.sensors.insert(result.sensors.begin(), std::move(sensor));
  }
  return result;
}

SettledPoint settled_point(const Trajectory& motion, const std::string& sensor, double move_end, double band) {
  for (std::size_t c = 0; c + 2 < motion.columns.size(); ++c)
    if (motion.columns[c].name == sensor + ".x") return settled(Track(motion, c, move_end), sensor, move_end, band);
  throw InputError(cat("the motion has no position '", sensor, "'"));
}

double end_of_motions(const Model& model) {
  double end = 0;
  for (const Drive& drive : model.drives)
    if (drive.prescribes_motion)
      for (const double time : break_times(drive.signal)) end = std::max(end, time);
  return end;
}

SettleResult settle(const Model& model, const SettleSpec& spec, const SimulateHooks& hooks) {
  const Model watched = with_watched_tool(model, spec.tool);
  std::vector<std::size_t> sensors;
  for (std::size_t k = 0; k < watched.sensors.size(); ++k)
    if (watched.sensors[k].quantity == Quantity::position && watched.sensors[k].component < 0 &&
        (spec.tool.empty() || watched.sensors[k].name == spec.tool))
      sensors.push_back(k);
  if (sensors.empty())
    throw InputError(cat(model.file,
                         ": there is no position to look at: give --tool link:node, or a sensor of quantity "
                         "position"));
  SettleResult result;
  result.move_end = spec.move_end > 0 ? spec.move_end : end_of_motions(model);
  if (!(result.move_end > 0))
    throw InputError(cat(model.file, ": no prescribed motion ends; give [[moves]], or --move-end"));
  SimulateSpec motion = spec.motion;
  motion.end_time = result.move_end + spec.after;
  motion.output_times.clear();
  result.motion = simulated_from_rest(watched, motion, hooks);
  if (result.motion.end != RunEnd::finished) return result;
  for (const std::size_t k : sensors)
    result.points.push_back(settled_point(result.motion, watched.sensors[k].name, result.move_end, spec.band));
  return result;
}

}  // namespace lithe
