#include "lithe/results/sweep_signature.h"

#include <string_view>

#include "lithe/base/checksum.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"

namespace lithe {
namespace {

std::string with_ends(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) result += cat(result.empty() ? "" : ", ", "'", text, "'");
  return result;
}

std::string optional_number(const std::optional<double>& value) { return value ? number_text(*value) : std::string(); }

std::string imposed_text(const SweepSpec& spec) {
  std::string imposed;
  for (const ImposedDisplacement& node : spec.imposed)
    for (int k = 0; k < 3; ++k)
      imposed += cat(number_text(node.displacement[k]), " ", number_text(node.rotation[k]), " ");
  return imposed;
}

// Long axes by their ends and a checksum.
std::string axis_text(const SweepAxis& axis) {
  constexpr std::size_t few = 4;
  const std::vector<double>& values = axis.values;
  std::string text = axis.variable.name;
  if (values.size() <= few) {
    for (const double value : values) text += cat(&value == values.data() ? " = " : ", ", number_text(value));
    return text;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(values.data()), sizeof(double) * values.size());
  return cat(text, " = ", number_text(values.front()), " ... ", number_text(values.back()), " (", values.size(), ", ",
             checksum_text(bytes), ")");
}

}  // namespace

SweepSettings settings_of(const SweepSpec& spec) {
  return {{"the setting independent", with_ends(spec.independent)},
          {"the setting held", with_ends(spec.held)},
          {"the setting tool", spec.tool},
          {"the setting analysis", spec.analysis},
          {"the setting formulation", spec.formulation.value_or("")},
          {"the setting spin", spec.spin.value_or("")},
          {"the setting about", spec.about ? std::string(name_of(*spec.about)) : ""},
          {"the setting integrator", spec.integrator.value_or("")},
          {"the setting end", optional_number(spec.end_time)},
          {"the setting tolerance", optional_number(spec.tolerance)},
          {"the setting count", cat(spec.count)},
          {"the setting hold_spins", spec.hold_spins ? "true" : "false"},
          {"the setting orientation", cat(static_cast<int>(spec.orientation))},
          {"the setting springs_stay", spec.springs_stay ? "true" : "false"},
          {"the imposed displacements", imposed_text(spec)}};
}

SweepSettings settings_of(const SettleMapSpec& spec) {
  const SimulateSpec& motion = spec.settle.motion;
  return {{"the setting tool", spec.settle.tool},
          {"the setting orientation", cat(static_cast<int>(spec.orientation))},
          {"the setting band", number_text(spec.settle.band)},
          {"the setting after", number_text(spec.settle.after)},
          {"the setting move-end", number_text(spec.settle.move_end)},
          {"the setting output-step", number_text(motion.output_step)},
          {"the setting tolerance", number_text(motion.tolerance)},
          {"the setting integrator", motion.integrator},
          {"the setting formulation", motion.formulation.formulation},
          {"the setting gauge", motion.formulation.gauge},
          {"the setting variant", motion.formulation.variant},
          {"the setting reference", motion.formulation.reference},
          {"the setting stiffening", cat(static_cast<int>(motion.formulation.geometric_stiffening))},
          {"the setting controllers", with_ends(motion.controllers)}};
}

void add_sweep(const Sweep& grid, const SweepSettings& settings, Signature& signature) {
  std::string axes, set;
  for (const SweepAxis& axis : grid.axes) axes += cat(axes.empty() ? "" : "; ", axis_text(axis));
  for (const SweepSetting& one : grid.settings)
    set += cat(set.empty() ? "" : "; ", one.variable.name, " = ", number_text(one.value));
  signature.add("the axes", axes);
  signature.add("the setting set", set);
  for (const auto& [name, value] : settings) signature.add(name, value);
}

}  // namespace lithe
