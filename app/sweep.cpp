#include "app/sweep.h"

#include <iostream>
#include <optional>

#include "app/command.h"
#include "app/consent.h"
#include "app/inspected_model.h"
#include "app/reports.h"
#include "app/result_directory.h"
#include "lithe/base/text.h"
#include "lithe/formulate/formulation.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, directory, orientation, about;
  std::vector<std::string> axes, set, independent, held;
  std::optional<std::string> tool, analysis, formulation, spin, integrator;
  std::optional<int> count, threads;
  std::optional<double> end_time, tolerance;
  bool fresh = false, springs_stay = false;
};

// The sweep of the file, as the command line changes it. Axes of the command line stand alone: what the file sets for
// all points belongs to its own.
SweepSpec spec_for(const Model& model, const Options& options) {
  SweepSpec spec = spec_of<SweepSpec>(model);
  if (!options.axes.empty()) spec.axes = options.axes;
  if (!options.axes.empty() || !options.set.empty()) spec.set = options.set;
  if (!options.independent.empty()) spec.independent = options.independent;
  if (!options.held.empty()) spec.held = options.held;
  spec.tool = options.tool.value_or(spec.tool);
  spec.count = options.count.value_or(spec.count);
  if (options.orientation == "keep") spec.orientation = ToolOrientation::keep;
  if (options.orientation == "free") spec.orientation = ToolOrientation::free;
  spec.analysis = options.analysis.value_or(spec.analysis);
  if (options.formulation) spec.formulation = options.formulation;
  if (options.spin) spec.spin = options.spin;
  for (const LineariseAbout about : {LineariseAbout::held, LineariseAbout::equilibrium, LineariseAbout::initial})
    if (options.about == name_of(about)) spec.about = about;
  if (options.integrator) spec.integrator = options.integrator;
  if (options.end_time) spec.end_time = options.end_time;
  if (options.tolerance) spec.tolerance = options.tolerance;
  spec.springs_stay = spec.springs_stay || options.springs_stay;
  spec.threads = options.threads.value_or(spec.threads);
  return spec;
}

int run(const Model& model, const Options& options, const Output& output) {
  const std::filesystem::path directory = result_directory(options.directory, model);
  SweepOutcome outcome = run_sweep(options.file, spec_for(model, options), options.fresh, directory, "sweep");
  if (!outcome.finished) {
    std::cerr << "lithe: stopped with " << outcome.num_found + outcome.num_computed << " of " << outcome.num_points
              << " points, kept in " << outcome.part.string() << "; the same command continues\n";
    if (output.json()) output.print(sweep_json(outcome));
    return exit_failed;
  }
  save_report(sweep_report(outcome), directory, outcome.files, "sweep");
  if (output.json()) {
    output.print(sweep_json(outcome));
  } else {
    output.print(sweep_text(outcome, output.style()) + "\n" + where_results_lie(outcome.files));
  }
  if (outcome.any_computed()) return exit_ok;
  std::cerr << "lithe: error: no point of the sweep could be computed\n";
  return exit_failed;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  add_model_file(command, options->file);
  command
      .add_option("--axis", options->axes,
                  "Axis of the grid, 'name = first : last : count' or 'name = a, b, c'; again for more")
      .one_word_each();
  command.add_option("--set", options->set, "Something that is changed for all points, 'name = value'").one_word_each();
  command.add_option("--analysis", options->analysis,
                     "What is repeated: condense (default), modes, equilibrium, simulate, linearise or "
                     "inverse_dynamics, with the settings of the first of that kind in the file; or an analysis of "
                     "the file by its name");
  command.add_option("--formulation", options->formulation, "Equations of motion, where they are used")
      .one_of(formulation_names());
  command.add_option("--end", options->end_time, "simulate, inverse_dynamics: time at which to end, s").positive();
  command.add_option("--tolerance", options->tolerance, "simulate, inverse_dynamics: error of node positions, m")
      .positive();
  command.add_option("--integrator", options->integrator, "simulate: as for the command simulate");
  command.add_option("--spin", options->spin, "linearise: joint (or joint.2) that turns steadily; axis 'speed'");
  command.add_option("--about", options->about, "linearise: held (default), equilibrium or initial")
      .one_of({"held", "equilibrium", "initial"});
  command.add_option("--tool", options->tool, "Node of the tool, link:node");
  command.add_option("--independent", options->independent, "Nodes to keep, link:node, separated by commas")
      .separated_by_commas()
      .one_word_each();
  command.add_option("--held", options->held, "Joints that are locked, separated by commas")
      .separated_by_commas()
      .one_word_each();
  command.add_option("--count", options->count, "Natural frequencies or eigenvalues per point; 6 by default")
      .between(0, 1000);
  command
      .add_option("--orientation", options->orientation,
                  "Whether the tool keeps its orientation when it is moved; by default where it can turn by itself")
      .one_of({"keep", "free"});
  command.add_flag(
      "--springs-stay", options->springs_stay,
      "Joint springs keep their rest value when a configuration moves their joint; otherwise it moves along");
  command.add_option("--threads", options->threads, "Threads; by default one per processor").between(1, 4096);
  command.add_flag("--fresh", options->fresh, "Do not continue an earlier run of the same sweep");
  command.add_option("-o,--output", options->directory, "Directory for results; results/<model name> by default");
  return action_on_model(options, run);
}

const CommandRegistration registration(
    {.name = "sweep",
     .rank = 36,
     .summary = "Any analysis over a grid of configurations or parameters: maps of frequencies, stiffness, sag, peaks, "
                "stability",
     .examples =
         "  lithe sweep robot.toml --tool platform:centre --axis 'tool.x = -0.2 : 0.2 : 41' --axis 'tool.y = -0.2 : "
         "0.2 : 41'\n"
         "  lithe sweep arm.toml --tool hand:tip --axis 'joint.elbow = 0 deg : 120 deg : 25'\n"
         "  lithe sweep arm.toml --tool hand:tip --axis 'materials.steel.young_modulus = 180 GPa : 210 GPa : 4'\n"
         "  lithe sweep arm.toml --analysis simulate --axis 'links.hand.masses[0].mass = 0 : 5 : 21'\n"
         "  lithe sweep rotor.toml --analysis linearise --spin bearing --axis 'materials.steel.young_modulus = 70 GPa "
         ": 210 "
         "GPa : 20' --axis 'speed = 0 : 300 : 100'\n"
         "  An axis is a tool coordinate (tool.x to tool.rz), a joint value (joint.NAME) or any number of the model "
         "file.\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
