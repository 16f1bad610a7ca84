#include "lithe/analyse/settle.h"

#include <cmath>
#include <iostream>
#include <memory>

#include "app/linear/sweep.h"
#include "app/models/inspected_model.h"
#include "app/models/model_warnings.h"
#include "app/motion/motion.h"
#include "app/pages/reports.h"
#include "app/program/command.h"
#include "app/robots/studies.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/spec_options.h"
#include "app/terminal/table.h"
#include "lithe/analyse/studies/settle_map.h"
#include "lithe/base/text.h"
#include "lithe/results/motion.h"

namespace lithe::app {
namespace {

struct SettleCommand {
  std::string file, directory;
  SpecOptions<SettleSpec> spec;
  std::vector<std::string> axes, set;
  std::string orientation;
  int threads = 0;
  bool fresh = false;
};

std::string settle_text(const SettleResult& result, const SettleSpec& spec, const Style& style) {
  std::string text = cat("After the motion's end at ", number(result.move_end, 6), " s, ", result.motion.formulation,
                         ", band ", number(spec.band), " m\n\n");
  TextTable table({{"point", Align::left},
                   {"settles in s"},
                   {"residual m"},
                   {"after all m"},
                   {"vibrates at Hz"},
                   {"rest x m"},
                   {"y m"},
                   {"z m"}});
  for (const SettledPoint& point : result.points)
    table.add_row({point.name, std::isfinite(point.settling_time) ? number(point.settling_time, 4) : "does not",
                   number(point.residual, 4), number(point.last, 3), number(point.frequency, 4), number(point.rest.x()),
                   number(point.rest.y()), number(point.rest.z())});
  text += table.text(style);
  text += notes_text(result.motion);
  for (const SettledPoint& point : result.points)
    if (!std::isfinite(point.settling_time))
      text += cat("warning: '", point.name, "' does not stay within ", number(spec.band), " m in the ",
                  number(spec.after), " s after the motion; give more time with --after\n");
  return text;
}

nlohmann::json settle_json(const SettleResult& result, const SettleSpec& spec) {
  nlohmann::json points = nlohmann::json::array();
  for (const SettledPoint& point : result.points)
    points.push_back({{"name", point.name},
                      {"settling_time_s", json_number(point.settling_time)},
                      {"settles", std::isfinite(point.settling_time)},
                      {"residual_m", json_number(point.residual)},
                      {"last_m", json_number(point.last)},
                      {"frequency_Hz", json_number(point.frequency)},
                      {"rest_m", {point.rest.x(), point.rest.y(), point.rest.z()}}});
  return {{"kind", "settle"},
          {"move_end", result.move_end},
          {"band", spec.band},
          {"points", points},
          {"message", result.motion.message},
          {"notes", result.motion.notes},
          {"warnings", result.motion.warnings}};
}

ReportTable settle_table(const SettleResult& result) {
  ReportTable table{.title = "after the motion",
                    .columns = {{"point", ""},
                                {"settling time", "s"},
                                {"residual vibration", "m"},
                                {"after all", "m"},
                                {"frequency", "Hz"}},
                    .rows = {}};
  for (const SettledPoint& point : result.points)
    table.rows.push_back({point.name, point.settling_time, point.residual, point.last, point.frequency});
  return table;
}

int run_settle_map(const Model& model, const SettleSpec& settle, const SettleCommand& command, const Output& output) {
  SettleMapSpec spec{.settle = settle, .axes = command.axes, .set = command.set, .threads = command.threads};
  if (command.orientation == "keep") spec.orientation = ToolOrientation::keep;
  if (command.orientation == "free") spec.orientation = ToolOrientation::free;
  SweepTask task{.make = {}, .settings = settings_of(spec), .threads = spec.threads};
  task.make = [&spec](const VariableModel& file, const Model&, const RunHooks& hooks) {
    return make_settle_map(file, spec, hooks);
  };
  const std::filesystem::path directory = tried_directory(
      command.directory, model, {"settle_map.csv", "settle_map.h5", "settle_map.svg", "settle_map.html"});
  SweepOutcome outcome = run_sweep(command.file, task, command.fresh, directory, "settle_map");
  if (!outcome.finished) {
    std::cerr << "lithe: stopped with " << outcome.num_found + outcome.num_computed << " of " << outcome.num_points
              << " points, kept in " << outcome.part.string() << "; the same command continues\n";
    if (output.json()) output.print(sweep_json(outcome));
    return exit_failed;
  }
  Report report = sweep_report(outcome);
  report.subtitle = "settling";
  save_report(std::move(report), directory, outcome.files, "settle_map");
  if (output.json()) {
    output.print(sweep_json(outcome));
  } else {
    output.print(sweep_text(outcome, output.style()) + "\n" + where_results_lie(outcome.files));
  }
  if (outcome.any_computed()) return exit_ok;
  std::cerr << "lithe: error: no point of the map could be computed\n";
  return exit_failed;
}

int run_settle(const Model& model, const SettleCommand& command, const Output& output) {
  const SettleSpec spec = command.spec.over({.motion = spec_of<SimulateSpec>(model)});
  warn_on_modes(model, spec.motion);
  require_consent(model, controllers_of(model, spec.motion));
  if (!command.axes.empty()) return run_settle_map(model, spec, command, output);
  if (!command.set.empty()) throw InputError("settle: --set is for maps; change the number in the file");
  const StudyPlace place{tried_directory(command.directory, model, {"settle.csv", "settle.h5", "settle.html"}),
                         "settle", output.style()};
  return finish_study(study_settle(model, spec, place), place, output);
}

Action set_up_settle(CommandOptions& command) {
  auto options = std::make_shared<SettleCommand>();
  add_model_file(command, options->file);
  SpecOptions<SettleSpec>& spec = options->spec;
  const auto motion = [](auto member) {
    return [member](SettleSpec& of) -> decltype(auto) { return std::invoke(member, of.motion); };
  };
  spec.add(command, "--tool", &SettleSpec::tool, "Node to look at, link:node; default: all position sensors");
  spec.add(command, "--band", &SettleSpec::band, "Distance from rest that counts as settled, m").positive();
  spec.add(command, "--after", &SettleSpec::after, "Time to simulate after the motion, s").positive();
  spec.add(command, "--move-end", &SettleSpec::move_end, "When the motion ends, s; default: the last prescribed one")
      .positive();
  spec.add(command, "--output-step", motion(&SimulateSpec::output_step), "Time between recorded values, s").positive();
  spec.add(command, "--tolerance", motion(&SimulateSpec::tolerance), "Error of node positions per second of motion, m")
      .positive();
  spec.add(command, "--integrator", motion(&SimulateSpec::integrator), "As for simulate");
  add_formulation_options(command, spec, motion(&SimulateSpec::formulation));
  command
      .add_option("--axis", options->axes,
                  "A map: where the motions end, 'tool.x = start : end : count', 'joint.elbow = a, b, c' or a number "
                  "of the model file; may be given several times")
      .one_word_each();
  command.add_option("--set", options->set, "Something that is changed for all points of a map, 'name = value'")
      .one_word_each();
  command
      .add_option("--orientation", options->orientation,
                  "Whether the tool keeps its orientation over a map; by default where it can turn by itself")
      .one_of({"keep", "free"});
  command.add_option("--threads", options->threads, "Threads of a map; by default one per processor").between(0, 4096);
  command.add_flag("--fresh", options->fresh, "Do not continue an earlier run of the same map");
  command.add_option("-o,--output", options->directory, output_help);
  return action_on_model(options, run_settle);
}

const CommandRegistration settle_registration(
    {.name = "settle",
     .rank = 44,
     .summary = "How long and how far the tool swings after a motion; maps of it",
     .examples = "  lithe settle robot.toml --tool flange:tool\n"
                 "  lithe settle robot.toml --band 5e-5 --after 2\n"
                 "  lithe settle robot.toml --tool flange:tool --axis "
                 "'tool.x = 0.3 : 0.7 : 30' --axis 'tool.z = 0.1 : 0.5 : "
                 "30'\n",
     .set_up = set_up_settle});

}  // namespace

StudyOutcome study_settle(const Model& model, const SettleSpec& spec, const StudyPlace& place) {
  const SettleResult result = settle(model, spec, TerminalHooks("settling"));
  warn_on_early_end(result.motion);
  StudyOutcome outcome{.text = settle_text(result, spec, place.style),
                       .value = settle_json(result, spec),
                       .files = write_motion(result.motion, place.directory, place.stem),
                       .page = simulation_report(*result.motion.equations, result.motion),
                       .failed = result.motion.end == RunEnd::failed};
  outcome.page.subtitle = "settling, " + result.motion.formulation;
  outcome.page.tables.insert(outcome.page.tables.begin(), settle_table(result));
  return outcome;
}

}  // namespace lithe::app
