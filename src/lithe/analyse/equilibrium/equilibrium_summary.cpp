#include <algorithm>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/equilibrium/sprung.h"
#include "lithe/analyse/observe/deformation.h"
#include "lithe/analyse/observe/sensors.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/capabilities.h"

namespace lithe {
namespace {

using HeldFreedoms = std::vector<std::vector<char>>;  // [joint][freedom]

// Equations in joint coordinates: one force per coordinate, which has the name of its freedom.
void hold_coordinates(const Equations& equations, const Equilibrium& found, Inputs& inputs, HeldFreedoms& held) {
  const Mechanism mechanism(equations.model());
  const std::vector<std::string> names = equations.coordinate_names();
  for (int c = 0; c < mechanism.num_coordinates(); ++c) {
    const auto name = std::find(names.begin(), names.end(), mechanism.coordinate_name(c));
    const auto index = name - names.begin();
    if (index >= found.holding_forces.size()) continue;
    const TreeFrame& frame = mechanism.frames()[mechanism.frame_of_coordinate(c)];
    if (is_sprung(equations.model().joints[frame.joint], frame.freedom)) continue;
    inputs.joint_forces[frame.joint][frame.freedom] += found.holding_forces[index];
    held[frame.joint][frame.freedom] = 1;
  }
}

// Constrained equations: the forces on the independent joint freedoms that keep everything at rest.
void hold_constrained(const ConstrainedEquations& equations, const Equilibrium& found, Inputs& inputs,
                      HeldFreedoms& held) {
  State state = found.state;
  equations.recentre(state);
  const auto workspace = equations.make_workspace();
  ConstrainedLinearisation linear;
  const VectorX none = VectorX::Zero(equations.num_coordinates());
  if (equations.linearise_constrained(state, inputs, none, *workspace, linear) != EvaluationStatus::ok) return;
  for (std::size_t j = 0; j < held.size(); ++j)
    for (std::size_t k = 0; k < held[j].size(); ++k) {
      if (is_sprung(equations.model().joints[j], static_cast<int>(k))) continue;
      held[j][k] = linear.inputs.joint_forces[j][k] != inputs.joint_forces[j][k];
      inputs.joint_forces[j][k] = linear.inputs.joint_forces[j][k];
    }
}

// Of all beams of a link: what DeformationWatch divides by.
double length_of(const Model& model, const std::string& name) {
  double length = 0;
  for (const Link& link : model.links)
    for (const BeamSegment& segment : link.segments)
      if (link.name == name) length += (link.nodes[segment.to].position - link.nodes[segment.from].position).norm();
  return length;
}

std::vector<JointAtRest> joints_at_rest(const Equations& equations, const State& state, const Inputs& inputs,
                                        const Inputs& holding, const HeldFreedoms& held, Workspace& workspace) {
  std::vector<JointAtRest> result;
  const Model& model = equations.model();
  const Accelerations none{VectorX::Zero(equations.num_coordinates())};
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int k = 0; k < num_freedoms(model.joints[j].type); ++k) {
      const int joint = static_cast<int>(j);
      const bool turns = is_rotation(model.joints[j].type, k);
      JointAtRest entry;
      entry.name =
          num_freedoms(model.joints[j].type) > 1 ? cat(model.joints[j].name, ".", k + 1) : model.joints[j].name;
      entry.unit = turns ? "rad" : "m";
      entry.force_unit = turns ? "N m" : "N";
      entry.value = equations.joint_motion(state, inputs, none, joint, k, workspace).value;
      entry.held = held[j][static_cast<std::size_t>(k)] != 0;
      entry.holding_force =
          holding.joint_forces[j][static_cast<std::size_t>(k)] - inputs.joint_forces[j][static_cast<std::size_t>(k)];
      for (const Drive& drive : model.drives) {
        if (!drive.prescribes_motion || drive.joint != joint || drive.freedom != k) continue;
        entry.held = true;
        entry.holding_force = equations.prescribed_force(state, holding, none, joint, k, workspace);
      }
      result.push_back(entry);
    }
  return result;
}

}  // namespace

EquilibriumSummary summarise(const Equations& equations, const Equilibrium& found, const Inputs& inputs,
                             bool joints_held) {
  EquilibriumSummary result;
  Inputs holding = inputs;
  HeldFreedoms held;
  for (const std::vector<double>& forces : inputs.joint_forces) held.emplace_back(forces.size(), 0);
  if (joints_held) {
    if (const auto* constrained = as_constrained(equations)) {
      hold_constrained(*constrained, found, holding, held);
    } else {
      hold_coordinates(equations, found, holding, held);
    }
  }
  const auto workspace = equations.make_workspace();
  const Accelerations none{VectorX::Zero(equations.num_coordinates())};
  const SensorReader reader(equations);
  std::vector<double> values;
  reader.read(found.state, holding, none, *workspace, values);
  for (std::size_t i = 0; i < values.size() && !equations.model().sensors.empty(); ++i)
    result.sensors.push_back({reader.channels()[i].name, reader.channels()[i].unit, values[i]});
  result.joints = joints_at_rest(equations, found.state, inputs, holding, held, *workspace);
  DeformationWatch watch(equations);
  watch.look(found.state, holding, none, *workspace);
  for (const LinkDeformation& link : watch.links())
    if (length_of(equations.model(), link.link) > 0)  // beams
      result.links.push_back(
          {link.link, link.deflection * length_of(equations.model(), link.link), link.deflection, link.rotation});
  return result;
}

}  // namespace lithe
