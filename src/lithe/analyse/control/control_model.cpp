#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "lithe/analyse/control/make_control.h"
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/linear/linearise.h"
#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/capabilities.h"

namespace lithe {
namespace {

ControlModel refused(std::string why) {
  ControlModel result;
  result.message = std::move(why);
  return result;
}

struct Modes {
  MatrixX shapes;     // Φᵀ M Φ = I
  VectorX stiffness;  // ω², ascending
};
Modes modes_of(const MatrixX& mass, const MatrixX& stiffness) {
  SymmetricPairs pairs = symmetric_pairs(0.5 * (stiffness + stiffness.transpose()), 0.5 * (mass + mass.transpose()));
  return {std::move(pairs.vectors), std::move(pairs.values)};
}

// The slowest mode in the directions that move no actuator.
double locked_frequency(const MatrixX& mass, const MatrixX& stiffness, const MatrixX& actuated) {
  const Eigen::Index n = mass.rows(), m = actuated.cols();
  if (n <= m) return 0;
  const MatrixX q = orthogonal_factor(actuated);
  const MatrixX free = q.rightCols(n - m);
  const double least = modes_of(free.transpose() * mass * free, free.transpose() * stiffness * free).stiffness[0];
  return least > 0 ? std::sqrt(least) / (2 * std::numbers::pi) : 0;
}

// Outputs of the linear model are all channels of all sensors: the rows of those wanted, which have one channel each.
std::vector<Eigen::Index> rows_of(const Model& model, const std::vector<int>& sensors) {
  std::vector<Eigen::Index> first;
  Eigen::Index row = 0;
  for (const Sensor& sensor : model.sensors) {
    first.push_back(row);
    row += is_vector(sensor.quantity) && sensor.component < 0 ? 3 : 1;
  }
  std::vector<Eigen::Index> rows;
  for (const int sensor : sensors) rows.push_back(first[static_cast<std::size_t>(sensor)]);
  return rows;
}

std::vector<LinearInput> linear_inputs(const Model& model, const std::vector<Actuator>& actuators) {
  std::vector<LinearInput> result;
  for (const Actuator& actuator : actuators) {
    const Joint& joint = model.joints[static_cast<std::size_t>(actuator.joint)];
    LinearInput input;
    input.joint = actuator.joint;
    input.freedom = actuator.freedom;
    input.signal = {joint.name, is_rotation(joint.type, actuator.freedom) ? "N m" : "N"};
    result.push_back(input);
  }
  return result;
}

// Those of the joints, and the slowest flexible ones that an actuator reaches.
std::vector<Eigen::Index> chosen_modes(const MatrixX& reach, Eigen::Index num_joint, int num_modes) {
  const VectorX size = reach.rowwise().norm();
  // Of all modes only those entirely out of reach are left out; a design keeps those that the actuators can influence.
  const double least = (num_modes < 0 ? 1e-8 : 1e-3) * size.maxCoeff();
  std::vector<Eigen::Index> chosen;
  const Eigen::Index wanted = num_modes < 0 ? reach.rows() : num_joint + num_modes;
  for (Eigen::Index k = 0; k < reach.rows() && static_cast<Eigen::Index>(chosen.size()) < wanted; ++k)
    if (size[k] > least) chosen.push_back(k);
  return chosen;
}

// With z = (σ η, η̇): (σ η)˙ = σ η̇,  η̈ = -λ η - ΦᵀCΦ η̇ + ΦᵀB u,  y = P Φ η + S Φ η̇ + D u.
StateSpace modal_system(const LinearModel& linear, const std::vector<Eigen::Index>& rows, const MatrixX& shapes,
                        const VectorX& stiffness) {
  const Eigen::Index k = shapes.cols(), p = static_cast<Eigen::Index>(rows.size());
  VectorX scale(k);
  for (Eigen::Index i = 0; i < k; ++i) scale[i] = std::max(1.0, std::sqrt(std::abs(stiffness[i])));
  StateSpace s;
  s.a = MatrixX::Zero(2 * k, 2 * k);
  s.a.topRightCorner(k, k) = scale.asDiagonal();
  s.a.bottomLeftCorner(k, k) = (-stiffness.cwiseQuotient(scale)).asDiagonal();
  s.a.bottomRightCorner(k, k) = -shapes.transpose() * linear.damping * shapes;
  s.b = MatrixX::Zero(2 * k, linear.input.cols());
  s.b.bottomRows(k) = shapes.transpose() * linear.input;
  s.c.resize(p, 2 * k);
  s.d.resize(p, linear.input.cols());
  for (Eigen::Index i = 0; i < p; ++i) {
    const Eigen::Index row = rows[static_cast<std::size_t>(i)];
    s.c.row(i) << linear.position_output.row(row) * shapes * scale.cwiseInverse().asDiagonal(),
        linear.speed_output.row(row) * shapes;
    s.d.row(i) = linear.feedthrough.row(row);
    s.outputs.push_back(linear.outputs[static_cast<std::size_t>(row)]);
  }
  s.inputs = linear.inputs;
  return s;
}

std::string joint_names(const LinearModel& linear, const VectorX& forces) {
  std::string names;
  for (Eigen::Index i = 0; i < forces.size(); ++i)
    if (std::abs(forces[i]) > 1e-6 * (1 + forces.norm()))
      names += cat(names.empty() ? "'" : ", '", linear.coordinates[static_cast<std::size_t>(i)].name, "'");
  return names;
}

// Springs of joints that no actuator drives (elastic gearboxes) carry what the actuators cannot: they give way until
// they do. From the equilibrium with all joints held, about which `linear` is; `missing` is what actuators lack there.
void settle_springs(const Equations& equations, const LinearModel& linear, const VectorX& missing,
                    ControlModel& result) {
  constexpr double far = 0.5;  // rad or m: another configuration, not the sag of a spring
  EquilibriumOptions options;
  options.held_inputs = linear.input;
  options.time = linear.state.time;
  const Equilibrium rest = equilibrium(equations, linear.state, options);
  const Eigen::Index joints = equations.num_joint_coordinates();
  const VectorX moved = (rest.state.coordinates - linear.state.coordinates).head(joints);
  result.settled_by = moved.cwiseAbs().maxCoeff();
  if (!rest.converged || !rest.stable || !(result.settled_by < far)) {
    result.message = cat("the actuators cannot hold the mechanism where it starts: forces are missing on ",
                         joint_names(linear, missing), ", and no spring holds it near there");
    return;
  }
  result.equilibrium = rest.state;
  result.inputs = rest.holding_inputs;
}

}  // namespace

ControlModel control_model(const Equations& equations, const State& start, const std::vector<Actuator>& actuators,
                           const std::vector<int>& sensors, int num_modes) {
  if (as_constrained(equations))
    return refused(cat("controllers are designed on equations in independent coordinates, not on ", equations.name()));
  const Model& model = equations.model();
  EquilibriumOptions options;
  options.hold_all_joints = true;
  options.time = start.time;
  const Equilibrium rest = equilibrium(equations, start, options);
  if (!rest.converged) return refused(cat("no equilibrium to linearise about: ", rest.message));

  ControlModel result;
  result.equilibrium = rest.state;
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, start.time, inputs);
  const std::vector<LinearInput> acting = linear_inputs(model, actuators);
  LinearResult found = linearise(equations, rest.state, inputs, acting, LinearAbout::held);
  if (!found.message.empty()) return refused(found.message);
  const Eigen::Index joints = equations.num_joint_coordinates();
  const MatrixX actuated = result.actuated = found.model.input.topRows(joints);
  result.inputs = PivotedQr(actuated).solve(rest.holding_forces);
  const VectorX missing = actuated * result.inputs - rest.holding_forces;
  if (missing.norm() > 1e-6 * (1 + rest.holding_forces.norm())) {
    settle_springs(equations, found.model, missing, result);
    if (!result.message.empty()) return result;
  }
  for (std::size_t a = 0; a < actuators.size(); ++a)
    inputs.joint_forces[static_cast<std::size_t>(actuators[a].joint)][static_cast<std::size_t>(actuators[a].freedom)] +=
        result.inputs[static_cast<Eigen::Index>(a)];
  found = linearise(equations, result.equilibrium, inputs, acting,
                    LinearAbout::held);  // sensors may see the holding forces
  if (!found.message.empty()) return refused(found.message);

  const LinearModel& linear = found.model;
  const std::vector<Eigen::Index> rows = rows_of(model, sensors);
  result.measurements.resize(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    result.measurements[static_cast<Eigen::Index>(i)] = linear.nominal_outputs[rows[i]];
  const Modes modes = modes_of(linear.mass, linear.stiffness);
  const std::vector<Eigen::Index> chosen = chosen_modes(modes.shapes.transpose() * linear.input, joints, num_modes);
  MatrixX shapes(modes.shapes.rows(), static_cast<Eigen::Index>(chosen.size()));
  VectorX stiffness(shapes.cols());
  result.frequencies.resize(shapes.cols());
  for (Eigen::Index i = 0; i < shapes.cols(); ++i) {
    const Eigen::Index k = chosen[static_cast<std::size_t>(i)];
    shapes.col(i) = modes.shapes.col(k);
    stiffness[i] = modes.stiffness[k];
    result.frequencies[i] = std::sqrt(std::max(0.0, stiffness[i])) / (2 * std::numbers::pi);
  }
  result.plant = modal_system(linear, rows, shapes, stiffness);
  result.locked_frequency = locked_frequency(linear.mass, linear.stiffness, linear.input);
  result.found = result.plant.a.allFinite() && result.plant.c.allFinite();
  if (!result.found)
    result.message = "the linear model is not finite; is a sensor read that this formulation does not know?";
  return result;
}

}  // namespace lithe
