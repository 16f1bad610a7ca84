#include <memory>

#include "app/models/inspected_model.h"
#include "app/models/model_warnings.h"
#include "app/motion/motion.h"
#include "app/pages/reports.h"
#include "app/program/command.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/spec_options.h"
#include "lithe/results/motion.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, directory;
  SpecOptions<InverseDynamicsSpec> spec;
};

int run(const Model& model, const Options& options, const Output& output) {
  const InverseDynamicsSpec spec = options.spec.of(model);
  warn_on_modes(model, spec);
  require_consent(model, controllers_of(model, spec));
  const SimulatedMotion motion = inverse_dynamics(model, spec, TerminalHooks("inverse dynamics"));
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
  SpecOptions<InverseDynamicsSpec>& spec = options->spec;
  spec.add(command, "--end", &InverseDynamicsSpec::end_time, "Time at which to end, s").positive();
  spec.add(command, "--output-step", &InverseDynamicsSpec::output_step, "Time between recorded values, s").positive();
  spec.add(command, "--tolerance", &InverseDynamicsSpec::tolerance, "Error of node positions per second of motion, m")
      .positive();
  spec.add(command, "--integrator", &InverseDynamicsSpec::integrator, "As for simulate");
  add_formulation_options(command, spec, &InverseDynamicsSpec::formulation);
  spec.add_flag(command, "--rigid", &InverseDynamicsSpec::flexible, "As if all links were rigid", false);
  command.add_option("-o,--output", options->directory, output_help);
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
