#include "app/linearise.h"

#include <iostream>

#include "app/command.h"
#include "app/consent.h"
#include "app/inspected_model.h"
#include "app/motion.h"
#include "app/reports.h"
#include "app/result_directory.h"
#include "app/spec_options.h"
#include "lithe/analyse/choose_controllers.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, directory;
  SpecOptions<LineariseSpec> spec;
};

int run(const Model& model, const Options& options, const Output& output) {
  const LineariseSpec spec = options.spec.of(model);
  if (spec.about == LineariseAbout::motion) require_consent(model, acting_controllers(model, spec.motion.controllers));
  const TerminalHooks hooks("linearise");
  const LineariseResult result = linearise(model, spec, hooks);
  if (!result.failure.empty()) {
    std::cerr << "lithe: no linear model of '" << model.name << "': " << result.failure << '\n';
    return exit_failed;
  }
  const std::filesystem::path directory = result_directory(options.directory, model);
  std::vector<std::filesystem::path> paths = write_linear(result, spec, directory, "linear");
  Report report;
  report.title = model.name;
  report.subtitle = cat("linear model, ", result.equations->name());
  report.scene = make_scene(model);
  add_to_page(result, spec, report);
  save_report(std::move(report), directory, paths, "linear");
  if (output.json()) {
    nlohmann::json value = linearise_json(result, spec);
    value["files"] = paths_json(paths);
    output.print(value);
  } else {
    output.print(linearise_text(result, spec, output.style()) + "\n" + where_results_lie(paths));
  }
  return exit_ok;
}

// A range FROM:TO:COUNT on the command line.
void add_range(CommandOptions& command, SpecOptions<LineariseSpec>& spec, const std::string& name,
               std::vector<double> LineariseSpec::*field, bool geometric, const std::string& text) {
  auto given = std::make_shared<std::string>();
  command.add_option(name, *given, text);
  spec.then([=](LineariseSpec& own) {
    if (!given->empty()) own.*field = parse_range(*given, name, geometric);
  });
}

// Times and --about: times alone mean the motion.
void add_about(CommandOptions& command, SpecOptions<LineariseSpec>& spec) {
  auto about = std::make_shared<std::string>();
  auto times = std::make_shared<std::vector<double>>();
  command
      .add_option("--about", *about,
                  "held: drives hold the joints and the links settle (default); equilibrium: everything settles; "
                  "initial: the configuration as it is; motion: along the simulation")
      .one_of({std::begin(linearise_about_names), std::end(linearise_about_names)});
  command.add_option("--times,--time", *times, "Times of the motion, s, separated by commas").separated_by_commas();
  spec.then([about, times](LineariseSpec& own) {
    if (!times->empty()) own.times = *times;
    if (!times->empty() && about->empty()) own.about = LineariseAbout::motion;
    for (int i = 0; i < 4; ++i)
      if (*about == linearise_about_names[i]) own.about = static_cast<LineariseAbout>(i);
  });
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  SpecOptions<LineariseSpec>& spec = options->spec;
  add_model_file(command, options->file);
  add_formulation(command, spec, &LineariseSpec::formulation);
  add_about(command, spec);
  spec.add(command, "--inputs,--input", &LineariseSpec::inputs, "Inputs: drives, loads or joints, separated by commas")
      .separated_by_commas();
  spec.add(command, "--held,--hold", &LineariseSpec::held, "Joints that are locked, separated by commas")
      .separated_by_commas();
  spec.add(command, "--spin", &LineariseSpec::spin, "Joint (or joint.2) that turns or slides steadily");
  spec.add(command, "--speed", &LineariseSpec::speed, "Its speed in the linear model, rad/s or m/s");
  add_range(command, spec, "--speeds", &LineariseSpec::speeds, false, "Campbell diagram over its speeds FROM:TO:COUNT");
  add_range(command, spec, "--response", &LineariseSpec::response, true,
            "Frequency response at FROM:TO:COUNT Hz, by equal ratios");
  spec.add(command, "--buckling", &LineariseSpec::buckling, "Load factors at which the loads buckle it: how many")
      .between(1, 1000);
  spec.add_flag(command, "--floquet", &LineariseSpec::floquet,
                "Floquet multipliers of the periodic motion, from the first of --times on (default 0 s)");
  spec.add(command, "--period", &LineariseSpec::period,
           "Its period, s; default: that of the drives and loads. Implies --floquet")
      .positive();
  spec.then([](LineariseSpec& own) { own.floquet = own.floquet || own.period > 0; });
  spec.add(command, "--count", &LineariseSpec::count,
           cat("How many modes to list; ", LineariseSpec{}.count, " by default"))
      .between(1, 1000000);
  command.add_option("-o,--output", options->directory, output_help);
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
