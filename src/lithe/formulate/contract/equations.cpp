#include "lithe/formulate/contract/equations.h"

#include "lithe/model/coordinate_choice.h"

namespace lithe {

Inputs make_inputs(const Model& model) {
  Inputs inputs;
  for (const Joint& joint : model.joints) {
    inputs.joint_forces.emplace_back(num_freedoms(joint.type), 0.0);
    inputs.prescribed_motion.emplace_back(num_freedoms(joint.type));
  }
  if (!chosen_coordinates(model).empty()) inputs.prescribed_motion.emplace_back(chosen_coordinates(model).size());
  for (const Load& load : model.loads)
    inputs.nodal_loads.push_back({.link = load.link, .node = load.node, .follows_link = load.follows_link});
  return inputs;
}

void evaluate_inputs(const Model& model, double time, Inputs& inputs) {
  for (std::vector<double>& forces : inputs.joint_forces)
    for (double& force : forces) force = 0;
  for (const Drive& drive : model.drives) {
    const SignalValue now = evaluate(drive.signal, time);
    if (drive.prescribes_motion) {
      inputs.prescribed_motion[drive.joint][drive.freedom] = now;
    } else {
      inputs.joint_forces[drive.joint][drive.freedom] += now.value;
    }
  }
  const std::vector<ChosenCoordinate>& chosen = chosen_coordinates(model);
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (chosen[i].role == CoordinateRole::prescribed)
      inputs.prescribed_motion.back()[i] = evaluate(chosen[i].motion, time);
  for (std::size_t i = 0; i < model.loads.size(); ++i) {
    const Load& load = model.loads[i];
    const Vector3 value = load.direction * evaluate(load.signal, time).value;
    inputs.nodal_loads[i].force = load.torque ? Vector3(Vector3::Zero()) : value;
    inputs.nodal_loads[i].torque = load.torque ? value : Vector3(Vector3::Zero());
  }
}

std::string describe(EvaluationStatus status) {
  switch (status) {
    case EvaluationStatus::ok:
      return "ok";
    case EvaluationStatus::loop_not_closed:
      return "a loop of the mechanism cannot be closed: the configuration is unreachable or singular";
    case EvaluationStatus::singular_mass:
      return "the mass matrix is not positive definite: a degree of freedom without inertia, or a singular "
             "configuration";
    case EvaluationStatus::not_finite:
      return "the equations of motion gave a number that is not finite";
    case EvaluationStatus::singular_angles:
      return "the second angle of a spherical or free joint with springs, friction, motors or limits is at a right "
             "angle, where its three angles are singular";
  }
  return "unknown";
}

}  // namespace lithe
