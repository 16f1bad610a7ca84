#include "app/condense.h"

#include <iostream>
#include <optional>

#include "app/command.h"
#include "app/consent.h"
#include "app/inspected_model.h"
#include "app/reports.h"
#include "app/result_directory.h"
#include "lithe/base/diagnostics.h"
#include "lithe/results/condensed.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, directory;
  std::vector<std::string> independent, held;
  std::optional<std::string> tool, route;
  std::optional<int> count;
  bool full = false;
};

CondenseSpec spec_for(const Model& model, const Options& options) {
  CondenseSpec spec = spec_of<CondenseSpec>(model);
  if (!options.independent.empty()) spec.independent = options.independent;
  if (!options.held.empty()) spec.held = options.held;
  spec.tool = options.tool.value_or(spec.tool);
  spec.route = options.route.value_or(spec.route);
  spec.count = options.count.value_or(spec.count);
  spec.full = spec.full || options.full;
  return spec;
}

int run(const Model& model, const Options& options, const Output& output) {
  const CondenseResult outcome = condense(model, spec_for(model, options));
  nlohmann::json value = condense_json(model, outcome);
  if (outcome.condensed.status != CondenseStatus::ok) {
    if (output.json()) output.print(value);
    std::cerr << output.error_style().error(options.file + ": error: " + outcome.condensed.message) << '\n';
    return exit_failed;
  }
  const std::filesystem::path directory = result_directory(options.directory, model);
  auto paths =
      write_condensed(model, outcome.condensed, outcome.modes, directory, "condense", outcome.full_frequencies());
  save_report(condense_page(model, outcome), directory, paths, "condense");
  value["files"] = paths_json(paths);
  if (output.json()) {
    output.print(value);
  } else {
    output.print(condense_text(model, outcome, output.style()) + "\n" + where_results_lie(paths));
  }
  return exit_ok;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  add_model_file(command, options->file);
  command.add_option("--independent", options->independent, "Nodes to keep, link:node, separated by commas")
      .separated_by_commas()
      .one_word_each();
  command.add_option("--tool", options->tool, "Node whose 6 x 6 stiffness and mass are wanted, link:node");
  command.add_option("--held", options->held, "Joints that are locked, separated by commas")
      .separated_by_commas()
      .one_word_each();
  command.add_option("--count", options->count, "How many natural frequencies; 30 by default").between(0, 1000000);
  command.add_option("--route", options->route, "Links condensed first (superelements), or all at once (direct)")
      .one_of({"superelements", "direct"});
  command.add_flag("--full", options->full, "Also frequencies and tool compliance of the mesh without condensation");
  command.add_option("-o,--output", options->directory, "Directory for results; results/<model name> by default");
  return action_on_model(options, run, ModesOfLinks::as_written);
}

const CommandRegistration registration(
    {.name = "condense",
     .rank = 35,
     .summary = "Mass and stiffness condensed to a few nodes, frequencies, stiffness at the tool",
     .examples = "  lithe condense robot.toml --tool platform:centre\n"
                 "  lithe condense robot.toml --independent 'left arm:tip,right arm:tip' --count 12\n"
                 "  lithe condense robot.toml --tool platform:centre --full --route direct\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
