#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "app/models/inspected_model.h"
#include "app/models/model_warnings.h"
#include "app/motion/motion.h"
#include "app/motion/recording.h"
#include "app/motion/run_recordings.h"
#include "app/program/command.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/spec_options.h"
#include "app/terminal/table.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/view/comparison_report.h"

namespace lithe::app {
namespace {

struct Options {
  std::vector<std::string> files;  // one model, or several recorded results
  std::string directory;
  SpecOptions<CompareSpec> spec;
  std::vector<std::string> limits;
};

// How much a sensor may differ. Without a sensor: all positions, displacements and slides, that is those in metres.
struct Limit {
  std::string sensor;
  double value = 0;
};

std::vector<Limit> read_limits(const std::vector<std::string>& texts) {
  std::vector<Limit> limits;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    Limit limit;
    const std::string number = equals == std::string::npos ? text : text.substr(equals + 1);
    if (equals != std::string::npos) limit.sensor = text.substr(0, equals);
    char* end = nullptr;
    limit.value = std::strtod(number.c_str(), &end);
    if (number.empty() || *end != '\0' || !(limit.value > 0))
      throw InputError(cat("--limit ", text, ": expected a positive number, or SENSOR=NUMBER"));
    limits.push_back(limit);
  }
  return limits;
}

// The smallest limit that holds for a column: its own name, its sensor's name, or any in metres.
std::optional<double> limit_for(const SensorDifference& difference, const std::vector<Limit>& limits) {
  std::optional<double> smallest;
  for (const Limit& limit : limits) {
    const bool own = limit.sensor.empty()
                         ? difference.unit == "m"
                         : difference.sensor == limit.sensor || difference.sensor.rfind(limit.sensor + ".", 0) == 0;
    if (own && (!smallest || limit.value < *smallest)) smallest = limit.value;
  }
  return smallest;
}

void check_limits(const Comparison& comparison, const std::vector<Limit>& limits) {
  for (const Limit& limit : limits) {
    if (limit.sensor.empty()) continue;
    const auto& columns = comparison.runs.front().motion.columns;
    const bool known = std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
      return column.name == limit.sensor || column.name.rfind(limit.sensor + ".", 0) == 0;
    });
    if (!known) throw InputError(cat("--limit: there is no sensor '", limit.sensor, "'"));
  }
}

bool exceeds(const SensorDifference& difference, const std::vector<Limit>& limits) {
  const std::optional<double> limit = limit_for(difference, limits);
  return limit && !(difference.largest <= *limit);
}

bool any_exceeds(const Comparison& comparison, const std::vector<Limit>& limits) {
  for (const auto& run : comparison.differences)
    for (const SensorDifference& difference : run)
      if (exceeds(difference, limits)) return true;
  // What is not there is within no limit of its own.
  for (const MissingSensors& missing : comparison.missing)
    for (const std::string& name : missing.in_run)
      for (const Limit& limit : limits)
        if (!limit.sensor.empty() && (name == limit.sensor || name.rfind(limit.sensor + ".", 0) == 0)) return true;
  return false;
}

// One sentence for each run with sensors that cannot be compared.
std::vector<std::string> missing_warnings(const Comparison& comparison) {
  std::vector<std::string> warnings;
  const auto say = [&](const std::string& who, const std::vector<std::string>& names) {
    if (names.empty()) return;
    std::string list;
    for (const std::string& name : names) list += cat(list.empty() ? "'" : ", '", name, "'");
    warnings.push_back(cat(who, " has no values of ", list, ": not compared"));
  };
  for (std::size_t k = 0; k < comparison.missing.size(); ++k) {
    say(cat("'", comparison.runs[k + 1].name, "'"), comparison.missing[k].in_run);
    say(cat("'", comparison.runs[0].name, "'"), comparison.missing[k].in_reference);
  }
  return warnings;
}

// At these times, which lie within the recording; between recorded instants a straight line.
Trajectory at_times(const Recording& recording, const std::vector<double>& times) {
  Trajectory result;
  result.end = RunEnd::finished;
  result.message = "recorded";
  const std::vector<double>& own = recording.times;
  for (const Column& column : recording.columns) result.columns.push_back({column.name, column.unit, {}});
  for (const double time : times) {
    const std::size_t next = std::clamp<std::size_t>(
        static_cast<std::size_t>(std::lower_bound(own.begin(), own.end(), time) - own.begin()), 1, own.size() - 1);
    const double share = std::clamp((time - own[next - 1]) / (own[next] - own[next - 1]), 0.0, 1.0);
    result.times.push_back(time);
    for (std::size_t k = 0; k < recording.columns.size(); ++k) {
      const std::vector<double>& values = recording.columns[k].values;
      result.columns[k].values.push_back((1 - share) * values[next - 1] + share * values[next]);
    }
  }
  return result;
}

Recording read_motion(const std::string& file) {
  Recording recording = in_si(read_recording(file));
  const std::vector<double>& times = recording.times;
  if (recording.x_name != "time" || times.size() < 2 || !std::is_sorted(times.begin(), times.end()))
    throw InputError(cat(recording.file, ": not a motion: the first column has to be a time that grows"));
  if (!recording.x_unit.empty() && recording.x_unit != "s")
    throw InputError(cat(recording.file, ": the time is in '", recording.x_unit, "', which is no unit of time"));
  return recording;
}

// Sensors of the same name need units of the same dimension, all errors at once. One without a unit is taken to have
// the SI unit of the other.
void match_units(const Recording& reference, Recording& other) {
  std::string errors;
  for (const Column& column : reference.columns)
    for (Column& own : other.columns) {
      if (own.name != column.name || own.unit == column.unit) continue;
      if (own.unit.empty() || column.unit.empty()) {
        own.unit = column.unit;
        continue;
      }
      const Dimension a = parse_unit(own.unit)->dimension, b = parse_unit(column.unit)->dimension;
      if (!fits(a, b) && !fits(b, a))
        errors += cat(errors.empty() ? "" : "\n", other.file, ": '", own.name, "' is in ", own.unit, ", but in ",
                      column.unit, " in ", reference.file);
    }
  if (!errors.empty()) throw InputError(errors);
}

// Its runs are on disk while they are computed.
Comparison run_comparison(const Model& model, const CompareSpec& spec, RunRecordings& recordings) {
  TerminalHooks hooks("compare");
  recordings.record(formulation_by_name, hooks.hooks());
  return compare(model, spec, hooks);
}

// Results of `lithe simulate` against the first of them: other models, mode counts, tolerances.
Comparison compare_recorded(const std::vector<std::string>& files) {
  Comparison comparison;
  std::vector<Recording> all;
  for (const std::string& file : files) {
    if (std::count(files.begin(), files.end(), file) > 1) throw InputError(cat(file, ": is given more than once"));
    all.push_back(read_motion(file));
  }
  for (std::size_t i = 1; i < all.size(); ++i) match_units(all.front(), all[i]);
  double begin = -INFINITY, end = INFINITY;
  for (const Recording& recording : all) {
    begin = std::max(begin, recording.times.front());
    end = std::min(end, recording.times.back());
  }
  const double slack = 1e-9 * (end - begin);
  std::vector<double> times;
  for (const double time : all.front().times)
    if (time >= begin - slack && time <= end + slack) times.push_back(time);
  if (times.size() < 2) throw InputError(cat(files.back(), ": has no times in common with the others"));
  for (std::size_t i = 0; i < files.size(); ++i) {
    ComparedRun run{.name = files[i], .equations = nullptr, .motion = at_times(all[i], times), .seconds = 0};
    run.motion.model = "recorded results";
    comparison.runs.push_back(std::move(run));
    if (i == 0) continue;
    add_differences(comparison.runs[i].rows(), comparison);
    if (comparison.differences.back().empty())
      throw InputError(cat(files[i], ": has no sensor in common with ", files[0]));
  }
  return comparison;
}

std::string comparison_text(const Comparison& comparison, const std::vector<Limit>& limits, const Style& style) {
  TextTable runs({{"formulation", Align::left},
                  {"integrator", Align::left},
                  {"computing s"},
                  {"steps"},
                  {"energy imbalance J"},
                  {"end", Align::left}});
  for (const ComparedRun& run : comparison.runs)
    runs.add_row({run.name, run.motion.integrator, number(run.seconds, 3), cat(run.motion.counters.steps),
                  number(run.motion.energy.imbalance(), 3), run.motion.message});
  std::string text = comparison.runs[0].equations ? runs.text(style) : "";  // of recorded ones nothing is known
  for (std::size_t k = 0; k < comparison.differences.size(); ++k) {
    text += cat("\n", style.bold(cat(comparison.runs[k + 1].name, " against ", comparison.runs[0].name)), "\n\n");
    TextTable table({{"sensor", Align::left},
                     {"unit", Align::left},
                     {"largest"},
                     {"at s"},
                     {"final"},
                     {"rms"},
                     {"peak"},
                     {"peak of reference"},
                     {"limit"},
                     {"", Align::left}});
    for (const SensorDifference& d : comparison.differences[k]) {
      const std::optional<double> limit = limit_for(d, limits);
      table.add_row({d.sensor, d.unit, number(d.largest, 3), number(d.largest_time, 4), number(d.final, 3),
                     number(d.mean_square, 3), number(d.peak), number(d.reference_peak), limit ? number(*limit, 3) : "",
                     !limit               ? ""
                     : exceeds(d, limits) ? "too much"
                                          : "ok"});
    }
    text += table.text(style);
  }
  std::string notes;
  for (const ComparedRun& run : comparison.runs) notes += notes_text(run.motion, run.name);
  for (const std::string& warning : missing_warnings(comparison)) notes += cat("warning: ", warning, "\n");
  return text + "\n" + notes;
}

nlohmann::json comparison_json(const Comparison& comparison, const std::vector<Limit>& limits) {
  nlohmann::json runs = nlohmann::json::array(), differences = nlohmann::json::array();
  for (const ComparedRun& run : comparison.runs) {
    if (!run.equations) {
      runs.push_back({{"recorded", run.name}});
      continue;
    }
    runs.push_back({{"formulation", run.name},
                    {"integrator", run.motion.integrator},
                    {"computing_s", run.seconds},
                    {"steps", run.motion.counters.steps},
                    {"message", run.motion.message},
                    {"finished", run.motion.end == RunEnd::finished},
                    {"energy_imbalance_j", json_number(run.motion.energy.imbalance())},
                    {"notes", run.motion.notes},
                    {"warnings", run.motion.warnings}});
  }
  for (std::size_t k = 0; k < comparison.differences.size(); ++k)
    for (const SensorDifference& d : comparison.differences[k]) {
      nlohmann::json row = {
          {comparison.runs[k + 1].equations ? "formulation" : "recorded", comparison.runs[k + 1].name},
          {"sensor", d.sensor},
          {"unit", d.unit},
          {"largest", json_number(d.largest)},
          {"largest_time_s", d.largest_time},
          {"final", json_number(d.final)},
          {"rms", json_number(d.mean_square)},
          {"peak", json_number(d.peak)},
          {"reference_peak", json_number(d.reference_peak)}};
      if (const std::optional<double> limit = limit_for(d, limits)) {
        row["limit"] = *limit;
        row["within"] = !exceeds(d, limits);
      }
      differences.push_back(row);
    }
  return {{"model", comparison.runs[0].motion.model},
          {"reference", comparison.runs[0].name},
          {"runs", runs},
          {"differences", differences},
          {"warnings", missing_warnings(comparison)},
          {"within_limits", !any_exceeds(comparison, limits)},
          {"finished", comparison.finished()}};
}

// Times and every sensor of every run, and the page.
std::vector<std::filesystem::path> write_comparison(const Comparison& comparison,
                                                    const std::filesystem::path& directory) {
  std::vector<TableRun> runs;
  for (const ComparedRun& run : comparison.runs) {
    runs.push_back({run.rows(), {}});
    for (const Column& column : run.motion.columns) runs.back().headings.push_back(cat(run.name, " ", column.name));
  }
  std::vector<std::filesystem::path> paths = {
      write_side_by_side(runs, {{"model", comparison.runs[0].motion.model}, {"reference", comparison.runs[0].name}},
                         directory, "comparison")};
  Report report = comparison_report(comparison);
  report.files = {"comparison.csv"};
  paths.push_back(write_report(report, directory, "comparison"));
  return paths;
}

int report(const Comparison& comparison, const std::vector<Limit>& limits, const std::filesystem::path& directory,
           const Output& output) {
  check_limits(comparison, limits);
  const auto paths = write_comparison(comparison, directory);
  if (output.json()) {
    nlohmann::json value = comparison_json(comparison, limits);
    value["files"] = paths_json(paths);
    output.print(value);
  } else {
    output.print(comparison_text(comparison, limits, output.style()) + "\n" + where_results_lie(paths));
  }
  return comparison.finished() && !any_exceeds(comparison, limits) ? exit_ok : exit_failed;
}

int run(const Options& options, const Output& output) {
  const std::vector<Limit> limits = read_limits(options.limits);
  if (options.files.size() > 1)
    return report(compare_recorded(options.files), limits,
                  options.directory.empty() ? "results/comparison" : options.directory, output);
  return run_on_model(options.files.front(), [&](const Model& model) {
    const InterruptGuard guard;  // results are written in peace
    const CompareSpec spec = options.spec.of(model);
    for (const FormulationChoice& choice : spec.formulations) warn_on_modes(model, choice.formulation);
    const std::filesystem::path directory =
        tried_directory(options.directory, model, {"comparison.csv", "comparison.html"});
    RunRecordings recordings(directory, "comparison", spec.simulate);
    const Comparison found = run_comparison(model, spec, recordings);
    const int code = report(found, limits, recordings.directory(), output);
    recordings.remove();
    return code;
  });
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  command
      .add_option("FILE", options->files,
                  "Model file (TOML), or several results: directories with a motion.csv, or CSV files")
      .required();
  add_consent(command);
  SpecOptions<CompareSpec>& spec = options->spec;
  auto formulations = std::make_shared<std::vector<std::string>>();
  command
      .add_option("--formulations", *formulations,
                  cat("Formulations, the first being the reference: ", joined(formulation_names()),
                      "; settings after a plus, as in floating-frame+chord"))
      .separated_by_commas();
  spec.then([formulations](CompareSpec& own) {
    if (!formulations->empty()) own.formulations.clear();
    for (const std::string& name : *formulations) own.formulations.push_back(formulation_by_name(name));
  });
  command.add_option("--limit", options->limits,
                     "Difference above which the exit code is 1: NUMBER for all sensors in m, or SENSOR=NUMBER; may be "
                     "given several times");
  add_motion(command, spec, &CompareSpec::simulate);
  command.add_option("-o,--output", options->directory, output_help);
  return [options](const Output& output) { return run(*options, output); };
}

const CommandRegistration registration(
    {.name = "compare",
     .rank = 45,
     .summary = "The same motion in several formulations, or several recorded runs, and how far they differ",
     .examples = "  lithe compare arm.toml --formulations erls-cms,floating-frame --limit 1e-5\n"
                 "  lithe compare arm.toml --formulations erls-cms,corotational --end 0.5 --limit tip=1e-4\n"
                 "  lithe compare arm.toml --formulations erls-cms,erls-cms+geometric_stiffening\n"
                 "  lithe compare results/all_modes results/few_modes --limit 1e-4\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
