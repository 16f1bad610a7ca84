// What a formulation that overrides nothing tells: nothing about forces, and all nodes of a link one by one.
#include <limits>

#include "lithe/formulate/contract/equations.h"

namespace lithe {

Energies unknown_energies(EvaluationStatus status) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  return {unknown, unknown, unknown, status};
}

NodeMotion unknown_motion(EvaluationStatus status) {
  NodeMotion motion;
  for (Vector3* v : {&motion.position, &motion.velocity, &motion.acceleration, &motion.angular_velocity,
                     &motion.angular_acceleration, &motion.displacement, &motion.rotation})
    v->setConstant(std::numeric_limits<double>::quiet_NaN());
  motion.orientation.setConstant(std::numeric_limits<double>::quiet_NaN());
  motion.status = status;
  return motion;
}

SignalValue unknown_value() {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  return {unknown, unknown, unknown};
}

double Equations::prescribed_force(const State&, const Inputs&, const Accelerations&, int, int, Workspace&) const {
  return std::numeric_limits<double>::quiet_NaN();
}

bool Equations::reaction(const State&, const Inputs&, const Accelerations&, int, Vector3&, Vector3&, Workspace&) const {
  return false;
}

bool Equations::section_load(const State&, const Inputs&, const Accelerations&, int, int, Vector3&, Vector3&,
                             Workspace&) const {
  return false;
}

bool Equations::strained_shape(const State&, const Inputs&, int, VectorX&, Workspace&) const { return false; }

void Equations::node_motions(const State& state, const Inputs& inputs, const Accelerations& accelerations, int link,
                             std::vector<NodeMotion>& motions, Workspace& workspace) const {
  motions.resize(static_cast<std::size_t>(num_nodes(link)));
  for (std::size_t node = 0; node < motions.size(); ++node)
    motions[node] = node_motion(state, inputs, accelerations, link, static_cast<int>(node), workspace);
}

double Equations::dissipated_power(const State&, const Inputs&, Workspace&) const {
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace lithe
