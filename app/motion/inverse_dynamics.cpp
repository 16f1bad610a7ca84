#include <memory>
#include <optional>

#include "app/models/mode_choice.h"
#include "app/models/model_warnings.h"
#include "app/models/robot_file.h"
#include "app/motion/motion.h"
#include "app/pages/reports.h"
#include "app/program/command.h"
#include "app/robots/elastic.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/spec_options.h"
#include "lithe/results/motion.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, directory;
  SpecOptions<InverseDynamicsSpec> spec;
  std::optional<double> end;
  bool elastic = false;
};

// Its end is that of the motions where the command line gives none.
FeedforwardSpec feedforward_of(const Options& options, const InverseDynamicsSpec& spec) {
  FeedforwardSpec feedforward;
  feedforward.output_step = spec.output_step;
  if (options.end) feedforward.end_time = *options.end;
  return feedforward;
}

int run(const PartialModel& robot, const Options& options, const Output& output) {
  const Model& model = robot.model;
  const InverseDynamicsSpec spec = options.spec.of(model);
  if (options.elastic) return run_elastic(robot, feedforward_of(options, spec), options.directory, output);
  warn_on_modes(model, spec);
  require_consent(model, controllers_of(model, spec));
  const std::filesystem::path directory = tried_directory(
      options.directory, model, {"inverse_dynamics.csv", "inverse_dynamics.h5", "inverse_dynamics.html"});
  const SimulatedMotion motion = inverse_dynamics(model, spec, TerminalHooks("inverse dynamics"));
  std::vector<std::filesystem::path> paths = write_motion(motion, directory, "inverse_dynamics");
  Report report = simulation_report(*motion.equations, motion);
  report.subtitle = "inverse dynamics, " + motion.formulation;
  save_report(std::move(report), directory, paths, "inverse_dynamics");
  if (output.json()) {
    nlohmann::json value = motion_json(motion);
    add_mode_choice(model, motion.reduction.get(), value);
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
  command.add_option("--end", options->end, "Time at which to end, s").positive();
  spec.then([given = &options->end](InverseDynamicsSpec& own) { own.end_time = given->value_or(own.end_time); });
  spec.add(command, "--output-step", &InverseDynamicsSpec::output_step, "Time between recorded values, s").positive();
  spec.add(command, "--tolerance", &InverseDynamicsSpec::tolerance, "Error of node positions per second of motion, m")
      .positive();
  spec.add(command, "--integrator", &InverseDynamicsSpec::integrator, "As for simulate");
  add_formulation_options(command, spec, &InverseDynamicsSpec::formulation);
  spec.add_flag(command, "--rigid", &InverseDynamicsSpec::flexible, "As if all links were rigid", false);
  command.add_flag("--elastic", options->elastic,
                   "Motor torques with which the links, not the motors, move as prescribed: elastic gearboxes, rigid "
                   "links");
  command.add_option("-o,--output", options->directory, output_help);
  return action_on_robot(options, run);
}

const CommandRegistration registration({.name = "inverse-dynamics",
                                        .rank = 42,
                                        .summary = "Drive torques and forces for the prescribed motions",
                                        .examples = "  lithe inverse-dynamics robot.toml --end 2\n"
                                                    "  lithe inverse-dynamics robot.toml --rigid\n"
                                                    "  lithe inverse-dynamics robot.toml --elastic\n",
                                        .set_up = set_up});

}  // namespace
}  // namespace lithe::app
