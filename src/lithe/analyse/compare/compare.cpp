#include "lithe/analyse/compare/compare.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// What a formulation does not tell is NaN all along.
bool has_values(const TrajectoryColumn& column) {
  return std::any_of(column.values.begin(), column.values.end(), [](double value) { return !std::isnan(value); });
}

}  // namespace

FormulationChoice formulation_by_name(const std::string& name) {
  FormulationChoice choice;
  const std::vector<std::string> parts = split(name, '+');
  choice.formulation = parts.front();
  const std::vector<std::string>& known = formulation_names();
  if (std::find(known.begin(), known.end(), choice.formulation) == known.end()) {
    std::string list;
    for (const std::string& one : known) list += cat(list.empty() ? "'" : ", '", one, "'");
    throw InputError(cat("unknown formulation '", choice.formulation, "'; known: ", list));
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (part == "minimum_norm" || part == "encoder") {
      choice.gauge = part;
    } else if (part == "published" || part == "full") {
      choice.variant = part;
    } else if (part == "tangent" || part == "chord" || part == "free") {
      choice.reference = part;
    } else if (part == "geometric_stiffening") {
      choice.geometric_stiffening = true;
    } else if (part == "straight_elongation") {
      choice.bending_shortens = false;
    } else {
      throw InputError(cat("unknown setting '", part, "' of formulation '", choice.formulation,
                           "'; known: 'encoder', 'minimum_norm', 'full', 'published', 'tangent', 'chord', 'free', "
                           "'geometric_stiffening', 'straight_elongation'"));
    }
  }
  return choice;
}

std::string name_of(const FormulationChoice& choice) {
  const FormulationChoice plain;
  std::string name = choice.formulation;
  if (choice.gauge != plain.gauge) name += "+" + choice.gauge;
  if (choice.variant != plain.variant) name += "+" + choice.variant;
  if (choice.reference != plain.reference) name += "+" + choice.reference;
  if (choice.geometric_stiffening) name += "+geometric_stiffening";
  if (!choice.bending_shortens) name += "+straight_elongation";
  return name;
}

std::vector<SensorDifference> sensor_differences(const Trajectory& run, const Trajectory& reference) {
  std::vector<SensorDifference> result;
  for (const TrajectoryColumn& column : reference.columns) {
    const TrajectoryColumn* other = run.column(column.name);
    if (!has_values(column) || !other || !has_values(*other)) continue;
    SensorDifference difference;
    difference.sensor = column.name;
    difference.unit = column.unit;
    const std::size_t n = std::min(column.values.size(), other->values.size());
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double apart = std::abs(other->values[i] - column.values[i]);
      if (!(apart <= difference.largest)) {  // keeps NaN
        difference.largest = apart;
        difference.largest_time = reference.times[i];
      }
      sum += apart * apart;
      difference.final = apart;
      difference.peak = std::max(difference.peak, std::abs(other->values[i]));
      difference.reference_peak = std::max(difference.reference_peak, std::abs(column.values[i]));
    }
    difference.mean_square = std::sqrt(sum / static_cast<double>(n));
    result.push_back(difference);
  }
  return result;
}

MissingSensors missing_sensors(const Trajectory& run, const Trajectory& reference) {
  const auto lacks = [](const Trajectory& motion, const TrajectoryColumn& column) {
    const TrajectoryColumn* own = motion.column(column.name);
    return has_values(column) && (!own || !has_values(*own));
  };
  MissingSensors result;
  for (const TrajectoryColumn& column : reference.columns)
    if (lacks(run, column)) result.in_run.push_back(column.name);
  for (const TrajectoryColumn& column : run.columns)
    if (lacks(reference, column)) result.in_reference.push_back(column.name);
  return result;
}

void add_differences(const Trajectory& run, Comparison& comparison) {
  comparison.differences.push_back(sensor_differences(run, comparison.runs.front().motion));
  comparison.missing.push_back(missing_sensors(run, comparison.runs.front().motion));
}

double Comparison::largest(const std::string& unit) const {
  double found = 0;
  for (const auto& run : differences)
    for (const SensorDifference& difference : run)
      if ((unit.empty() || difference.unit == unit) && !(difference.largest <= found)) found = difference.largest;
  return found;
}

bool Comparison::finished() const {
  return std::all_of(runs.begin(), runs.end(),
                     [](const ComparedRun& run) { return run.motion.end == RunEnd::finished; });
}

Comparison compare(const Model& model, const CompareOptions& options) {
  if (options.choices.size() < 2)
    throw InputError(cat("a comparison needs two formulations or more, got ", options.choices.size()));
  Comparison result;
  for (std::size_t i = 0; i < options.choices.size(); ++i) {
    const auto begin = std::chrono::steady_clock::now();
    ComparedRun run;
    run.name = name_of(options.choices[i]);
    run.equations = make_equations(model, options.choices[i]);
    SimulateOptions simulation = options.simulate;
    simulation.keep_states = i == 0;
    if (options.progress) simulation.progress = [&](double time) { options.progress(i, run.name, time); };
    const State start = options.start ? options.start(*run.equations) : at_rest(*run.equations);
    run.motion = simulate(*run.equations, start, simulation);
    run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (i > 0) add_differences(run.motion, result);
    const bool cancelled = run.motion.end == RunEnd::cancelled;
    result.runs.push_back(std::move(run));
    if (cancelled) break;
  }
  return result;
}

}  // namespace lithe
