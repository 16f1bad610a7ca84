#include "playground/bridge.h"

#include <algorithm>
#include <map>

#include "app/linear/linearise.h"
#include "app/pages/reports.h"
#include "app/pages/settings_json.h"
#include "lithe/analyse/analyses.h"
#include "lithe/analyse/inspect/inspect.h"
#include "lithe/analyse/inspect/reduction_check.h"
#include "lithe/analyse/linear/linearise.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/formulate/formulation.h"
#include "lithe/read/partial_model.h"
#include "lithe/read/read_model.h"
#include "lithe/read/schema/json_schema.h"
#include "lithe/reduce/solvers/eigensolver_spectra.h"
#include "lithe/view/page_template.h"
#include "lithe/view/report_json.h"
#include "lithe/view/sweep_report.h"

namespace lithe {

// The page around the engine has it, once.
std::string_view page_template() { return data_marker; }

}  // namespace lithe

namespace lithe::playground {
namespace {

using Json = nlohmann::json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json numbers(const VectorX& values, Eigen::Index most) {
  Json list = Json::array();
  for (Eigen::Index k = 0; k < std::min(most, values.size()); ++k) list.push_back(number(values[k]));
  return list;
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

// Row by row.
Json matrix(const MatrixX& values) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < values.rows(); ++i) rows.push_back(numbers(values.row(i).transpose(), values.cols()));
  return rows;
}

Json signals(const std::vector<Channel>& list) {
  Json result = Json::array();
  for (const Channel& signal : list) result.push_back({{"name", signal.name}, {"unit", signal.unit}});
  return result;
}

Json errors_json(const std::vector<Diagnostic>& errors) {
  Json list = Json::array();
  for (const Diagnostic& error : errors)
    list.push_back({{"line", error.line}, {"column", error.column}, {"message", error.message}});
  return list;
}

struct Question {
  std::string text, file;
  bool report = true, values = false;
  Json settings = Json::object();

  // Those of the file, with what the question says otherwise.
  template <class Spec>
  Spec changed(Spec spec) const {
    app::take_settings(spec, settings);
    return spec;
  }
};

// Errors of later stages stand where the reader saw their keys.
std::vector<Diagnostic> placed(std::vector<Diagnostic> errors, const PartialModel& read) {
  for (Diagnostic& error : errors) {
    const auto found = read.key_places.find(error.path);
    if (found == read.key_places.end()) continue;
    error.line = found->second.line;
    error.column = found->second.column;
  }
  return errors;
}

// The model with the notes of its reader, or every error in it at once.
PartialModel read_all(const Question& question) {
  PartialModel read = read_text_partly(question.text, question.file);
  if (read.errors.empty()) return read;
  std::vector<Diagnostic> all = placed(read.errors, read);
  const InspectionStages stages{.connections = read.connections_hold, .configuration = read.configurations_hold};
  for (const Diagnostic& other : placed(find_errors(read.model, stages), read)) {
    const auto same = [&](const Diagnostic& error) { return error.text() == other.text(); };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(other);
  }
  throw InputError(in_file_order(std::move(all), question.file));
}

Json check(const Question& question) {
  const PartialModel read = read_all(question);
  const MechanismInfo info = [&] {
    try {
      return inspect(read.model);
    } catch (const InputError& error) {
      throw InputError(placed(error.errors(), read));
    }
  }();
  Json warnings = read.notes;
  for (const std::string& warning : reduction_warnings(read.model)) warnings.push_back(warning);
  Json joints = Json::array();
  for (const JointInfo& joint : info.joints) joints.push_back(joint.name);
  return {{"name", read.model.name},   {"links", read.model.links.size()}, {"joints", read.model.joints.size()},
          {"freedoms", info.mobility}, {"elasticModes", info.num_elastic}, {"warnings", warnings},
          {"notes", notes(info)}};
}

// The data of the page as they would stand in it.
void add_report(Json& result, const Report& report, const Question& question) {
  if (question.report) result["report"] = report_json(report);
}

// As `lithe modes` without --link.
ModesSpec mechanism_modes_of(const Model& model) {
  const std::vector<Analysis> all = analyses_of(model);
  for (const Analysis& analysis : all)
    if (const auto* own = std::get_if<ModesSpec>(&analysis.spec); own && own->link.empty()) return *own;
  return {};
}

Json modes(const Question& question) {
  const Model model = read_all(question).model;
  const ModesSpec spec = question.changed(mechanism_modes_of(model));
  const NaturalModesResult found = natural_modes(model, spec);
  if (!found.mechanism) throw InputError(cat("no modes: ", found.failure));
  const Eigen::Index most = found.mechanism->num_rigid + spec.count;
  Json result = {{"frequencies", numbers(found.mechanism->frequencies, most)},
                 {"dampingRatios", numbers(found.mechanism->damping_ratios, most)},
                 {"rigid", found.mechanism->num_rigid},
                 {"notes", found.notes}};
  if (question.report)
    add_report(result, app::modes_report(*found.equations, found.state, *found.mechanism, spec.count), question);
  return result;
}

Json motion(const Question& question) {
  const Model model = read_all(question).model;
  const SimulateSpec spec = question.changed(spec_of<SimulateSpec>(model));
  const SimulatedMotion moved = simulate(model, spec);
  Json columns = Json::array();
  for (std::size_t i = 0; i < moved.columns.size(); ++i) {
    if (moved.columns[i].values.empty()) continue;
    const ColumnRange range = moved.range(i);
    columns.push_back({{"name", moved.columns[i].name},
                       {"unit", moved.columns[i].unit},
                       {"final", number(range.last)},
                       {"least", number(range.least)},
                       {"most", number(range.most)}});
    if (question.values) columns.back()["values"] = numbers(moved.columns[i].values);
  }
  Json result = {{"end", moved.message},          {"finished", moved.end == RunEnd::finished},
                 {"steps", moved.counters.steps}, {"columns", columns},
                 {"warnings", moved.warnings},    {"notes", moved.notes}};
  if (question.values) result["times"] = numbers(moved.times);
  if (moved.end != RunEnd::finished) result["warnings"].push_back(cat("the motion ended early: ", moved.message));
  if (question.report) add_report(result, app::simulation_report(*moved.equations, moved), question);
  return result;
}

Json linear(const Question& question) {
  const Model model = read_all(question).model;
  const LineariseSpec spec = question.changed(spec_of<LineariseSpec>(model));
  const LineariseResult found = linearise(model, spec);
  if (!found.failure.empty()) throw InputError(cat("no linear model: ", found.failure));
  Json eigenvalues = Json::array();
  for (const std::complex<double>& value : found.modes.front().eigenvalues)
    eigenvalues.push_back({number(value.real()), number(value.imag())});
  Json result = {{"eigenvalues", eigenvalues},
                 {"inputs", found.models.front().inputs.size()},
                 {"outputs", found.models.front().outputs.size()},
                 {"coordinates", found.models.front().size()},
                 {"notes", found.notes}};
  if (question.values) {
    const StateSpace system = state_space(found.models.front());
    result["system"] = {{"a", matrix(system.a)},
                        {"b", matrix(system.b)},
                        {"c", matrix(system.c)},
                        {"d", matrix(system.d)},
                        {"states", signals(system.states)},
                        {"inputs", signals(system.inputs)},
                        {"outputs", signals(system.outputs)}};
  }
  if (!question.report) return result;
  Report report;
  report.title = model.name;
  report.subtitle = cat("linear model, ", found.equations->name());
  report.scene = make_scene(model);
  app::add_to_page(found, spec, report);
  add_report(result, report, question);
  return result;
}

// Without a sweep in the file: natural frequencies over the first joints that are free to choose.
SweepSpec sweep_for(const Model& model) {
  const std::vector<Analysis> all = analyses_of(model);
  for (const Analysis& analysis : all)
    if (const auto* own = std::get_if<SweepSpec>(&analysis.spec)) return *own;
  SweepSpec spec;
  spec.analysis = "modes";
  const MechanismInfo info = inspect(model);
  for (const Joint& joint : model.joints) {
    if (joint.type != JointType::revolute || spec.axes.size() == 2) continue;
    const bool free = std::find(info.independent.begin(), info.independent.end(), joint.name) != info.independent.end();
    const double at = joint.initial_value.empty() ? 0 : joint.initial_value.front();
    if (free || info.loops.empty())
      spec.axes.push_back(
          cat("joint.", joint.name, " = ", number_text(at - 1), " rad : ", number_text(at + 1), " rad : 9"));
  }
  if (spec.axes.empty())
    throw InputError(
        "a map needs revolute joints to turn, or an analysis of kind \"sweep\" in the file: its axes are what the map "
        "shows");
  return spec;
}

// Points in memory.
class Points : public SweepStore {
 public:
  explicit Points(const Sweep& sweep) : values_(static_cast<std::size_t>(sweep.num_points())) {}
  bool is_done(long long) const override { return false; }
  void put(long long index, const PointResult& result, const std::vector<double>& values) override {
    if (result.status == PointStatus::ok) {
      values_[static_cast<std::size_t>(index)] = values;
      ++num_ok;
    } else if (!result.reason.empty()) {
      ++reasons[result.reason];
    }
  }
  const std::vector<double>& at(long long index) const { return values_[static_cast<std::size_t>(index)]; }
  long long num_ok = 0;
  std::map<std::string, int> reasons;

 private:
  std::vector<std::vector<double>> values_;
};

Json columns_json(const Sweep& sweep, const Points& points) {
  Json columns = Json::array();
  for (std::size_t c = 0; c < sweep.columns.size(); ++c) {
    if (sweep.columns[c].show == SweepShow::files) continue;
    Json values = Json::array();
    for (long long k = 0; k < sweep.num_points(); ++k)
      values.push_back(c < points.at(k).size() ? number(points.at(k)[c]) : Json());
    columns.push_back({{"name", sweep.columns[c].name}, {"unit", sweep.columns[c].unit}, {"values", values}});
  }
  return columns;
}

Json map(const Question& question) {
  const ParametricModel file(question.text, question.file, {});
  const Model model = read_all(question).model;
  const Sweep sweep = make_sweep(file, question.settings.empty() ? sweep_for(model) : question.changed(SweepSpec{}));
  constexpr long long most_points = 10000;
  if (sweep.num_points() > most_points)
    throw InputError(cat("the map has ", sweep.num_points(), " points; here at most ", most_points, " are computed"));
  Points points(sweep);
  run_sweep(sweep, points, {.num_threads = 1});
  Json reasons = Json::array();
  for (const auto& [reason, times] : points.reasons) reasons.push_back(cat(times, " without: ", reason));
  Json result = {{"points", sweep.num_points()},
                 {"computed", points.num_ok},
                 {"columns", columns_json(sweep, points)},
                 {"notes", reasons}};
  if (!question.report) return result;
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < sweep.columns.size(); ++c)
    if (sweep.columns[c].show != SweepShow::files) shown.push_back(c);
  Report report;
  report.title = model.name;
  report.subtitle = "map";
  report.scene = make_scene(model);
  report.maps.push_back(sweep_map(sweep, shown, [&](long long index) { return points.at(index); }));
  ReportMap& drawn = report.maps.front();
  drawn.name = "map";
  for (ReportMapQuantity& quantity : drawn.quantities)
    quantity.logarithmic = quantity.name == "condition" || quantity.name.starts_with("stiffness_");
  if (std::all_of(drawn.configurations.begin(), drawn.configurations.end(),
                  [](const auto& each) { return each.empty(); }))
    drawn.home = home_poses(model);
  report.facts = {{"points", cat(sweep.num_points())}, {"computed", cat(points.num_ok)}};
  add_report(result, report, question);
  return result;
}

Json asked(const std::string& what, const Question& question) {
  if (what == "schema") return {{"schema", model_file_schema()}};
  if (what == "check") return check(question);
  if (what == "modes") return modes(question);
  if (what == "motion") return motion(question);
  if (what == "linear") return linear(question);
  if (what == "map") return map(question);
  throw InputError(cat("there is no question '", what, "'"));
}

}  // namespace

Json answer(const Json& request) {
  use_spectra();
  const Question question{request.value("text", ""), request.value("file", "model.toml"), request.value("report", true),
                          request.value("values", false), request.value("settings", Json::object())};
  try {
    return asked(request.value("what", ""), question);
  } catch (const InputError& error) {
    return {{"errors", errors_json(error.errors())}};
  } catch (const std::bad_alloc&) {
    return {{"errors", errors_json({{.message = "this needs more memory than the browser gives"}})}};
  } catch (const std::exception& error) {
    return {{"errors", errors_json({{.message = error.what()}})}};
  }
}

}  // namespace lithe::playground
