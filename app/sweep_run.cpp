#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <variant>

#include "app/interrupt.h"
#include "app/progress.h"
#include "app/sweep.h"
#include "app/table.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/model/finite_element_body.h"
#include "lithe/read/model_parameters.h"
#include "lithe/view/map_picture.h"
#include "lithe/view/sweep_report.h"

namespace lithe::app {
namespace {

using Kind = SweepVariable::Kind;

std::string trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

// "name = value" at the last equals sign, since values have none.
std::pair<std::string, std::string> split_axis(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos)
    throw InputError(cat("'", text, "' must be written name = first : last : count, or name = value"));
  return {trimmed(std::string_view(text).substr(0, equals)), trimmed(std::string_view(text).substr(equals + 1))};
}

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    parts.push_back(trimmed(std::string_view(text).substr(start, end - start)));
    if (end == text.size()) return parts;
    start = end + 1;
  }
}

double quantity_of(const std::string& text, const std::string& unit, const std::string& axis) {
  std::string mistake;
  const auto value = parse_quantity(text, &mistake);
  if (!value || !std::isfinite(value->in_si()))
    throw InputError(
        cat("axis '", axis, "': '", text, "' is not a number", mistake.empty() ? "" : " (" + mistake + ")"));
  if (value->has_unit && !unit.empty() && !fits(value->unit.dimension, parse_unit(unit)->dimension))
    throw InputError(cat("axis '", axis, "': '", text, "' must be in ", unit));
  return value->in_si();
}

// "joint.NAME", or "joint.NAME.2" for its second freedom; names may hold dots.
SweepVariable joint_variable(const Model& model, const std::string& name) {
  SweepVariable variable{Kind::joint, name, "", 0, -1, 0};
  std::string joint = name.substr(6);
  int freedom = 1;
  const auto known = [&](const std::string& text) {
    return std::any_of(model.joints.begin(), model.joints.end(), [&](const Joint& j) { return j.name == text; });
  };
  const std::size_t dot = joint.rfind('.');
  if (!known(joint) && dot != std::string::npos) {
    const std::string digits = joint.substr(dot + 1);
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), freedom);
    if (status == std::errc() && end == digits.data() + digits.size()) joint = joint.substr(0, dot);
  }
  variable.joint = find_joint(model, joint);
  const JointType type = model.joints[static_cast<std::size_t>(variable.joint)].type;
  if (freedom < 1 || freedom > num_freedoms(type))
    throw InputError(cat("axis '", name, "': joint '", joint, "' has ", num_freedoms(type), " freedoms"));
  variable.freedom = freedom - 1;
  variable.unit = is_rotation(type, variable.freedom) ? "rad" : "m";
  return variable;
}

SweepVariable variable_of(const Model& model, const ParametricModel& file, const std::string& name) {
  static const std::vector<std::string> components = {"tool.x", "tool.y", "tool.z", "tool.rx", "tool.ry", "tool.rz"};
  const auto component = std::find(components.begin(), components.end(), name);
  if (component != components.end()) {
    const int index = static_cast<int>(component - components.begin());
    return {Kind::tool, name, index < 3 ? "m" : "rad", index, -1, 0};
  }
  if (name.starts_with("tool.")) throw InputError(cat("axis '", name, "': the tool has x, y, z, rx, ry, rz"));
  if (name.starts_with("joint.")) return joint_variable(model, name);
  file.check(name);
  return {Kind::parameter, name, "", 0, -1, 0};
}

// "first : last : count", or a list "a, b, c".
SweepAxis axis_of(const Model& model, const ParametricModel& file, const std::string& text) {
  const auto [name, range] = split_axis(text);
  SweepAxis axis{variable_of(model, file, name), {}};
  const std::string& unit = axis.variable.unit;
  const std::vector<std::string> parts = split_at(range, ':');
  if (parts.size() == 1) {
    for (const std::string& item : split_at(range, ',')) axis.values.push_back(quantity_of(item, unit, name));
    return axis;
  }
  if (parts.size() != 3) throw InputError(cat("axis '", name, "': '", range, "' must be first : last : count"));
  const double first = quantity_of(parts[0], unit, name), last = quantity_of(parts[1], unit, name);
  int count = 0;
  const auto [end, status] = std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), count);
  if (status != std::errc() || end != parts[2].data() + parts[2].size() || count < 1 || count > 10000000)
    throw InputError(cat("axis '", name, "': the number of points must be from 1 to 10000000, got '", parts[2], "'"));
  for (int k = 0; k < count; ++k)
    axis.values.push_back(count == 1 ? first : first + (last - first) * (static_cast<double>(k) / (count - 1)));
  return axis;
}

// Tells one sweep from another: what is in the file and beside it, and what was asked for.
class Signature {
 public:
  void add(const std::string& text) {
    for (const char c : text) mix(static_cast<unsigned char>(c));
    mix(0);
  }
  void add(double value) { add(number_text(value)); }
  std::string text() const { return cat("lithe " LITHE_VERSION " ", std::hex, hash_); }

 private:
  void mix(unsigned char byte) { hash_ = (hash_ ^ byte) * 1099511628211ull; }
  std::uint64_t hash_ = 14695981039346656037ull;
};

std::string signature_of(const Model& model, const ParametricModel& file, const SweepSettings& settings) {
  Signature signature;
  signature.add(file.text());
  for (const auto* list : {&settings.axes, &settings.set, &settings.condense.independent, &settings.condense.held})
    for (const std::string& text : *list) signature.add(text), signature.add(std::string("|"));
  signature.add(settings.condense.tool);
  signature.add(static_cast<double>(settings.condense.count));
  signature.add(static_cast<double>(settings.orientation));
  for (const ImposedDisplacement& imposed : settings.condense.imposed)
    for (int k = 0; k < 3; ++k) signature.add(imposed.displacement[k]), signature.add(imposed.rotation[k]);
  for (const Link& link : model.links)
    if (link.imported)
      signature.add(link.imported->stiffness.sum()), signature.add(link.imported->mass.norm()),
          signature.add(link.imported->stiffness.norm());
  for (const Load& load : model.loads) signature.add(evaluate(load.signal, 0).value);
  return signature.text();
}

Sweep sweep_of(const ParametricModel& file, const SweepSettings& settings, Model& base) {
  base = file.with({});
  if (settings.axes.empty()) throw InputError("a sweep needs at least one axis");
  Sweep sweep;
  sweep.orientation = settings.orientation;
  std::vector<std::pair<std::string, double>> numbers;
  for (const std::string& text : settings.set) {
    const auto [name, value] = split_axis(text);
    const SweepVariable variable = variable_of(base, file, name);
    const double number = quantity_of(value, variable.unit, name);
    if (variable.kind == Kind::parameter)
      numbers.emplace_back(name, number);
    else
      sweep.settings.push_back({variable, number});
  }
  std::vector<std::string> parameters;
  bool uses_tool = false;
  for (const std::string& text : settings.axes) {
    sweep.axes.push_back(axis_of(base, file, text));
    const SweepVariable& variable = sweep.axes.back().variable;
    if (variable.kind == Kind::parameter) parameters.push_back(variable.name);
    uses_tool = uses_tool || variable.kind == Kind::tool;
    for (std::size_t i = 0; i + 1 < sweep.axes.size(); ++i)
      if (sweep.axes[i].variable.name == variable.name)
        throw InputError(cat("axis '", variable.name, "' is named twice"));
  }
  for (const SweepSetting& setting : sweep.settings) uses_tool = uses_tool || setting.variable.kind == Kind::tool;
  if (uses_tool && settings.condense.tool.empty())
    throw InputError("an axis of the tool needs the tool's node (--tool)");
  const int count = settings.condense.count;
  sweep.columns = condense_columns(count, !settings.condense.tool.empty());
  sweep.make_analysis = [&file, settings, numbers, parameters, count](const std::vector<double>& values) {
    std::vector<std::pair<std::string, double>> changed = numbers;
    for (std::size_t i = 0; i < parameters.size(); ++i) changed.emplace_back(parameters[i], values[i]);
    Model model = file.with(changed);
    const CondenseOptions options = condense_options(model, settings.condense);
    return condense_analysis(std::move(model), options, count);
  };
  sweep.make_analysis([&] {  // mistakes of the sweep as a whole show before it begins
    std::vector<double> first;
    for (const SweepAxis& axis : sweep.axes)
      if (axis.variable.kind == Kind::parameter) first.push_back(axis.values.front());
    return first;
  }());
  return sweep;
}

// Of many columns, those that people look at first.
bool is_shown(const std::string& name) {
  const std::string pair = name.starts_with("stiffness_") ? name.substr(10) : "";  // "x_x"
  const bool diagonal = !pair.empty() && pair.substr(0, pair.size() / 2) == pair.substr(pair.size() / 2 + 1);
  return name.starts_with("frequency") || name == "condition" || name == "sag" || diagonal;
}

std::size_t column_index(const std::vector<SweepColumn>& columns, const std::string& name) {
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].name == name) return c;
  return columns.size();
}

// The first frequencies, and what there is of the tool.
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
  for (const char* name : {"frequency_1", "frequency_2", "frequency_3", "frequency_4", "condition", "sag"}) {
    const std::size_t c = column_index(sweep.columns, name);
    if (c == sweep.columns.size()) continue;
    const std::string& unit = sweep.columns[c].unit;
    panels.push_back(
        {unit.empty() ? std::string(name) : cat(name, " [", unit, "]"), [=, &points](std::size_t i, std::size_t j) {
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
    if (is_shown(sweep.columns[c].name)) columns.push_back(c);
  ReportMap map = sweep_map(sweep, columns, [&](long long index) {
    SweepFile::Point point = points.get(index);
    return point.there ? std::move(point.values) : std::vector<double>();
  });
  map.name = name;
  for (ReportMapQuantity& quantity : map.quantities)
    quantity.logarithmic = quantity.name == "condition" || quantity.name.starts_with("stiffness_");
  return map;
}

void summarise(const Sweep& sweep, const SweepFile& points, SweepOutcome& outcome) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  outcome.columns = sweep.columns;
  outcome.lowest.assign(sweep.columns.size(), nan);
  outcome.highest.assign(sweep.columns.size(), nan);
  outcome.num_by_status.assign(4, 0);
  for (long long index = 0; index < sweep.num_points(); ++index) {
    const SweepFile::Point point = points.get(index);
    ++outcome.num_by_status[static_cast<std::size_t>(point.status)];
    for (std::size_t c = 0; point.there && c < point.values.size(); ++c) {
      outcome.lowest[c] = std::fmin(outcome.lowest[c], point.values[c]);
      outcome.highest[c] = std::fmax(outcome.highest[c], point.values[c]);
    }
  }
}

}  // namespace

SweepSettings sweep_settings(const AnalysisRequest* request) {
  SweepSettings settings;
  settings.condense = condense_settings(request);
  if (!request) settings.condense.count = 6;
  if (!request) return settings;
  settings.axes = request->texts("axes");
  settings.set = request->texts("set");
  const std::string orientation = request->text("orientation").value_or("automatic");
  settings.orientation = orientation == "keep"   ? ToolOrientation::keep
                         : orientation == "free" ? ToolOrientation::free
                                                 : ToolOrientation::automatic;
  return settings;
}

SweepOutcome run_sweep(const std::filesystem::path& path, const SweepSettings& settings,
                       const std::filesystem::path& directory, const std::string& stem) {
  const ParametricModel file(path);
  Model base;
  const Sweep sweep = sweep_of(file, settings, base);
  SweepOutcome outcome;
  outcome.num_points = sweep.num_points();
  outcome.part = directory / (stem + ".part");
  SweepFile points(outcome.part, signature_of(base, file, settings), sweep.num_points(),
                   static_cast<int>(sweep.columns.size()), settings.fresh);
  outcome.num_found = points.num_done();
  {
    InterruptGuard guard;
    Progress progress("sweeping");
    SweepOptions options;
    options.num_threads = settings.threads;
    options.stop = &interrupt_flag();
    options.progress = [&](long long done) {
      progress.update(static_cast<double>(done) / static_cast<double>(std::max<long long>(1, sweep.num_points())));
    };
    outcome.num_computed = lithe::run_sweep(sweep, points, options);
  }
  outcome.finished = points.num_done() == sweep.num_points();
  if (!outcome.finished) return outcome;
  summarise(sweep, points, outcome);
  outcome.files = write_sweep(sweep, points, base.name, directory, stem,
                              [&] { return picture_of(sweep, points, cat(base.name, ": ", stem)); });
  outcome.model_name = base.name;
  outcome.scene = make_scene(base);
  outcome.map = map_of(sweep, points, stem);
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
  return report;
}

std::string sweep_text(const SweepOutcome& outcome, const Style& style) {
  std::string text =
      cat(outcome.num_points, " points: ", outcome.num_by_status[0], " computed, ", outcome.num_by_status[1],
          " unreachable, ", outcome.num_by_status[2] + outcome.num_by_status[3], " without an answer");
  if (outcome.num_found > 0) text += cat("; ", outcome.num_found, " were there from an earlier run");
  TextTable table({{"quantity", Align::left}, {"lowest"}, {"highest"}, {"unit", Align::left}});
  for (std::size_t c = 0; c < outcome.columns.size(); ++c) {
    const std::string& name = outcome.columns[c].name;
    if (is_shown(name))
      table.add_row({name, number(outcome.lowest[c], 6), number(outcome.highest[c], 6), outcome.columns[c].unit});
  }
  return text + ".\n\n" + table.text(style);
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
                        {"loose", outcome.num_by_status[2]},
                        {"failed", outcome.num_by_status[3]}};
  return result;
}

}  // namespace lithe::app
