#include "app/inverse_dynamics.h"

#include <memory>

#include "app/command.h"
#include "app/consent.h"
#include "app/inspected_model.h"
#include "app/motion.h"
#include "app/reports.h"
#include "app/result_directory.h"
#include "app/spec_options.h"
#include "lithe/analyse/choose_controllers.h"

namespace lithe::app {

RecordedMotion record_inverse_dynamics(const Model& model, const InverseDynamicsSpec& spec,
                                       const std::filesystem::path& directory, const std::string& stem) {
  RecordPlan plan;
  plan.directory = directory;
  plan.stem = stem;
  plan.model = model.name;
  plan.formulation = motion_of(spec).formulation.formulation;
  plan.signature = run_signature(model, motion_of(spec));
  TerminalHooks hooks("inverse dynamics");
  return record_motion(plan, hooks.simulate(), [&] { return inverse_dynamics(model, spec, hooks); });
}

namespace {

struct Options {
  std::string file, directory;
  SpecOptions<InverseDynamicsSpec> spec;
};

int run(const Model& model, const Options& options, const Output& output) {
  require_consent(model, acting_controllers(model, {}));
  const std::filesystem::path directory = result_directory(options.directory, model);
  auto [motion, paths] = record_inverse_dynamics(model, options.spec.of(model), directory, "inverse_dynamics");
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
  SpecOptions<InverseDynamicsSpec>& spec = options->spec;
  add_model_file(command, options->file);
  spec.add(command, "--end", &InverseDynamicsSpec::end_time, "Time at which to end, s").positive();
  spec.add(command, "--output-step", &InverseDynamicsSpec::output_step, "Time between recorded values, s").positive();
  spec.add(command, "--tolerance", &InverseDynamicsSpec::tolerance, "Error of node positions per second of motion, m")
      .positive();
  spec.add(command, "--integrator", &InverseDynamicsSpec::integrator, "As for simulate");
  spec.add_flag(command, "--rigid", &InverseDynamicsSpec::flexible, "As if all links were rigid", false);
  add_formulation(command, spec, &InverseDynamicsSpec::formulation);
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
