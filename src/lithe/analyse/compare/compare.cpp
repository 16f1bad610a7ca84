#include "lithe/analyse/compare/compare.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/recorded_rows.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

// One column of the reference and the one of the same name, instant by instant. What a formulation does not tell is
// NaN all along.
class ColumnDifference {
 public:
  void look(double time, double own, double reference) {
    const double apart = std::abs(own - reference);
    if (!std::isnan(found_.largest) && !(apart <= found_.largest)) {  // NaN is the largest
      found_.largest = apart;
      found_.largest_time = time;
    }
    sum_ += apart * apart;
    ++count_;
    found_.final = apart;
    found_.peak = std::max(found_.peak, std::abs(own));
    found_.reference_peak = std::max(found_.reference_peak, std::abs(reference));
  }
  SensorDifference result(const Column& column) const {
    SensorDifference difference = found_;
    difference.sensor = column.name;
    difference.unit = column.unit;
    difference.mean_square = std::sqrt(sum_ / static_cast<double>(count_));
    return difference;
  }

 private:
  SensorDifference found_;
  double sum_ = 0;
  long long count_ = 0;
};

void look_for_values(const std::vector<double>& values, std::vector<char>& has) {
  for (std::size_t i = 0; i < has.size(); ++i) has[i] = has[i] || !std::isnan(values[i]);
}

}  // namespace

RecordedRows ComparedRun::rows() const { return {motion, recording.get()}; }

RunDifferences run_differences(const RecordedRows& run, const RecordedRows& reference) {
  const std::vector<Column>&columns = reference.motion.columns, &own = run.motion.columns;
  std::vector<int> other;  // of every column of the reference
  for (const Column& column : columns) other.push_back(run.column(column.name));
  std::vector<ColumnDifference> found(columns.size());
  std::vector<char> has(columns.size(), 0), own_has(own.size(), 0);
  MergedRows rows({run, reference});
  while (rows.next()) {
    const std::vector<double>*values = rows.values(0), *reference_values = rows.values(1);
    if (values) look_for_values(*values, own_has);
    if (reference_values) look_for_values(*reference_values, has);
    for (std::size_t i = 0; values && reference_values && i < columns.size(); ++i)
      if (other[i] >= 0)
        found[i].look(rows.time(), (*values)[static_cast<std::size_t>(other[i])], (*reference_values)[i]);
  }
  RunDifferences result;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!has[i]) continue;
    const bool both = other[i] >= 0 && own_has[static_cast<std::size_t>(other[i])];
    if (both) result.sensors.push_back(found[i].result(columns[i]));
    if (!both) result.missing.in_run.push_back(columns[i].name);
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    const int there = reference.column(own[i].name);
    if (own_has[i] && (there < 0 || !has[static_cast<std::size_t>(there)]))
      result.missing.in_reference.push_back(own[i].name);
  }
  return result;
}

void add_differences(const RecordedRows& run, Comparison& comparison) {
  RunDifferences found = run_differences(run, comparison.runs.front().rows());
  comparison.differences.push_back(std::move(found.sensors));
  comparison.missing.push_back(std::move(found.missing));
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
    if (options.recorder) run.recording = options.recorder(run.name, *run.equations);
    simulation.recorder = run.recording.get();
    if (!simulation.recorder) simulation.max_rows = simulation.max_states = std::numeric_limits<std::size_t>::max();
    if (options.progress) simulation.progress = [&](double time) { options.progress(i, run.name, time); };
    simulation.start = start_state;
    run.motion = simulate(*run.equations, start_state(*run.equations), simulation);
    if (run.motion.equations) run.equations = run.motion.equations;
    run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (i > 0) add_differences(run.rows(), result);
    const bool cancelled = run.motion.end == RunEnd::cancelled;
    result.runs.push_back(std::move(run));
    if (cancelled) break;
  }
  return result;
}

}  // namespace lithe
