#include "lithe/analyse/modes/modes.h"

#include <algorithm>
#include <iostream>
#include <optional>

#include "app/command.h"
#include "app/consent.h"
#include "app/inspected_model.h"
#include "app/mode_choice.h"
#include "app/mode_files.h"
#include "app/motion.h"
#include "app/reports.h"
#include "app/result_directory.h"
#include "app/table.h"
#include "lithe/analyse/modes/link_modes.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/export/gltf.h"
#include "lithe/export/vtk.h"
#include "lithe/formulate/formulation.h"
#include "lithe/reduce/reduce.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, link, directory, formulation = "erls-cms";
  std::vector<std::string> clamp;
  int count = 20;
  bool reduced = false, vtk = false, straight = false;
  std::optional<int> gltf;
};

template <class Items>
std::string names_of(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(cat("'", item.name, "'"));
  return joined(names);
}

template <class Items>
int index_of(const Items& items, const std::string& name, const std::string& what) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].name == name) return static_cast<int>(i);
  }
  throw InputError(cat("there is no ", what, " '", name, "'; there are: ", names_of(items)));
}

LinkModes compute(const Model& model, const Options& options) {
  const int link = index_of(model.links, options.link, "link");
  LinkModesOptions wanted;
  wanted.count = options.count;
  wanted.reduced = options.reduced;
  const Link& body = model.links[static_cast<std::size_t>(link)];
  for (const std::string& node : options.clamp) {
    wanted.clamped_nodes.push_back(index_of(body.nodes, node, cat("node of link '", body.name, "'")));
  }
  return link_modes(model, link, wanted);
}

std::string subject(const LinkModes& modes, const Options& options) {
  std::string text = cat("link '", modes.link, "', ", options.reduced ? "as reduced, " : "");
  if (options.clamp.empty()) return text + "free";
  text += "held at";
  for (const std::string& node : options.clamp) text += cat(" '", node, "'");
  return text;
}

void print_text(const LinkModes& modes, const Options& options, const std::vector<std::filesystem::path>& paths,
                const Output& output) {
  const Style style = output.style();
  TextTable table({{"mode"}, {"frequency Hz"}});
  for (int k = 0; k < modes.num_modes(); ++k) table.add_row({cat(modes.number_of(k)), fixed(modes.frequencies(k), 4)});
  std::string text = cat("Natural frequencies of ", subject(modes, options), "\n\n", table.text(style));
  text += rigid_note(modes);
  output.print(text + "\n" + where_results_lie(paths));
}

void print_json(const Model& model, const LinkModes& modes, const Options& options,
                const std::vector<std::filesystem::path>& paths, const Output& output) {
  nlohmann::json list = nlohmann::json::array();
  for (int k = 0; k < modes.num_modes(); ++k) {
    list.push_back({{"mode", modes.number_of(k)}, {"frequency_hz", modes.frequencies(k)}});
  }
  output.print(nlohmann::json{{"model", model.name},
                              {"of", "link"},
                              {"link", modes.link},
                              {"clamped", options.clamp},
                              {"reduced", options.reduced},
                              {"rigid_modes", modes.num_rigid},
                              {"modes", list},
                              {"files", paths_json(paths)}});
}

// Files for other programs to draw the modes with.
void export_modes(const Report& report, const Options& options, const std::filesystem::path& directory,
                  std::vector<std::filesystem::path>& paths) {
  const ModeSet& set = report.modes.front();
  if (options.vtk) paths.push_back(write_vtk(*report.scene, set, directory, "modes").front());
  if (!options.gltf) return;
  const auto found = std::find(set.numbers.begin(), set.numbers.end(), *options.gltf);
  if (found == set.numbers.end())
    throw InputError(cat("there is no mode ", *options.gltf, " to write; modes are numbered ", set.numbers.front(),
                         " to ", set.numbers.back()));
  const int mode = static_cast<int>(found - set.numbers.begin());
  paths.push_back(write_gltf(gltf_binary(*report.scene, set, mode), directory, cat("mode_", *options.gltf, ".glb")));
}

int run_link(const Model& model, const Options& options, const Output& output) {
  const LinkModes modes = compute(model, options);
  const std::filesystem::path directory = result_directory(options.directory, model);
  std::vector<std::filesystem::path> paths =
      write_link_modes(model, modes, subject(modes, options), directory, "modes_" + file_name_of(modes.link));
  Report report;
  report.title = model.name;
  report.subtitle = cat("natural modes of ", subject(modes, options));
  report.scene = make_scene(model);
  report.modes.push_back(
      link_mode_set(model, index_of(model.links, options.link, "link"), modes, subject(modes, options)));
  export_modes(report, options, directory, paths);
  save_report(std::move(report), directory, paths, "modes_" + file_name_of(modes.link));
  if (output.json()) {
    print_json(model, modes, options, paths, output);
  } else {
    print_text(modes, options, paths, output);
  }
  return exit_ok;
}

void print_mechanism_text(const MechanismModes& modes, const Equations& equations,
                          const std::vector<std::filesystem::path>& paths, int count, const Output& output) {
  const Style style = output.style();
  TextTable table({{"mode"}, {"frequency Hz"}, {"damping ratio"}});
  for (int k = 0; k < std::min(modes.num_rigid + count, modes.num_modes()); ++k) {
    const bool rigid = k < modes.num_rigid;
    table.add_row(
        {cat(k + 1), rigid ? "free motion" : fixed(modes.frequencies(k), 4), number(modes.damping_ratios(k), 3)});
  }
  std::string text = cat("Natural frequencies of ", equations.model().name, " in its configuration (", equations.name(),
                         ")\n\n", table.text(style));
  text += mode_notes(modes);
  output.print(text + "\n" + where_results_lie(paths));
}

void print_mechanism_json(const MechanismModes& modes, const Equations& equations,
                          const std::vector<std::filesystem::path>& paths, int count, const Output& output) {
  nlohmann::json list = nlohmann::json::array();
  for (int k = 0; k < std::min(modes.num_rigid + count, modes.num_modes()); ++k) {
    list.push_back({{"mode", k + 1},
                    {"frequency_hz", json_number(modes.frequencies(k))},
                    {"damping_ratio", json_number(modes.damping_ratios(k))}});
  }
  output.print(nlohmann::json{{"model", equations.model().name},
                              {"of", "mechanism"},
                              {"formulation", equations.name()},
                              {"rigid_modes", modes.num_rigid},
                              {"at_rest", modes.at_rest},
                              {"modes", list},
                              {"files", paths_json(paths)}});
}

int run_mechanism(const Model& model, const Options& options, const Output& output) {
  FormulationChoice choice{.formulation = options.formulation};
  leave_out_quadratic_elongation(options.straight, choice);
  forget_mode_choice_of(choice.formulation);
  const std::unique_ptr<Equations> built = make_equations(model, choice);
  const Equations& equations = *built;
  const State start = start_state(equations);
  const ModesResult result = mechanism_modes(equations, start);
  if (result.status != EvaluationStatus::ok) {
    std::cerr << "lithe: no modes of '" << model.name << "': " << explain(model, result.status) << '\n';
    return exit_failed;
  }
  const std::filesystem::path directory = result_directory(options.directory, model);
  std::vector<std::filesystem::path> paths = write_mechanism_modes(equations, result.modes, directory, "modes");
  Report report = modes_report(equations, start, result.modes, options.count);
  export_modes(report, options, directory, paths);
  save_report(std::move(report), directory, paths, "modes");
  if (output.json()) {
    print_mechanism_json(result.modes, equations, paths, options.count, output);
  } else {
    print_mechanism_text(result.modes, equations, paths, options.count, output);
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
  command.add_option("--clamp", options->clamp, "Nodes of the link that are held, separated by commas")
      .separated_by_commas()
      .needs(link);
  command.add_flag("--reduced", options->reduced, "Modes that the link's reduction leaves, not those of its mesh")
      .needs(link);
  command.add_option("--formulation", options->formulation, "Equations of motion of the mechanism")
      .one_of(formulation_names())
      .shows_default();
  command.add_option("--count", options->count, "How many elastic modes").between(1, 1000000).shows_default();
  command.add_flag("--vtk", options->vtk, "Also write modes.vtp for ParaView");
  command.add_option("--gltf", options->gltf, "Also write this mode, swinging, as mode_<number>.glb");
  command.add_flag("--without-quadratic-elongation", options->straight, straight_elongation_help);
  command.add_option("-o,--output", options->directory, "Directory for results; results/<model name> by default");
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
