#include "lithe/analyse/observe/input_power.h"

#include "lithe/model/coordinate_choice.h"

namespace lithe {

double input_power(const Equations& equations, const State& state, const Inputs& inputs,
                   const Accelerations& accelerations, Workspace& workspace) {
  double power = 0;
  for (std::size_t j = 0; j < inputs.joint_forces.size(); ++j)
    for (std::size_t f = 0; f < inputs.joint_forces[j].size(); ++f) {
      const double force = inputs.joint_forces[j][f];
      if (force == 0) continue;
      const int joint = static_cast<int>(j), freedom = static_cast<int>(f);
      power += force * equations.joint_motion(state, inputs, accelerations, joint, freedom, workspace).rate;
    }
  for (const NodalLoad& load : inputs.nodal_loads) {
    if (load.force.isZero(0) && load.torque.isZero(0)) continue;
    const NodeMotion motion = equations.node_motion(state, inputs, accelerations, load.link, load.node, workspace);
    Vector3 force = load.force, torque = load.torque;
    if (load.follows_link) {
      force = motion.orientation * load.force;
      torque = motion.orientation * load.torque;
    }
    power += force.dot(motion.velocity) + torque.dot(motion.angular_velocity);
  }
  for (const Drive& drive : equations.model().drives) {
    if (!drive.prescribes_motion) continue;
    const double rate = inputs.prescribed_motion[drive.joint][drive.freedom].rate;
    if (rate == 0) continue;
    power += rate * equations.prescribed_force(state, inputs, accelerations, drive.joint, drive.freedom, workspace);
  }
  const int beyond = static_cast<int>(equations.model().joints.size());
  for (std::size_t i = 0; i < chosen_coordinates(equations.model()).size(); ++i) {
    const double rate = inputs.prescribed_motion[static_cast<std::size_t>(beyond)][i].rate;
    if (rate == 0) continue;
    const int item = static_cast<int>(i);
    power += rate * equations.prescribed_force(state, inputs, accelerations, beyond, item, workspace);
  }
  return power;
}

}  // namespace lithe
