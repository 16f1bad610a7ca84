#include <cmath>
#include <memory>

#include "app/models/robot_file.h"
#include "app/motion/motion.h"
#include "app/pages/reports.h"
#include "app/program/command.h"
#include "app/robots/studies.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/spec_options.h"
#include "app/terminal/table.h"
#include "lithe/analyse/size_motors.h"
#include "lithe/base/text.h"
#include "lithe/results/motion.h"

namespace lithe::app {
namespace {

struct SizeCommand {
  std::string file, directory;
  SpecOptions<SizeSpec> spec;
};

std::string short_number(double value) { return std::isnan(value) ? "" : number(value, 4); }

// "120 % at 0.31 s: peak torque of the motor 1.44 of 1.2 N m".
std::string limit_text(const SizedDrive& drive) {
  if (drive.limits.empty()) return "no limits known";
  const UsedLimit& worst = drive.limits.front();
  return cat(number(100 * worst.used(), 4), " %: ", worst.name, " ", number(worst.value, 4), " of ",
             number(worst.limit, 4), " ", worst.unit, worst.time >= 0 ? cat(" at ", number(worst.time, 4), " s") : "");
}

std::string size_text(const SizeResult& result, const Model& model, bool flexible, const Style& style) {
  std::string text = cat("Motors of '", model.name, "', ", flexible ? "flexible" : "rigid links and gearboxes",
                         ", cycle of ", number(result.end_time, 6), " s\n\n");
  TextTable table({{"joint", Align::left},
                   {"peak N m"},
                   {"RMS N m"},
                   {"peak rpm"},
                   {"peak W"},
                   {"mean W"},
                   {"heat W"},
                   {"output peak"},
                   {"output mean"},
                   {"", Align::left}});
  for (const SizedDrive& drive : result.drives)
    table.add_row({drive.joint, short_number(drive.peak_torque), short_number(drive.rms_torque),
                   short_number(drive.peak_speed * 30 / 3.14159265358979323846), short_number(drive.peak_power),
                   short_number(drive.mean_power), short_number(drive.heat), short_number(drive.gear_peak),
                   short_number(drive.gear_mean), drive.slides ? "N" : "N m"});
  text += table.text(style) + "\nMost used limit:\n";
  TextTable limits({{"joint", Align::left}, {"", Align::left}});
  for (const SizedDrive& drive : result.drives) limits.add_row({drive.joint, limit_text(drive)});
  text += limits.text(style) + notes_text(result.motion);
  for (const SizedDrive& drive : result.drives)
    for (const UsedLimit& limit : drive.limits)
      if (limit.used() > 1.005)  // not what rounding and the grid of time-optimal moves leave
        text +=
            cat("warning: joint '", drive.joint, "': the ", limit.name, " is ", number(100 * (limit.used() - 1), 3),
                " % above its limit: ", number(limit.value, 4), " of ", number(limit.limit, 4), " ", limit.unit, "\n");
  return text;
}

nlohmann::json size_json(const SizeResult& result) {
  nlohmann::json drives = nlohmann::json::array();
  for (const SizedDrive& drive : result.drives) {
    nlohmann::json limits = nlohmann::json::array();
    for (const UsedLimit& limit : drive.limits)
      limits.push_back({{"name", limit.name},
                        {"value", json_number(limit.value)},
                        {"limit", limit.limit},
                        {"unit", limit.unit},
                        {"used", json_number(limit.used())},
                        {"time_s", limit.time >= 0 ? nlohmann::json(limit.time) : nlohmann::json()}});
    drives.push_back({{"joint", drive.joint},
                      {"ratio", drive.ratio},
                      {"peak_torque", json_number(drive.peak_torque)},
                      {"peak_torque_time_s", drive.peak_torque_time},
                      {"rms_torque", json_number(drive.rms_torque)},
                      {"peak_speed_rad_s", json_number(drive.peak_speed)},
                      {"peak_power_W", json_number(drive.peak_power)},
                      {"mean_power_W", json_number(drive.mean_power)},
                      {"braking_energy_J", json_number(drive.braking_energy)},
                      {"heat_W", json_number(drive.heat)},
                      {"output_peak", json_number(drive.gear_peak)},
                      {"output_mean", json_number(drive.gear_mean)},
                      {"limits", limits}});
  }
  return {{"kind", "size"},   {"end_time", result.end_time},  {"message", result.motion.message},
          {"drives", drives}, {"notes", result.motion.notes}, {"warnings", result.motion.warnings}};
}

ReportTable size_table(const SizeResult& result) {
  ReportTable table{.title = "motors",
                    .columns = {{"joint", ""},
                                {"peak torque", "N m"},
                                {"RMS torque", "N m"},
                                {"peak speed", "rad/s"},
                                {"peak power", "W"},
                                {"mean power", "W"},
                                {"heat", "W"},
                                {"peak at output", "N m"},
                                {"mean at output", "N m"},
                                {"most used limit", ""}},
                    .rows = {}};
  for (const SizedDrive& drive : result.drives)
    table.rows.push_back({drive.joint, drive.peak_torque, drive.rms_torque, drive.peak_speed, drive.peak_power,
                          drive.mean_power, drive.heat, drive.gear_peak, drive.gear_mean, limit_text(drive)});
  return table;
}

int run_size(const PartialModel& robot, const SizeCommand& command, const Output& output) {
  const StudyPlace place{tried_directory(command.directory, robot.model, {"size.csv", "size.h5", "size.html"}), "size",
                         output.style()};
  return finish_study(study_size(robot, command.spec.over({}), place), place, output);
}

Action set_up_size(CommandOptions& command) {
  auto options = std::make_shared<SizeCommand>();
  add_model_file(command, options->file);
  SpecOptions<SizeSpec>& spec = options->spec;
  spec.add_flag(command, "--flexible", &SizeSpec::flexible, "Links and gearboxes bend; default: all rigid");
  spec.add(command, "--end", &SizeSpec::end_time, "Length of the cycle, s; default: until the last motion ends")
      .positive();
  spec.add(command, "--output-step", &SizeSpec::output_step, "Time between the values looked at, s").positive();
  spec.add(command, "--tolerance", &SizeSpec::tolerance, "Error of node positions per second of motion, m").positive();
  add_formulation_options(command, spec, &SizeSpec::formulation);
  command.add_option("-o,--output", options->directory, output_help);
  return action_on_robot(options, run_size);
}

const CommandRegistration size_registration(
    {.name = "size",
     .rank = 43,
     .summary = "Which motor is too small: torque, speed and power of every drive",
     .examples = "  lithe size robot.toml\n"
                 "  lithe size robot.toml --flexible --end 2\n",
     .set_up = set_up_size});

}  // namespace

StudyOutcome study_size(const PartialModel& robot, const SizeSpec& spec, const StudyPlace& place) {
  const SizeResult result = size_motors(robot.model, robot.drive_trains, spec, TerminalHooks("sizes of motors"));
  warn_on_early_end(result.motion);
  StudyOutcome outcome{.text = size_text(result, robot.model, spec.flexible, place.style),
                       .value = size_json(result),
                       .files = write_motion(result.motion, place.directory, place.stem),
                       .page = simulation_report(*result.motion.equations, result.motion),
                       .failed = result.motion.end == RunEnd::failed};
  outcome.page.subtitle = spec.flexible ? "motors, flexible" : "motors, rigid links and gearboxes";
  outcome.page.tables.insert(outcome.page.tables.begin(), size_table(result));
  return outcome;
}

}  // namespace lithe::app
