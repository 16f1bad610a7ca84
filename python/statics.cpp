// Modes, equilibrium, condensation.
#include "answers.h"
#include "beside.h"
#include "specs.h"

namespace lithe::python {
namespace {

template <class Spec, class Call>
auto interruptible(const Model& model, const nb::dict& given, const Call& call) {
  return computed_beside([model, spec = spec_for<Spec>(model, given), call] { return call(model, spec); });
}

nb::list arrays(std::vector<MatrixX> matrices) {
  nb::list list;
  for (MatrixX& matrix : matrices) list.append(array(std::move(matrix)));
  return list;
}

nb::dict link_dict(LinkModes modes) {
  nb::dict d;
  d["num_rigid"] = modes.num_rigid;
  d["frequencies"] = array(std::move(modes.frequencies));
  d["translations"] = array(std::move(modes.translations));
  d["rotations"] = array(std::move(modes.rotations));
  d["node_positions"] = array(modes.node_positions);
  d["node_names"] = modes.node_names;
  return d;
}

nb::dict mechanism_dict(MechanismModes modes) {
  nb::dict d;
  nb::list positions;
  for (const std::vector<Vector3>& link : modes.node_positions) positions.append(array(link));
  d["num_rigid"] = modes.num_rigid;
  d["frequencies"] = array(std::move(modes.frequencies));
  d["damping_ratios"] = array(std::move(modes.damping_ratios));
  d["shapes"] = array(std::move(modes.shapes));
  d["translations"] = arrays(std::move(modes.translations));
  d["rotations"] = arrays(std::move(modes.rotations));
  d["node_positions"] = positions;
  d["at_rest"] = modes.at_rest;
  d["imbalance"] = modes.imbalance;
  return d;
}

template <class Item, class Value>
nb::dict by_name(const std::vector<Item>& items, const Value& value) {
  nb::dict d;
  for (const Item& item : items) d[item.name.c_str()] = value(item);
  return d;
}

nb::object matrix_or_none(const std::optional<Matrix6>& matrix) {
  return matrix ? array(MatrixX(*matrix)) : nb::none();
}

nb::dict tool_dict(const ToolMatrices& tool) {
  nb::dict d;
  const ToolStiffness by_direction = stiffness_by_direction(tool);
  d["message"] = tool.message;
  d["stiffness"] = matrix_or_none(tool.stiffness);
  d["mass"] = matrix_or_none(tool.mass);
  d["compliance"] = matrix_or_none(tool.compliance);
  d["displacements"] = array(MatrixX(tool.displacements));
  d["locked_stiffness"] = array(VectorX(by_direction.locked));
  d["free_stiffness"] = array(VectorX(by_direction.free));
  return d;
}

}  // namespace

nb::object as_object(const Model& model, const ModeChoice* choice) {
  if (!choice) return nb::none();
  nb::dict d, links;
  nb::list trials;
  for (const LinkModeCount& link : choice->links) {
    nb::dict one;
    one["index"] = link.link;
    one["internal_modes"] = link.num_modes;
    one["available"] = link.num_available;
    links[model.links.at(static_cast<std::size_t>(link.link)).name.c_str()] = one;
  }
  for (const ModeTrial& trial : choice->trials) trials.append(nb::make_tuple(trial.num_modes, trial.error));
  d["internal_modes"] = choice->num_modes();
  d["available"] = choice->num_available();
  d["tolerance"] = choice->tolerance;
  d["estimated_error"] = choice->error;
  d["worst"] = choice->worst;
  d["good_up_to"] = choice->good_up_to > 0 ? nb::object(nb::float_(choice->good_up_to)) : nb::none();
  d["links"] = links;
  d["tried"] = trials;
  return d;
}

nb::dict as_dict(NaturalModesResult found) {
  nb::dict d;
  if (found.link) d = link_dict(std::move(*found.link));
  if (found.mechanism) {
    d = mechanism_dict(std::move(*found.mechanism));
    d["coordinate_names"] = found.equations->coordinate_names();
  }
  d["reduction"] = found.equations ? as_object(found.equations->model(), found.reduction.get()) : nb::none();
  d["notes"] = found.notes;
  d["failure"] = found.failure;
  d["subject"] = found.subject;
  return d;
}

nb::dict as_dict(const EquilibriumResult& result) {
  nb::dict d;
  d["converged"] = result.found.converged;
  d["stable"] = result.found.stable;
  d["residual"] = result.found.residual;
  d["iterations"] = result.found.iterations;
  d["message"] = result.found.message;
  d["warnings"] = result.warnings;
  d["notes"] = result.notes;
  d["coordinates"] = array(result.found.state.coordinates);
  d["coordinate_names"] = result.equations->coordinate_names();
  d["holding_forces"] = array(result.found.holding_forces);
  d["sensors"] = by_name(result.summary.sensors, [](const SensorAtRest& s) { return s.value; });
  d["units"] = by_name(result.summary.sensors, [](const SensorAtRest& s) { return s.unit; });
  d["joints"] = by_name(result.summary.joints, [](const JointAtRest& joint) {
    nb::dict j;
    j["value"] = joint.value;
    j["unit"] = joint.unit;
    j["held"] = joint.held;
    j["holding_force"] = joint.holding_force;
    j["force_unit"] = joint.force_unit;
    return j;
  });
  d["links"] = by_name(result.summary.links, [](const LinkAtRest& link) {
    nb::dict l;
    l["deflection"] = link.deflection;
    l["relative_deflection"] = link.relative_deflection;
    l["rotation"] = link.rotation;
    return l;
  });
  return d;
}

nb::dict as_dict(const Model& model, CondenseResult result) {
  nb::list nodes;
  for (const NodeOfLink& node : result.condensed.nodes) {
    const Link& link = model.links[static_cast<std::size_t>(node.link)];
    nodes.append(link.name + ":" + link.nodes[static_cast<std::size_t>(node.node)].name);
  }
  nb::dict d;
  d["ok"] = result.condensed.status == CondenseStatus::ok;
  d["message"] = result.condensed.message;
  d["notes"] = result.condensed.notes;
  d["nodes"] = nodes;
  d["positions"] = array(result.condensed.positions);
  d["stiffness"] = array(std::move(result.condensed.stiffness));
  d["mass"] = array(std::move(result.condensed.mass));
  d["loads"] = array(std::move(result.condensed.loads));
  d["displacements"] = array(std::move(result.condensed.displacements));
  d["num_redundant"] = result.condensed.num_redundant;
  d["num_coordinates"] = result.condensed.num_coordinates;
  d["frequencies"] = array(std::move(result.modes.frequencies));
  d["shapes"] = array(std::move(result.modes.shapes));
  d["full_frequencies"] = array(result.full_frequencies());
  d["tool"] = result.condensed.tool ? nb::object(tool_dict(*result.condensed.tool)) : nb::none();
  return d;
}

namespace {

nb::dict modes_found(const Model& model, const nb::dict& given) {
  return as_dict(
      interruptible<ModesSpec>(model, given, [](const Model& m, const ModesSpec& s) { return natural_modes(m, s); }));
}

nb::dict equilibrium_found(const Model& model, const nb::dict& given) {
  return as_dict(interruptible<EquilibriumSpec>(
      model, given, [](const Model& m, const EquilibriumSpec& spec) { return find_equilibrium(m, spec); }));
}

nb::dict condensed(const Model& model, const nb::dict& given) {
  return as_dict(model, interruptible<CondenseSpec>(
                            model, given, [](const Model& m, const CondenseSpec& spec) { return condense(m, spec); }));
}

// Motion of all nodes per unit of each rigid coordinate.
nb::dict sensitivity_found(const Model& model) {
  Sensitivity found = computed_beside([model] { return sensitivity(model); });
  nb::dict d;
  d["failure"] = found.status == EvaluationStatus::ok ? std::string() : describe(found.status);
  d["rows"] = pairs_of(found.rows);
  d["columns"] = pairs_of(found.columns);
  d["num_free"] = found.num_free;
  d["matrix"] = array(std::move(found.matrix));
  d["rates"] = array(std::move(found.rates));
  d["convective"] = array(std::move(found.convective));
  d["positions"] = array(std::move(found.positions));
  d["nodes"] = found.nodes;
  return d;
}

}  // namespace

void bind_statics(nb::module_& module) {
  module.def("natural_modes", modes_found, nb::arg("model"), nb::arg("settings"));
  module.def("find_equilibrium", equilibrium_found, nb::arg("model"), nb::arg("settings"));
  module.def("sensitivity", sensitivity_found, nb::arg("model"));
  module.def("condense", condensed, nb::arg("model"), nb::arg("settings"));
}

}  // namespace lithe::python
