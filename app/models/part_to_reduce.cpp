#include "app/models/part_to_reduce.h"

#include <filesystem>

#include "app/models/import_mesh.h"
#include "app/terminal/consent.h"
#include "app/terminal/table.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/matrices/reduced_file.h"
#include "lithe/read/read_model.h"
#include "lithe/read/tables/input_file.h"

namespace lithe::app {
namespace {

std::vector<std::string> names_of(const PortableBody& part) {
  std::vector<std::string> names;
  for (const Node& node : part.nodes) names.push_back(node.name);
  return names;
}

// What a file of this name already holds must be such a part: a result of another kind stays.
void require_own_part(const std::filesystem::path& path) {
  std::error_code missing;
  if (!std::filesystem::is_regular_file(path, missing)) return;
  constexpr std::uintmax_t most = std::uintmax_t{1} << 30;  // bytes
  std::string problem;
  const std::optional<std::string> bytes = read_regular_file(path, most, problem);
  if (!bytes || bytes->find(reduced_file_format) == std::string::npos)
    throw InputError(cat(path.string(),
                         ": there is such a file already, and it is no reduced part of Lithe; remove it or ",
                         "choose another name"));
}

std::vector<double> list_of(const VectorX& values) { return {values.begin(), values.end()}; }

}  // namespace

std::shared_ptr<ReduceOptions> add_reduce_options(CommandOptions& command) {
  auto options = std::make_shared<ReduceOptions>();
  command.add_option("FILE", options->file, "Model file, or a mesh with materials and groups").required();
  add_consent(command);
  command.add_option("--link", options->link, "Which flexible link; default: the only one");
  command
      .add_option("--modes", options->modes,
                  "Vibrations with all named nodes held; default: as the link's reduction says, or 20")
      .between(0, 2000);
  command.add_option("--units", options->units, "Units of a mesh, such as \"mm t s\"; default: SI");
  command.add_option("-o,--output", options->output, "File to write (.h5)").required();
  return options;
}

Model model_to_reduce(const ReduceOptions& options) {
  if (!options.output.ends_with(".h5"))
    throw InputError(cat("-o must name a file with the ending .h5, got '", options.output, "'"));
  require_own_part(options.output);
  if (!is_mesh_file(options.file)) {
    if (!options.units.empty()) throw InputError("--units is for meshes; a model file says the units of its links");
    return read_model(options.file, read_options(options.file));
  }
  const std::filesystem::path beside = std::filesystem::path(options.file).replace_extension(".toml");
  return read_model_text(model_of_mesh(options.file, options.units), beside.string());
}

int link_to_reduce(const ReduceOptions& options, const Model& model) {
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

void require_sound(const PortableBody& part) {
  if (const std::string fault = fault_of(part); !fault.empty())
    throw InputError(cat("link '", part.name, "' cannot be written: ", fault));
}

std::string text_of(const PortableBody& part, const Style& style) {
  const VectorX held = held_frequencies(part), free = free_frequencies(part);
  TextTable table({{"mode"}, {"all nodes held Hz"}, {"free Hz"}});
  const Eigen::Index count = std::max(held.size(), std::min<Eigen::Index>(free.size(), 10));
  for (Eigen::Index k = 0; k < count; ++k)
    table.add_row({cat(k + 1), k < held.size() ? fixed(held(k), 4) : "", k < free.size() ? fixed(free(k), 4) : ""});
  return cat("link '", part.name, "': ", part.num_unknowns, " unknowns reduced to ", part.stiffness.rows(),
             " coordinates\nnodes: ", joined(names_of(part)), "\nvibrations with all nodes held: ", part.num_modes(),
             "\nmass: ", number(part.inertia.mass), " kg\n\n", table.text(style));
}

nlohmann::json json_of(const PortableBody& part) {
  return {{"link", part.name},
          {"nodes", names_of(part)},
          {"unknowns", part.num_unknowns},
          {"coordinates", part.stiffness.rows()},
          {"modes", part.num_modes()},
          {"mass_kg", part.inertia.mass},
          {"held_frequencies_hz", list_of(held_frequencies(part))},
          {"free_frequencies_hz", list_of(free_frequencies(part))}};
}

}  // namespace lithe::app
