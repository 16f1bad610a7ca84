#include "lithe/analyse/settle.h"

#include <cmath>
#include <memory>

#include "app/models/inspected_model.h"
#include "app/models/model_warnings.h"
#include "app/motion/motion.h"
#include "app/pages/reports.h"
#include "app/program/command.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/spec_options.h"
#include "app/terminal/table.h"
#include "lithe/base/text.h"
#include "lithe/results/motion.h"

namespace lithe::app {
namespace {

struct SettleCommand {
  std::string file, directory;
  SpecOptions<SettleSpec> spec;
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
  return {{"kind", "settle"}, {"move_end", result.move_end}, {"band", spec.band}, {"points", points}};
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

int run_settle(const Model& model, const SettleCommand& command, const Output& output) {
  const SettleSpec spec = command.spec.over({.motion = spec_of<SimulateSpec>(model)});
  warn_on_modes(model, spec.motion);
  require_consent(model, controllers_of(model, spec.motion));
  const SettleResult result = settle(model, spec, TerminalHooks("settling"));
  const std::filesystem::path directory = result_directory(command.directory, model);
  std::vector<std::filesystem::path> paths = write_motion(result.motion, directory, "settle");
  Report report = simulation_report(*result.motion.equations, result.motion);
  report.subtitle = "settling, " + result.motion.formulation;
  report.tables.insert(report.tables.begin(), settle_table(result));
  save_report(std::move(report), directory, paths, "settle");
  if (output.json()) {
    nlohmann::json value = settle_json(result, spec);
    value["files"] = paths_json(paths);
    output.print(value);
  } else {
    output.print(settle_text(result, spec, output.style()) + "\n" + where_results_lie(paths));
  }
  return result.motion.end == RunEnd::failed ? exit_failed : exit_ok;
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
  command.add_option("-o,--output", options->directory, output_help);
  return action_on_model(options, run_settle);
}

const CommandRegistration settle_registration({.name = "settle",
                                               .rank = 44,
                                               .summary = "How long and how far the tool swings after a motion",
                                               .examples = "  lithe settle robot.toml --tool flange:tool\n"
                                                           "  lithe settle robot.toml --band 5e-5 --after 2\n",
                                               .set_up = set_up_settle});

}  // namespace
}  // namespace lithe::app
