#include "lithe/plan/held_joints.h"

#include <algorithm>
#include <optional>

#include "lithe/base/text.h"
#include "lithe/model/control_setup.h"

namespace lithe {
namespace {

// The signal times a factor and with an offset; nothing for those that cannot have one.
struct Follow {
  double factor, offset;

  double of(double value) const { return factor * value + offset; }
  std::optional<Signal> operator()(SignalConstant signal) const { return SignalConstant{of(signal.value)}; }
  std::optional<Signal> operator()(SignalRamp signal) const {
    signal.start_value = of(signal.start_value), signal.end_value = of(signal.end_value);
    return signal;
  }
  std::optional<Signal> operator()(SignalSmoothMove signal) const {
    signal.start_value = of(signal.start_value), signal.end_value = of(signal.end_value);
    return signal;
  }
  std::optional<Signal> operator()(SignalSine signal) const {
    signal.amplitude *= factor;
    signal.offset = of(signal.offset);
    return signal;
  }
  std::optional<Signal> operator()(SignalTable signal) const {
    for (double& value : signal.values) value = of(value);
    for (double& second : signal.second_derivatives) second *= factor;
    return signal;
  }
  std::optional<Signal> operator()(const SignalSteps&) const { return std::nullopt; }  // motions do not jump
  std::optional<Signal> operator()(SignalChirp signal) const {
    if (offset != 0) return std::nullopt;
    signal.amplitude *= factor;
    return signal;
  }
};

const Drive* motion_of(const Model& model, int joint) {
  for (const Drive& drive : model.drives)
    if (drive.joint == joint && drive.prescribes_motion) return &drive;
  return nullptr;
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
  std::vector<int> held, following;
  for (const DriveTrain& train : trains) {
    Joint& joint = model.joints[static_cast<std::size_t>(train.joint)];
    if (num_freedoms(joint.type) != 1 || is_driven(model, train.joint)) continue;
    Drive drive;
    drive.name = joint.name;
    drive.place = train.place;
    drive.joint = train.joint;
    drive.prescribes_motion = true;
    drive.signal = SignalConstant{joint.initial_value[0]};
    const Drive* leader = train.follows >= 0 ? motion_of(model, train.follows) : nullptr;
    const std::optional<Signal> followed =
        leader ? std::visit(Follow{train.factor, train.offset}, leader->signal) : std::nullopt;
    if (followed) {
      drive.signal = *followed;
      joint.initial_value[0] = evaluate(*followed, 0).value;
      joint.initial_value_given[0] = true;
      following.push_back(train.joint);
    } else {
      held.push_back(train.joint);
    }
    model.drives.push_back(std::move(drive));
  }
  std::vector<std::string> notes;
  if (!held.empty()) notes.push_back(cat("joints without a move stay where they are: ", listed_names(model, held)));
  if (!following.empty())
    notes.push_back(cat("joints that follow others, here as prescribed motions: ", listed_names(model, following)));
  return notes;
}

}  // namespace lithe
