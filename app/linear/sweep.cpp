#include "app/linear/sweep.h"

#include <functional>
#include <iostream>
#include <optional>

#include "app/models/inspected_model.h"
#include "app/models/model_warnings.h"
#include "app/pages/reports.h"
#include "app/pages/what_if.h"
#include "app/program/command.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/spec_options.h"
#include "lithe/base/text.h"
#include "lithe/formulate/formulation.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, directory;
  SpecOptions<SweepSpec> spec;
  std::function<void(FormulationChoice&)> formulation;
  bool fresh = false;
  WhatIfChoice what_if;
};

// What the command line changes of the formulation that the points have, over the repeated analysis.
SweepSpec spec_of_sweep(const Model& model, const Options& options) {
  SweepSpec spec = options.spec.of(model);
  const FormulationChoice own = formulation_of(model, spec);
  FormulationChoice changed = own;
  options.formulation(changed);
  if (const std::string name = full_name_of(changed); name != full_name_of(own)) spec.formulation = name;
  return spec;
}

// Condensation keeps every node; everything else moves in modes.
void warn_on_swept_modes(const Model& model, const SweepSpec& spec) {
  if (spec.formulation) {
    warn_on_modes(model, formulation_of(model, spec).formulation);
  } else if (spec.analysis != "condense") {
    warn_on_modes(model);
  }
}

int run(const Model& model, const Options& options, const Output& output) {
  std::vector<std::string> names{"sweep.csv", "sweep.h5", "sweep.svg", "sweep.html"};
  add_what_if_name(options.what_if, "sweep", names);
  const std::filesystem::path directory = tried_directory(options.directory, model, names);
  const SweepSpec spec = spec_of_sweep(model, options);
  warn_on_swept_modes(model, spec);
  std::optional<WhatIfPage> what_if = what_if_page(options.what_if, model, "map", spec);
  SweepOutcome outcome = run_sweep(options.file, spec, options.fresh, directory, "sweep");
  if (!outcome.finished) {
    std::cerr << "lithe: stopped with " << outcome.num_found + outcome.num_computed << " of " << outcome.num_points
              << " points, kept in " << outcome.part.string() << "; the same command continues\n";
    if (output.json()) output.print(sweep_json(outcome));
    return exit_failed;
  }
  const Report report = sweep_report(outcome);
  if (what_if) outcome.files.push_back(what_if->save(report, directory, "sweep"));
  save_report(report, directory, outcome.files, "sweep");
  if (output.json()) {
    output.print(sweep_json(outcome));
  } else {
    output.print(sweep_text(outcome, output.style()) + "\n" + where_results_lie(outcome.files));
  }
  if (outcome.any_computed()) return exit_ok;
  std::cerr << "lithe: error: no point of the sweep could be computed\n";
  return exit_failed;
}

// The grid. Axes of the command line stand alone: what the file sets for all points belongs to its own.
void add_axes(CommandOptions& command, SpecOptions<SweepSpec>& spec) {
  auto axes = std::make_shared<std::vector<std::string>>(), set = std::make_shared<std::vector<std::string>>();
  command
      .add_option("--axis", *axes,
                  "Axis of the grid, 'name = start : end : count' or 'name = a, b, c'; may be given several times")
      .one_word_each();
  command.add_option("--set", *set, "Something that is changed for all points, 'name = value'").one_word_each();
  spec.then([axes, set](SweepSpec& own) {
    if (!axes->empty() || !set->empty()) own.set = *set;
    if (!axes->empty()) own.axes = *axes;
  });
}

void add_choices(CommandOptions& command, SpecOptions<SweepSpec>& spec) {
  auto about = std::make_shared<std::string>(), orientation = std::make_shared<std::string>();
  command.add_option("--about", *about, "linearise: held (default), equilibrium or initial")
      .one_of({"held", "equilibrium", "initial"});
  command
      .add_option("--orientation", *orientation,
                  "Whether the tool keeps its orientation when it is moved; by default where it can turn by itself")
      .one_of({"keep", "free"});
  spec.then([about, orientation](SweepSpec& own) {
    for (const LineariseAbout choice : {LineariseAbout::held, LineariseAbout::equilibrium, LineariseAbout::initial})
      if (*about == name_of(choice)) own.about = choice;
    if (*orientation == "keep") own.orientation = ToolOrientation::keep;
    if (*orientation == "free") own.orientation = ToolOrientation::free;
  });
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  add_model_file(command, options->file);
  SpecOptions<SweepSpec>& spec = options->spec;
  add_axes(command, spec);
  spec.add(
      command, "--analysis", &SweepSpec::analysis,
      "What is repeated: condense (default), modes, equilibrium, simulate, linearise or inverse_dynamics, with the "
      "settings of the first of that kind in the file; or an analysis of the file by its name");
  options->formulation = add_formulation_options(command);
  spec.add(command, "--end", &SweepSpec::end_time, "simulate, inverse_dynamics: time at which to end, s").positive();
  spec.add(command, "--tolerance", &SweepSpec::tolerance, "simulate, inverse_dynamics: error of node positions, m")
      .positive();
  spec.add(command, "--integrator", &SweepSpec::integrator, "simulate: as for the command simulate");
  spec.add(command, "--spin", &SweepSpec::spin, "linearise: joint (or joint.2) that turns steadily; axis 'speed'");
  spec.add(command, "--tool", &SweepSpec::tool, "Node of the tool, link:node");
  spec.add(command, "--independent", &SweepSpec::independent, "Nodes to keep, link:node, separated by commas")
      .separated_by_commas()
      .one_word_each();
  spec.add(command, "--held", &SweepSpec::held, "Joints that are locked, separated by commas")
      .separated_by_commas()
      .one_word_each();
  spec.add(command, "--count", &SweepSpec::count,
           cat("Natural frequencies or eigenvalues per point; ", SweepSpec{}.count, " by default"))
      .between(0, 1000);
  add_choices(command, spec);
  spec.add_flag(command, "--springs-stay", &SweepSpec::springs_stay,
                "Joint springs keep their rest value when a configuration moves their joint; otherwise it moves along");
  spec.add(command, "--threads", &SweepSpec::threads, "Threads; by default one per processor").between(1, 4096);
  command.add_flag("--fresh", options->fresh, "Do not continue an earlier run of the same sweep");
  add_what_if(command, options->what_if);
  command.add_option("-o,--output", options->directory, output_help);
  return action_on_model(options, run);
}

const CommandRegistration registration(
    {.name = "sweep",
     .rank = 36,
     .summary = "Any analysis over a grid of configurations or parameters: maps of frequencies, stiffness, sag, peaks, "
                "stability",
     .examples =
         "  lithe sweep robot.toml --tool platform:centre \\\n"
         "    --axis 'tool.x = -0.2 : 0.2 : 41' --axis 'tool.y = -0.2 : 0.2 : 41'\n"
         "  lithe sweep arm.toml --tool hand:tip --axis 'joint.elbow = 0 deg : 120 deg : 25'\n"
         "  lithe sweep arm.toml --tool hand:tip --axis 'materials.steel.young_modulus = 180 GPa : 210 GPa : 4'\n"
         "  lithe sweep arm.toml --analysis simulate --axis 'links.hand.masses[0].mass = 0 : 5 : 21'\n"
         "  lithe sweep rotor.toml --analysis linearise --spin bearing \\\n"
         "    --axis 'materials.steel.young_modulus = 70 GPa : 210 GPa : 20' --axis 'speed = 0 : 300 : 100'\n"
         "  An axis is a tool coordinate (tool.x to tool.rz), a joint value (joint.NAME) or any number of the model "
         "file.\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
