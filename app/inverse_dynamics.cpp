#include <memory>
#include <optional>

#include "app/command.h"
#include "app/consent.h"
#include "app/control_choice.h"
#include "app/inspected_model.h"
#include "app/interrupt.h"
#include "app/model_warnings.h"
#include "app/motion.h"
#include "app/progress.h"
#include "app/reports.h"
#include "app/result_directory.h"
#include "lithe/analyse/analyses.h"
#include "lithe/integrate/sundials.h"
#include "lithe/results/motion.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, directory;
  std::optional<double> end, output_step, tolerance;
  std::optional<std::string> integrator, formulation;
  bool rigid = false, straight = false;
};

InverseDynamicsSpec spec_for(const Model& model, const Options& options) {
  InverseDynamicsSpec spec = spec_of<InverseDynamicsSpec>(model);
  spec.end_time = options.end.value_or(spec.end_time);
  spec.output_step = options.output_step.value_or(spec.output_step);
  spec.tolerance = options.tolerance.value_or(spec.tolerance);
  spec.integrator = options.integrator.value_or(spec.integrator);
  spec.formulation.formulation = options.formulation.value_or(spec.formulation.formulation);
  leave_out_quadratic_elongation(options.straight, spec.formulation);
  spec.flexible = spec.flexible && !options.rigid;
  return spec;
}

SimulatedMotion compute(const Model& model, const InverseDynamicsSpec& spec) {
  require_consent(model, acting_controllers(model, {}));
  const InterruptGuard guard;
  Progress progress("inverse dynamics");
  SimulateHooks hooks;
  hooks.progress = [&progress](double part) { progress.update(part); };
  hooks.cancel = &interrupt_flag();
  hooks.external = make_allowed_controller;
  hooks.integrators = make_any_integrator;
  return inverse_dynamics(model, spec, hooks);
}

int run(const Model& model, const Options& options, const Output& output) {
  const InverseDynamicsSpec spec = spec_for(model, options);
  if (spec.flexible) warn_on_modes(model, spec.formulation.formulation);
  const SimulatedMotion motion = compute(model, spec);
  const std::filesystem::path directory = result_directory(options.directory, model);
  std::vector<std::filesystem::path> paths = write_motion(motion, directory, "inverse_dynamics");
  Report report = simulation_report(*motion.equations, motion);
  report.subtitle = "inverse dynamics, " + motion.formulation;
  save_report(std::move(report), directory, paths, "inverse_dynamics");
  if (output.json()) {
    nlohmann::json value = motion_json(motion);
    value["files"] = paths_json(paths);
    output.print(value);
  } else {
    output.print("Inverse dynamics\n" + motion_text(motion, output.style()) + "\n" + where_results_lie(paths));
  }
  return motion.end == RunEnd::failed ? exit_failed : exit_ok;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  add_model_file(command, options->file);
  command.add_option("--end", options->end, "Time at which to end, s").positive();
  command.add_option("--output-step", options->output_step, "Time between recorded values, s").positive();
  command.add_option("--tolerance", options->tolerance, "Error of node positions per second of motion, m").positive();
  command.add_option("--integrator", options->integrator, "As for simulate");
  command.add_option("--formulation", options->formulation, "Equations of motion").one_of(formulation_names());
  command.add_flag("--without-quadratic-elongation", options->straight, straight_elongation_help);
  command.add_flag("--rigid", options->rigid, "As if all links were rigid");
  command.add_option("-o,--output", options->directory, "Directory for results; results/<model name> by default");
  return action_on_model(options, run);
}

const CommandRegistration registration({.name = "inverse-dynamics",
                                        .rank = 42,
                                        .summary = "Drive torques and forces for the prescribed motions",
                                        .examples = "  lithe inverse-dynamics robot.toml --end 2\n"
                                                    "  lithe inverse-dynamics robot.toml --rigid\n",
                                        .set_up = set_up});

}  // namespace
}  // namespace lithe::app
