// From the words of the user to a grid: axes, spec, and the analysis of a point.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "lithe/analyse/analyses.h"
#include "lithe/analyse/choose_controllers.h"
#include "lithe/analyse/condense/topology.h"
#include "lithe/analyse/sweep/configuration_model.h"
#include "lithe/analyse/sweep/sweep_equations.h"
#include "lithe/analyse/sweep_table.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/kinematics/mechanism.h"

namespace lithe {
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
    throw InputError(cat("'", text, "' must be written name = start : end : count, or name = value"));
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

// The analysis that a sweep repeats, by its place in the model's list (models of a sweep have the same), or the
// defaults of a kind.
struct Repeated {
  int index = -1;         // in analyses_of(model); -1: `defaults`
  AnalysisSpec defaults;  // of its kind

  AnalysisSpec in(const Model& model) const {
    return index < 0 ? defaults : analyses_of(model)[static_cast<std::size_t>(index)].spec;
  }
};

std::string_view repeated_kind(const Repeated& repeated) { return analysis_kinds[repeated.defaults.index()]; }

template <class Spec>
void repeat_if(const Model& model, const std::string& wanted, std::string_view kind, std::optional<Repeated>& found) {
  const std::vector<Analysis> all = analyses_of(model);
  for (std::size_t i = 0; i < all.size() && !found; ++i) {
    const bool own_kind = std::holds_alternative<Spec>(all[i].spec);
    if (own_kind && (wanted == kind || all[i].name == wanted)) found = Repeated{static_cast<int>(i), Spec{}};
  }
  if (!found && wanted == kind) found = Repeated{-1, Spec{}};
}

Repeated repeated_analysis(const Model& model, const std::string& wanted) {
  std::optional<Repeated> found;
  repeat_if<CondenseSpec>(model, wanted, "condense", found);
  repeat_if<ModesSpec>(model, wanted, "modes", found);
  repeat_if<EquilibriumSpec>(model, wanted, "equilibrium", found);
  repeat_if<SimulateSpec>(model, wanted, "simulate", found);
  repeat_if<LineariseSpec>(model, wanted, "linearise", found);
  repeat_if<InverseDynamicsSpec>(model, wanted, "inverse_dynamics", found);
  if (!found)
    throw InputError(cat("a sweep cannot repeat '", wanted,
                         "'; it repeats condense, modes, equilibrium, simulate, linearise, inverse_dynamics, or an "
                         "analysis of one of these kinds by its name in the file"));
  return *found;
}

std::string spin_of(const Model& model, const Repeated& repeated, const SweepSpec& spec) {
  if (spec.spin) return *spec.spin;
  const AnalysisSpec analysis = repeated.in(model);
  const auto* linear = std::get_if<LineariseSpec>(&analysis);
  return linear ? linear->spin : "";
}

SweepVariable speed_variable(const Model& model, const Repeated& repeated, const SweepSpec& spec) {
  const std::string spin = spin_of(model, repeated, spec);
  if (repeated_kind(repeated) != "linearise" || spin.empty())
    throw InputError("axis 'speed' needs the analysis linearise with a joint that turns (--analysis linearise --spin)");
  const JointFreedom freedom = joint_freedom(model, spin);
  return {Kind::speed, "speed", is_rotation(model.joints[freedom.joint].type, freedom.freedom) ? "rad/s" : "m/s",
          0,           -1,      0};
}

SweepVariable variable_of(const Model& model, const VariableModel& file, const SweepSpec& spec,
                          const std::string& name) {
  if (name == "speed") return speed_variable(model, repeated_analysis(model, spec.analysis), spec);
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

// "start : end : count", or a list "a, b, c".
SweepAxis axis_of(const Model& model, const VariableModel& file, const SweepSpec& spec, const std::string& text) {
  const auto [name, range] = split_axis(text);
  SweepAxis axis{variable_of(model, file, spec, name), {}};
  const std::string& unit = axis.variable.unit;
  const std::vector<std::string> parts = split_at(range, ':');
  if (parts.size() == 1) {
    for (const std::string& item : split_at(range, ',')) axis.values.push_back(quantity_of(item, unit, name));
    return axis;
  }
  if (parts.size() != 3) throw InputError(cat("axis '", name, "': '", range, "' must be start : end : count"));
  const double first = quantity_of(parts[0], unit, name), last = quantity_of(parts[1], unit, name);
  int count = 0;
  const auto [end, status] = std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), count);
  if (status != std::errc() || end != parts[2].data() + parts[2].size() || count < 1 || count > 10000000)
    throw InputError(cat("axis '", name, "': the number of points must be from 1 to 10000000, got '", parts[2], "'"));
  for (int k = 0; k < count; ++k)
    axis.values.push_back(count == 1 ? first : first + (last - first) * (static_cast<double>(k) / (count - 1)));
  return axis;
}

// Numbers of the file that are changed for all points.
using Numbers = std::vector<std::pair<std::string, double>>;

Numbers read_settings(const VariableModel& file, const SweepSpec& spec, const Model& base, Sweep& sweep) {
  Numbers numbers;
  for (const std::string& text : spec.set) {
    const auto [name, value] = split_axis(text);
    const SweepVariable variable = variable_of(base, file, spec, name);
    const double number = quantity_of(value, variable.unit, name);
    if (variable.kind == Kind::parameter)
      numbers.emplace_back(name, number);
    else
      sweep.settings.push_back({variable, number});
  }
  return numbers;
}

// Names of those that are numbers of the file.
std::vector<std::string> read_axes(const VariableModel& file, const SweepSpec& spec, const Model& base, Sweep& sweep) {
  constexpr double most_points = 1e8;
  double num_points = 1;
  if (spec.axes.empty())
    throw InputError("a sweep needs at least one axis, such as 'joint.elbow = 0 deg : 90 deg : 10'");
  std::vector<std::string> parameters;
  for (const std::string& text : spec.axes) {
    sweep.axes.push_back(axis_of(base, file, spec, text));
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

// A name alone leaves the settings of the repeated analysis; a name with settings ("erls-cms+chord") is the whole
// choice.
FormulationChoice chosen_formulation(FormulationChoice own, const SweepSpec& spec) {
  if (!spec.formulation) return own;
  if (spec.formulation->find('+') != std::string::npos) return formulation_by_name(*spec.formulation);
  own.formulation = *spec.formulation;
  return own;
}

CondenseSpec condense_spec(const SweepSpec& spec) {
  CondenseSpec result;
  result.independent = spec.independent;
  result.held = spec.held;
  result.tool = spec.tool;
  result.count = spec.count;
  result.hold_spins = spec.hold_spins;
  result.imposed = spec.imposed;
  return result;
}

// Makes the analysis of a point from a model with the numbers of the point.
class PointMaker {
 public:
  PointMaker(const Model& base, const SweepSpec& spec, const Sweep& sweep, const RunHooks& hooks)
      : spec_(spec),
        repeated_(repeated_analysis(base, spec.analysis)),
        external_(hooks.external),
        integrators_(hooks.integrators),
        moves_configuration_(sweep.moves_configuration()),
        speed_varies_(uses(sweep, Kind::speed)) {}

  bool condenses() const { return std::holds_alternative<CondenseSpec>(repeated_.defaults); }

  std::unique_ptr<PointAnalysis> condensation(Model model) const {
    const CondenseOptions options = condense_options(model, condense_spec(spec_));
    return condense_analysis(std::move(model), options, spec_.count);
  }

  std::unique_ptr<EquationsPoints> with_equations(const Model& model) const {
    return std::visit([&](const auto& repeated) { return points(model, repeated); }, repeated_.in(model));
  }

  // Columns of all points are those of the first.
  void keep_brakes(const std::vector<SweepColumn>& columns) {
    for (const SweepColumn& column : columns)
      if (column.name.starts_with("holding.")) brakes_.push_back(column.name.substr(8));
  }

 private:
  using Points = std::unique_ptr<EquationsPoints>;

  Points points(const Model& model, const ModesSpec& repeated) const {
    return modes_points(model, equations_options(model, repeated.formulation), spec_.count);
  }
  Points points(const Model& model, const EquilibriumSpec& repeated) const {
    EquilibriumPointOptions options;
    options.brakes = brakes_;
    options.hold_joints = repeated.hold_joints;
    options.tolerance = repeated.tolerance;
    return equilibrium_points(model, equations_options(model, repeated.formulation), options);
  }
  Points points(const Model& model, const LineariseSpec& repeated) const {
    EquationsPointOptions common = equations_options(model, repeated.formulation);
    if (common.held.empty()) common.held = repeated.held;
    LinearPointOptions options;
    const LineariseAbout about = spec_.about.value_or(repeated.about);
    options.about = std::string(name_of(about));
    if (about == LineariseAbout::motion)
      throw InputError(
          "a sweep linearises about the configuration (about held, equilibrium or initial), not about a motion");
    options.spin = spin_of(model, repeated_, spec_);
    options.speed = repeated.speed;
    options.speed_varies = speed_varies_;
    options.count = spec_.count;
    options.buckling = repeated.buckling;
    return linear_points(model, common, options);
  }
  Points points(const Model& model, const InverseDynamicsSpec& repeated) const {
    return inverse_dynamics_points(model, equations_options(model, repeated.formulation),
                                   motion_options(model, motion_of(repeated)), repeated.flexible);
  }
  Points points(const Model& model, const SimulateSpec& repeated) const {
    MotionPointOptions options = motion_options(model, repeated);
    if (!acting_controllers(model, repeated.controllers).empty())
      options.control = [names = repeated.controllers, external = external_](const Equations& equations) {
        return acting_control(equations, names, external);
      };
    return simulate_points(model, equations_options(model, repeated.formulation), options);
  }
  template <class Other>
  Points points(const Model&, const Other&) const {
    return nullptr;  // not repeated by sweeps: repeated_analysis()
  }

  EquationsPointOptions equations_options(const Model& model, const FormulationChoice& formulation) const {
    EquationsPointOptions options;
    options.formulation = chosen_formulation(formulation, spec_);
    if (!spec_.tool.empty()) options.tool = find_node(model, spec_.tool);
    options.held = spec_.held;
    options.moves_configuration = moves_configuration_;
    if (spec_.springs_stay) options.springs = SpringRest::stays;
    return options;
  }

  MotionPointOptions motion_options(const Model& model, SimulateSpec motion) const {
    motion.end_time = spec_.end_time.value_or(motion.end_time);
    motion.tolerance = spec_.tolerance.value_or(motion.tolerance);
    motion.integrator = spec_.integrator.value_or(motion.integrator);
    MotionPointOptions options;
    options.simulation = simulate_options(motion);
    if (integrators_) options.simulation.make = integrators_;
    options.spectrum = spectrum_options(spec_of<SpectrumSpec>(model));
    return options;
  }

  SweepSpec spec_;
  Repeated repeated_;
  ExternalFactory external_;
  IntegratorFactory integrators_;
  bool moves_configuration_ = false, speed_varies_ = false;
  std::vector<std::string> brakes_;
};

}  // namespace

Sweep make_sweep(const VariableModel& file, const SweepSpec& spec, const RunHooks& hooks) {
  const Model base = file.with({});
  Sweep sweep;
  sweep.orientation = spec.orientation;
  const Numbers numbers = read_settings(file, spec, base, sweep);
  const std::vector<std::string> parameters = read_axes(file, spec, base, sweep);
  if (uses(sweep, Kind::tool) && spec.tool.empty())
    throw InputError("an axis of the tool needs the tool's node (--tool)");
  const auto model_with = [&file, numbers, parameters](const std::vector<double>& values) {
    Numbers changed = numbers;
    for (std::size_t i = 0; i < parameters.size(); ++i) changed.emplace_back(parameters[i], values[i]);
    return file.with(changed);
  };
  PointMaker maker(base, spec, sweep, hooks);
  // Errors of the sweep as a whole show before it begins, in the model without the values of axes.
  const Model unchanged = file.with(numbers);
  if (maker.condenses()) {
    maker.condensation(unchanged);
    sweep.columns = condense_columns(spec.count, !spec.tool.empty());
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

bool repeats_simulation(const Model& model, const SweepSpec& spec) {
  return repeated_kind(repeated_analysis(model, spec.analysis)) == "simulate";
}

std::vector<double> SweepResult::column(const std::string& name) const {
  const auto at =
      std::find_if(columns.begin(), columns.end(), [&](const SweepColumn& own) { return own.name == name; });
  if (at == columns.end()) throw InputError(cat("the sweep has no column '", name, "'"));
  const auto index = static_cast<std::size_t>(at - columns.begin());
  std::vector<double> values;
  for (const SweepPoint& point : points)
    values.push_back(index < point.values.size() ? point.values[index] : std::numeric_limits<double>::quiet_NaN());
  return values;
}

namespace {

// Points in memory, each at its own place.
class TableStore : public SweepStore {
 public:
  explicit TableStore(SweepResult& result) : result_(result) {}
  bool is_done(long long) const override { return false; }
  void put(long long index, const PointResult& found, const std::vector<double>& values) override {
    result_.points[static_cast<std::size_t>(index)] = {found.status, found.reason, values};
  }

 private:
  SweepResult& result_;
};

}  // namespace

FormulationChoice formulation_of(const Model& model, const SweepSpec& spec) {
  const AnalysisSpec repeated = repeated_analysis(model, spec.analysis).in(model);
  const FormulationChoice* own = formulation_of(repeated);
  return chosen_formulation(own ? *own : FormulationChoice(), spec);
}

SweepResult all_points(const Sweep& grid, int threads, const RunHooks& hooks) {
  SweepResult result;
  result.axes = grid.axes;
  result.columns = grid.columns;
  result.points.resize(static_cast<std::size_t>(grid.num_points()));
  TableStore store(result);
  SweepOptions options;
  options.num_threads = threads;
  options.stop = hooks.cancel;
  if (hooks.progress)
    options.progress = [&, all = static_cast<double>(grid.num_points())](long long done) {
      hooks.progress(static_cast<double>(done) / all);
    };
  result.num_computed = run_sweep(grid, store, options);
  return result;
}

SweepResult sweep(const VariableModel& model, const SweepSpec& spec, const RunHooks& hooks) {
  return all_points(make_sweep(model, spec, hooks), spec.threads, hooks);
}

SweepResult sweep(const Model& model, const SweepSpec& spec, const RunHooks& hooks) {
  return sweep(FixedModel(model), spec, hooks);
}

}  // namespace lithe
