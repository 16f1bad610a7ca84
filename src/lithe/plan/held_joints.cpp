#include "lithe/plan/held_joints.h"

#include <algorithm>

#include "lithe/base/text.h"
#include "lithe/model/control_setup.h"

namespace lithe {
namespace {

// Whether a coupling moves the joint: it follows, or it leads one whose motion is prescribed.
bool is_coupled(const Model& model, int joint) {
  const auto prescribed = [&](int other) {
    return std::any_of(model.drives.begin(), model.drives.end(),
                       [&](const Drive& drive) { return drive.joint == other && drive.prescribes_motion; });
  };
  return std::any_of(model.couplings.begin(), model.couplings.end(), [&](const Coupling& coupling) {
    if (coupling.joint == joint) return true;
    return coupling.terms.size() == 1 && coupling.terms[0].joint == joint && prescribed(coupling.joint);
  });
}

bool is_driven(const Model& model, int joint) {
  if (std::any_of(model.drives.begin(), model.drives.end(), [&](const Drive& drive) { return drive.joint == joint; }))
    return true;
  if (!model.control) return false;
  for (const ControllerSetup& controller : model.control->controllers)
    for (const Actuator& actuator : controller.actuators)
      if (actuator.joint == joint) return true;
  return false;
}

std::string listed_names(const Model& model, const std::vector<int>& joints) {
  std::string text;
  for (const int joint : joints)
    text += cat(text.empty() ? "'" : ", '", model.joints[static_cast<std::size_t>(joint)].name, "'");
  return text;
}

}  // namespace

std::vector<std::string> hold_joints(Model& model, const std::vector<DriveTrain>& trains) {
  std::vector<int> held;
  for (const DriveTrain& train : trains) {
    Joint& joint = model.joints[static_cast<std::size_t>(train.joint)];
    if (num_freedoms(joint.type) != 1 || is_driven(model, train.joint) || is_coupled(model, train.joint)) continue;
    Drive drive;
    drive.name = joint.name;
    drive.place = train.place;
    drive.joint = train.joint;
    drive.prescribes_motion = true;
    drive.signal = SignalConstant{joint.initial_value[0]};
    held.push_back(train.joint);
    model.drives.push_back(std::move(drive));
  }
  std::vector<std::string> notes;
  if (!held.empty()) notes.push_back(cat("joints without a move stay where they are: ", listed_names(model, held)));
  return notes;
}

}  // namespace lithe
