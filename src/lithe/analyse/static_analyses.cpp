// Analyses about one configuration: natural modes, equilibrium, condensation.
#include <algorithm>

#include "lithe/analyse/analyses.h"
#include "lithe/analyse/condense/full.h"
#include "lithe/analyse/condense/sets.h"
#include "lithe/analyse/equilibrium/sensitivity.h"
#include "lithe/analyse/inspect/inspect.h"
#include "lithe/analyse/reduction/observations.h"
#include "lithe/analyse/stability/stiffening.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/automatic_stiffening.h"
#include "lithe/formulate/formulation.h"
#include "lithe/kinematics/configuration.h"

namespace lithe {
namespace {

template <class Items>
int index_by_name(const Items& items, const std::string& name, const std::string& what) {
  std::string names;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].name == name) return static_cast<int>(i);
    names += cat(names.empty() ? "'" : ", '", items[i].name, "'");
  }
  throw InputError(cat("there is no ", what, " '", name, "'; there are: ", names));
}

NaturalModesResult modes_of_link(const Model& model, const ModesSpec& spec) {
  NaturalModesResult result;
  result.link_index = index_by_name(model.links, spec.link, "link");
  const Link& link = model.links[static_cast<std::size_t>(result.link_index)];
  LinkModesOptions options;
  options.count = spec.count;
  options.reduced = spec.reduced;
  result.subject =
      cat("link '", link.name, "', ", spec.reduced ? "as reduced, " : "", spec.clamp.empty() ? "free" : "held at");
  for (const std::string& node : spec.clamp) {
    options.clamped_nodes.push_back(index_by_name(link.nodes, node, cat("node of link '", link.name, "'")));
    result.subject += cat(" '", node, "'");
  }
  result.link = link_modes(model, result.link_index, options);
  return result;
}

void add_note(std::string note, std::vector<std::string>& notes) {
  if (!note.empty()) notes.push_back(std::move(note));
}

Observation observe_modes(const NaturalModesResult& found, int count) {
  Observation observation;
  observation.finished = found.mechanism.has_value();
  if (found.mechanism) add_frequencies(found.mechanism->frequencies, count, observation);
  return observation;
}

// What a failure means in this mechanism.
std::string explained(const Model& model, EvaluationStatus status) {
  const std::string meaning = describe(status);
  if (status == EvaluationStatus::not_finite) return meaning;
  const MechanismInfo info = inspect(model);
  return info.singular ? cat(meaning, "; ", info.warning) : meaning;
}

}  // namespace

NaturalModesResult natural_modes(const Model& model, const ModesSpec& spec) {
  if (!spec.link.empty()) return modes_of_link(model, spec);
  if (leaves_modes_open(model, spec.formulation.formulation))
    return with_chosen_modes(
        model, [&](const Model& rung) { return natural_modes(rung, spec); },
        [&](const NaturalModesResult& found) { return observe_modes(found, spec.count); });
  NaturalModesResult result;
  result.subject = "the mechanism in its initial configuration";
  result.equations = make_equations(model, spec.formulation);
  if (StiffenedEquations stiff = stiffened_at_rest(*result.equations); stiff.equations) {
    result.equations = std::move(stiff.equations);
    result.notes.push_back(std::move(stiff.note));
  }
  add_note(unstiffened_links(*result.equations), result.notes);
  result.state = start_state(*result.equations);
  ModesResult found = mechanism_modes(*result.equations, result.state);
  if (found.status != EvaluationStatus::ok)
    result.failure = explained(model, found.status);
  else
    result.mechanism = std::move(found.modes);
  return result;
}

EquilibriumResult find_equilibrium(const Model& model, const EquilibriumSpec& spec) {
  EquilibriumResult result;
  result.equations = make_equations(model, spec.formulation);
  EquilibriumOptions options;
  options.hold_unsprung = spec.hold_joints;
  options.tolerance = spec.tolerance;
  options.time = spec.time;
  result.found = equilibrium(*result.equations, result.equations->initial_state(), options);
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, spec.time, inputs);
  bring_to_rest(inputs);
  if (can_stiffen(*result.equations))
    if (const auto link = stiffened_link(*result.equations, result.found.state, inputs)) {
      result.equations = stiffened(*result.equations);
      result.notes.push_back(stiffening_note(*link));
      result.found = equilibrium(*result.equations, result.equations->initial_state(), options);
    }
  add_note(unstiffened_links(*result.equations), result.notes);
  result.summary = summarise(*result.equations, result.found, inputs, spec.hold_joints);
  result.warnings = deformation_warnings(*result.equations, result.found.state, inputs);
  return result;
}

CondenseOptions condense_options(const Model& model, const CondenseSpec& spec) {
  CondenseOptions options;
  for (const std::string& node : spec.independent) options.independent.push_back(find_node(model, node));
  for (const std::string& joint : spec.held) options.held_joints.push_back(find_joint(model, joint));
  if (!spec.tool.empty()) options.tool = find_node(model, spec.tool);
  options.imposed = spec.imposed;
  options.hold_spins = spec.hold_spins;
  return options;
}

CondenseResult condense(const Model& model, const CondenseSpec& spec) {
  if (spec.route != "superelements" && spec.route != "direct")
    throw InputError(cat("unknown route '", spec.route, "'; known: 'superelements', 'direct'"));
  const Condenser condenser(model, condense_options(model, spec));
  const Configuration configuration = initial_configuration(condenser.mechanism(), condenser.model());
  if (condenser.topology().kept().empty() && !condenser.options().tool)
    throw InputError(cat(model.file,
                         ": there is no node to condense to: every joint hangs on the ground; choose "
                         "independent nodes or a tool"));
  CondenseResult result;
  result.tool = spec.tool;
  CondenseGeometry geometry = condenser.make_geometry();
  result.condensed = spec.route == "direct" ? condense_directly(condenser, configuration)
                                            : condenser.condense(configuration, geometry);
  if (result.condensed.status != CondenseStatus::ok) return result;
  result.sets = node_sets(condenser);
  result.modes = condensed_modes(result.condensed, spec.count);
  if (spec.full) result.full = full_model(condenser, configuration, spec.count);
  return result;
}

Sensitivity sensitivity(const Model& model) {
  const std::unique_ptr<Equations> equations = make_equations(model, {});
  return sensitivity(*equations, start_state(*equations));
}

}  // namespace lithe
