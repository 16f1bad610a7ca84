#include "lithe/analyse/control_model.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>
#include <numbers>

#include "lithe/analyse/equilibrium.h"
#include "lithe/analyse/sensors.h"
#include "lithe/base/text.h"
#include "lithe/formulate/constrained_equations.h"

namespace lithe {
namespace {

ControlModel refused(std::string why) {
  ControlModel result;
  result.message = std::move(why);
  return result;
}

// Columns of the actuators among those of all freedoms.
MatrixX actuator_columns(const Model& model, const MatrixX& input, const std::vector<Actuator>& actuators) {
  MatrixX result(input.rows(), static_cast<Eigen::Index>(actuators.size()));
  for (std::size_t a = 0; a < actuators.size(); ++a) {
    Eigen::Index column = actuators[a].freedom;
    for (int j = 0; j < actuators[a].joint; ++j) column += num_freedoms(model.joints[static_cast<std::size_t>(j)].type);
    result.col(static_cast<Eigen::Index>(a)) = input.col(column);
  }
  return result;
}

struct Modes {
  MatrixX shapes;     // Φᵀ M Φ = I
  VectorX stiffness;  // ω², ascending
};
Modes modes_of(const MatrixX& mass, const MatrixX& stiffness) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> solver(0.5 * (stiffness + stiffness.transpose()),
                                                                 0.5 * (mass + mass.transpose()));
  return {solver.eigenvectors(), solver.eigenvalues()};
}

// The slowest mode in the directions that move no actuator.
double locked_frequency(const MatrixX& mass, const MatrixX& stiffness, const MatrixX& actuated) {
  const Eigen::Index n = mass.rows(), m = actuated.cols();
  if (n <= m) return 0;
  const MatrixX q = actuated.householderQr().householderQ() * MatrixX::Identity(n, n);
  const MatrixX free = q.rightCols(n - m);
  const double least = modes_of(free.transpose() * mass * free, free.transpose() * stiffness * free).stiffness[0];
  return least > 0 ? std::sqrt(least) / (2 * std::numbers::pi) : 0;
}

// ∂y/∂x, ∂y/∂ẋ, ∂y/∂ẍ of the sensors by central differences, which are exact where y is linear or quadratic.
struct SensorDerivatives {
  VectorX values;
  MatrixX by_coordinates, by_speeds, by_accelerations;
};
SensorDerivatives differentiate(const Equations& equations, const State& state, const Inputs& inputs,
                                const std::vector<Sensor>& sensors) {
  const SensorReader reader(equations, sensors);
  const auto workspace = equations.make_workspace();
  const Eigen::Index n = equations.num_coordinates(), p = static_cast<Eigen::Index>(reader.channels().size());
  std::vector<double> readings;
  Accelerations none;
  none.values.setZero(n);
  const auto read = [&](const State& at, const Accelerations& accelerations) -> VectorX {
    reader.read(at, inputs, accelerations, *workspace, readings);
    return Eigen::Map<const VectorX>(readings.data(), p);
  };
  SensorDerivatives result{read(state, none), MatrixX(p, n), MatrixX(p, n), MatrixX(p, n)};
  constexpr double small = 1e-5;
  for (Eigen::Index i = 0; i < n; ++i) {
    State up = state, down = state;
    up.coordinates[i] += small;
    down.coordinates[i] -= small;
    result.by_coordinates.col(i) = (read(up, none) - read(down, none)) / (2 * small);
    up = down = state;
    up.speeds[i] += 1e-3;
    down.speeds[i] -= 1e-3;
    result.by_speeds.col(i) = (read(up, none) - read(down, none)) / 2e-3;
    Accelerations unit = none;
    unit.values[i] = 1;
    result.by_accelerations.col(i) = read(state, unit) - result.values;
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

// With z = (σ η, η̇): (σ η)˙ = σ η̇,  η̈ = -λ η - ΦᵀCΦ η̇ + ΦᵀB u,  y = Yx Φ η + Yv Φ η̇ + Ya Φ η̈.
StateSpace modal_system(const MatrixX& shapes, const VectorX& stiffness, const MatrixX& damping,
                        const MatrixX& actuated, const SensorDerivatives& y) {
  const Eigen::Index k = shapes.cols();
  VectorX scale(k);
  for (Eigen::Index i = 0; i < k; ++i) scale[i] = std::max(1.0, std::sqrt(std::abs(stiffness[i])));
  StateSpace s;
  s.a = MatrixX::Zero(2 * k, 2 * k);
  s.a.topRightCorner(k, k) = scale.asDiagonal();
  s.a.bottomLeftCorner(k, k) = (-stiffness.cwiseQuotient(scale)).asDiagonal();
  s.a.bottomRightCorner(k, k) = -shapes.transpose() * damping * shapes;
  s.b = MatrixX::Zero(2 * k, actuated.cols());
  s.b.bottomRows(k) = shapes.transpose() * actuated;
  const MatrixX accelerations = y.by_accelerations * shapes;
  s.c.resize(y.values.size(), 2 * k);
  s.c.leftCols(k) = y.by_coordinates * shapes * scale.cwiseInverse().asDiagonal();
  s.c.rightCols(k) = y.by_speeds * shapes;
  s.c += accelerations * s.a.bottomRows(k);
  s.d = accelerations * s.b.bottomRows(k);
  return s;
}

void name_signals(const Model& model, const std::vector<Actuator>& actuators, const std::vector<Channel>& channels,
                  StateSpace& plant) {
  for (const Actuator& actuator : actuators) {
    const Joint& joint = model.joints[static_cast<std::size_t>(actuator.joint)];
    plant.inputs.push_back({joint.name, is_rotation(joint.type, actuator.freedom) ? "N m" : "N"});
  }
  for (const Channel& channel : channels) plant.outputs.push_back({channel.name, channel.unit});
}

}  // namespace

ControlModel control_model(const Equations& equations, const State& start, const std::vector<Actuator>& actuators,
                           const std::vector<int>& sensors, int num_modes) {
  if (dynamic_cast<const ConstrainedEquations*>(&equations))
    return refused(cat("controllers are designed on equations in independent coordinates, not on ", equations.name()));
  const Model& model = equations.model();
  EquilibriumOptions options;
  options.hold_joints = true;
  options.time = start.time;
  const Equilibrium rest = equilibrium(equations, start, options);
  if (!rest.converged) return refused(cat("no equilibrium to linearise about: ", rest.message));

  ControlModel result;
  result.equilibrium = rest.state;
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, start.time, inputs);
  const auto workspace = equations.make_workspace();
  LinearBlocks blocks;
  Accelerations none;
  none.values.setZero(equations.num_coordinates());
  EvaluationStatus status = equations.linearise_about(rest.state, inputs, none, *workspace, blocks);
  if (status != EvaluationStatus::ok) return refused(describe(status));
  const MatrixX actuated = actuator_columns(model, blocks.input, actuators);
  const Eigen::Index joints = equations.num_joint_coordinates();
  const VectorX holding = rest.holding_forces;
  result.inputs = actuated.topRows(joints).colPivHouseholderQr().solve(holding);
  const double missing = (actuated.topRows(joints) * result.inputs - holding).norm();
  if (missing > 1e-6 * (1 + holding.norm())) return refused("the actuators cannot hold the mechanism where it starts");
  for (std::size_t a = 0; a < actuators.size(); ++a)
    inputs.joint_forces[static_cast<std::size_t>(actuators[a].joint)][static_cast<std::size_t>(actuators[a].freedom)] +=
        result.inputs[static_cast<Eigen::Index>(a)];
  status = equations.linearise_about(rest.state, inputs, none, *workspace, blocks);
  if (status != EvaluationStatus::ok) return refused(describe(status));

  std::vector<Sensor> wanted;
  for (const int sensor : sensors) wanted.push_back(model.sensors[static_cast<std::size_t>(sensor)]);
  const SensorDerivatives y = differentiate(equations, rest.state, inputs, wanted);
  result.measurements = y.values;
  const Modes modes = modes_of(blocks.mass, blocks.stiffness);
  const std::vector<Eigen::Index> chosen = chosen_modes(modes.shapes.transpose() * actuated, joints, num_modes);
  MatrixX shapes(modes.shapes.rows(), static_cast<Eigen::Index>(chosen.size()));
  VectorX stiffness(shapes.cols());
  result.frequencies.resize(shapes.cols());
  for (Eigen::Index i = 0; i < shapes.cols(); ++i) {
    const Eigen::Index k = chosen[static_cast<std::size_t>(i)];
    shapes.col(i) = modes.shapes.col(k);
    stiffness[i] = modes.stiffness[k];
    result.frequencies[i] = std::sqrt(std::max(0.0, stiffness[i])) / (2 * std::numbers::pi);
  }
  result.plant = modal_system(shapes, stiffness, blocks.damping, actuated, y);
  name_signals(model, actuators, SensorReader(equations, wanted).channels(), result.plant);
  result.locked_frequency = locked_frequency(blocks.mass, blocks.stiffness, actuated);
  result.found = result.plant.a.allFinite() && result.plant.c.allFinite();
  if (!result.found)
    result.message = "the linear model is not finite; is a sensor read that this formulation does not know?";
  return result;
}

}  // namespace lithe
