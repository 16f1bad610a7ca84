#include "app/control.h"

#include <memory>
#include <optional>

#include "app/command.h"
#include "app/consent.h"
#include "app/control_choice.h"
#include "app/inspected_model.h"
#include "app/interrupt.h"
#include "app/model_warnings.h"
#include "app/motion.h"
#include "app/result_directory.h"
#include "lithe/model/control_setup.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, directory;
  std::vector<std::string> controllers;
  std::optional<double> end, output_step, tolerance;
  std::optional<std::string> formulation, integrator;
  bool nominal = false, straight = false;
};

ControlStudyOptions study_options(const Model& model, const Options& options) {
  ControlStudyOptions wanted = control_options(model, find_analysis(model, AnalysisKind::control));
  if (options.end) wanted.simulate.end_time = *options.end;
  if (options.output_step) wanted.simulate.output_step = *options.output_step;
  if (options.tolerance) wanted.simulate.integration.tolerance = *options.tolerance;
  if (options.integrator) wanted.simulate.integrator = *options.integrator;
  if (options.formulation) wanted.formulation.formulation = *options.formulation;
  leave_out_quadratic_elongation(options.straight, wanted.formulation);
  if (!options.controllers.empty()) wanted.controllers = chosen_controllers(model, options.controllers);
  if (options.nominal) wanted.vary_payload = wanted.equal_settling = false;
  return wanted;
}

int run(const Model& model, const Options& options, const Output& output) {
  const InterruptGuard guard;  // results are written in peace
  const ControlStudyOptions wanted = study_options(model, options);
  warn_on_modes(model, wanted.formulation.formulation);
  RunRecordings recordings(result_directory(options.directory, model), "control", wanted.simulate);
  const ControlStudy study = run_control(model, wanted, recordings);
  const auto paths = write_control(study, recordings);
  if (output.json()) {
    nlohmann::json value = control_json(study);
    value["files"] = paths_json(paths);
    output.print(value);
  } else {
    output.print(control_text(study, output.style()) + "\n" + where_results_lie(paths));
  }
  return study.finished() ? exit_ok : exit_failed;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  add_model_file(command, options->file);
  command.add_option("--controllers", options->controllers, "Only these controllers of the file").separated_by_commas();
  command.add_option("--end", options->end, "Time at which to end, s").positive();
  command.add_option("--output-step", options->output_step, "Time between recorded values, s").positive();
  command.add_option("--tolerance", options->tolerance, "Error of node positions per second of motion, m").positive();
  command.add_option("--integrator", options->integrator, "As for simulate");
  command.add_option("--formulation", options->formulation, "Equations of motion of the simulation")
      .one_of(formulation_names());
  command.add_flag("--without-quadratic-elongation", options->straight, straight_elongation_help);
  command.add_flag("--nominal", options->nominal, "Only the move itself: no other payloads, no equal settling times");
  command.add_option("-o,--output", options->directory, "Directory for results; results/<model name> by default");
  return action_on_model(options, run);
}

const CommandRegistration registration(
    {.name = "control",
     .rank = 47,
     .summary = "The same move with each controller: settling, vibration, effort, robustness",
     .examples = "  lithe control control_arm.toml\n"
                 "  lithe control control_arm.toml --controllers pid,lqg --nominal\n"
                 "  lithe control control_arm.toml --formulation floating-frame\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
