#include "lithe/analyse/linear/linearise.h"

#include <Eigen/LU>
#include <algorithm>

#include "lithe/analyse/linear/linear_outputs.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/capabilities.h"

namespace lithe {
namespace {

LinearInput joint_input(const Model& model, int joint, int freedom, const std::string& name) {
  const bool turns = is_rotation(model.joints[joint].type, freedom);
  return {.joint = joint, .freedom = freedom, .load = -1, .signal = {name, turns ? "N m" : "N"}};
}

LinearInput load_input(const Model& model, int load) {
  return {.joint = -1,
          .freedom = 0,
          .load = load,
          .signal = {model.loads[load].name, model.loads[load].torque ? "N m" : "N"}};
}

bool is_prescribed(const Model& model, int joint, int freedom) {
  return std::any_of(model.drives.begin(), model.drives.end(), [&](const Drive& drive) {
    return drive.prescribes_motion && drive.joint == joint && drive.freedom == freedom;
  });
}

std::string freedom_name(const Joint& joint, int freedom) {
  return num_freedoms(joint.type) > 1 ? cat(joint.name, ".", freedom + 1) : joint.name;
}

// Every freedom of every joint whose motion is not prescribed.
std::vector<LinearInput> joint_inputs(const Model& model) {
  std::vector<LinearInput> inputs;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    for (int f = 0; f < num_freedoms(model.joints[j].type); ++f)
      if (!is_prescribed(model, j, f)) inputs.push_back(joint_input(model, j, f, freedom_name(model.joints[j], f)));
  return inputs;
}

int first_column(const Model& model, int joint) {
  int column = 0;
  for (int j = 0; j < joint; ++j) column += num_freedoms(model.joints[j].type);
  return column;
}

// One linearisation, in two parts: the coordinates, then what acts on them and what is seen of them.
class Linearisation {
 public:
  Linearisation(const Equations& equations, const Inputs& inputs, Workspace& workspace)
      : equations_(equations),
        constrained_(as_constrained(equations)),
        inputs_(inputs),
        held_(inputs),
        workspace_(workspace) {}

  LinearResult coordinates(State state, LinearAbout about) {
    LinearResult result;
    if (constrained_) constrained_->recentre(state);
    result.status = equations_.evaluate(state, inputs_, workspace_, accelerations_);
    own_ = accelerations_.values;
    LinearModel& model = result.model;
    model.state = std::move(state);
    if (result.status == EvaluationStatus::ok)
      result.status = constrained_ ? find_constrained(about, model) : find_blocks(about, model);
    if (result.status != EvaluationStatus::ok) result.message = describe(result.status);
    return result;
  }

  void add_signals(const std::vector<LinearInput>& linear_inputs, LinearResult& result) {
    LinearModel& model = result.model;
    result.status = choose_inputs(linear_inputs, model);
    if (result.status != EvaluationStatus::ok) {
      result.message = describe(result.status);
      return;
    }
    linearise_outputs(equations_, held_, linear_inputs, accelerations_, workspace_, model);
  }

 private:
  EvaluationStatus find_blocks(LinearAbout about, LinearModel& model) {
    if (about == LinearAbout::held) accelerations_.values.setZero();
    const EvaluationStatus status =
        about == LinearAbout::motion
            ? equations_.linearise(model.state, inputs_, workspace_, blocks_)
            : equations_.linearise_about(model.state, inputs_, accelerations_, workspace_, blocks_);
    model.mass = blocks_.mass;
    model.damping = blocks_.damping;
    model.stiffness = blocks_.stiffness;
    onto_ = blocks_.mass;
    if (status == EvaluationStatus::ok) model.nominal_force = blocks_.mass * own_;
    for (const std::string& name : equations_.coordinate_names()) model.coordinates.push_back({name, ""});
    return status;
  }

  // Of coordinates that obey constraints, only the motions that these allow.
  EvaluationStatus find_constrained(LinearAbout about, LinearModel& model) {
    VectorX accelerations = VectorX::Zero(equations_.num_coordinates()), multipliers;
    if (about == LinearAbout::motion)
      constrained_->body_accelerations(model.state, inputs_, workspace_, accelerations, multipliers);
    ConstrainedLinearisation linear;
    const EvaluationStatus status =
        constrained_->linearise_constrained(model.state, inputs_, accelerations, workspace_, linear);
    if (status != EvaluationStatus::ok) return status;
    model.mass = linear.mass;
    model.damping = linear.damping;
    model.stiffness = linear.stiffness;
    model.nominal_force = linear.force;
    model.directions = linear.directions;
    model.speed_by_place = linear.speed_by_place;
    model.acceleration_by_speed = linear.acceleration_by_speed;
    model.acceleration_by_place = linear.acceleration_by_place;
    accelerations_.values = linear.accelerations;
    held_ = linear.inputs;
    blocks_.input = linear.input;
    onto_ = linear.onto;
    for (Eigen::Index k = 0; k < model.size(); ++k) model.coordinates.push_back({cat("motion ", k + 1), ""});
    return status;
  }

  // B of the chosen inputs; loads act linearly, so that a unit more of one gives its column exactly.
  EvaluationStatus choose_inputs(const std::vector<LinearInput>& linear_inputs, LinearModel& model) {
    model.input.resize(model.size(), static_cast<Eigen::Index>(linear_inputs.size()));
    for (std::size_t i = 0; i < linear_inputs.size(); ++i) {
      const LinearInput& input = linear_inputs[i];
      const Eigen::Index column = static_cast<Eigen::Index>(i);
      model.inputs.push_back(input.signal);
      if (input.load < 0) {
        model.input.col(column) = blocks_.input.col(first_column(equations_.model(), input.joint) + input.freedom);
        continue;
      }
      Inputs more = inputs_;
      add_input(equations_.model(), input, 1, more);
      Accelerations accelerations;
      const EvaluationStatus status = equations_.evaluate(model.state, more, workspace_, accelerations);
      if (status != EvaluationStatus::ok) return status;
      model.input.col(column) = onto_ * (accelerations.values - own_);
    }
    return EvaluationStatus::ok;
  }

  const Equations& equations_;
  const ConstrainedEquations* constrained_;
  const Inputs& inputs_;
  Inputs held_;  // with what holds the accelerations about which, where the formulation says it
  Workspace& workspace_;
  LinearBlocks blocks_;
  MatrixX onto_;                 // forces along the coordinates that accelerations of all coordinates take
  Accelerations accelerations_;  // about which
  VectorX own_;                  // those of the state itself
};

}  // namespace

std::vector<LinearInput> default_inputs(const Equations& equations) {
  const Model& model = equations.model();
  std::vector<LinearInput> inputs;
  for (const Drive& drive : model.drives)
    if (!drive.prescribes_motion) inputs.push_back(joint_input(model, drive.joint, drive.freedom, drive.name));
  for (int i = 0; i < static_cast<int>(model.loads.size()); ++i) inputs.push_back(load_input(model, i));
  return inputs.empty() ? joint_inputs(model) : inputs;
}

std::vector<LinearInput> inputs_by_name(const Equations& equations, const std::vector<std::string>& names) {
  const Model& model = equations.model();
  std::vector<LinearInput> all = joint_inputs(model);
  for (const Drive& drive : model.drives)
    if (!drive.prescribes_motion) all.push_back(joint_input(model, drive.joint, drive.freedom, drive.name));
  for (int i = 0; i < static_cast<int>(model.loads.size()); ++i) all.push_back(load_input(model, i));
  std::vector<LinearInput> chosen;
  for (const std::string& name : names) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const LinearInput& input) { return input.signal.name == name; });
    if (found == all.end()) {
      std::string known;
      for (const LinearInput& input : all) known += cat(known.empty() ? "'" : ", '", input.signal.name, "'");
      if (known.empty()) known = "none: no load, and no joint whose motion no drive prescribes";
      throw InputError(cat("there is no input '", name, "'; there are: ", known));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

LinearResult linearise_coordinates(const Equations& equations, State state, const Inputs& inputs, LinearAbout about) {
  const std::unique_ptr<Workspace> workspace = equations.make_workspace();
  return Linearisation(equations, inputs, *workspace).coordinates(std::move(state), about);
}

LinearResult linearise(const Equations& equations, State state, const Inputs& inputs,
                       const std::vector<LinearInput>& linear_inputs, LinearAbout about) {
  const std::unique_ptr<Workspace> workspace = equations.make_workspace();
  Linearisation linearisation(equations, inputs, *workspace);
  LinearResult result = linearisation.coordinates(std::move(state), about);
  if (result.status == EvaluationStatus::ok) linearisation.add_signals(linear_inputs, result);
  return result;
}

StateSpace state_space(const LinearModel& model) {
  const Eigen::Index n = model.size(), m = model.input.cols();
  const Eigen::PartialPivLU<MatrixX> mass(model.mass);
  StateSpace system;
  system.a = MatrixX::Zero(2 * n, 2 * n);
  system.a.topRightCorner(n, n).setIdentity();
  system.a.bottomLeftCorner(n, n) = -mass.solve(model.stiffness);
  system.a.bottomRightCorner(n, n) = -mass.solve(model.damping);
  system.b = MatrixX::Zero(2 * n, m);
  system.b.bottomRows(n) = mass.solve(model.input);
  system.c.resize(model.position_output.rows(), 2 * n);
  system.c << model.position_output, model.speed_output;
  system.d = model.feedthrough;
  system.states = model.coordinates;
  for (const Channel& coordinate : model.coordinates)
    system.states.push_back({cat("rate of ", coordinate.name), coordinate.unit.empty() ? "" : coordinate.unit + "/s"});
  system.inputs = model.inputs;
  system.outputs = model.outputs;
  return system;
}

}  // namespace lithe
