#include "support/judged_modes.h"

#include <ctime>

#include "lithe/analyse/analyses.h"
#include "lithe/analyse/reduction/observations.h"
#include "lithe/model/coordinate_choice.h"

namespace lithe::testing {
namespace {

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::vector<Quantity> node_quantities(JudgedSensors sensors) {
  switch (sensors) {
    case JudgedSensors::places:
      return {Quantity::position, Quantity::displacement};
    case JudgedSensors::speeds:
      return {Quantity::position, Quantity::velocity};
    case JudgedSensors::forces:
      return {Quantity::displacement, Quantity::section_moment};
    case JudgedSensors::all:
      break;
  }
  return {Quantity::position, Quantity::displacement, Quantity::velocity, Quantity::acceleration,
          Quantity::section_moment};
}

void add_sensors(JudgedSensors kind, Model& model) {
  model.sensors.clear();
  for (std::size_t l = 0; l < model.links.size(); ++l)
    for (const Quantity quantity : node_quantities(kind)) {
      const bool elastic = quantity == Quantity::displacement || quantity == Quantity::section_moment;
      if (model.links[l].rigid && elastic) continue;
      Sensor sensor;
      sensor.name = model.links[l].name + " " + std::to_string(model.sensors.size());
      sensor.quantity = quantity;
      sensor.link = static_cast<int>(l);
      sensor.node = quantity == Quantity::section_moment ? 0 : static_cast<int>(model.links[l].nodes.size()) - 1;
      model.sensors.push_back(sensor);
    }
  Sensor of_joint;
  of_joint.joint = 0;
  of_joint.name = "joint";
  of_joint.quantity = kind == JudgedSensors::forces ? Quantity::reaction_force : Quantity::joint_speed;
  if (kind != JudgedSensors::places) model.sensors.push_back(of_joint);
}

}  // namespace

JudgedSensors judged_sensors(int index) { return static_cast<JudgedSensors>(index / 2 % num_judged_sensors); }

const char* describe(JudgedSensors sensors) {
  constexpr const char* names[] = {"places", "speeds", "forces", "all"};
  return names[static_cast<int>(sensors)];
}

Model judged_mechanism(int index, unsigned seed) {
  constexpr MechanismKind kinds[] = {MechanismKind::serial, MechanismKind::closed, MechanismKind::geared,
                                     MechanismKind::branched, MechanismKind::sliding};
  constexpr int elements[] = {4, 3, 8, 6, 10, 5, 8};
  constexpr double stiffness[] = {1, 0.05, 0.3, 1};
  RandomMechanism choice;
  choice.kind = kinds[index % 5];
  choice.seed = seed;
  choice.links = choice.kind == MechanismKind::closed ? 2 + index / 5 % 3 : 2 + index % 4;
  choice.elements = elements[index % 7];
  choice.stiffness = stiffness[index % 4];
  choice.damping = index % 3 == 0 ? 0.01 : 0;
  Model model = random_mechanism(choice);
  add_sensors(judged_sensors(index), model);
  std::vector<AutomaticReduction> links;
  for (std::size_t l = 0; l < model.links.size(); ++l)
    if (!model.links[l].rigid) links.push_back({static_cast<int>(l)});
  set_automatic_reductions(model, links);
  return model;
}

JudgedModes judge_modes(const Model& model, double end_time) {
  SimulateSpec spec;
  spec.end_time = end_time;
  JudgedModes judged;
  double begin = processor_seconds();
  const SimulatedMotion chosen = simulate(model, spec);
  judged.seconds = processor_seconds() - begin;
  judged.choice = *chosen.reduction;
  begin = processor_seconds();
  const SimulatedMotion all = simulate(with_all_modes(model), spec);
  judged.all_seconds = processor_seconds() - begin;
  judged.finished = chosen.end == RunEnd::finished && all.end == RunEnd::finished;
  const Observation right = observe_motion(all, *all.equations);
  for (const auto& [name, error] : differences(right, observe_motion(chosen, *chosen.equations)))
    judged.true_error = std::max(judged.true_error, error);
  return judged;
}

}  // namespace lithe::testing
