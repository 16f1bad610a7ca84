// `lithe reduce`: a part reduced once, in a file that other models take in place of its mesh.
#include <filesystem>
#include <memory>
#include <optional>

#include "app/models/import_mesh.h"
#include "app/program/command.h"
#include "app/terminal/consent.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/read_model.h"
#include "lithe/reduce/portable_body.h"
#include "lithe/results/reduced_body_file.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, link, output, units;
  std::optional<int> modes;
};

Model model_of(const Options& options) {
  if (!is_mesh_file(options.file)) {
    if (!options.units.empty()) throw InputError("--units is for meshes; a model file says the units of its links");
    return read_model(options.file, read_options(options.file));
  }
  const std::filesystem::path beside = std::filesystem::path(options.file).replace_extension(".toml");
  return read_model_text(model_of_mesh(options.file, options.units), beside.string());
}

int chosen_link(const Options& options, const Model& model) {
  std::vector<int> flexible;
  for (std::size_t k = 0; k < model.links.size(); ++k) {
    if (model.links[k].name == options.link) return static_cast<int>(k);
    if (!model.links[k].rigid) flexible.push_back(static_cast<int>(k));
  }
  std::string names;
  for (const int k : flexible) names += cat(names.empty() ? "" : ", ", model.links[static_cast<std::size_t>(k)].name);
  if (!options.link.empty())
    throw InputError(cat(options.file, ": there is no link '", options.link, "'; flexible links: ", names));
  if (flexible.size() != 1)
    throw InputError(flexible.empty() ? cat(options.file, ": no link is flexible")
                                      : cat(options.file, ": choose one of the flexible links by --link: ", names));
  return flexible[0];
}

int run(const Options& options, const Output& output) {
  if (!options.output.ends_with(".h5"))
    throw InputError(cat("-o must name a file with the ending .h5, got '", options.output, "'"));
  const Model model = model_of(options);
  const int link = chosen_link(options, model);
  const PortableBody part = portable_body(model, link, options.modes);
  if (const std::string fault = fault_of(part); !fault.empty())
    throw InputError(cat("link '", part.name, "' cannot be written: ", fault));
  write_reduced_body(part, options.output);
  std::vector<std::string> names;
  for (const Node& node : part.nodes) names.push_back(node.name);
  if (output.json()) {
    output.print({{"link", part.name},
                  {"nodes", names},
                  {"unknowns", part.num_unknowns},
                  {"coordinates", part.stiffness.rows()},
                  {"modes", part.num_modes()},
                  {"mass_kg", part.inertia.mass},
                  {"written", options.output}});
    return exit_ok;
  }
  std::string list;
  for (const std::string& name : names) list += cat(list.empty() ? "" : ", ", name);
  output.print(cat("link '", part.name, "': ", part.num_unknowns, " unknowns reduced to ", part.stiffness.rows(),
                   " coordinates\nnodes: ", list, "\nvibrations with all nodes held: ", part.num_modes(),
                   "\nmass: ", number(part.inertia.mass), " kg\n\nwritten: ", options.output, "\n"));
  return exit_ok;
}

const CommandRegistration registration(
    {.name = "reduce",
     .rank = 83,
     .summary = "Reduce a flexible link once and write it to a file that replaces its mesh",
     .examples = "  lithe reduce robot.toml --link bracket -o bracket.h5\n"
                 "  lithe reduce part.inp --units \"mm t s\" --modes 40 -o part.h5\n",
     .set_up = [](CommandOptions& command) -> Action {
       auto options = std::make_shared<Options>();
       command.add_option("FILE", options->file, "Model file, or a mesh with materials and groups").required();
       add_consent(command);
       command.add_option("--link", options->link, "Which flexible link; default: the only one");
       command
           .add_option("--modes", options->modes,
                       "Vibrations with all named nodes held; default: as the link's reduction says, or 20")
           .between(0, 2000);
       command.add_option("--units", options->units, "Units of a mesh, such as \"mm t s\"; default: SI");
       command.add_option("-o,--output", options->output, "File to write (.h5)").required();
       return [options](const Output& output) { return run(*options, output); };
     }});

}  // namespace
}  // namespace lithe::app
