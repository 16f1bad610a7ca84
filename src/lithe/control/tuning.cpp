#include "lithe/control/tuning.h"

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

// How the tracked outputs come to rest after an impulse of torque on each actuator in turn.
struct Recovery {
  bool stable = false;
  double settling_time = 0;  // s, after which all stay below 2 % of their peak; infinite: not within the time looked at
  double late = 0;           // root of the part of the square error that is left after the time asked for
};

Recovery recovery(const StateSpace& sampled, const std::vector<PidGains>& gains, double filter_time,
                  double settling_time) {
  const StateSpace loop = feedback(sampled, pid_system(gains, filter_time, sampled.sample_time));
  Recovery result;
  result.stable = is_stable(loop);
  if (!result.stable) return result;
  const double step = sampled.sample_time;
  const auto asked = static_cast<long>(std::ceil(settling_time / step)), samples = 3 * asked;
  VectorX x, next;
  std::vector<double> sizes(static_cast<std::size_t>(samples));
  for (Eigen::Index i = 0; i < loop.num_inputs(); ++i) {
    x = loop.b.col(i);
    double all = 0, late = 0, peak = 0;
    for (long k = 0; k < samples; ++k) {
      const double size = (loop.c * x).norm();
      sizes[static_cast<std::size_t>(k)] = size;
      peak = std::max(peak, size);
      all += size * size;
      if (k >= asked) late += size * size;
      next.noalias() = loop.a * x;
      std::swap(x, next);
    }
    result.late = std::max(result.late, std::sqrt(late / std::max(all, 1e-300)));
    long last = samples - 1;
    while (last > 0 && sizes[static_cast<std::size_t>(last)] <= 0.02 * peak) --last;
    const double settled =
        last + 1 < samples ? static_cast<double>(last + 1) * step : std::numeric_limits<double>::infinity();
    result.settling_time = std::max(result.settling_time, settled);
  }
  return result;
}

// Flexible modes may want smaller gains: all of them, or some more than others.
template <class Cost>
VectorX stable_start(const Cost& cost) {
  VectorX begin = VectorX::Zero(3);
  for (int i = 0; i < 8; ++i) {
    if (std::isfinite(cost(begin))) return begin;
    begin.array() -= 0.7;
  }
  double least = std::numeric_limits<double>::infinity();
  VectorX best = VectorX::Zero(3), trial(3);
  for (int p = -6; p <= 3; ++p)
    for (int d = -8; d <= 3; ++d)
      for (int i = -9; i <= 0; i += 3) {
        trial << p, p + i, d;
        if (const double value = cost(trial); value < least) least = value, best = trial;
      }
  return best;
}

// Further places to search from, where the first search ends in a valley that is not the deepest: the best few of a
// coarse grid about the placed poles.
template <class Cost>
std::vector<VectorX> further_starts(const Cost& cost) {
  constexpr std::size_t kept = 4;
  std::vector<std::pair<double, VectorX>> found;
  VectorX trial(3);
  for (const double p : {-1.4, 0.0, 1.4})
    for (const double i : {-1.4, 0.0, 1.4, 2.8})
      for (const double d : {-0.7, 0.7, 2.1}) {
        trial << p, i, d;
        if (const double value = cost(trial); std::isfinite(value)) found.emplace_back(value, trial);
      }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<VectorX> starts;
  for (std::size_t k = 0; k < std::min(kept, found.size()); ++k) starts.push_back(found[k].second);
  return starts;
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
  const double speed = goal.bandwidth > 0 ? 2 * std::numbers::pi * goal.bandwidth : 8 / goal.settling_time;
  const double settling_time = goal.settling_time > 0 ? goal.settling_time : 8 / speed;
  std::vector<PidGains> first;
  for (Eigen::Index i = 0; i < maps.u2.rows(); ++i) {
    first.push_back(place_poles(std::abs(maps.u2(i, i)), speed));
    first.back().proportional += std::max(0.0, -maps.u0(i, i));  // an axis that gravity or a spring drives away
  }
  const StateSpace sampled =
      with_input_delay(zero_order_hold(tracked_plant(plant, tracked), goal.sample_time), goal.delay_steps);
  // The error left shall be small; among gains that do it those near the placed poles, and small ones.
  constexpr double allowed = 0.01;
  const auto cost = [&](const VectorX& exponents) {
    const Recovery found = recovery(sampled, scaled(first, exponents), goal.filter_time, settling_time);
    if (!found.stable) return std::numeric_limits<double>::infinity();
    const double size = 0.02 * (2 * exponents[0] + exponents[1] + exponents[2]) + 0.01 * exponents.squaredNorm();
    return 10 * std::max(0.0, std::log(found.late / allowed)) + size;
  };
  VectorX begin = stable_start(cost);
  const VectorX step = VectorX::Constant(3, 0.7);
  SimplexResult found = minimise(cost, begin, step, 300, 1e-4);
  const auto settles = [&] {
    const Recovery r = recovery(sampled, scaled(first, found.point), goal.filter_time, settling_time);
    return r.stable && r.settling_time <= 1.05 * settling_time;
  };
  if (!settles())
    for (const VectorX& start : further_starts(cost)) {
      const SimplexResult other = minimise(cost, start, step, 300, 1e-4);
      if (other.value < found.value) found = other;
    }
  result.gains = scaled(first, found.point);
  const Recovery reached = recovery(sampled, result.gains, goal.filter_time, settling_time);
  result.found = reached.stable;
  result.settling_time = reached.settling_time;
  if (!result.found) {
    result.message = "no stabilising PID gains found";
  } else if (goal.settling_time > 0 && !(reached.settling_time <= 1.05 * goal.settling_time)) {
    result.message = cat(
        "the settling time of ", goal.settling_time, " s is out of reach; with these gains ",
        std::isfinite(reached.settling_time) ? cat(reached.settling_time, " s") : "three times as long is not enough");
  }
  return result;
}

}  // namespace lithe
