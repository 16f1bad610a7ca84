#include "app/motion/control.h"

#include <memory>

#include "app/models/inspected_model.h"
#include "app/models/model_warnings.h"
#include "app/motion/motion.h"
#include "app/program/command.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/spec_options.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, directory;
  SpecOptions<ControlSpec> spec;
};

int run(const Model& model, const Options& options, const Output& output) {
  const InterruptGuard guard;  // results are written in peace
  const ControlSpec spec = options.spec.of(model);
  warn_on_modes(model, spec);
  const std::filesystem::path directory = tried_directory(options.directory, model, {"control.csv", "control.html"});
  RunRecordings recordings(directory, "control", spec.simulate);
  const ControlStudy study = run_control(model, spec, recordings);
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
  SpecOptions<ControlSpec>& spec = options->spec;
  spec.add(command, "--controllers,--controller", &ControlSpec::controllers, "Only these controllers of the file")
      .separated_by_commas();
  add_motion(command, spec, &ControlSpec::simulate);
  add_formulation_options(command, spec,
                          [](ControlSpec& own) -> FormulationChoice& { return own.simulate.formulation; });
  spec.add_flag(command, "--nominal", &ControlSpec::payloads,
                "Only the move itself: no other payloads, no equal settling times", false);
  command.add_option("-o,--output", options->directory, output_help);
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
