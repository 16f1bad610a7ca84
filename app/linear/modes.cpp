#include "lithe/analyse/modes/modes.h"

#include <algorithm>
#include <iostream>
#include <optional>

#include "app/linear/mode_files.h"
#include "app/models/inspected_model.h"
#include "app/models/mode_choice.h"
#include "app/models/model_warnings.h"
#include "app/pages/reports.h"
#include "app/pages/what_if.h"
#include "app/program/command.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/spec_options.h"
#include "app/terminal/table.h"
#include "lithe/analyse/analyses.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/export/gltf.h"
#include "lithe/export/vtk.h"
#include "lithe/formulate/formulation.h"
#include "lithe/reduce/reduce.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, link, directory, frozen;
  SpecOptions<ModesSpec> spec;
  bool vtk = false;
  std::optional<int> gltf;
  WhatIfChoice what_if;
};

// The first analysis of the file with the same subject, the mechanism or the link, as the command line changes it.
ModesSpec spec_for(const Model& model, const Options& options) {
  ModesSpec spec;
  spec.link = options.link;
  const std::vector<Analysis> all = analyses_of(model);
  for (const Analysis& analysis : all) {
    const auto* own = std::get_if<ModesSpec>(&analysis.spec);
    if (!own || own->link != options.link) continue;
    spec = *own;
    break;
  }
  return options.spec.over(spec);
}

void print_text(const LinkModes& modes, const std::string& subject, const std::vector<std::filesystem::path>& paths,
                const Output& output) {
  const Style style = output.style();
  TextTable table({{"mode"}, {"frequency Hz"}});
  for (int k = 0; k < modes.num_modes(); ++k) table.add_row({cat(modes.number_of(k)), fixed(modes.frequencies(k), 4)});
  std::string text = cat("Natural frequencies of ", subject, "\n\n", table.text(style));
  text += rigid_note(modes);
  output.print(text + "\n" + where_results_lie(paths));
}

void print_json(const Model& model, const LinkModes& modes, const ModesSpec& spec,
                const std::vector<std::filesystem::path>& paths, const Output& output) {
  nlohmann::json list = nlohmann::json::array();
  for (int k = 0; k < modes.num_modes(); ++k) {
    list.push_back({{"mode", modes.number_of(k)}, {"frequency_hz", modes.frequencies(k)}});
  }
  output.print(nlohmann::json{{"model", model.name},
                              {"of", "link"},
                              {"link", modes.link},
                              {"clamped", spec.clamp},
                              {"reduced", spec.reduced},
                              {"rigid_modes", modes.num_rigid},
                              {"modes", list},
                              {"files", paths_json(paths)}});
}

std::string gltf_name(int mode) { return cat("mode_", mode, ".glb"); }

// Where the modes go, tried before they are computed.
std::filesystem::path place_of(const Model& model, const Options& options, const std::string& stem, bool picture) {
  std::vector<std::string> names{stem + ".csv", stem + ".h5", stem + ".html"};
  if (picture) names.push_back(stem + ".svg");
  add_what_if_name(options.what_if, stem, names);
  if (options.vtk) names.emplace_back("modes.vtp");
  if (options.gltf) names.push_back(gltf_name(*options.gltf));
  return tried_directory(options.directory, model, names);
}

// Files for other programs to draw the modes with.
void export_modes(const Report& report, const Options& options, const std::filesystem::path& directory,
                  std::vector<std::filesystem::path>& paths) {
  const ModeSet& set = report.modes.front();
  if (options.vtk) paths.push_back(write_vtk(*report.scene, set, directory, "modes").front());
  if (!options.gltf) return;
  if (set.numbers.empty()) throw InputError("there is no mode to write: nothing moves freely");
  const auto found = std::find(set.numbers.begin(), set.numbers.end(), *options.gltf);
  if (found == set.numbers.end())
    throw InputError(cat("there is no mode ", *options.gltf, " to write; modes are numbered ", set.numbers.front(),
                         " to ", set.numbers.back()));
  const int mode = static_cast<int>(found - set.numbers.begin());
  paths.push_back(write_gltf(gltf_binary(*report.scene, set, mode), directory, gltf_name(*options.gltf)));
}

int run_link(const Model& model, const Options& options, const Output& output) {
  if (options.what_if.wanted) throw InputError("--what-if is for modes of the mechanism: leave out --link");
  const ModesSpec spec = spec_for(model, options);
  const std::string stem = "modes_" + file_name_of(options.link);
  const std::filesystem::path directory = place_of(model, options, stem, false);
  const NaturalModesResult found = natural_modes(model, spec);
  const LinkModes& modes = *found.link;
  std::vector<std::filesystem::path> paths =
      write_link_modes(model, modes, found.subject, directory, "modes_" + file_name_of(modes.link));
  Report report;
  report.title = model.name;
  report.subtitle = cat("natural modes of ", found.subject);
  report.scene = make_scene(model);
  report.modes.push_back(link_mode_set(model, found.link_index, modes, found.subject));
  export_modes(report, options, directory, paths);
  save_report(std::move(report), directory, paths, "modes_" + file_name_of(modes.link));
  if (output.json()) {
    print_json(model, modes, spec, paths, output);
  } else {
    print_text(modes, found.subject, paths, output);
  }
  return exit_ok;
}

void print_mechanism_text(const NaturalModesResult& result, const std::vector<std::filesystem::path>& paths, int count,
                          const std::string& frozen, const Output& output) {
  const MechanismModes& modes = *result.mechanism;
  const Equations& equations = *result.equations;
  const Style style = output.style();
  TextTable table({{"mode"}, {"frequency Hz"}, {"damping ratio"}});
  for (int k = 0; k < std::min(modes.num_rigid + count, modes.num_modes()); ++k) {
    const bool rigid = modes.frequencies(k) == 0;  // unstable ones, below 0, come first
    table.add_row(
        {cat(k + 1), rigid ? "free motion" : fixed(modes.frequencies(k), 4), number(modes.damping_ratios(k), 3)});
  }
  std::string text = cat("Natural frequencies of ", equations.model().name, " in its configuration (", equations.name(),
                         ")\n\n", table.text(style));
  text += mode_notes(modes);
  for (const std::string& note : result.notes) text += cat("note: ", note, "\n");
  output.print(text + frozen + "\n" + where_results_lie(paths));
}

void print_mechanism_json(const NaturalModesResult& result, const std::vector<std::filesystem::path>& paths, int count,
                          const Output& output) {
  const MechanismModes& modes = *result.mechanism;
  const Equations& equations = *result.equations;
  nlohmann::json list = nlohmann::json::array();
  for (int k = 0; k < std::min(modes.num_rigid + count, modes.num_modes()); ++k) {
    list.push_back({{"mode", k + 1},
                    {"frequency_hz", json_number(modes.frequencies(k))},
                    {"damping_ratio", json_number(modes.damping_ratios(k))}});
  }
  nlohmann::json value{{"model", equations.model().name}, {"of", "mechanism"},
                       {"formulation", equations.name()}, {"rigid_modes", modes.num_rigid},
                       {"at_rest", modes.at_rest},        {"modes", list},
                       {"notes", result.notes},           {"files", paths_json(paths)}};
  add_mode_choice(equations.model(), result.reduction.get(), value);
  output.print(value);
}

int run_mechanism(const Model& model, const Options& options, const Output& output) {
  const ModesSpec spec = spec_for(model, options);
  warn_on_modes(model, spec);
  check_freeze(model, options.frozen);
  const std::filesystem::path directory = place_of(model, options, "modes", true);
  std::optional<WhatIfPage> what_if = what_if_page(options.what_if, model, "modes", spec);
  const NaturalModesResult result = natural_modes(model, spec);
  if (!result.mechanism) {
    std::cerr << "lithe: no modes of '" << model.name << "': " << result.failure << '\n';
    return exit_failed;
  }
  const Equations& equations = *result.equations;
  std::vector<std::filesystem::path> paths = write_mechanism_modes(equations, *result.mechanism, directory, "modes");
  Report report = modes_report(equations, result.state, *result.mechanism, spec.count);
  for (const std::string& note : result.notes) report.facts.push_back({"note", note});
  export_modes(report, options, directory, paths);
  if (what_if) paths.push_back(what_if->save(report, directory, "modes"));
  save_report(std::move(report), directory, paths, "modes");
  const std::string frozen = freeze(model, result.reduction.get(), options.frozen);
  if (output.json()) {
    print_mechanism_json(result, paths, spec.count, output);
  } else {
    print_mechanism_text(result, paths, spec.count, frozen, output);
  }
  return exit_ok;
}

int run(const Model& model, const Options& options, const Output& output) {
  return options.link.empty() ? run_mechanism(model, options, output) : run_link(model, options, output);
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  add_model_file(command, options->file);
  const Option link = command.add_option("--link", options->link, "Modes of this link instead of the mechanism");
  SpecOptions<ModesSpec>& spec = options->spec;
  spec.add(command, "--clamp", &ModesSpec::clamp, "Nodes of the link that are held, separated by commas")
      .separated_by_commas()
      .needs(link);
  spec.add_flag(command, "--reduced", &ModesSpec::reduced,
                "Modes that the link's reduction leaves, not those of its mesh")
      .needs(link);
  add_formulation_options(command, spec, &ModesSpec::formulation);
  spec.add(command, "--count", &ModesSpec::count, cat("How many elastic modes; ", ModesSpec{}.count, " by default"))
      .between(1, 1000000);
  add_freeze_option(command, options->frozen);
  command.add_flag("--vtk", options->vtk, "Also write modes.vtp for ParaView");
  command.add_option("--gltf", options->gltf, "Also write this mode, swinging, as mode_<number>.glb");
  add_what_if(command, options->what_if);
  command.add_option("-o,--output", options->directory, output_help);
  return action_on_model(options, run);
}

const CommandRegistration registration(
    {.name = "modes",
     .rank = 30,
     .summary = "Natural frequencies and mode shapes",
     .examples = "  lithe modes arm.toml\n"
                 "  lithe modes arm.toml --link upper --count 10\n"
                 "  lithe modes arm.toml --link upper --clamp root -o results/cantilever\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
