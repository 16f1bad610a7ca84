#include <filesystem>

#include "app/command.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/input_file.h"
#include "lithe/read/urdf/robot_parts.h"
#include "lithe/results/file_set.h"
#include "lithe/results/text_file.h"

namespace lithe::app {
namespace {

struct ImportOptions {
  std::string file, output;
  bool keep_fixed = false, repair = false, free_base = false;
};

// Whole or not at all, and never over a file that somebody may have changed since.
void write_model(const std::string& text, const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::symlink_status(path, ignored).type() != std::filesystem::file_type::not_found)
    throw InputError(cat(path.string(), ": there is such a file already; remove it or choose another name"));
  FileSet files(path.parent_path().empty() ? "." : path.parent_path());
  write_text_file(text, files.add(path.filename().string()));
  files.commit();
}

int import(const ImportOptions& options, const Output& output) {
  constexpr std::uintmax_t largest = std::uintmax_t{16} << 20;  // bytes
  std::string problem;
  const std::optional<std::string> text = read_regular_file(options.file, largest, problem);
  if (!text)
    throw InputError({Diagnostic{.file = options.file, .line = 0, .column = 0, .path = {}, .message = problem}});
  RobotDescription robot =
      read_description(*text, options.file, {.merge_fixed = !options.keep_fixed, .repair = options.repair});
  if (robot.name.empty()) robot.name = std::filesystem::path(options.file).stem().string();
  const std::string model = model_file_of(robot, options.free_base);
  if (!options.output.empty()) write_model(model, options.output);
  std::size_t moving = 0;
  for (const DescribedJoint& joint : robot.joints) moving += num_freedoms(joint.type) > 0 ? 1 : 0;
  if (output.json()) {
    nlohmann::json value{{"ok", true},       {"file", options.file},        {"name", robot.name},
                         {"joints", moving}, {"links", robot.links.size()}, {"notes", robot.notes},
                         {"model", model}};
    if (!options.output.empty()) value["written"] = options.output;
    output.print(value);
    return exit_ok;
  }
  std::string notes;
  for (const std::string& note : robot.notes) notes += cat("note: ", note, "\n");
  if (options.output.empty()) {
    output.print(model);
    return exit_ok;
  }
  output.print(cat(notes, options.output, ": ", robot.links.size(), " links, ", moving, " moving joints\n"));
  return exit_ok;
}

const CommandRegistration registration(
    {.name = "import",
     .rank = 82,
     .summary = "Write a model file from a robot description (URDF)",
     .examples = "  lithe import robot.urdf -o robot.toml\n  lithe import robot.urdf --repair -o robot.toml\n",
     .set_up = [](CommandOptions& command) -> Action {
       auto options = std::make_shared<ImportOptions>();
       command.add_option("FILE", options->file, "Robot description").required();
       command.add_option("-o,--output", options->output, "Model file to write; default: print it");
       command.add_flag("--keep-fixed", options->keep_fixed,
                        "Keep links on fixed joints; default: they become part of the link that carries them");
       command.add_flag("--free-base", options->free_base, "The root link moves freely; default: fixed to the ground");
       command.add_flag("--repair", options->repair, "Replace missing inertias and those that no body has");
       return [options](const Output& output) { return import(*options, output); };
     }});

}  // namespace
}  // namespace lithe::app
