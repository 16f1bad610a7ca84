#include "app/linear/linearise.h"

#include <iostream>

#include "app/models/inspected_model.h"
#include "app/models/mode_choice.h"
#include "app/models/model_warnings.h"
#include "app/pages/reports.h"
#include "app/pages/what_if.h"
#include "app/program/command.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/spec_options.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, directory, frozen;
  SpecOptions<LineariseSpec> spec;
  WhatIfChoice what_if;
};

int run(const Model& model, const Options& options, const Output& output) {
  const LineariseSpec spec = options.spec.of(model);
  warn_on_modes(model, spec);
  check_freeze(model, options.frozen);
  std::vector<std::string> names{"linear.h5", "linear.mat", "linear.json", "linear.h", "linear.py", "linear.html"};
  if (!spec.speeds.empty()) names.emplace_back("linear_campbell.csv");
  if (!spec.response.empty()) names.emplace_back("linear_response.csv");
  add_what_if_name(options.what_if, "linear", names);
  const std::filesystem::path directory = tried_directory(options.directory, model, names);
  std::optional<WhatIfPage> what_if = what_if_page(options.what_if, model, "linear", spec);
  const LineariseResult outcome = run_linearise(model, spec);
  if (!outcome.failure.empty()) {
    std::cerr << "lithe: no linear model of '" << model.name << "': " << outcome.failure << '\n';
    return exit_failed;
  }
  std::vector<std::filesystem::path> paths = write_linear(outcome, spec, directory, "linear");
  Report report;
  report.title = model.name;
  report.subtitle = cat("linear model, ", outcome.equations->name());
  report.scene = make_scene(model);
  add_to_page(outcome, spec, report);
  if (what_if) paths.push_back(what_if->save(report, directory, "linear"));
  save_report(std::move(report), directory, paths, "linear");
  const std::string frozen = freeze(model, outcome.reduction.get(), options.frozen);
  if (output.json()) {
    nlohmann::json value = linearise_json(outcome, spec);
    add_mode_choice(model, outcome.reduction.get(), value);
    value["files"] = paths_json(paths);
    output.print(value);
  } else {
    output.print(linearise_text(outcome, spec, output.style()) + frozen + "\n" + where_results_lie(paths));
  }
  return exit_ok;
}

// Options that are not one field each.
void add_points(CommandOptions& command, SpecOptions<LineariseSpec>& spec) {
  auto about = std::make_shared<std::string>();
  auto times = std::make_shared<std::vector<double>>();
  auto speeds = std::make_shared<std::string>(), response = std::make_shared<std::string>();
  auto period = std::make_shared<std::optional<double>>();
  command
      .add_option("--about", *about,
                  "held: drives hold the joints and the links settle (default); equilibrium: everything settles; "
                  "initial: the configuration as it is; motion: along the simulation")
      .one_of({"held", "equilibrium", "initial", "motion"});
  command.add_option("--time", *times, "Times of the motion, s, separated by commas").separated_by_commas();
  command.add_option("--speeds", *speeds, "Campbell diagram over the speeds of --spin, FROM:TO:COUNT");
  command.add_option("--response", *response, "Frequency response at FROM:TO:COUNT Hz, by equal ratios");
  command.add_option("--period", *period, "Its period, s; default: that of the drives and loads. Implies --floquet")
      .positive();
  spec.then([=](LineariseSpec& own) {
    for (int i = 0; i < static_cast<int>(std::size(linearise_about_names)); ++i)
      if (*about == linearise_about_names[i]) own.about = static_cast<LineariseAbout>(i);
    if (!times->empty()) own.times = *times;
    if (!times->empty() && about->empty()) own.about = LineariseAbout::motion;
    if (!speeds->empty()) own.speeds = parse_range(*speeds, "--speeds", false);
    if (!response->empty()) own.response = parse_range(*response, "--response", true);
    own.period = period->value_or(own.period);
    own.floquet = own.floquet || *period;
  });
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  add_model_file(command, options->file);
  SpecOptions<LineariseSpec>& spec = options->spec;
  add_formulation_options(command, spec, &LineariseSpec::formulation);
  spec.add(command, "--inputs,--input", &LineariseSpec::inputs, "Inputs: drives, loads or joints, separated by commas")
      .separated_by_commas();
  spec.add(command, "--held,--hold", &LineariseSpec::held, "Joints that are locked, separated by commas")
      .separated_by_commas();
  spec.add(command, "--spin", &LineariseSpec::spin, "Joint (or joint.2) that turns or slides steadily");
  spec.add(command, "--speed", &LineariseSpec::speed, "Its speed in the linear model, rad/s or m/s");
  spec.add(command, "--buckling", &LineariseSpec::buckling, "Load factors at which the loads buckle it: how many")
      .between(1, 1000);
  spec.add_flag(command, "--floquet", &LineariseSpec::floquet,
                "Floquet multipliers of the periodic motion, from the first --time on (default 0 s)");
  add_points(command, spec);
  spec.add(command, "--count", &LineariseSpec::count, "How many modes to list").between(1, 1000000);
  add_what_if(command, options->what_if);
  add_freeze_option(command, options->frozen);
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
