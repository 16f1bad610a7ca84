#include <cmath>

#include "app/motion/control.h"
#include "app/motion/motion.h"
#include "app/motion/recorded_motion.h"
#include "app/terminal/consent.h"
#include "app/terminal/table.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

// "-" of a quantity that was not asked for.
std::string figure(double value, int digits) { return std::isnan(value) ? "-" : number(value, digits); }

std::string seconds(double value) { return std::isfinite(value) ? number(value, 4) : "never"; }

std::string unit_of_judged(const ControlStudy& study) {
  if (study.runs.empty()) return "";
  const Model& model = study.equations->model();
  int sensor = model.control->judgement.sensor;
  if (sensor < 0 && !model.control->references.empty()) sensor = model.control->references.front().sensor;
  if (sensor < 0) return "";
  const Column* column = study.runs.front().motion.column(model.sensors[static_cast<std::size_t>(sensor)].name);
  return column ? column->unit : "";
}

std::string moves_text(const ControlStudy& study, const Style& style) {
  const std::string unit = unit_of_judged(study);
  TextTable table({{"controller", Align::left},
                   {"settled s"},
                   {cat("residual ", unit)},
                   {"peak deflection"},
                   {"peak effort"},
                   {"rms effort"},
                   {"real-time factor"},
                   {"end", Align::left}});
  for (const ControlRun& run : study.runs) {
    const ControlFigures& f = run.figures;
    const double simulated = run.motion.times.empty() ? 0 : run.motion.times.back();
    table.add_row({run.name, seconds(f.settling_time), number(f.residual, 3), figure(f.peak_deflection, 3),
                   number(f.peak_effort, 4), number(f.effort, 4),
                   run.seconds > 0 ? number(simulated / run.seconds, 3) : "", run.motion.message});
  }
  return table.text(style);
}

std::string robustness_text(const ControlStudy& study, const Style& style) {
  TextTable table({{"controller", Align::left},
                   {"payload"},
                   {"settled s"},
                   {cat("residual ", unit_of_judged(study))},
                   {"peak deflection"},
                   {"rms effort"},
                   {"decay 1/s"},
                   {"", Align::left}});
  for (const ControlRun& run : study.runs)
    for (const PayloadRun& payload : run.payloads)
      table.add_row({run.name, cat(number(100 * payload.factor, 4), " %"), seconds(payload.figures.settling_time),
                     number(payload.figures.residual, 3), figure(payload.figures.peak_deflection, 3),
                     number(payload.figures.effort, 4), std::isnan(payload.decay) ? "" : number(payload.decay, 4),
                     payload.decay < 0 ? "unstable" : ""});
  return table.empty() ? "" : "\nRobustness to unmodelled payload changes\n\n" + table.text(style);
}

// What each controller costs when all take the same time.
std::string equal_text(const ControlStudy& study, const Style& style) {
  if (!(study.equal_settling > 0)) return "";
  TextTable table({{"controller", Align::left},
                   {"time-scaling factor"},
                   {"settled s"},
                   {cat("residual ", unit_of_judged(study))},
                   {"peak deflection"},
                   {"peak effort"},
                   {"rms effort"}});
  for (const ControlRun& run : study.runs) {
    if (!(run.equal.stretch > 0)) continue;
    const ControlFigures& f = run.equal.figures;
    table.add_row({run.name, number(run.equal.stretch, 4), seconds(f.settling_time), number(f.residual, 3),
                   figure(f.peak_deflection, 3), number(f.peak_effort, 4), number(f.effort, 4)});
  }
  return cat("\nAt equal settling time: moves scaled in time until they settle at ", number(study.equal_settling, 4),
             " s\n\n", table.text(style));
}

// The slowest pole tells whether modes that the design left out are disturbed by it.
std::string spillover_text(const ControlStudy& study, const Style& style) {
  TextTable table({{"controller", Align::left},
                   {"modes"},
                   {"decay 1/s"},
                   {"with all modes"},
                   {"along the move"},
                   {"", Align::left}});
  bool any = false;
  for (const ControlRun& run : study.runs) {
    if (std::isnan(run.full_decay)) continue;
    any = true;
    const char* note = run.full_decay < 0   ? "unstable with all modes: spillover"
                       : run.path_decay < 0 ? "unstable at another configuration of the move"
                                            : "";
    table.add_row({run.name, cat(run.design.model.frequencies.size()), number(run.design_decay, 4),
                   number(run.full_decay, 4), number(run.path_decay, 4), note});
  }
  return any ? "\nSlowest pole of the sampled linear loop: design model, then all modes at the start, then at the "
               "worst "
               "of the configurations\n\n" +
                   table.text(style)
             : "";
}

std::string designs_text(const ControlStudy& study) {
  std::string text;
  for (const ControlRun& run : study.runs) {
    for (std::size_t i = 0; i < run.design.gains.size(); ++i) {
      const PidGains& g = run.design.gains[i];
      text += cat("controller '", run.name, "', joint ", i + 1, ": proportional ", number(g.proportional),
                  ", integral ", number(g.integral), ", derivative ", number(g.derivative), "\n");
    }
    if (run.design.shaper_frequency > 0)
      text += cat("controller '", run.name, "': references shaped for ", number(run.design.shaper_frequency), " Hz\n");
    for (const std::string& note : run.design.notes) text += cat("controller '", run.name, "': ", note, "\n");
    text += notes_text(run.motion, run.name);
  }
  return text.empty() ? "" : "\n" + text;
}

// Controllers without a design, at their places in the file.
std::string failures_text(const ControlStudy& study, const Style& style) {
  std::string text;
  for (const FailedDesign& failed : study.failures) text += style.error(failed.message) + "\n";
  return text.empty() ? "" : cat(study.runs.empty() ? "" : "\n", text);
}

nlohmann::json figures_json(const ControlFigures& f) {
  return {{"settling_time_s", json_number(f.settling_time)},
          {"residual", json_number(f.residual)},
          {"peak_deflection", json_number(f.peak_deflection)},
          {"peak_effort", json_number(f.peak_effort)},
          {"rms_effort", json_number(f.effort)},
          {"finished", f.finished}};
}

// "lqg: shoulder" -> "torque, shoulder", "lqg: reference" -> "reference"
std::string shared_name(const Column& column, std::size_t prefix) {
  const std::string name = column.name.substr(prefix);
  return column.unit.empty() ? name : cat(column.unit == "N" ? "force, " : "torque, ", name);
}

ReportTable poles_table(const ControlStudy& study) {
  ReportTable table;
  table.title = "slowest pole of the sampled linear loop";
  table.columns = {
      {"controller", ""}, {"modes", ""}, {"design", "1/s"}, {"with all modes", "1/s"}, {"along the move", "1/s"}};
  for (const ControlRun& run : study.runs)
    if (!std::isnan(run.full_decay))
      table.rows.push_back({run.name, static_cast<double>(run.design.model.frequencies.size()), run.design_decay,
                            run.full_decay, run.path_decay});
  return table;
}

ReportTable equal_table(const ControlStudy& study) {
  ReportTable table;
  table.title = cat("at equal settling time, ", number(study.equal_settling, 4), " s");
  table.columns = {
      {"controller", ""},      {"time-scaling factor", ""}, {"settled", "s"},  {"residual", unit_of_judged(study)},
      {"peak deflection", ""}, {"peak effort", ""},         {"rms effort", ""}};
  for (const ControlRun& run : study.runs) {
    const ControlFigures& f = run.equal.figures;
    if (run.equal.stretch > 0)
      table.rows.push_back(
          {run.name, run.equal.stretch, f.settling_time, f.residual, f.peak_deflection, f.peak_effort, f.effort});
  }
  return table;
}

Report study_report(const ControlStudy& study) {
  const Trajectory& first = study.runs.front().motion;
  Report report = motion_report(first.equations ? *first.equations : *study.equations, first);
  report.subtitle = "controllers compared";
  report.runs.clear();
  for (const ControlRun& run : study.runs) {
    Trajectory motion =
        run.motion;  // columns of the controller under names that all runs share, to lie over each other
    for (Column& column : motion.columns)
      if (column.name.rfind(run.name + ": ", 0) == 0) column.name = shared_name(column, run.name.size() + 2);
    report.runs.push_back(report_run(motion, run.name));
  }
  report.tables.insert(report.tables.begin(), {control_figures_table(study), poles_table(study)});
  if (study.equal_settling > 0) report.tables.insert(report.tables.begin() + 1, equal_table(study));
  return report;
}

}  // namespace

std::string control_text(const ControlStudy& study, const Style& style) {
  if (study.runs.empty()) return failures_text(study, style);
  return moves_text(study, style) + equal_text(study, style) + robustness_text(study, style) +
         spillover_text(study, style) + designs_text(study) + failures_text(study, style);
}

nlohmann::json control_json(const ControlStudy& study) {
  nlohmann::json list = nlohmann::json::array();
  for (const ControlRun& run : study.runs) {
    nlohmann::json row = figures_json(run.figures);
    row["controller"] = run.name;
    row["message"] = run.motion.message;
    row["computing_s"] = run.seconds;
    row["design_decay"] = json_number(run.design_decay);
    row["full_decay"] = json_number(run.full_decay);
    row["path_decay"] = json_number(run.path_decay);
    if (run.equal.stretch > 0) {
      row["equal"] = figures_json(run.equal.figures);
      row["equal"]["stretch"] = run.equal.stretch;
    }
    row["notes"] = run.design.notes;
    for (const std::string& note : run.motion.notes) row["notes"].push_back(note);
    row["energy_imbalance_j"] = json_number(run.motion.energy.imbalance());
    row["warnings"] = run.motion.warnings;
    row["gains"] = nlohmann::json::array();
    for (const PidGains& g : run.design.gains)
      row["gains"].push_back(
          {{"proportional", g.proportional}, {"integral", g.integral}, {"derivative", g.derivative}});
    row["payloads"] = nlohmann::json::array();
    for (const PayloadRun& payload : run.payloads) {
      nlohmann::json part = figures_json(payload.figures);
      part["factor"] = payload.factor;
      part["decay"] = json_number(payload.decay);
      row["payloads"].push_back(part);
    }
    list.push_back(row);
  }
  nlohmann::json result = {
      {"model", study.equations->model().name}, {"controllers", list}, {"finished", study.finished()}};
  result["failures"] = nlohmann::json::array();
  for (const FailedDesign& failed : study.failures)
    result["failures"].push_back({{"controller", failed.name}, {"message", failed.message}});
  if (study.equal_settling > 0) result["equal_settling_time_s"] = study.equal_settling;
  return result;
}

ReportTable control_figures_table(const ControlStudy& study) {
  ReportTable table;
  table.title = "the move with each controller";
  table.columns = {{"controller", ""},      {"payload", "%"},    {"settled", "s"},  {"residual", unit_of_judged(study)},
                   {"peak deflection", ""}, {"peak effort", ""}, {"rms effort", ""}};
  const auto add = [&table](const std::string& name, double payload, const ControlFigures& f) {
    table.rows.push_back({name, payload, f.settling_time, f.residual, f.peak_deflection, f.peak_effort, f.effort});
  };
  for (const ControlRun& run : study.runs) {
    add(run.name, 100, run.figures);
    for (const PayloadRun& payload : run.payloads) add(run.name, 100 * payload.factor, payload.figures);
  }
  return table;
}

std::vector<std::filesystem::path> write_control(const ControlStudy& study, RunRecordings& recordings) {
  if (study.runs.empty()) return {};
  std::vector<TableRun> runs;
  for (const ControlRun& run : study.runs) {
    runs.push_back({run.rows(), {}});
    for (const Column& column : run.motion.columns) {
      const bool own = column.name.rfind(run.name + ": ", 0) == 0;
      runs.back().headings.push_back(own ? column.name : cat(run.name, " ", column.name));
    }
  }
  const std::string& stem = recordings.stem();
  std::vector<std::filesystem::path> paths = {
      write_side_by_side(runs, {{"model", study.equations->model().name}}, recordings.directory(), stem)};
  Report report = study_report(study);
  report.files = {stem + ".csv"};
  paths.push_back(write_report(report, recordings.directory(), stem));
  recordings.remove();
  return paths;
}

ControlStudy run_control(const Model& model, const ControlSpec& spec, RunRecordings& recordings) {
  require_consent(model, controllers_of(model, spec));
  TerminalHooks hooks("control");
  recordings.record([&](const std::string&) { return spec.simulate.formulation; }, hooks.hooks());
  return study_control(model, spec, hooks);
}

}  // namespace lithe::app
