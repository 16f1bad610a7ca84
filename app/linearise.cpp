#include "app/linearise.h"

#include <iostream>

#include "app/command.h"
#include "app/consent.h"
#include "app/inspected_model.h"
#include "app/model_warnings.h"
#include "app/motion.h"
#include "app/reports.h"
#include "app/result_directory.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

// What the command line says; the rest comes from the file.
struct Options {
  std::string file, directory;
  std::optional<std::string> formulation, about, spin, speeds, response;
  std::vector<std::string> inputs, held;
  std::vector<double> times;
  std::optional<double> speed, period;
  bool floquet = false;
  std::optional<int> count, buckling;
  bool straight = false;
};

LineariseSpec spec_for(const Model& model, const Options& options) {
  LineariseSpec spec = spec_of<LineariseSpec>(model);
  if (options.formulation) spec.formulation.formulation = *options.formulation;
  leave_out_quadratic_elongation(options.straight, spec.formulation);
  for (int i = 0; i < static_cast<int>(std::size(linearise_about_names)); ++i)
    if (options.about == linearise_about_names[i]) spec.about = static_cast<LineariseAbout>(i);
  if (!options.times.empty()) spec.times = options.times;
  if (!options.times.empty() && !options.about) spec.about = LineariseAbout::motion;
  if (!options.inputs.empty()) spec.inputs = options.inputs;
  if (!options.held.empty()) spec.held = options.held;
  if (options.spin) spec.spin = *options.spin;
  if (options.speed) spec.speed = *options.speed;
  if (options.speeds) spec.speeds = parse_range(*options.speeds, "--speeds", false);
  if (options.response) spec.response = parse_range(*options.response, "--response", true);
  if (options.count) spec.count = *options.count;
  if (options.buckling) spec.buckling = *options.buckling;
  if (options.period) spec.period = *options.period;
  spec.floquet = spec.floquet || options.floquet || options.period;
  return spec;
}

int run(const Model& model, const Options& options, const Output& output) {
  const LineariseSpec spec = spec_for(model, options);
  warn_on_modes(model, spec.formulation.formulation);
  const LineariseResult outcome = run_linearise(model, spec);
  if (!outcome.failure.empty()) {
    std::cerr << "lithe: no linear model of '" << model.name << "': " << outcome.failure << '\n';
    return exit_failed;
  }
  const std::filesystem::path directory = result_directory(options.directory, model);
  std::vector<std::filesystem::path> paths = write_linear(outcome, spec, directory, "linear");
  Report report;
  report.title = model.name;
  report.subtitle = cat("linear model, ", outcome.equations->name());
  report.scene = make_scene(model);
  add_to_page(outcome, spec, report);
  save_report(std::move(report), directory, paths, "linear");
  if (output.json()) {
    nlohmann::json value = linearise_json(outcome, spec);
    value["files"] = paths_json(paths);
    output.print(value);
  } else {
    output.print(linearise_text(outcome, spec, output.style()) + "\n" + where_results_lie(paths));
  }
  return exit_ok;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  add_model_file(command, options->file);
  command.add_option("--formulation", options->formulation, "Equations of motion; erls-cms unless the file says so")
      .one_of(formulation_names());
  command
      .add_option("--about", options->about,
                  "held: drives hold the joints and the links settle (default); equilibrium: everything settles; "
                  "initial: the configuration as it is; motion: along the simulation")
      .one_of({"held", "equilibrium", "initial", "motion"});
  command.add_option("--time", options->times, "Times of the motion, s, separated by commas").separated_by_commas();
  command.add_option("--input", options->inputs, "Inputs: drives, loads or joints, separated by commas")
      .separated_by_commas();
  command.add_option("--hold", options->held, "Joints that are locked, separated by commas").separated_by_commas();
  command.add_option("--spin", options->spin, "Joint (or joint.2) that turns or slides steadily");
  command.add_option("--speed", options->speed, "Its speed in the linear model, rad/s or m/s");
  command.add_option("--speeds", options->speeds, "Campbell diagram over its speeds FROM:TO:COUNT");
  command.add_option("--response", options->response, "Frequency response at FROM:TO:COUNT Hz, by equal ratios");
  command.add_option("--buckling", options->buckling, "Load factors at which the loads buckle it: how many")
      .between(1, 1000);
  command.add_flag("--floquet", options->floquet,
                   "Floquet multipliers of the periodic motion, from the first --time on (default 0 s)");
  command
      .add_option("--period", options->period,
                  "Its period, s; default: that of the drives and loads. Implies --floquet")
      .positive();
  command.add_option("--count", options->count, "How many modes to list").between(1, 1000000);
  command.add_flag("--without-quadratic-elongation", options->straight, straight_elongation_help);
  command.add_option("-o,--output", options->directory, "Directory for results; results/<model name> by default");
  return action_on_model(options, run);
}

const CommandRegistration registration(
    {.name = "linearise",
     .rank = 35,
     .summary =
         "Linear models: state space, eigenvalues, Campbell diagram, frequency response, buckling, Floquet multipliers",
     .examples = "  lithe linearise arm.toml\n"
                 "  lithe linearise arm.toml --input motor --response 1:500:400\n"
                 "  lithe linearise rotor.toml --spin bearing --speeds 0:300:200 --formulation transfer-functions\n"
                 "  lithe linearise arm.toml --time 0.5,1.0\n"
                 "  lithe linearise crank.toml --floquet\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
