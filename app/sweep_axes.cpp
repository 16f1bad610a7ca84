// From the words of the user to a grid: axes, settings, and the analysis of a point.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "app/consent.h"
#include "app/control_choice.h"
#include "app/linearise.h"
#include "app/mode_choice.h"
#include "app/motion.h"
#include "app/sources.h"
#include "app/sweep.h"
#include "lithe/analyse/sweep/configuration_model.h"
#include "lithe/analyse/sweep/sweep_equations.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/integrate/sundials.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/model/finite_element_body.h"
#include "lithe/read/model_parameters.h"

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
  std::string error;
  const auto value = parse_quantity(text, &error);
  if (!value || !std::isfinite(value->in_si()))
    throw InputError(cat("axis '", axis, "': '", text, "' is not a number", error.empty() ? "" : " (" + error + ")"));
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
    throw InputError(cat("axis '", name, "': joint '", joint, "' has ", num_freedoms(type), " degrees of freedom"));
  variable.freedom = freedom - 1;
  variable.unit = is_rotation(type, variable.freedom) ? "rad" : "m";
  return variable;
}

// The analysis that a sweep repeats: a kind, or the name of one in the file.
struct Repeated {
  AnalysisKind kind = AnalysisKind::condense;
  int request = -1;  // in Model::analyses, -1: none, so defaults
  const AnalysisRequest* in(const Model& model) const { return request < 0 ? nullptr : &model.analyses[request]; }
};

constexpr std::pair<const char*, AnalysisKind> repeated_kinds[] = {
    {"condense", AnalysisKind::condense},       {"modes", AnalysisKind::modes},
    {"equilibrium", AnalysisKind::equilibrium}, {"simulate", AnalysisKind::simulate},
    {"linearise", AnalysisKind::linearise},     {"inverse_dynamics", AnalysisKind::inverse_dynamics}};

Repeated repeated_analysis(const Model& model, const std::string& wanted) {
  Repeated repeated;
  const auto first_request = [&](const auto& fits) {
    const auto at = std::find_if(model.analyses.begin(), model.analyses.end(), fits);
    return at == model.analyses.end() ? -1 : static_cast<int>(at - model.analyses.begin());
  };
  for (const auto& [name, kind] : repeated_kinds)
    if (wanted == name) {
      repeated.kind = kind;
      repeated.request = first_request([k = kind](const AnalysisRequest& request) { return request.kind == k; });
      return repeated;
    }
  repeated.request = first_request([&](const AnalysisRequest& request) { return request.text("name") == wanted; });
  const AnalysisRequest* request = repeated.in(model);
  const bool possible = request && std::any_of(std::begin(repeated_kinds), std::end(repeated_kinds),
                                               [&](const auto& entry) { return entry.second == request->kind; });
  if (!possible)
    throw InputError(cat("a sweep cannot repeat '", wanted,
                         "'; it repeats condense, modes, equilibrium, simulate, linearise, inverse_dynamics, or an "
                         "analysis of one of these kinds by its name in the file"));
  repeated.kind = request->kind;
  return repeated;
}

std::string spin_of(const Model& model, const Repeated& repeated, const SweepSettings& settings) {
  if (!settings.spin.empty()) return settings.spin;
  const AnalysisRequest* request = repeated.in(model);
  return request ? request->text("spin").value_or("") : "";
}

SweepVariable speed_variable(const Model& model, const Repeated& repeated, const SweepSettings& settings) {
  const std::string spin = spin_of(model, repeated, settings);
  if (repeated.kind != AnalysisKind::linearise || spin.empty())
    throw InputError("axis 'speed' needs the analysis linearise with a joint that turns (--analysis linearise --spin)");
  const JointFreedom freedom = joint_freedom(model, spin);
  return {Kind::speed, "speed", is_rotation(model.joints[freedom.joint].type, freedom.freedom) ? "rad/s" : "m/s",
          0,           -1,      0};
}

SweepVariable variable_of(const Model& model, const ParametricModel& file, const SweepSettings& settings,
                          const std::string& name) {
  if (name == "speed") return speed_variable(model, repeated_analysis(model, settings.analysis), settings);
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
SweepAxis axis_of(const Model& model, const ParametricModel& file, const SweepSettings& settings,
                  const std::string& text) {
  const auto [name, range] = split_axis(text);
  SweepAxis axis{variable_of(model, file, settings, name), {}};
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

std::string with_ends(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) result += cat(result.empty() ? "" : ", ", "'", text, "'");
  return result;
}

std::string optional_number(const std::optional<double>& value) { return value ? number_text(*value) : std::string(); }

// Tells one sweep from another: what is in the file and beside it, and what was asked for.
Signature signature_of(const Model& model, const SweepSettings& settings) {
  Signature signature;
  add_sources(model, signature);
  const CondenseSpec& condense = settings.condense;
  signature.add("the axes", with_ends(settings.axes));
  signature.add("the setting set", with_ends(settings.set));
  signature.add("the setting independent", with_ends(condense.independent));
  signature.add("the setting held", with_ends(condense.held));
  signature.add("the setting tool", condense.tool);
  signature.add("the setting analysis", settings.analysis);
  signature.add("the setting formulation", settings.formulation);
  signature.add("the setting spin", settings.spin);
  signature.add("the setting about", settings.about);
  signature.add("the setting integrator", settings.integrator);
  signature.add("the setting end", optional_number(settings.end_time));
  signature.add("the setting tolerance", optional_number(settings.tolerance));
  signature.add("the setting count", cat(condense.count));
  signature.add("the setting orientation", cat(static_cast<int>(settings.orientation)));
  signature.add("the setting springs_stay", settings.springs_stay ? "true" : "false");
  std::string imposed;
  for (const ImposedDisplacement& node : condense.imposed)
    for (int k = 0; k < 3; ++k)
      imposed += cat(number_text(node.displacement[k]), " ", number_text(node.rotation[k]), " ");
  signature.add("the imposed displacements", imposed);
  return signature;
}

// Numbers of the file that are changed for all points.
using Numbers = std::vector<std::pair<std::string, double>>;

Numbers read_settings(const ParametricModel& file, const SweepSettings& settings, const Model& base, Sweep& sweep) {
  Numbers numbers;
  for (const std::string& text : settings.set) {
    const auto [name, value] = split_axis(text);
    const SweepVariable variable = variable_of(base, file, settings, name);
    const double number = quantity_of(value, variable.unit, name);
    if (variable.kind == Kind::parameter)
      numbers.emplace_back(name, number);
    else
      sweep.settings.push_back({variable, number});
  }
  return numbers;
}

// Names of those that are numbers of the file.
std::vector<std::string> read_axes(const ParametricModel& file, const SweepSettings& settings, const Model& base,
                                   Sweep& sweep) {
  constexpr double most_points = 1e8;
  double num_points = 1;
  if (settings.axes.empty()) throw InputError("a sweep needs at least one axis");
  std::vector<std::string> parameters;
  for (const std::string& text : settings.axes) {
    sweep.axes.push_back(axis_of(base, file, settings, text));
    const SweepVariable& variable = sweep.axes.back().variable;
    if (variable.kind == Kind::parameter) parameters.push_back(variable.name);
    for (std::size_t i = 0; i + 1 < sweep.axes.size(); ++i)
      if (sweep.axes[i].variable.name == variable.name)
        throw InputError(cat("axis '", variable.name, "' is named twice"));
    num_points *= static_cast<double>(sweep.axes.back().values.size());
    if (num_points > most_points)
      throw InputError(cat("the grid has at least ", num_points, " points; the limit is ", most_points));
  }
  return parameters;
}

bool uses(const Sweep& sweep, Kind kind) {
  return std::any_of(sweep.axes.begin(), sweep.axes.end(),
                     [&](const SweepAxis& axis) { return axis.variable.kind == kind; }) ||
         std::any_of(sweep.settings.begin(), sweep.settings.end(),
                     [&](const SweepSetting& setting) { return setting.variable.kind == kind; });
}

// Makes the analysis of a point from a model with the numbers of the point.
class PointMaker {
 public:
  PointMaker(const Model& base, const SweepSettings& settings, const Sweep& sweep)
      : settings_(settings),
        repeated_(repeated_analysis(base, settings.analysis)),
        moves_configuration_(sweep.moves_configuration()),
        speed_varies_(uses(sweep, Kind::speed)) {}

  AnalysisKind kind() const { return repeated_.kind; }

  std::unique_ptr<PointAnalysis> condensation(Model model) const {
    const CondenseOptions options = condense_options(model, settings_.condense);
    return condense_analysis(std::move(model), options, settings_.condense.count);
  }

  std::unique_ptr<EquationsPoints> with_equations(const Model& model) const {
    const AnalysisRequest* request = repeated_.in(model);
    const EquationsPointOptions options = equations_options(model, request);
    switch (repeated_.kind) {
      case AnalysisKind::modes:
        return modes_points(model, options, settings_.condense.count);
      case AnalysisKind::equilibrium:
        return equilibrium_points(model, options, equilibrium_options(request));
      case AnalysisKind::linearise:
        return linear_points(model, options, linear_options(model, request));
      case AnalysisKind::inverse_dynamics:
        return inverse_dynamics_points(model, options, motion_options(model, request),
                                       !request || request->flag("flexible").value_or(true));
      default:
        return simulate_points(model, options, motion_options(model, request));
    }
  }

  // Columns of all points are those of the first.
  void keep_brakes(const std::vector<SweepColumn>& columns) {
    for (const SweepColumn& column : columns)
      if (column.name.starts_with("holding.")) brakes_.push_back(column.name.substr(8));
  }

 private:
  EquationsPointOptions equations_options(const Model& model, const AnalysisRequest* request) const {
    EquationsPointOptions options;
    if (request) apply_settings(*request, options.formulation);
    if (!settings_.formulation.empty()) options.formulation.formulation = settings_.formulation;
    if (!settings_.condense.tool.empty()) options.tool = find_node(model, settings_.condense.tool);
    options.held = settings_.condense.held;
    if (options.held.empty() && request) options.held = request->texts("held");
    options.moves_configuration = moves_configuration_;
    if (settings_.springs_stay) options.springs = SpringRest::stays;
    return options;
  }

  EquilibriumPointOptions equilibrium_options(const AnalysisRequest* request) const {
    EquilibriumPointOptions options;
    options.brakes = brakes_;
    if (!request) return options;
    options.hold_joints = request->flag("hold_joints").value_or(options.hold_joints);
    options.tolerance = request->number("tolerance").value_or(options.tolerance);
    return options;
  }

  LinearPointOptions linear_options(const Model& model, const AnalysisRequest* request) const {
    const auto defaults = spec_from<LineariseSpec>(request);
    LinearPointOptions options;
    options.about = settings_.about.empty() ? std::string(name_of(defaults.about)) : settings_.about;
    if (options.about == "motion")
      throw InputError(
          "a sweep linearises about the configuration (about held, equilibrium or initial), not about a motion");
    options.spin = spin_of(model, repeated_, settings_);
    options.speed = defaults.speed;
    options.speed_varies = speed_varies_;
    options.count = settings_.condense.count;
    options.buckling = defaults.buckling;
    return options;
  }

  MotionPointOptions motion_options(const Model& model, const AnalysisRequest* request) const {
    MotionPointOptions options;
    if (request) apply_settings(*request, options.simulation);
    if (settings_.end_time) options.simulation.end_time = *settings_.end_time;
    if (settings_.tolerance) options.simulation.integration.tolerance = *settings_.tolerance;
    if (!settings_.integrator.empty()) options.simulation.integrator = settings_.integrator;
    options.simulation.make = make_any_integrator;
    if (const AnalysisRequest* spectrum = find_analysis(model, AnalysisKind::spectrum))
      apply_settings(*spectrum, options.spectrum);
    if (repeated_.kind == AnalysisKind::simulate && model.control && !model.control->active.empty())
      options.control = [](const Equations& equations) { return active_control(equations, {}); };
    return options;
  }

  SweepSettings settings_;
  Repeated repeated_;
  bool moves_configuration_ = false, speed_varies_ = false;
  std::vector<std::string> brakes_;
};

// One number of modes for all points, so that what they show is no change of the model's size: the most that the file
// as it is, or with all parameters at the begin or at the end of their axes, needs.
ModeChoice modes_for_all_points(const ParametricModel& file, const Numbers& numbers, const Sweep& sweep,
                                const Model& base) {
  ModeChoice choice = choose_modes(base);
  if (choice.links.empty()) return choice;
  for (const bool end : {false, true}) {
    Numbers changed = numbers;
    for (const SweepAxis& axis : sweep.axes)
      if (axis.variable.kind == Kind::parameter && !axis.values.empty())
        changed.emplace_back(axis.variable.name, end ? axis.values.back() : axis.values.front());
    if (changed.size() == numbers.size()) break;
    try {
      keep_most(choose_modes(file.with(changed)), choice);
    } catch (const InputError&) {  // there is no such model: its point says so
    }
  }
  return choice;
}

}  // namespace

Sweep make_sweep(const ParametricModel& file, const SweepSettings& settings, Model& base) {
  base = file.with({});
  Sweep sweep;
  sweep.orientation = settings.orientation;
  const Numbers numbers = read_settings(file, settings, base, sweep);
  const std::vector<std::string> parameters = read_axes(file, settings, base, sweep);
  if (uses(sweep, Kind::tool) && settings.condense.tool.empty())
    throw InputError("an axis of the tool needs the tool's node (--tool)");
  PointMaker maker(base, settings, sweep);
  ModeChoice modes;
  if (maker.kind() != AnalysisKind::condense) modes = modes_for_all_points(file, numbers, sweep, base);
  tell_mode_choice(modes);
  const auto model_with = [&file, numbers, parameters, modes](const std::vector<double>& values) {
    Numbers changed = numbers;
    for (std::size_t i = 0; i < parameters.size(); ++i) changed.emplace_back(parameters[i], values[i]);
    Model point = file.with(changed);
    apply(modes, point);
    return point;
  };
  if (maker.kind() == AnalysisKind::simulate) require_consent(base, acting_controllers(base, {}));
  // Errors of the sweep as a whole show before it begins, in the model without the values of axes.
  Model unchanged = file.with(numbers);
  apply(modes, unchanged);
  if (maker.kind() == AnalysisKind::condense) {
    maker.condensation(unchanged);
    sweep.columns = condense_columns(settings.condense.count, !settings.condense.tool.empty());
    sweep.make_analysis = [=](const std::vector<double>& values) { return maker.condensation(model_with(values)); };
    return sweep;
  }
  sweep.columns = maker.with_equations(unchanged)->columns();
  maker.keep_brakes(sweep.columns);
  sweep.make_analysis = [=](const std::vector<double>& values) -> std::unique_ptr<PointAnalysis> {
    return maker.with_equations(model_with(values));
  };
  return sweep;
}

bool repeats_simulation(const Model& model, const SweepSettings& settings) {
  return repeated_analysis(model, settings.analysis).kind == AnalysisKind::simulate;
}

std::string sweep_signature(const Model& model, const SweepSettings& settings) {
  return signature_of(model, settings).text();
}

SweepSettings sweep_settings(const AnalysisRequest* request) {
  SweepSettings settings;
  const auto spec = spec_from<SweepSpec>(request);
  settings.condense.independent = spec.independent;
  settings.condense.held = spec.held;
  settings.condense.tool = spec.tool;
  settings.condense.count = spec.count;
  settings.condense.hold_spins = spec.hold_spins;
  settings.condense.imposed = spec.imposed;
  if (!request) return settings;
  settings.axes = request->texts("axes");
  settings.set = request->texts("set");
  settings.analysis = request->text("analysis").value_or(settings.analysis);
  FormulationChoice choice;
  choice.formulation.clear();
  apply_settings(*request, choice);
  settings.formulation = choice.formulation;
  settings.springs_stay = request->text("springs") == "stay";
  const std::string orientation = request->text("orientation").value_or("automatic");
  settings.orientation = orientation == "keep"   ? ToolOrientation::keep
                         : orientation == "free" ? ToolOrientation::free
                                                 : ToolOrientation::automatic;
  return settings;
}

}  // namespace lithe::app
