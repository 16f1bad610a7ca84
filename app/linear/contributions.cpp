#include "lithe/analyse/contributions.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/models/model_warnings.h"
#include "app/models/robot_file.h"
#include "app/pages/reports.h"
#include "app/program/command.h"
#include "app/robots/studies.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/sparkline.h"
#include "app/terminal/spec_options.h"
#include "app/terminal/table.h"
#include "lithe/base/computation_error.h"
#include "lithe/base/text.h"
#include "lithe/results/files/csv.h"
#include "lithe/results/files/file_set.h"

namespace lithe::app {
namespace {

struct ContributionCommand {
  std::string file, directory;
  SpecOptions<ContributionSpec> spec;
};

std::string percent(double share) { return number(std::round(1000 * share) / 10, 4); }

constexpr int bar_width = 20;  // of the whole

std::string contribution_text(const ContributionResult& result, const std::string& tool, const Style& style) {
  std::string text = cat("Compliance of '", tool, "' with held motors: ", number(1e6 * result.compliance.x(), 4), ", ",
                         number(1e6 * result.compliance.y(), 4), ", ", number(1e6 * result.compliance.z(), 4),
                         " um/N along x, y, z\n\nShares of the compliance in %:\n");
  TextTable compliance({{"part", Align::left}, {"x"}, {"y"}, {"z"}, {"all"}, {"", Align::left}});
  for (const Contribution& part : result.parts)
    compliance.add_row({part.name, percent(part.compliance.x()), percent(part.compliance.y()),
                        percent(part.compliance.z()), percent(part.mean_compliance),
                        bar(part.mean_compliance, bar_width)});
  text += compliance.text(style) + "\nShares of natural frequencies, squared, in %:\n";
  std::vector<TextColumn> columns{{"part", Align::left}};
  for (const double frequency : result.frequencies) columns.push_back({cat(number(frequency, 4), " Hz")});
  columns.push_back({"of the first", Align::left});
  TextTable frequencies(columns);
  for (const Contribution& part : result.parts) {
    std::vector<std::string> row{part.name};
    for (const double share : part.frequencies) row.push_back(percent(share));
    row.push_back(part.frequencies.empty() ? "" : bar(part.frequencies[0], bar_width));
    frequencies.add_row(std::move(row));
  }
  return text + frequencies.text(style);
}

// Shares of all parts add up to one where nothing else is stiff. The compliance along a bar that sags by m g l/k is
// sin² of that over k: it falls with k³, a share of 300 %.
void warn_on_sums(const ContributionResult& result) {
  const char* less = "gravity and loads have the rest, or the kept modes of links leave out what bends there";
  const char* more = "gravity and loads push out, or sag makes this direction yield, and a stiffer part sags less, too";
  std::vector<std::string> odd;
  const auto check = [&](const std::string& what, double sum) {
    if (std::abs(sum - 1) > 0.02) odd.push_back(cat(what, " add up to ", percent(sum), " %; ", sum > 1 ? more : less));
  };
  for (int k = 0; k < 3; ++k) {
    double sum = 0;
    for (const Contribution& part : result.parts) sum += part.compliance[k];
    if (result.compliance[k] > 1e-6 * result.compliance.maxCoeff())
      check(cat("shares of the compliance along ", "xyz"[k]), sum);
  }
  for (std::size_t k = 0; k < result.frequencies.size(); ++k) {
    double sum = 0;
    for (const Contribution& part : result.parts) sum += part.frequencies[k];
    check(cat("shares of the frequency ", number(result.frequencies[k], 4), " Hz"), sum);
  }
  warn_on_model(odd);
}

nlohmann::json contribution_json(const ContributionResult& result) {
  const auto three = [](const Vector3& v) { return nlohmann::json{v.x(), v.y(), v.z()}; };
  nlohmann::json parts = nlohmann::json::array();
  for (const Contribution& part : result.parts)
    parts.push_back({{"name", part.name},
                     {"kind", part.is_joint ? "joint" : "link"},
                     {"compliance", three(part.compliance)},
                     {"mean_compliance", part.mean_compliance},
                     {"frequencies", part.frequencies}});
  return {{"kind", "contributions"},
          {"compliance_m_per_N", three(result.compliance)},
          {"frequencies_Hz", result.frequencies},
          {"parts", parts}};
}

ReportTable contribution_table(const ContributionResult& result) {
  ReportTable table{
      .title = "what to stiffen first",
      .columns =
          {{"part", ""}, {"compliance along x", "%"}, {"along y", "%"}, {"along z", "%"}, {"all three", "%"}, {"", ""}},
      .rows = {}};
  for (const double frequency : result.frequencies) table.columns.push_back({cat(number(frequency, 4), " Hz"), "%"});
  table.columns.push_back({"of the first", ""});
  for (const Contribution& part : result.parts) {
    table.rows.push_back({part.name, 100 * part.compliance.x(), 100 * part.compliance.y(), 100 * part.compliance.z(),
                          100 * part.mean_compliance, bar(part.mean_compliance, bar_width)});
    for (const double share : part.frequencies) table.rows.back().push_back(100 * share);
    table.rows.back().push_back(part.frequencies.empty() ? "" : bar(part.frequencies[0], bar_width));
  }
  return table;
}

// One row, as other results of a configuration: columns such as "upper arm compliance".
void write_contributions(const ContributionResult& result, const Model& model, const StudyPlace& place,
                         std::vector<std::filesystem::path>& paths) {
  Table table;
  table.name = "contributions";
  table.notes = {{"model", model.name}};
  for (int k = 0; k < 3; ++k) table.add(cat("compliance ", "xyz"[k]), "m/N", {result.compliance[k]});
  for (const Contribution& part : result.parts) {
    table.add(cat(part.name, ": share of compliance"), "", {part.mean_compliance});
    for (std::size_t k = 0; k < part.frequencies.size(); ++k)
      table.add(cat(part.name, ": share of frequency ", k + 1), "", {part.frequencies[k]});
  }
  FileSet files(place.directory);
  write_csv(table, files.add(place.stem + ".csv"));
  files.commit();
  paths = files.paths();
}

int run_contributions(const PartialModel& robot, const ContributionCommand& command, const Output& output) {
  const ContributionSpec spec = command.spec.over({});
  const StudyPlace place{tried_directory(command.directory, robot.model, {"contributions.csv", "contributions.html"}),
                         "contributions", output.style()};
  return finish_study(study_contributions(robot, spec, place), place, output);
}

Action set_up_contributions(CommandOptions& command) {
  auto options = std::make_shared<ContributionCommand>();
  add_model_file(command, options->file);
  SpecOptions<ContributionSpec>& spec = options->spec;
  spec.add(command, "--tool", &ContributionSpec::tool,
           "Node whose compliance is shared out, link:node; default: that of the only position sensor");
  spec.add(command, "--held", &ContributionSpec::held, "Joints that motors hold; default: those with motors or drives");
  spec.add(command, "--count", &ContributionSpec::count, "Natural frequencies").positive();
  add_formulation_options(command, spec, &ContributionSpec::formulation);
  command.add_option("-o,--output", options->directory, output_help);
  return action_on_robot(options, run_contributions);
}

const CommandRegistration contributions_registration(
    {.name = "contributions",
     .rank = 33,
     .summary = "What to stiffen first: shares of links and joints in compliance and modes",
     .examples = "  lithe contributions robot.toml\n"
                 "  lithe contributions robot.toml --tool flange:tool\n"
                 "  lithe contributions robot.toml --tool flange:tool --held elbow shoulder --count 5\n",
     .set_up = set_up_contributions});

}  // namespace

StudyOutcome study_contributions(const PartialModel& robot, const ContributionSpec& given, const StudyPlace& place) {
  ContributionSpec spec = given;
  if (spec.tool.empty()) spec.tool = only_tool(robot.model);
  warn_on_modes(robot.model, spec.formulation.formulation);
  const ContributionResult result = contributions(robot.model, robot.drive_trains, spec);
  if (!result.failure.empty()) throw ComputationError(cat(robot.model.file, ": ", result.failure));
  warn_on_sums(result);
  StudyOutcome outcome;
  outcome.text = contribution_text(result, spec.tool, place.style);
  outcome.value = contribution_json(result);
  write_contributions(result, robot.model, place, outcome.files);
  const NaturalModesResult modes = natural_modes(robot.model, {.formulation = spec.formulation});
  if (!modes.mechanism) return outcome;
  outcome.page = modes_report(*modes.equations, modes.state, *modes.mechanism, spec.count);
  outcome.page.subtitle = "what to stiffen first";
  outcome.page.tables.insert(outcome.page.tables.begin(), contribution_table(result));
  return outcome;
}

}  // namespace lithe::app
