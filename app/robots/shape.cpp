#include <algorithm>
#include <cmath>
#include <memory>

#include "app/models/inspected_model.h"
#include "app/models/model_warnings.h"
#include "app/models/new_file.h"
#include "app/motion/motion.h"
#include "app/pages/reports.h"
#include "app/program/command.h"
#include "app/robots/studies.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/spec_options.h"
#include "app/terminal/table.h"
#include "lithe/analyse/studies/shape_move.h"
#include "lithe/base/computation_error.h"
#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"
#include "lithe/results/files/csv.h"
#include "lithe/results/files/file_set.h"

namespace lithe::app {
namespace {

struct ShapeCommand {
  std::string file, directory, written;
  SpecOptions<ShapeSpec> spec;
};

std::string settled_text(const ShapedMove& move) {
  if (!move.failure.empty()) return "failed";
  return std::isfinite(move.tool.settling_time) ? number(move.still_after(), 4) : "not";
}

std::string shape_text(const ShapeResult& result, const ShapeSpec& spec, const Style& style) {
  std::string text = "Modes that the motions excite, where they end:\n\n";
  TextTable modes({{"Hz"}, {"damping ratio"}, {"vibration of the tool m"}});
  for (const ExcitedMode& mode : result.modes)
    modes.add_row({number(mode.frequency, 5), number(mode.damping_ratio, 3), number(mode.vibration, 3)});
  text += modes.text(style) + cat("\nMoves, band ", number(spec.settle.band), " m:\n\n");
  TextTable moves(
      {{"move", Align::left}, {"ends at s"}, {"predicted m"}, {"residual m"}, {"still after s"}, {"", Align::left}});
  for (std::size_t i = 0; i < result.moves.size(); ++i) {
    const ShapedMove& move = result.moves[i];
    moves.add_row({move.name, number(move.move_end, 5), number(move.predicted, 3), number(move.tool.residual, 3),
                   settled_text(move), i == result.best ? "best" : ""});
  }
  text += moves.text(style);
  for (const ShapedMove& move : result.moves) {
    for (const std::string& note : move.notes) text += cat("note: ", move.name, ": ", note, "\n");
    for (const std::string& warning : move.warnings) text += cat("warning: ", move.name, ": ", warning, "\n");
    if (!move.failure.empty()) text += cat("warning: ", move.name, ": ", move.failure, "\n");
  }
  return text;
}

nlohmann::json shape_json(const ShapeResult& result) {
  nlohmann::json modes = nlohmann::json::array(), moves = nlohmann::json::array();
  for (const ExcitedMode& mode : result.modes)
    modes.push_back({{"frequency_Hz", mode.frequency},
                     {"damping_ratio", mode.damping_ratio},
                     {"vibration_m", json_number(mode.vibration)}});
  for (const ShapedMove& move : result.moves)
    moves.push_back({{"name", move.name},
                     {"stretch", move.stretch},
                     {"impulse_times_s", move.shaper.times},
                     {"impulse_sizes", move.shaper.sizes},
                     {"move_end", move.move_end},
                     {"predicted_m", json_number(move.predicted)},
                     {"residual_m", json_number(move.tool.residual)},
                     {"settling_time_s", json_number(move.tool.settling_time)},
                     {"notes", move.notes},
                     {"warnings", move.warnings},
                     {"failure", move.failure}});
  return {{"kind", "shape"}, {"modes", modes}, {"moves", moves}, {"best", result.best}};
}

Report shape_page(const Model& model, const ShapeResult& result) {
  Report report;
  report.title = model.name;
  report.subtitle = "shaped moves";
  report.scene = make_scene(model);
  ReportTable modes{.title = "modes that the motions excite",
                    .columns = {{"frequency", "Hz"}, {"damping ratio", ""}, {"vibration of the tool", "m"}},
                    .rows = {}};
  for (const ExcitedMode& mode : result.modes)
    modes.rows.push_back({mode.frequency, mode.damping_ratio, mode.vibration});
  ReportTable moves{.title = "moves",
                    .columns = {{"move", ""},
                                {"ends at", "s"},
                                {"predicted vibration", "m"},
                                {"residual vibration", "m"},
                                {"settles in", "s"},
                                {"still after", "s"}},
                    .rows = {}};
  for (const ShapedMove& move : result.moves) {
    moves.rows.push_back(
        {move.name, move.move_end, move.predicted, move.tool.residual, move.tool.settling_time, move.still_after()});
    if (!move.times.empty())
      report.runs.push_back({.name = move.name, .times = move.times, .columns = move.columns, .facts = {}});
  }
  report.tables = {modes, moves};
  return report;
}

// Times and values of every joint that the motions drive, as [[moves]] takes them; and the lines for that.
std::string motion_table(const Model& model, double end) {
  constexpr double step = 1e-3, most = 1e6;  // s; rows, farther apart in motions of more than 1000 s
  Table table;
  table.name = "motion";
  std::vector<double> times;
  const int count = static_cast<int>(std::clamp(std::ceil(end / step - 1e-9), 1.0, most));
  for (int i = 0; i <= count; ++i) times.push_back(end * i / count);
  table.add("time", "s", times);
  for (const Drive& drive : model.drives) {
    if (!drive.prescribes_motion) continue;
    const Joint& joint = model.joints[static_cast<std::size_t>(drive.joint)];
    std::vector<double> values;
    for (const double time : times) values.push_back(evaluate(drive.signal, time).value);
    table.add(joint.name, is_rotation(joint.type, drive.freedom) ? "rad" : "m", std::move(values));
  }
  return csv_text(table);
}

// What `motion_table` would write must be something that [[moves]] takes.
void require_table_of_joints(const Model& model) {
  for (const Drive& drive : model.drives) {
    const Joint& joint = model.joints[static_cast<std::size_t>(drive.joint)];
    if (drive.prescribes_motion && num_freedoms(joint.type) > 1)
      throw InputError(cat("joint ", in_quotes(joint.name),
                           " has several degrees of freedom; [[moves]] has tables for joints of one"));
  }
}

std::string lines_of_moves(const Model& model, const std::string& file) {
  std::string joints;
  for (const Drive& drive : model.drives)
    if (drive.prescribes_motion)
      joints += cat(joints.empty() ? "" : ", ", "\"", model.joints[static_cast<std::size_t>(drive.joint)].name, "\"");
  return cat("In place of the model's moves and motions:\n\n[[moves]]\njoints = [", joints, "]\ntable = \"", file,
             "\"\n");
}

StudyOutcome shape_outcome(const Model& model, const ShapeResult& result, const ShapeSpec& spec,
                           const StudyPlace& place) {
  return {.text = shape_text(result, spec, place.style),
          .value = shape_json(result),
          .files = {},
          .page = shape_page(model, result),
          .failed = !result.moves.front().failure.empty()};
}

ShapeResult shaped(const Model& model, const ShapeSpec& spec) {
  ShapeResult result = shape_move(model, spec, TerminalHooks("shaping"));
  if (!result.failure.empty()) throw ComputationError(cat(model.file, ": ", result.failure));
  return result;
}

int run_shape(const Model& model, const ShapeCommand& command, const Output& output) {
  const ShapeSpec spec = command.spec.over({.settle = {.motion = spec_of<SimulateSpec>(model)}});
  if (!command.written.empty()) {
    require_table_of_joints(model);
    try_new_file(command.written);
  }
  warn_on_modes(model, spec.settle.motion);
  require_consent(model, controllers_of(model, spec.settle.motion));
  const StudyPlace place{tried_directory(command.directory, model, {"shape.html"}), "shape", output.style()};
  const ShapeResult result = shaped(model, spec);
  StudyOutcome outcome = shape_outcome(model, result, spec, place);
  save_report(std::move(outcome.page), place.directory, outcome.files, place.stem);
  outcome.page = {};
  if (!command.written.empty()) {
    write_new_file(motion_table(result.model, result.moves[result.best].move_end), command.written);
    outcome.files.emplace_back(command.written);
    outcome.text += "\n" + lines_of_moves(result.model, command.written);
  }
  return finish_study(std::move(outcome), place, output);
}

Action set_up_shape(CommandOptions& command) {
  auto options = std::make_shared<ShapeCommand>();
  add_model_file(command, options->file);
  SpecOptions<ShapeSpec>& spec = options->spec;
  const auto settle = [](auto member) {
    return [member](ShapeSpec& of) -> decltype(auto) { return std::invoke(member, of.settle); };
  };
  const auto motion = [](auto member) {
    return [member](ShapeSpec& of) -> decltype(auto) { return std::invoke(member, of.settle.motion); };
  };
  spec.add(command, "--tool", settle(&SettleSpec::tool), "Node that shall be at rest, link:node");
  spec.add(command, "--band", settle(&SettleSpec::band), "Distance from rest that counts as settled, m").positive();
  spec.add(command, "--after", settle(&SettleSpec::after), "Time to simulate after the motion, s").positive();
  spec.add(command, "--slowest", &ShapeSpec::slowest, "Longest duration to try, of the model's; 2 by default")
      .positive();
  spec.add(command, "--least", &ShapeSpec::least,
           "Modes count from this part of the largest vibration on; 0.05 by default")
      .positive();
  spec.add(command, "--output-step", motion(&SimulateSpec::output_step), "Time between recorded values, s").positive();
  spec.add(command, "--tolerance", motion(&SimulateSpec::tolerance), "Error of node positions per second of motion, m")
      .positive();
  spec.add(command, "--integrator", motion(&SimulateSpec::integrator), "As for simulate");
  add_formulation_options(command, spec, motion(&SimulateSpec::formulation));
  command.add_option("-o,--output", options->written, "CSV to write with the best motion, for 'table' of [[moves]]");
  command.add_option("--results", options->directory, output_help);
  return action_on_model(options, run_shape);
}

const CommandRegistration shape_registration(
    {.name = "shape",
     .rank = 49,
     .summary = "Input shapers and durations that leave the tool at rest after a move, each simulated",
     .examples = "  lithe shape robot.toml --tool flange:tool\n"
                 "  lithe shape robot.toml --tool flange:tool --band 5e-5 -o shaped.csv\n",
     .set_up = set_up_shape});

}  // namespace

StudyOutcome study_shape(const Model& model, const ShapeSpec& spec, const StudyPlace& place) {
  return shape_outcome(model, shaped(model, spec), spec, place);
}

}  // namespace lithe::app
