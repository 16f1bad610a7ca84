#include "app/linear/equilibrium.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "app/models/inspected_model.h"
#include "app/models/model_warnings.h"
#include "app/pages/reports.h"
#include "app/program/command.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/spec_options.h"
#include "app/terminal/table.h"
#include "lithe/base/text.h"
#include "lithe/results/files/csv.h"
#include "lithe/results/files/file_set.h"

namespace lithe::app {

std::string equilibrium_text(const EquilibriumResult& outcome, const Style& style) {
  std::string text = cat("Equilibrium of '", outcome.equations->model().name, "', ", outcome.equations->name(), ": ",
                         outcome.found.message, "\n\n");
  TextTable sensors({{"sensor", Align::left}, {"value"}, {"unit", Align::left}});
  for (const SensorAtRest& sensor : outcome.summary.sensors)
    sensors.add_row({sensor.name, number(sensor.value), sensor.unit});
  if (!sensors.empty()) text += sensors.text(style) + "\n";
  TextTable joints(
      {{"joint", Align::left}, {"value"}, {"unit", Align::left}, {"holding force"}, {"unit", Align::left}});
  for (const JointAtRest& joint : outcome.summary.joints)
    joints.add_row({joint.name, number(joint.value), joint.unit, joint.held ? number(joint.holding_force) : "free",
                    joint.held ? joint.force_unit : ""});
  if (!joints.empty()) text += joints.text(style) + "\n";
  TextTable links({{"flexible link", Align::left}, {"max deflection m"}, {"% of length"}, {"max rotation rad"}});
  for (const LinkAtRest& link : outcome.summary.links)
    links.add_row(
        {link.name, number(link.deflection), number(100 * link.relative_deflection, 4), number(link.rotation)});
  if (!links.empty()) text += links.text(style);
  for (const std::string& note : outcome.notes) text += cat("note: ", note, "\n");
  for (const std::string& warning : outcome.warnings) text += cat("warning: ", warning, "\n");
  return text;
}

nlohmann::json equilibrium_json(const EquilibriumResult& outcome) {
  nlohmann::json sensors = nlohmann::json::array(), joints = sensors, links = sensors;
  for (const SensorAtRest& sensor : outcome.summary.sensors)
    sensors.push_back({{"name", sensor.name}, {"unit", sensor.unit}, {"value", json_number(sensor.value)}});
  for (const JointAtRest& joint : outcome.summary.joints) {
    nlohmann::json entry{
        {"name", joint.name}, {"unit", joint.unit}, {"value", json_number(joint.value)}, {"held", joint.held}};
    if (joint.held) {
      entry["holding_force"] = json_number(joint.holding_force);
      entry["holding_force_unit"] = joint.force_unit;
    }
    joints.push_back(entry);
  }
  for (const LinkAtRest& link : outcome.summary.links)
    links.push_back({{"name", link.name},
                     {"max_deflection_m", json_number(link.deflection)},
                     {"max_rotation_rad", json_number(link.rotation)}});
  return {{"kind", "equilibrium"},
          {"formulation", outcome.equations->name()},
          {"converged", outcome.found.converged},
          {"stable", outcome.found.stable},
          {"message", outcome.found.message},
          {"notes", outcome.notes},
          {"warnings", outcome.warnings},
          {"sensors", sensors},
          {"joints", joints},
          {"links", links}};
}

std::vector<std::filesystem::path> write_equilibrium(const EquilibriumResult& outcome,
                                                     const std::filesystem::path& directory, const std::string& stem) {
  const Equations& equations = *outcome.equations;
  Table table;
  table.name = "equilibrium";
  table.notes = {
      {"model", equations.model().name}, {"formulation", equations.name()}, {"result", outcome.found.message}};
  const auto add = [&](const std::string& name, const std::string& unit, double value) {
    const auto taken = [&](const std::string& wish) {
      return std::any_of(table.columns.begin(), table.columns.end(), [&](const Column& c) { return c.name == wish; });
    };
    std::string free_name = name;
    for (int i = 2; taken(free_name); ++i) free_name = cat(name, " ", i);
    table.add(free_name, unit, {value});
  };
  for (const SensorAtRest& sensor : outcome.summary.sensors) add(sensor.name, sensor.unit, sensor.value);
  for (const JointAtRest& joint : outcome.summary.joints) {
    add(cat("joint ", joint.name), joint.unit, joint.value);
    if (joint.held) add(cat("holding force of ", joint.name), joint.force_unit, joint.holding_force);
  }
  for (const LinkAtRest& link : outcome.summary.links) {
    add(cat("max deflection of ", link.name), "m", link.deflection);
    add(cat("max rotation of ", link.name), "rad", link.rotation);
  }
  const std::vector<std::string> names = equations.coordinate_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    add(cat("coordinate ", names[i]), "", outcome.found.state.coordinates[static_cast<Eigen::Index>(i)]);
  FileSet files(directory);
  write_csv(table, files.add(stem + ".csv"));
  files.commit();
  return files.paths();
}

void add_to_page(const EquilibriumResult& outcome, Report& report) {
  if (!report.motion) report.motion = sample_configuration(*outcome.equations, outcome.found.state);
  report.facts.push_back({"equilibrium", outcome.found.message});
  if (!outcome.summary.sensors.empty()) {
    ReportTable sensors{
        .title = "sensors in equilibrium", .columns = {{"sensor", ""}, {"unit", ""}, {"value", ""}}, .rows = {}};
    for (const SensorAtRest& sensor : outcome.summary.sensors)
      sensors.rows.push_back({sensor.name, sensor.unit, sensor.value});
    report.tables.push_back(std::move(sensors));
  }
  ReportTable joints{.title = "joints in equilibrium",
                     .columns = {{"joint", ""}, {"unit", ""}, {"value", ""}, {"holding force", "N, N m"}},
                     .rows = {}};
  for (const JointAtRest& joint : outcome.summary.joints)
    joints.rows.push_back({joint.name, joint.unit, joint.value, joint.held ? joint.holding_force : std::nan("")});
  report.tables.push_back(std::move(joints));
  if (outcome.summary.links.empty()) return;
  ReportTable links{.title = "deflections in equilibrium",
                    .columns = {{"flexible link", ""}, {"max deflection", "m"}, {"max rotation", "rad"}},
                    .rows = {}};
  for (const LinkAtRest& link : outcome.summary.links)
    links.rows.push_back({link.name, link.deflection, link.rotation});
  report.tables.push_back(std::move(links));
}

namespace {

struct EquilibriumCommand {
  std::string file, directory;
  SpecOptions<EquilibriumSpec> spec;
};

int run_command(const Model& model, const EquilibriumCommand& command, const Output& output) {
  const EquilibriumSpec spec = command.spec.of(model);
  warn_on_modes(model, spec);
  const std::filesystem::path directory =
      tried_directory(command.directory, model, {"equilibrium.csv", "equilibrium.html"});
  const EquilibriumResult outcome = find_equilibrium(model, spec);
  auto paths = write_equilibrium(outcome, directory, "equilibrium");
  Report report;
  report.title = model.name;
  report.subtitle = cat("equilibrium, ", outcome.equations->name());
  report.scene = make_scene(model);
  add_to_page(outcome, report);
  save_report(std::move(report), directory, paths, "equilibrium");
  if (output.json()) {
    nlohmann::json value = equilibrium_json(outcome);
    value["model"] = model.name;
    value["files"] = paths_json(paths);
    output.print(value);
  } else {
    output.print(equilibrium_text(outcome, output.style()) + "\n" + where_results_lie(paths));
  }
  return outcome.found.converged ? exit_ok : exit_failed;
}

Action set_up_equilibrium(CommandOptions& command) {
  auto options = std::make_shared<EquilibriumCommand>();
  command.add_option("FILE", options->file, "Model file (TOML)").required();
  SpecOptions<EquilibriumSpec>& spec = options->spec;
  auto joints = std::make_shared<std::string>();
  command
      .add_option("--joints", *joints, "held: brakes hold joints without springs (default); free: everything settles")
      .one_of({"held", "free"});
  spec.then([joints](EquilibriumSpec& own) {
    if (!joints->empty()) own.hold_joints = *joints == "held";
  });
  spec.add(command, "--time", &EquilibriumSpec::time, "Time at which drives and loads act, s; 0 by default");
  add_formulation_options(command, spec, &EquilibriumSpec::formulation);
  command.add_option("-o,--output", options->directory, output_help);
  return action_on_model(options, run_command);
}

const CommandRegistration registration(
    {.name = "equilibrium",
     .rank = 31,
     .summary = "Static equilibrium: sensors, joint values, holding torques, deflections",
     .examples = "  lithe equilibrium arm.toml\n"
                 "  lithe equilibrium arm.toml --joints free --formulation corotational\n",
     .set_up = set_up_equilibrium});

}  // namespace
}  // namespace lithe::app
