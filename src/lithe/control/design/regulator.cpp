#include "lithe/control/design/regulator.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/control/linear/discretise.h"
#include "lithe/control/linear/riccati.h"

namespace lithe {
namespace {

constexpr double disturbance_memory = 0.1;  // s, over which an estimated disturbance may change by its size

// Squares of 1/allowed on the diagonal; zero where infinite.
MatrixX inverse_squares(const VectorX& allowed) {
  VectorX result(allowed.size());
  for (Eigen::Index i = 0; i < allowed.size(); ++i)
    result[i] = std::isfinite(allowed[i]) ? 1 / (allowed[i] * allowed[i]) : 0;
  return result.asDiagonal();
}

void check_weights(const StateSpace& plant, const RegulatorWeights& w) {
  if (w.allowed_errors.size() != plant.num_outputs() || w.measurement_noise.size() != plant.num_outputs() ||
      w.allowed_efforts.size() != plant.num_inputs() || w.disturbances.size() != plant.num_inputs())
    throw InputError(
        "regulator: one allowed error and noise per output and one effort and disturbance per input wanted");
  for (const VectorX* v : {&w.allowed_errors, &w.allowed_efforts, &w.disturbances, &w.measurement_noise})
    if (v->size() > 0 && !(v->minCoeff() > 0))
      throw InputError("regulator: allowed errors, efforts, disturbances and noises must be positive");
}

// Every state costs a little, so that a mode that no weighted output shows is regulated, too.
MatrixX state_weight(const StateSpace& plant, const VectorX& allowed_errors) {
  MatrixX q = plant.c.transpose() * inverse_squares(allowed_errors) * plant.c;
  q.diagonal().array() += 1e-9 * std::max(q.diagonal().maxCoeff(), 1e-300);
  return q;
}

void design_observer(RegulatorDesign& design, const MatrixX& plant_input, const RegulatorWeights& w,
                     double sample_time) {
  const Eigen::Index n = design.model.num_states(), m = design.model.num_inputs(), p = design.model.num_outputs();
  const Eigen::Index extra = w.rejects_disturbance ? m : 0;
  design.num_disturbances = extra;
  MatrixX entry = MatrixX::Zero(n, m);  // disturbances act at once, inputs after their delay
  entry.topRows(plant_input.rows()) = plant_input;
  design.observer_a = MatrixX::Identity(n + extra, n + extra);
  design.observer_a.topLeftCorner(n, n) = design.model.a;
  design.observer_a.topRightCorner(n, extra) = entry.leftCols(extra);
  design.observer_b = MatrixX::Zero(n + extra, m);
  design.observer_b.topRows(n) = design.model.b;
  design.observer_c = MatrixX::Zero(p, n + extra);
  design.observer_c.leftCols(n) = design.model.c;
  const MatrixX variance = w.disturbances.cwiseAbs2().asDiagonal();
  MatrixX process = MatrixX::Zero(n + extra, n + extra);
  process.topLeftCorner(n, n) = entry * variance * entry.transpose();
  if (extra > 0) process.bottomRightCorner(extra, extra) = variance * (sample_time / disturbance_memory);
  const double floor =
      1e-9 *
      std::max(process.topLeftCorner(design.num_plant_states, design.num_plant_states).diagonal().maxCoeff(), 1e-300);
  process.diagonal().head(design.num_plant_states).array() += floor;
  const MatrixX noise = w.measurement_noise.cwiseAbs2().asDiagonal();
  const RiccatiSolution filter =
      solve_discrete_riccati(design.observer_a.transpose(), design.observer_c.transpose(), process, noise);
  if (!filter.solved) {
    design.found = false;
    design.message = cat("no observer: ", filter.message);
    return;
  }
  design.process_covariance = process;
  design.noise_covariance = noise;
  const MatrixX pc = filter.x * design.observer_c.transpose();
  design.observer_gain = (noise + design.observer_c * pc).ldlt().solve(pc.transpose()).transpose();
}

}  // namespace

// ẋ = A x + B u and C x + D u = r, order by order in the rates of r: [A B; C D] [X_k; U_k] = [X_{k-1}; δ_k0 I].
TargetMaps target_maps(const StateSpace& plant, const std::vector<int>& tracked) {
  TargetMaps maps;
  const Eigen::Index n = plant.num_states(), m = plant.num_inputs(), p = static_cast<Eigen::Index>(tracked.size());
  if (p != m) return maps;
  MatrixX system(n + p, n + m);
  system.topRows(n) << plant.a, plant.b;
  for (Eigen::Index i = 0; i < p; ++i)
    system.row(n + i) << plant.c.row(tracked[static_cast<std::size_t>(i)]),
        plant.d.row(tracked[static_cast<std::size_t>(i)]);
  // rows and columns of very different size: judge the rank after scaling
  const VectorX size = system.rowwise().norm();
  if (!(size.minCoeff() > 0)) return maps;
  const Eigen::FullPivLU<MatrixX> factors(size.cwiseInverse().asDiagonal() * system);
  if (!factors.isInvertible()) return maps;
  const auto solve = [&](const MatrixX& right) -> MatrixX {
    return factors.solve(size.cwiseInverse().asDiagonal() * right);
  };
  MatrixX right = MatrixX::Zero(n + p, p);
  right.bottomRows(p).setIdentity();
  const MatrixX first = solve(right);
  right.setZero();
  right.topRows(n) = first.topRows(n);
  const MatrixX second = solve(right);
  right.topRows(n) = second.topRows(n);
  const MatrixX third = solve(right);
  maps = {true,
          first.topRows(n),
          second.topRows(n),
          third.topRows(n),
          first.bottomRows(m),
          second.bottomRows(m),
          third.bottomRows(m)};
  maps.found = maps.x2.allFinite() && maps.u2.allFinite();
  return maps;
}

RegulatorDesign design_regulator(const StateSpace& plant, const std::vector<int>& tracked,
                                 const RegulatorWeights& weights, double sample_time, int delay_steps) {
  check_weights(plant, weights);
  RegulatorDesign design;
  design.num_plant_states = plant.num_states();
  design.delay_steps = delay_steps;
  design.direct = plant.d;
  design.maps = target_maps(plant, tracked);
  if (!design.maps.found) {
    design.message = cat("the ", tracked.size(), " references cannot be followed with the ", plant.num_inputs(),
                         " actuators at rest");
    return design;
  }
  StateSpace bare = plant;
  bare.d.setZero();
  const StateSpace sampled = zero_order_hold(bare, sample_time);
  design.model = with_input_delay(sampled, delay_steps);
  const Eigen::Index n = design.model.num_states();
  design.state_weight = MatrixX::Zero(n, n);
  design.state_weight.topLeftCorner(plant.num_states(), plant.num_states()) =
      state_weight(plant, weights.allowed_errors);
  design.input_weight = inverse_squares(weights.allowed_efforts);
  // x e^{αkT} instead of x: every pole then lies within e^{-αT} (Anderson and Moore).
  const double growth = std::exp(weights.decay_rate * sample_time);
  const RiccatiSolution regulator = solve_discrete_riccati(growth * design.model.a, growth * design.model.b,
                                                           design.state_weight, design.input_weight);
  if (!regulator.solved) {
    design.message = regulator.message;
    return design;
  }
  design.gain = regulator.gain;
  design.found = true;
  design_observer(design, sampled.b, weights, sample_time);
  return design;
}

// At rest under a disturbance d the waiting inputs are -d: their distance from that counts, as of the plant's states.
MatrixX disturbance_gain(const RegulatorDesign& design) {
  const Eigen::Index m = design.model.num_inputs();
  MatrixX result = MatrixX::Identity(m, m);
  for (int k = 0; k < design.delay_steps; ++k) result += design.gain.middleCols(design.num_plant_states + k * m, m);
  return result;
}

// State: the prediction x̂⁻. With x̂ = x̂⁻ + L (y - C x̂⁻) and -u = K x̂ + d̂:  next x̂⁻ = A x̂ + B u.
StateSpace regulator_system(const RegulatorDesign& design) {
  const Eigen::Index n = design.observer_a.rows(), m = design.model.num_inputs();
  MatrixX gain = MatrixX::Zero(m, n);
  gain.leftCols(design.model.num_states()) = design.gain;
  if (design.num_disturbances > 0) gain.rightCols(m) = disturbance_gain(design);
  const MatrixX kept = MatrixX::Identity(n, n) - design.observer_gain * design.observer_c;
  const MatrixX closed = design.observer_a - design.observer_b * gain;
  StateSpace result;
  result.sample_time = design.model.sample_time;
  result.a = closed * kept;
  result.b = closed * design.observer_gain;
  result.c = gain * kept;
  result.d = gain * design.observer_gain;
  return result;
}

}  // namespace lithe
