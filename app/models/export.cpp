#include <filesystem>
#include <memory>

#include "app/models/new_file.h"
#include "app/models/robot_file.h"
#include "app/program/command.h"
#include "app/terminal/consent.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/export/robot_text.h"

namespace lithe::app {
namespace {

struct ExportOptions {
  std::string file, output;
  bool urdf = false, mjcf = false;
};

int export_robot(const PartialModel& robot, const ExportOptions& options, const Output& output) {
  if (options.urdf == options.mjcf) throw InputError("choose one format: --urdf or --mjcf");
  DrawnShapes shapes = drawn_shapes(options.file, read_options(options.file));
  for (DrawnShape& drawn : shapes.shapes)
    if (drawn.shape.file.find("://") == std::string::npos && !std::filesystem::path(drawn.shape.file).is_absolute())
      drawn.shape.file = way_between_folders(drawn.from, options.output) + drawn.shape.file;
  RobotText exported =
      robot_text(robot.model, robot.drive_trains, options.urdf ? RobotFormat::urdf : RobotFormat::mjcf, shapes.shapes);
  for (std::string& note : shapes.notes) exported.notes.push_back(std::move(note));
  if (!options.output.empty()) write_new_file(exported.text, options.output);
  if (output.json()) {
    nlohmann::json value{{"ok", true},
                         {"format", options.urdf ? "urdf" : "mjcf"},
                         {"notes", exported.notes},
                         {"description", exported.text}};
    if (!options.output.empty()) value["written"] = options.output;
    output.print(value);
    return exit_ok;
  }
  if (options.output.empty()) {  // with the notes as comments
    output.print(exported.text);
    return exit_ok;
  }
  std::string said;
  for (const std::string& note : exported.notes) said += cat("note: ", note, "\n");
  output.print(cat(said, options.output, "\n"));
  return exit_ok;
}

const CommandRegistration registration(
    {.name = "export",
     .rank = 83,
     .summary = "Write a model as a robot description (URDF, MJCF) for rigid-body engines",
     .examples = "  lithe export robot.toml --urdf -o robot.urdf\n  lithe export robot.toml --mjcf -o robot.xml\n",
     .set_up = [](CommandOptions& command) -> Action {
       auto options = std::make_shared<ExportOptions>();
       add_model_file(command, options->file);
       command.add_flag("--urdf", options->urdf, "URDF: a tree of rigid links");
       command.add_flag("--mjcf", options->mjcf, "MJCF of MuJoCo, with loops, springs and rotors");
       command.add_option("-o,--output", options->output, "File to write. Default: print the description");
       return action_on_robot(options, &export_robot);
     }});

}  // namespace
}  // namespace lithe::app
