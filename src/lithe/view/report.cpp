#include "lithe/view/report.h"

#include <algorithm>
#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/results/files/file_set.h"
#include "lithe/results/scene/stress_peak.h"
#include "lithe/view/page_template.h"
#include "lithe/view/report_json.h"

namespace lithe {
namespace {

bool is_energy(const Column& column) { return column.unit == "J"; }

bool has_spectrum(const std::vector<double>& times, const Column& column) {
  if (times.size() < 16 || is_energy(column)) return false;
  const double step = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  for (std::size_t i = 1; i < times.size(); ++i)
    if (std::abs(times[i] - times[i - 1] - step) > 1e-7 * step) return false;
  return std::all_of(column.values.begin(), column.values.end(), [](double value) { return std::isfinite(value); });
}

ReportTable sensor_table(const Trajectory& motion) {
  ReportTable table{
      "sensors", {{"sensor", ""}, {"unit", ""}, {"initial", ""}, {"final", ""}, {"min", ""}, {"max", ""}}, {}};
  for (std::size_t i = 0; i < motion.columns.size(); ++i) {
    const Column& column = motion.columns[i];
    if (column.values.empty()) continue;
    const ColumnRange range = motion.range(i);
    table.rows.push_back({column.name, column.unit, range.first, range.last, range.least, range.most});
  }
  return table;
}

void add_stresses(Report& report) {
  if (!report.motion) return;
  const std::vector<StressPeak> peaks = stress_peaks(*report.scene, *report.motion);
  if (peaks.empty()) return;
  report.facts.push_back({"largest stress", peaks.front().text()});
  ReportTable table{"largest von Mises stress", {{"link", ""}, {"stress", "Pa"}, {"at", ""}, {"time", "s"}}, {}};
  for (const StressPeak& peak : peaks) table.rows.push_back({peak.link, peak.von_mises, peak.place, peak.time});
  report.tables.push_back(std::move(table));
}

std::string seconds(double value) { return cat(value, " s"); }

bool has_all(const Trajectory& motion) { return motion.num_recorded <= static_cast<long long>(motion.times.size()); }

std::string instants(const Trajectory& motion) {
  if (has_all(motion)) return cat(motion.times.size());
  return cat(motion.num_recorded, ", of which this page shows ", motion.times.size(),
             "; spectra of all of them: lithe spectrum");
}

ReportFacts motion_facts(const Trajectory& motion) {
  const IntegratorCounters& c = motion.counters;
  ReportFacts facts = {{"formulation", motion.formulation},
                       {"integrator", motion.integrator},
                       {"end", motion.message},
                       {"coordinates", cat(motion.coordinate_names.size())},
                       {"recorded instants", instants(motion)},
                       {"steps", cat(c.steps, ", ", c.rejected, " rejected")},
                       {"evaluations", cat(c.evaluations)}};
  for (const EventRecord& event : motion.events)
    facts.push_back({"event", cat(event.name, " at ", seconds(event.time))});
  for (const std::string& note : motion.notes) facts.push_back({"note", note});
  for (const std::string& warning : motion.warnings) facts.push_back({"warning", warning});
  return facts;
}

}  // namespace

std::string report_page(const Report& report) {
  const std::string_view page = page_template();
  const std::size_t marker = page.find(data_marker);
  std::string result(page.substr(0, marker));
  result += report_json(report);
  result += page.substr(marker + data_marker.size());
  return result;
}

std::filesystem::path write_report(const Report& report, const std::filesystem::path& directory,
                                   const std::string& stem) {
  FileSet files(directory);
  files.write(cat(stem, ".html"), report_page(report));
  files.commit();
  return files.paths().front();
}

ReportRun report_run(const Trajectory& motion, const std::string& name) {
  ReportRun run;
  run.name = name;
  run.times = motion.times;
  run.columns = motion.columns;
  run.facts = motion_facts(motion);
  return run;
}

Report motion_report(const Equations& equations, const Trajectory& motion) {
  Report report;
  report.title = motion.model;
  report.subtitle = cat("motion, ", motion.formulation);
  report.facts = motion_facts(motion);
  report.scene = make_scene(equations.model());
  if (!motion.states.empty()) report.motion = sample_motion(equations, motion);
  report.runs.push_back(report_run(motion, motion.formulation));
  report.events = motion.events;
  report.tables.push_back(sensor_table(motion));
  add_stresses(report);
  report.energy = motion.energy;
  SpectrumOptions options;
  options.prominence = 1e-3;  // vibration beside the motion of the whole mechanism
  for (const Column& column : motion.columns)
    if (has_all(motion) && has_spectrum(motion.times, column))  // a choice of them would fold high frequencies down
      report.spectra.push_back({column.name, column.unit, "", spectrum(motion.times, column.values, options)});
  return report;
}

}  // namespace lithe
