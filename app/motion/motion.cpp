#include "app/motion/motion.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "app/terminal/consent.h"
#include "app/terminal/sparkline.h"
#include "app/terminal/table.h"
#include "lithe/base/text.h"
#include "lithe/integrate/sundials.h"

namespace lithe::app {

TerminalHooks::TerminalHooks(const std::string& label) : progress_(label) {
  hooks_.progress = [this](double part) { progress_.update(part); };
  hooks_.cancel = &interrupt_flag();
  hooks_.external = make_allowed_controller;
  hooks_.integrators = make_any_integrator;
}

void warn_on_early_end(const Trajectory& motion) {
  if (motion.end != RunEnd::finished) std::cerr << "lithe: no figures: " << motion.message << '\n';
}

std::string notes_text(const Trajectory& motion, const std::string& run) {
  const std::string of_run = run.empty() ? "" : run + ": ";
  std::string text;
  for (const std::string& note : motion.notes) text += cat("note: ", of_run, note, "\n");
  for (const std::string& warning : motion.warnings) text += cat("warning: ", of_run, warning, "\n");
  return text;
}

std::string motion_text(const Trajectory& motion, const Style& style) {
  const IntegratorCounters& c = motion.counters;
  std::string text = cat("Motion of '", motion.model, "', ", motion.formulation, ", ", motion.integrator, ": ");
  text += motion.end == RunEnd::finished ? style.good(motion.message) : style.bad(motion.message);
  text += cat("\n", c.steps, " steps, ", c.rejected, " rejected, ", c.evaluations, " evaluations, ", c.linearisations,
              " linearisations\n\n");
  const bool drawn = is_terminal(STDOUT_FILENO);
  std::vector<TextColumn> headings{
      {"sensor", Align::left}, {"unit", Align::left}, {"initial"}, {"final"}, {"min"}, {"max"}};
  if (drawn) headings.push_back({"over time", Align::left});
  TextTable sensors(headings);
  for (std::size_t i = 0; i < motion.columns.size(); ++i) {
    const Column& column = motion.columns[i];
    if (column.values.empty()) continue;
    const ColumnRange range = motion.range(i);
    std::vector<std::string> cells{column.name,        column.unit,         number(range.first),
                                   number(range.last), number(range.least), number(range.most)};
    if (drawn) cells.push_back(sparkline(column.values, 32));
    sensors.add_row(cells);
  }
  text += sensors.text(style);
  for (const EventRecord& event : motion.events) text += cat("event at ", number(event.time), " s: ", event.name, "\n");
  text += notes_text(motion);
  const EnergyBalance& e = motion.energy;
  text += cat("\nEnergy: start ", number(e.start), " J, end ", number(e.end), " J, work of drives and loads ",
              number(e.input_work), " J");
  if (std::isnan(e.dissipated)) return text + ", dissipated: not told by this formulation\n";
  return text + cat(", dissipated ", number(e.dissipated), " J, imbalance ", number(e.imbalance(), 3), " J\n");
}

nlohmann::json motion_json(const Trajectory& motion) {
  static const char* ends[] = {"finished", "failed", "cancelled", "stopped"};
  nlohmann::json sensors = nlohmann::json::array(), events = nlohmann::json::array();
  for (const Column& column : motion.columns)
    sensors.push_back({{"name", column.name},
                       {"unit", column.unit},
                       {"first", json_number(column.values.empty() ? 0 : column.values.front())},
                       {"last", json_number(column.values.empty() ? 0 : column.values.back())}});
  for (const EventRecord& event : motion.events) events.push_back({{"name", event.name}, {"time_s", event.time}});
  const EnergyBalance& e = motion.energy;
  const IntegratorCounters& c = motion.counters;
  return {{"model", motion.model},
          {"formulation", motion.formulation},
          {"integrator", motion.integrator},
          {"end", ends[static_cast<int>(motion.end)]},
          {"message", motion.message},
          {"time_s", motion.times.empty() ? 0 : motion.times.back()},
          {"sensors", sensors},
          {"events", events},
          {"energy",
           {{"start_j", json_number(e.start)},
            {"end_j", json_number(e.end)},
            {"input_work_j", json_number(e.input_work)},
            {"dissipated_j", json_number(e.dissipated)},
            {"imbalance_j", json_number(e.imbalance())}}},
          {"notes", motion.notes},
          {"warnings", motion.warnings},
          {"steps", c.steps},
          {"rejected", c.rejected},
          {"evaluations", c.evaluations},
          {"linearisations", c.linearisations}};
}

std::string peaks_text(const Spectrum& spectrum, const std::string& unit, const Style& style) {
  const bool drawn = is_terminal(STDOUT_FILENO);
  std::vector<TextColumn> headings{{"peak"}, {"frequency Hz"}, {cat("amplitude ", unit)}};
  if (drawn) headings.push_back({"", Align::left});
  TextTable table(headings);
  double highest = 0;
  for (const Peak& peak : spectrum.peaks) highest = std::max(highest, peak.value);
  int count = 0;
  for (const Peak& peak : spectrum.peaks) {
    std::vector<std::string> cells{cat(++count), fixed(peak.frequency, 3), number(peak.value, 4)};
    if (drawn) cells.push_back(bar(peak.value / highest, 24));
    table.add_row(cells);
  }
  return table.text(style);
}

nlohmann::json spectrum_json(const Spectrum& spectrum, const std::string& sensor, const std::string& unit) {
  nlohmann::json peaks = nlohmann::json::array();
  for (const Peak& peak : spectrum.peaks)
    peaks.push_back({{"frequency_hz", peak.frequency}, {"amplitude", peak.value}});
  return {{"sensor", sensor}, {"unit", unit}, {"line_spacing_hz", spectrum.line_spacing}, {"peaks", peaks}};
}

}  // namespace lithe::app
