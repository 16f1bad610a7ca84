// All analyses of a model in turn.
#include <exception>
#include <type_traits>

#include "lithe/analyse/analyses.h"
#include "lithe/analyse/choose_controllers.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

SimulateHooks with_memory(const RunHooks& hooks) {
  SimulateHooks result;
  static_cast<RunHooks&>(result) = hooks;
  return result;
}

}  // namespace

AnalysisResult run_analysis(const VariableModel& variable, const AnalysisSpec& analysis, const Trajectory* before,
                            const RunHooks& hooks) {
  const Model model = variable.with({});
  return std::visit(
      [&](const auto& spec) -> AnalysisResult {
        using Spec = std::decay_t<decltype(spec)>;
        if constexpr (std::is_same_v<Spec, ModesSpec>) return natural_modes(model, spec);
        if constexpr (std::is_same_v<Spec, SimulateSpec>) return simulate(model, spec, with_memory(hooks));
        if constexpr (std::is_same_v<Spec, EquilibriumSpec>) return find_equilibrium(model, spec);
        if constexpr (std::is_same_v<Spec, InverseDynamicsSpec>)
          return inverse_dynamics(model, spec, with_memory(hooks));
        if constexpr (std::is_same_v<Spec, SpectrumSpec>) {
          if (!before) throw InputError(cat("spectrum of '", spec.sensor, "': there is no simulation before it"));
          return spectrum(*before, spec);
        }
        if constexpr (std::is_same_v<Spec, CondenseSpec>) return condense(model, spec);
        if constexpr (std::is_same_v<Spec, SweepSpec>) return sweep(variable, spec, hooks);
        if constexpr (std::is_same_v<Spec, LineariseSpec>) return linearise(model, spec, hooks);
        if constexpr (std::is_same_v<Spec, ControlSpec>) return study_control(model, spec, hooks);
      },
      analysis);
}

std::vector<AnalysisOutcome> run_all(const VariableModel& model, const RunHooks& hooks) {
  std::vector<AnalysisOutcome> outcomes;
  const std::vector<Analysis> all = analyses_of(model.with({}));
  std::size_t motion = all.size();  // the last simulation
  outcomes.reserve(all.size());     // results stay where they are
  for (const Analysis& analysis : all) {
    if (hooks.cancel && *hooks.cancel) break;
    const Trajectory* before =
        motion < outcomes.size() ? &std::get<SimulatedMotion>(*outcomes[motion].result) : nullptr;
    outcomes.push_back({analysis, std::nullopt, ""});
    try {
      outcomes.back().result = run_analysis(model, analysis.spec, before, hooks);
      if (std::holds_alternative<SimulateSpec>(analysis.spec)) motion = outcomes.size() - 1;
    } catch (const std::exception& error) {
      outcomes.back().failure = error.what();
    }
  }
  return outcomes;
}

std::vector<AnalysisOutcome> run_all(const Model& model, const RunHooks& hooks) {
  return run_all(FixedModel(model), hooks);
}

std::vector<int> controllers_of(const Model& model, const AnalysisSpec& analysis) {
  return std::visit(
      [&](const auto& spec) -> std::vector<int> {
        using Spec = std::decay_t<decltype(spec)>;
        if constexpr (std::is_same_v<Spec, SimulateSpec>) return acting_controllers(model, spec.controllers);
        if constexpr (std::is_same_v<Spec, InverseDynamicsSpec>) return acting_controllers(model, {});
        if constexpr (std::is_same_v<Spec, LineariseSpec>)
          if (spec.about == LineariseAbout::motion) return acting_controllers(model, spec.motion.controllers);
        if constexpr (std::is_same_v<Spec, SweepSpec>)
          if (repeats_simulation(model, spec)) return acting_controllers(model, {});
        if constexpr (std::is_same_v<Spec, ControlSpec>)
          return studied_controllers(model, chosen_controllers(model, spec.controllers));
        return {};
      },
      analysis);
}

}  // namespace lithe
