#include "lithe/control/tuning.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/control/discretise.h"
#include "lithe/control/linear_analysis.h"
#include "lithe/control/optimise.h"
#include "lithe/control/regulator.h"

namespace lithe {
namespace {

std::vector<PidGains> scaled(const std::vector<PidGains>& gains, const VectorX& exponents) {
  std::vector<PidGains> result = gains;
  for (PidGains& g : result) {
    g.proportional *= std::exp(exponents[0]);
    g.integral *= std::exp(exponents[1]);
    g.derivative *= std::exp(exponents[2]);
  }
  return result;
}

// Rows of the outputs that the axes read.
StateSpace tracked_plant(const StateSpace& plant, const std::vector<int>& tracked) {
  StateSpace result = plant;
  result.c.resize(static_cast<Eigen::Index>(tracked.size()), plant.num_states());
  for (std::size_t i = 0; i < tracked.size(); ++i) result.c.row(static_cast<Eigen::Index>(i)) = plant.c.row(tracked[i]);
  result.d = MatrixX::Zero(result.c.rows(), plant.num_inputs());
  result.outputs.clear();
  return result;
}

// ln|z| / T of the slowest pole.
double slowest(const StateSpace& sampled, const std::vector<PidGains>& gains, double filter_time) {
  const StateSpace loop = feedback(sampled, pid_system(gains, filter_time, sampled.sample_time));
  const double radius = Eigen::EigenSolver<MatrixX>(loop.a, false).eigenvalues().cwiseAbs().maxCoeff();
  return std::log(std::max(radius, 1e-300)) / sampled.sample_time;
}

}  // namespace

// u = -(kp + ki T/(z - 1) + kd/(T_f + T) (z - 1)/(z - T_f/(T_f + T))) y, as PidController::update() has it.
StateSpace pid_system(const std::vector<PidGains>& gains, double filter_time, double sample_time) {
  const Eigen::Index axes = static_cast<Eigen::Index>(gains.size());
  StateSpace result;
  result.sample_time = sample_time;
  result.a = MatrixX::Zero(3 * axes, 3 * axes);
  result.b = MatrixX::Zero(3 * axes, axes);
  result.c = MatrixX::Zero(axes, 3 * axes);
  result.d = MatrixX::Zero(axes, axes);
  const double memory = filter_time / (filter_time + sample_time);
  for (Eigen::Index i = 0; i < axes; ++i) {
    const PidGains& g = gains[static_cast<std::size_t>(i)];
    const double slope = g.derivative / (filter_time + sample_time);
    // states: integral, derivative, last error
    result.a.block<3, 3>(3 * i, 3 * i) << 1, 0, 0, 0, memory, -slope, 0, 0, 0;
    result.b.block<3, 1>(3 * i, i) << sample_time * g.integral, slope, 1;
    result.c.block<1, 3>(i, 3 * i) << 1, memory, -slope;
    result.d(i, i) = g.proportional + slope;
  }
  return result;
}

// (s + p)(s² + 2·0.7 p s + p²) = s³ + kd/J s² + kp/J s + ki/J, with a slower integral (a third of p) that leaves more
// phase.
PidGains place_poles(double inertia, double speed) {
  constexpr double ratio = 0.7, slow = 1.0 / 3;
  return {inertia * speed * speed * (1 + 2 * ratio * slow), inertia * speed * speed * speed * slow,
          inertia * speed * (2 * ratio + slow)};
}

PidTuning tune_pid(const StateSpace& plant, const std::vector<int>& tracked, const PidGoal& goal) {
  PidTuning result;
  if (!(goal.settling_time > 0) && !(goal.bandwidth > 0))
    throw InputError("PID tuning: a settling time or a bandwidth is needed");
  const TargetMaps maps = target_maps(plant, tracked);
  if (!maps.found) {
    result.message = "the references cannot be followed with these actuators at rest";
    return result;
  }
  const double rate = goal.settling_time > 0 ? 4 / goal.settling_time : 0;
  const double speed = goal.bandwidth > 0 ? 2 * std::numbers::pi * goal.bandwidth : 2 * rate;
  std::vector<PidGains> first;
  for (Eigen::Index i = 0; i < maps.u2.rows(); ++i) first.push_back(place_poles(std::abs(maps.u2(i, i)), speed));
  const StateSpace sampled =
      with_input_delay(zero_order_hold(tracked_plant(plant, tracked), goal.sample_time), goal.delay_steps);
  const auto cost = [&](const VectorX& exponents) {
    const double decay = -slowest(sampled, scaled(first, exponents), goal.filter_time);
    const double size = 1e-3 * (2 * exponents[0] + exponents[1] + exponents[2]) + 1e-4 * exponents.squaredNorm();
    if (goal.bandwidth > 0 && !(goal.settling_time > 0)) {
      // gains stay near those placed; only as far from them as the flexible modes demand
      return std::max(0.0, 1 - decay / (0.05 * speed)) * 10 + exponents.squaredNorm();
    }
    return std::max(0.0, 1 - decay / rate) * 10 + size;
  };
  VectorX step(3);
  step << 0.7, 0.7, 0.7;
  const SimplexResult found = minimise(cost, VectorX::Zero(3), step, 400, 1e-6);
  result.gains = scaled(first, found.point);
  const double decay = -slowest(sampled, result.gains, goal.filter_time);
  result.found = decay > 0;
  result.settling_time = decay > 0 ? 4 / decay : std::numeric_limits<double>::infinity();
  if (!result.found) {
    result.message = "no stabilising PID gains found";
  } else if (rate > 0 && decay < 0.99 * rate) {
    result.message = cat("the settling time of ", goal.settling_time, " s is out of reach: the slowest pole allows ",
                         result.settling_time, " s");
  }
  return result;
}

}  // namespace lithe
