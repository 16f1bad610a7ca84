#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "app/linear/sweep.h"
#include "app/models/sources.h"
#include "app/terminal/consent.h"
#include "app/terminal/interrupt.h"
#include "app/terminal/progress.h"
#include "app/terminal/table.h"
#include "lithe/analyse/choose_controllers.h"
#include "lithe/analyse/sweep/motion_says.h"
#include "lithe/base/text.h"
#include "lithe/integrate/sundials.h"
#include "lithe/read/read_model.h"
#include "lithe/view/map_picture.h"
#include "lithe/view/sweep_report.h"

namespace lithe::app {
namespace {

constexpr std::size_t most_panels = 8;
constexpr std::size_t most_reasons = 5;

// The first quantities that are for looking at.
std::string picture_of(const Sweep& sweep, const SweepFile& points, const std::string& title) {
  std::vector<MapAxis> axes;
  for (std::size_t a = 0; a < std::min<std::size_t>(2, sweep.axes.size()); ++a) {
    const SweepAxis& axis = sweep.axes[a];
    axes.push_back(
        {axis.variable.unit.empty() ? axis.variable.name : cat(axis.variable.name, " [", axis.variable.unit, "]"),
         axis.values});
  }
  long long inner = 1;  // points per step of the second axis
  for (std::size_t a = 2; a < sweep.axes.size(); ++a) inner *= static_cast<long long>(sweep.axes[a].values.size());
  const long long second = axes.size() > 1 ? static_cast<long long>(axes[1].values.size()) : 1;
  std::vector<MapPanel> panels;
  for (std::size_t c = 0; c < sweep.columns.size() && panels.size() < most_panels; ++c) {
    if (sweep.columns[c].show != SweepShow::picture) continue;
    const std::string &name = sweep.columns[c].name, &unit = sweep.columns[c].unit;
    panels.push_back({unit.empty() ? name : cat(name, " [", unit, "]"), [=, &points](std::size_t i, std::size_t j) {
                        const SweepFile::Point point =
                            points.get((static_cast<long long>(i) * second + static_cast<long long>(j)) * inner);
                        return point.there ? point.values[c] : std::numeric_limits<double>::quiet_NaN();
                      }});
  }
  return map_picture(axes, panels, title);
}

// What a page shows of a sweep.
ReportMap map_of(const Sweep& sweep, const SweepFile& points, const std::string& name) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < sweep.columns.size(); ++c)
    if (sweep.columns[c].show != SweepShow::files) columns.push_back(c);
  ReportMap map = sweep_map(sweep, columns, [&](long long index) {
    SweepFile::Point point = points.get(index);
    return point.there ? std::move(point.values) : std::vector<double>();
  });
  map.name = name;
  for (ReportMapQuantity& quantity : map.quantities)
    quantity.logarithmic = quantity.name == "condition" || quantity.name.starts_with("stiffness_");
  return map;
}

// The first few sentences that there are, with how often.
void count_reason(const std::string& reason, std::vector<std::pair<std::string, long long>>& reasons) {
  if (reason.empty()) return;
  const auto at =
      std::find_if(reasons.begin(), reasons.end(), [&](const auto& entry) { return entry.first == reason; });
  if (at != reasons.end())
    ++at->second;
  else if (reasons.size() < most_reasons)
    reasons.emplace_back(reason, 1);
}

void summarise(const Sweep& sweep, const SweepFile& points, SweepOutcome& outcome) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  outcome.columns = sweep.columns;
  outcome.lowest.assign(sweep.columns.size(), nan);
  outcome.highest.assign(sweep.columns.size(), nan);
  outcome.num_by_status.assign(4, 0);
  MotionSummary motions(sweep.columns);
  for (long long index = 0; index < sweep.num_points(); ++index) {
    const SweepFile::Point point = points.get(index);
    ++outcome.num_by_status[static_cast<std::size_t>(point.status)];
    if (point.there && point.status == PointStatus::ok)
      motions.add(point.values, point.reason);
    else
      count_reason(point.reason, outcome.reasons);
    for (std::size_t c = 0; point.there && c < point.values.size(); ++c) {
      outcome.lowest[c] = std::fmin(outcome.lowest[c], point.values[c]);
      outcome.highest[c] = std::fmax(outcome.highest[c], point.values[c]);
    }
  }
  outcome.warning = motions.warning();
  outcome.note = motions.note();
}

// What is in the file and beside it, and what was asked for.
std::string signature_of(const Model& model, const SweepTask& task, const Sweep& sweep) {
  Signature signature;
  add_sources(model, signature);
  add_sweep(sweep, task.settings, signature);
  return signature.text();
}

// Computes what the file has not, until Ctrl-C at most. Returns how many points.
long long compute_points(const Sweep& sweep, int threads, SweepFile& points) {
  const InterruptGuard guard;
  Progress progress("sweeping");
  SweepOptions options;
  options.num_threads = threads;
  options.stop = &interrupt_flag();
  options.progress = [&](long long done) {
    progress.update(static_cast<double>(done) / static_cast<double>(std::max<long long>(1, sweep.num_points())));
  };
  return lithe::run_sweep(sweep, points, options);
}

}  // namespace

SweepOutcome run_sweep(const std::filesystem::path& path, const SweepSpec& spec, bool fresh,
                       const std::filesystem::path& directory, const std::string& stem) {
  SweepTask task;
  task.make = [&spec](const VariableModel& file, const Model& model, const RunHooks& hooks) {
    require_consent(model, controllers_of(model, spec));
    return make_sweep(file, spec, hooks);
  };
  task.settings = settings_of(spec);
  task.threads = spec.threads;
  return run_sweep(path, task, fresh, directory, stem);
}

SweepOutcome run_sweep(const std::filesystem::path& path, const SweepTask& task, bool fresh,
                       const std::filesystem::path& directory, const std::string& stem) {
  const ParametricModel file(path, read_options(path.string()));
  const Model base = file.with({});
  RunHooks hooks;
  hooks.external = make_allowed_controller;
  hooks.integrators = make_any_integrator;
  const Sweep sweep = task.make(file, base, hooks);
  SweepOutcome outcome;
  outcome.num_points = sweep.num_points();
  outcome.part = directory / (stem + ".part");
  SweepFile points(outcome.part, signature_of(base, task, sweep), sweep.num_points(),
                   static_cast<int>(sweep.columns.size()), fresh);
  outcome.num_found = points.num_done();
  outcome.num_computed = compute_points(sweep, task.threads, points);
  outcome.finished = points.num_done() == sweep.num_points();
  if (!outcome.finished) return outcome;
  summarise(sweep, points, outcome);
  outcome.files = write_sweep(sweep, points, base.name, directory, stem,
                              [&] { return picture_of(sweep, points, cat(base.name, ": ", stem)); });
  outcome.model_name = base.name;
  outcome.scene = make_scene(base);
  outcome.map = map_of(sweep, points, stem);
  const auto& configurations = outcome.map.configurations;
  if (std::all_of(configurations.begin(), configurations.end(),
                  [](const auto& configuration) { return configuration.empty(); }))
    outcome.map.home = home_poses(base);
  points.remove();
  return outcome;
}

Report sweep_report(const SweepOutcome& outcome) {
  Report report;
  report.title = outcome.model_name;
  report.subtitle = "sweep";
  report.scene = outcome.scene;
  report.maps.push_back(outcome.map);
  report.facts = {{"points", cat(outcome.num_points)},
                  {"unreachable", cat(outcome.num_by_status[1])},
                  {"without an answer", cat(outcome.num_by_status[2] + outcome.num_by_status[3])}};
  for (const auto& [reason, times] : outcome.reasons) report.facts.push_back({cat(times, " without"), reason});
  if (!outcome.note.empty()) report.facts.push_back({"note", outcome.note});
  if (!outcome.warning.empty()) report.facts.push_back({"warning", outcome.warning});
  return report;
}

std::string sweep_text(const SweepOutcome& outcome, const Style& style) {
  std::string text =
      cat(outcome.num_points, " points: ", outcome.num_by_status[0], " computed, ", outcome.num_by_status[1],
          " unreachable, ", outcome.num_by_status[2] + outcome.num_by_status[3], " without an answer");
  if (outcome.num_found > 0) text += cat("; ", outcome.num_found, " were there from an earlier run");
  for (const auto& [reason, times] : outcome.reasons) text += cat("\n", times, " without: ", reason);
  TextTable table({{"quantity", Align::left}, {"lowest"}, {"highest"}, {"unit", Align::left}});
  for (std::size_t c = 0; c < outcome.columns.size(); ++c) {
    const std::string& name = outcome.columns[c].name;
    if (outcome.columns[c].show != SweepShow::files)
      table.add_row({name, number(outcome.lowest[c], 6), number(outcome.highest[c], 6), outcome.columns[c].unit});
  }
  text += "\n\n" + table.text(style);
  if (!outcome.note.empty()) text += cat("note: ", outcome.note, "\n");
  if (!outcome.warning.empty()) text += cat("warning: ", outcome.warning, "\n");
  return text;
}

nlohmann::json sweep_json(const SweepOutcome& outcome) {
  nlohmann::json columns = nlohmann::json::array(), files = nlohmann::json::array();
  for (std::size_t c = 0; c < outcome.lowest.size(); ++c)
    columns.push_back({{"name", outcome.columns[c].name},
                       {"unit", outcome.columns[c].unit},
                       {"lowest", json_number(outcome.lowest[c])},
                       {"highest", json_number(outcome.highest[c])}});
  for (const auto& path : outcome.files) files.push_back(path.string());
  nlohmann::json result{
      {"finished", outcome.finished},          {"points", outcome.num_points}, {"computed_now", outcome.num_computed},
      {"from_earlier_run", outcome.num_found}, {"columns", columns},           {"files", files}};
  if (outcome.finished)
    result["status"] = {{"computed", outcome.num_by_status[0]},
                        {"unreachable", outcome.num_by_status[1]},
                        {"unconstrained", outcome.num_by_status[2]},
                        {"failed", outcome.num_by_status[3]}};
  result["notes"] = nlohmann::json::array();
  result["warnings"] = nlohmann::json::array();
  if (!outcome.note.empty()) result["notes"].push_back(outcome.note);
  if (!outcome.warning.empty()) result["warnings"].push_back(outcome.warning);
  for (const auto& [reason, times] : outcome.reasons)
    result["reasons"].push_back({{"reason", reason}, {"points", times}});
  return result;
}

}  // namespace lithe::app
