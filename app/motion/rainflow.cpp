#include "lithe/analyse/observe/rainflow.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/motion/recording.h"
#include "app/pages/reports.h"
#include "app/program/command.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/table.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/results/files/csv.h"
#include "lithe/results/files/file_set.h"

namespace lithe::app {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string file, sensor, directory;
  double min_range = 0;
  int bins = 10;
};

struct Counted {
  std::string unit;
  std::vector<RainflowCycle> cycles;
  RainflowHistogram histogram;
};

Counted count(const Options& options, const Recording& recording) {
  const auto found = recording.find(options.sensor);
  if (found.size() > 1)
    throw InputError(cat(recording.file, ": '", options.sensor, "' has several components; choose one, such as '",
                         found[0]->name, "'"));
  const Column& column = *found[0];
  const auto bad = std::find_if(column.values.begin(), column.values.end(), [](double v) { return !std::isfinite(v); });
  if (bad != column.values.end())
    throw InputError(cat(recording.file, ": '", options.sensor, "' has no value at ",
                         number(recording.times[static_cast<std::size_t>(bad - column.values.begin())]), " ",
                         recording.x_unit));
  Counted result{column.unit, rainflow(recording.times, column.values, options.min_range), {}};
  result.histogram = rainflow_histogram(result.cycles, options.bins);
  return result;
}

Table cycle_table(const Options& options, const Counted& counted) {
  Table table{"rainflow", {{"sensor", options.sensor}, {"method", "rainflow counting, ASTM E1049-85, 5.4.4"}}, {}};
  std::vector<double> ranges, means, counts, starts, ends;
  for (const RainflowCycle& cycle : counted.cycles) {
    ranges.push_back(cycle.range);
    means.push_back(cycle.mean);
    counts.push_back(cycle.count);
    starts.push_back(cycle.start_time);
    ends.push_back(cycle.end_time);
  }
  table.add("range", counted.unit, std::move(ranges));
  table.add("mean", counted.unit, std::move(means));
  table.add("count", "", std::move(counts));
  table.add("start", "s", std::move(starts));
  table.add("end", "s", std::move(ends));
  return table;
}

double sum_of_counts(const std::vector<RainflowCycle>& cycles) {
  double sum = 0;
  for (const RainflowCycle& cycle : cycles) sum += cycle.count;
  return sum;
}

double largest_range(const std::vector<RainflowCycle>& cycles) {
  double largest = 0;
  for (const RainflowCycle& cycle : cycles) largest = std::max(largest, cycle.range);
  return largest;
}

nlohmann::json counted_json(const Options& options, const Counted& counted) {
  nlohmann::json value{{"sensor", options.sensor},
                       {"unit", counted.unit},
                       {"cycles", sum_of_counts(counted.cycles)},
                       {"largest_range", largest_range(counted.cycles)},
                       {"list", nlohmann::json::array()},
                       {"bins", nlohmann::json::array()}};
  for (const RainflowCycle& cycle : counted.cycles)
    value["list"].push_back({{"range", cycle.range},
                             {"mean", cycle.mean},
                             {"count", cycle.count},
                             {"start", cycle.start_time},
                             {"end", cycle.end_time}});
  const RainflowHistogram& bins = counted.histogram;
  for (std::size_t k = 0; k < bins.counts.size(); ++k)
    value["bins"].push_back(
        {{"from", bins.edges[k]}, {"to", bins.edges[k + 1]}, {"count", bins.counts[k]}, {"mean", bins.means[k]}});
  return value;
}

std::string counted_text(const Options& options, const Counted& counted, const Style& style) {
  if (counted.cycles.empty()) return cat("'", options.sensor, "' has no cycles\n");
  const std::string unit = counted.unit.empty() ? "" : cat(" ", counted.unit);
  TextTable table({{cat("range above", unit)}, {cat("up to", unit)}, {"cycles"}, {cat("mean", unit)}});
  const RainflowHistogram& bins = counted.histogram;
  for (std::size_t k = 0; k < bins.counts.size(); ++k)
    if (bins.counts[k] > 0)
      table.add_row({number(bins.edges[k]), number(bins.edges[k + 1]), number(bins.counts[k]), number(bins.means[k])});
  return cat("Cycles of '", options.sensor, "': ", number(sum_of_counts(counted.cycles)), ", largest range ",
             number(largest_range(counted.cycles)), unit, "\n\n", table.text(style), "\n");
}

int run(const Options& options, const Output& output) {
  const Recording recording = in_si_where_known(read_recording(options.file));
  const Counted counted = count(options, recording);
  fs::path directory = options.directory.empty() ? fs::path(recording.file).parent_path() : fs::path(options.directory);
  if (directory.empty()) directory = ".";
  FileSet files(directory);
  write_csv(cycle_table(options, counted), files.add(cat("rainflow_", file_name_of(options.sensor), ".csv")));
  files.commit();
  if (output.json()) {
    nlohmann::json value = counted_json(options, counted);
    value["files"] = paths_json(files.paths());
    output.print(value);
  } else {
    output.print(counted_text(options, counted, output.style()) + where_results_lie(files.paths()));
  }
  return exit_ok;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  command.add_option("RESULT", options->file, "motion.csv of a simulation, or its directory").required();
  command.add_option("--sensor", options->sensor, "Name of the recorded sensor, as in the file's heading").required();
  command.add_option("--min-range", options->min_range, "Leave out cycles of this range and less, SI units").positive();
  command.add_option("--bins", options->bins, "Classes of ranges").between(1, 10000).shows_default();
  command.add_option("-o,--output", options->directory, "Directory for results; beside RESULT by default");
  return [options](const Output& output) { return run(*options, output); };
}

const CommandRegistration registration(
    {.name = "rainflow",
     .rank = 46,
     .summary = "Count the cycles of a recorded sensor for fatigue (ASTM E1049)",
     .examples = "  lithe rainflow results/bracket/motion.csv --sensor fillet\n"
                 "  lithe rainflow results/bracket --sensor fillet --min-range 5e6 --json\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
