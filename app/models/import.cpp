#include <filesystem>

#include "app/models/import_mesh.h"
#include "app/models/new_file.h"
#include "app/program/command.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/read/tables/input_file.h"
#include "lithe/read/urdf/description_files.h"
#include "lithe/read/urdf/robot_parts.h"

namespace lithe::app {
namespace {

struct ImportOptions {
  std::string file, output, units;
  bool keep_fixed = false, repair = false, free_base = false, outside_files = false;
};

int import(const ImportOptions& options, const Output& output) {
  if (is_mesh_file(options.file)) return import_mesh({options.file, options.output, options.units}, output);
  if (!options.units.empty()) throw InputError("--units is for meshes; robot descriptions are in SI units");
  std::string problem;
  const std::optional<std::string> text = read_regular_file(options.file, largest_description, problem);
  note_in_run(options.file);
  if (!text)
    throw InputError({Diagnostic{.file = options.file, .line = 0, .column = 0, .path = {}, .message = problem}});
  DescriptionChoices choices{.merge_fixed = !options.keep_fixed, .repair = options.repair};
  read_files_beside(options.file, options.outside_files, choices);
  RobotDescription robot = read_description(*text, options.file, choices);
  if (robot.name.empty()) robot.name = std::filesystem::path(options.file).stem().string();
  const std::string model = model_file_of(robot, options.free_base, way_between_folders(options.file, options.output));
  if (!options.output.empty()) write_new_file(model, options.output);
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
     .summary = "Look into, check and convert a robot description (URDF, MJCF, SDF) or a finite-element mesh",
     .examples = "  lithe import robot.urdf -o robot.toml\n  lithe import robot.sdf --repair -o robot.toml\n"
                 "  lithe import bracket.msh --units \"mm t s\"\n"
                 "  lithe import bracket.msh --units \"mm t s\" -o bracket.toml\n  lithe import part.bdf -o part.inp\n",
     .set_up = [](CommandOptions& command) -> Action {
       auto options = std::make_shared<ImportOptions>();
       command.add_option("FILE", options->file, "Robot description, or mesh (.msh, .inp, .bdf, .nas, .dat, .fem)")
           .required();
       command.add_option(
           "-o,--output", options->output,
           "File to write: a model (.toml); of a mesh also .inp (Abaqus, CalculiX) or .msh (Gmsh), in SI "
           "units. Default: print the model of a robot, what there is in a mesh");
       command.add_option("--units", options->units, "Units of a mesh, such as \"mm t s\"; default: SI");
       command.add_flag("--keep-fixed", options->keep_fixed,
                        "Keep links on fixed joints; default: they become part of the link that carries them");
       command.add_flag("--free-base", options->free_base, "The root link moves freely; default: fixed to the ground");
       command.add_flag("--repair", options->repair, "Replace missing inertias and those that no body has");
       command.add_flag("--allow-outside-files", options->outside_files,
                        "Read files outside of the folder of the description that it includes or has as meshes");
       return [options](const Output& output) { return import(*options, output); };
     }});

}  // namespace
}  // namespace lithe::app
