#include "lithe/formulate/cut_joints.h"

#include <algorithm>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

bool any(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return value != 0; });
}

void object(const Joint& joint, const char* what, Diagnostics& diagnostics) {
  diagnostics.error(
      {.file = joint.place.file,
       .line = joint.place.line,
       .column = joint.place.column,
       .path = {},
       .message = cat("joint '", joint.name, "' closes a loop whose other joints are all driven or sprung too, so its ",
                      what, " cannot act; leave one joint of the loop passive")});
}

}  // namespace

void refuse_actions_on_cut_joints(const Model& model, const Mechanism& mechanism) {
  Diagnostics diagnostics;
  for (const Drive& drive : model.drives)
    if (mechanism.coordinate_of(drive.joint, drive.freedom) < 0)
      object(model.joints[drive.joint], "drive", diagnostics);
  for (const CutJoint& cut : mechanism.cuts()) {
    const Joint& joint = model.joints[cut.joint];
    if (any(joint.inertia) || any(joint.stiffness) || any(joint.damping) || any(joint.friction))
      object(joint, "spring, damper, friction or motor", diagnostics);
  }
  diagnostics.throw_if_any();
}

}  // namespace lithe
