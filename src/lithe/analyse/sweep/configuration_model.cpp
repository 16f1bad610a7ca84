#include "lithe/analyse/sweep/configuration_model.h"

#include <algorithm>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/kinematics/charts.h"
#include "lithe/kinematics/cut_motion.h"

namespace lithe {
namespace {

// The signal with a constant added.
struct Shift {
  double by = 0;
  bool operator()(SignalConstant& signal) const {
    signal.value += by;
    return true;
  }
  bool operator()(SignalSteps& signal) const {
    for (double& value : signal.values) value += by;
    if (signal.times.empty() || signal.times.front() > 0) {  // zero until then
      signal.times.insert(signal.times.begin(), 0.0);
      signal.values.insert(signal.values.begin(), by);
    }
    return true;
  }
  bool operator()(SignalRamp& signal) const {
    signal.start_value += by, signal.end_value += by;
    return true;
  }
  bool operator()(SignalSine& signal) const {
    signal.offset += by;
    return true;
  }
  bool operator()(SignalChirp&) const { return false; }
  bool operator()(SignalSmoothMove& signal) const {
    signal.start_value += by, signal.end_value += by;
    return true;
  }
  bool operator()(SignalTable& signal) const {  // second derivatives stay
    for (double& value : signal.values) value += by;
    return true;
  }
};

// Angles of spherical and free joints as they read without a moved reference.
void set_tree_values(const Mechanism& mechanism, const Configuration& configuration, Model& model) {
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int f = 0; f < num_freedoms(model.joints[j].type); ++f)
      if (const int c = mechanism.coordinate_of(static_cast<int>(j), f); c >= 0)
        model.joints[j].initial_value[f] = configuration.coordinates[c];
  for (int chart = 0; chart < mechanism.num_charts(); ++chart) {
    const Vector3 angles = whole_angles(mechanism, configuration, chart);
    Joint& joint = model.joints[mechanism.charts()[chart].joint];
    const int first = num_freedoms(joint.type) - 3;
    for (int k = 0; k < 3; ++k) joint.initial_value[first + k] = angles[k];
  }
}

void set_cut_values(const Mechanism& mechanism, const Configuration& configuration, Model& model) {
  if (mechanism.cuts().empty()) return;
  KinematicState state(mechanism);
  update_position(mechanism, configuration, state);
  for (const CutJoint& cut : mechanism.cuts()) {
    if (cut.couples()) continue;
    const Vector6 values = cut_values(cut, state);
    for (int f = 0; f < num_freedoms(cut.type); ++f) model.joints[cut.joint].initial_value[f] = values[f];
  }
}

}  // namespace

Model in_configuration(const Model& model, const Mechanism& mechanism, const Configuration& home,
                       const Configuration& configuration, SpringRest springs) {
  Model moved = model, still = model;
  for (Model* each : {&moved, &still}) {
    each->initial_configuration.targets.clear();
    for (Joint& joint : each->joints) {
      joint.initial_value.resize(num_freedoms(joint.type), 0.0);
      joint.initial_value_given.assign(num_freedoms(joint.type), true);
    }
    const Configuration& place = each == &moved ? configuration : home;
    set_tree_values(mechanism, place, *each);
    set_cut_values(mechanism, place, *each);
  }
  for (const CutJoint& cut : mechanism.cuts())  // joints that follow from the others
    moved.joints[cut.joint].initial_value_given.assign(num_freedoms(model.joints[cut.joint].type), false);
  for (std::size_t j = 0; j < model.joints.size() && springs == SpringRest::follows; ++j)
    for (std::size_t f = 0; f < moved.joints[j].rest_value.size(); ++f)
      moved.joints[j].rest_value[f] += moved.joints[j].initial_value[f] - still.joints[j].initial_value[f];
  for (Drive& drive : moved.drives) {
    if (!drive.prescribes_motion) continue;
    const double by = moved.joints[drive.joint].initial_value[drive.freedom] - evaluate(drive.signal, 0).value;
    if (by != 0 && !std::visit(Shift{by}, drive.signal))
      throw InputError(cat("the motion of drive '", drive.name, "', a chirp, cannot begin at another joint value"));
  }
  return moved;
}

JointFreedom joint_freedom(const Model& model, const std::string& name) {
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[j];
    for (int f = 0; f < num_freedoms(joint.type); ++f)
      if (name == cat(joint.name, ".", f + 1) || (name == joint.name && num_freedoms(joint.type) == 1)) return {j, f};
    if (name == joint.name)
      throw InputError(
          cat("joint '", name, "' has ", num_freedoms(joint.type), " degrees of freedom; write ", name, ".1 ..."));
  }
  std::string names;
  for (const Joint& joint : model.joints) names += cat(names.empty() ? "" : ", ", "'", joint.name, "'");
  throw InputError(cat("there is no joint '", name, "'; there are: ", names));
}

Model with_held_joints(Model model, const std::vector<std::string>& names) {
  const auto hold = [&](int joint, int freedom) {
    const bool driven = std::any_of(model.drives.begin(), model.drives.end(), [&](const Drive& drive) {
      return drive.prescribes_motion && drive.joint == joint && drive.freedom == freedom;
    });
    if (driven) return;
    Drive brake;
    brake.name = cat("brake of ", model.joints[joint].name);
    brake.joint = joint;
    brake.freedom = freedom;
    brake.prescribes_motion = true;
    brake.signal = SignalConstant{model.joints[joint].initial_value[freedom]};
    model.drives.push_back(brake);
  };
  for (const std::string& name : names) {
    const auto whole =
        std::find_if(model.joints.begin(), model.joints.end(), [&](const Joint& joint) { return joint.name == name; });
    if (whole != model.joints.end()) {
      const int joint = static_cast<int>(whole - model.joints.begin());
      for (int f = 0; f < num_freedoms(whole->type); ++f) hold(joint, f);
    } else {
      const JointFreedom freedom = joint_freedom(model, name);
      hold(freedom.joint, freedom.freedom);
    }
  }
  return model;
}

}  // namespace lithe
