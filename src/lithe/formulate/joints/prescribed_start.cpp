#include "lithe/formulate/joints/prescribed_start.h"

namespace lithe {

Model with_prescribed_start(Model model) {
  for (const Drive& drive : model.drives) {
    if (!drive.prescribes_motion) continue;
    Joint& joint = model.joints[drive.joint];
    const SignalValue start = evaluate(drive.signal, 0.0);
    joint.initial_value.resize(num_freedoms(joint.type), 0.0);
    joint.initial_speed.resize(num_freedoms(joint.type), 0.0);
    joint.initial_value_given.resize(num_freedoms(joint.type), false);
    joint.initial_value[drive.freedom] = start.value;
    joint.initial_speed[drive.freedom] = start.rate;
    joint.initial_value_given[drive.freedom] = true;
  }
  return model;
}

}  // namespace lithe
