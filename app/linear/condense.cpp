#include "app/linear/condense.h"

#include <iostream>

#include "app/models/inspected_model.h"
#include "app/pages/reports.h"
#include "app/program/command.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/spec_options.h"
#include "lithe/base/text.h"
#include "lithe/results/condensed.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, directory;
  SpecOptions<CondenseSpec> spec;
};

int run(const Model& model, const Options& options, const Output& output) {
  const std::filesystem::path directory =
      tried_directory(options.directory, model, {"condense.csv", "condense.h5", "condense.html"});
  const CondenseResult outcome = condense(model, options.spec.of(model));
  nlohmann::json value = condense_json(model, outcome);
  if (outcome.condensed.status != CondenseStatus::ok) {
    if (output.json()) output.print(value);
    std::cerr << output.error_style().error(options.file + ": error: " + outcome.condensed.message) << '\n';
    return exit_failed;
  }
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
  SpecOptions<CondenseSpec>& spec = options->spec;
  spec.add(command, "--independent", &CondenseSpec::independent, "Nodes to keep, link:node, separated by commas")
      .separated_by_commas()
      .one_word_each();
  spec.add(command, "--tool", &CondenseSpec::tool, "Node whose 6 x 6 stiffness and mass are wanted, link:node");
  spec.add(command, "--held", &CondenseSpec::held, "Joints that are locked, separated by commas")
      .separated_by_commas()
      .one_word_each();
  spec.add(command, "--count", &CondenseSpec::count,
           cat("How many natural frequencies; ", CondenseSpec{}.count, " by default"))
      .between(0, 1000000);
  spec.add(command, "--route", &CondenseSpec::route, "Links condensed first (superelements), or all at once (direct)")
      .one_of({"superelements", "direct"});
  spec.add_flag(command, "--full", &CondenseSpec::full,
                "Also frequencies and tool compliance of the mesh without condensation");
  command.add_option("-o,--output", options->directory, output_help);
  return action_on_model(options, run);
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
