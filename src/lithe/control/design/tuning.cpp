#include "lithe/control/design/tuning.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/control/design/optimise.h"
#include "lithe/control/design/regulator.h"
#include "lithe/control/linear/discretise.h"
#include "lithe/control/linear/linear_analysis.h"

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

std::vector<StateSpace> sampled_plants(const std::vector<StateSpace>& plants, const std::vector<int>& tracked,
                                       const PidGoal& goal) {
  std::vector<StateSpace> sampled;
  for (const StateSpace& plant : plants)
    sampled.push_back(
        with_input_delay(zero_order_hold(tracked_plant(plant, tracked), goal.sample_time), goal.delay_steps));
  return sampled;
}

constexpr double gain_margin = 1.5;  // by which all gains may grow before the loop is unstable
constexpr double late_allowed = 0.01;

bool has_margin(const StateSpace& sampled, const std::vector<PidGains>& gains, double filter_time) {
  const std::vector<PidGains> larger = scaled(gains, VectorX::Constant(3, std::log(gain_margin)));
  return is_stable(feedback(sampled, pid_system(larger, filter_time, sampled.sample_time)));
}

// How the tracked outputs come to rest after an impulse of torque on each actuator in turn.
struct Recovery {
  bool stable = false, robust = false;  // robust: with larger gains, too
  double settling_time = 0;  // s, after which all stay below 2 % of their peak; infinite: not within the time looked at
  double late = 0;           // root of the part of the square error that is left after the time asked for
};

// Outputs averaged over a fortieth of the settling time: a loop can do nothing about what rings far faster than it,
// nor does such ringing keep it from being at rest.
class SlowPart {
 public:
  SlowPart(Eigen::Index outputs, long window) : last_(MatrixX::Zero(outputs, window)), sum_(VectorX::Zero(outputs)) {}
  double size_with(const VectorX& output) {
    sum_ += output - last_.col(at_);
    last_.col(at_) = output;
    at_ = (at_ + 1) % last_.cols();
    return sum_.norm() / static_cast<double>(last_.cols());
  }

 private:
  MatrixX last_;
  VectorX sum_;
  Eigen::Index at_ = 0;
};

Recovery recovery_of(const StateSpace& sampled, const std::vector<PidGains>& gains, double filter_time,
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
    SlowPart slow(loop.num_outputs(), std::max(1L, asked / 40));
    x = loop.b.col(i);
    double all = 0, late = 0, peak = 0;
    for (long k = 0; k < samples; ++k) {
      const double size = slow.size_with(loop.c * x);
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

// The axes at all configurations, with what the search of their gains needs.
class PidSearch {
 public:
  PidSearch(std::vector<StateSpace> sampled, const TargetMaps& maps, double settling_time, double speed,
            double filter_time);
  // The error left shall be small; among gains that do it those near the placed poles, and small ones.
  double cost(const VectorX& exponents) const;
  void minimise_from(const VectorX& start);
  void search(bool thorough);
  bool settles() const {
    return reached_.robust && reached_.settling_time <= 1.05 * settling_time_ && slowness(gains_) <= 1.1;
  }
  const std::vector<PidGains>& gains() const { return gains_; }
  const Recovery& reached() const { return reached_; }
  double value() const { return found_.value; }
  double filter_time() const { return filter_time_; }

 private:
  Recovery worst(const std::vector<PidGains>& gains) const;
  double slowness(const std::vector<PidGains>& gains) const;

  std::vector<StateSpace> sampled_;
  std::vector<PidGains> placed_;
  std::vector<double> stiffness_;
  double settling_time_, filter_time_;
  SimplexResult found_;
  std::vector<PidGains> gains_;
  Recovery reached_;
};

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
  constexpr std::size_t kept = 2;
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

PidSearch::PidSearch(std::vector<StateSpace> sampled, const TargetMaps& maps, double settling_time, double speed,
                     double filter_time)
    : sampled_(std::move(sampled)), settling_time_(settling_time), filter_time_(filter_time) {
  for (Eigen::Index i = 0; i < maps.u2.rows(); ++i) {
    placed_.push_back(place_poles(std::abs(maps.u2(i, i)), speed));
    placed_.back().proportional += std::max(0.0, -maps.u0(i, i));  // an axis that gravity or a spring drives away
    stiffness_.push_back(maps.u0(i, i));
  }
  found_.value = std::numeric_limits<double>::infinity();
}

// Over all configurations.
Recovery PidSearch::worst(const std::vector<PidGains>& gains) const {
  Recovery result;
  result.robust = true;
  for (const StateSpace& plant : sampled_) {
    const Recovery one = recovery_of(plant, gains, filter_time_, settling_time_);
    if (!one.stable) return {};
    result.stable = true;
    result.robust = result.robust && has_margin(plant, gains, filter_time_);
    result.settling_time = std::max(result.settling_time, one.settling_time);
    result.late = std::max(result.late, one.late);
  }
  return result;
}

// How often longer than half the settling time the integral part takes to make up for a constant torque by 1 - 1/e: its
// pole is at ki/(kp + k), with the stiffness k of the axis. After an impulse it may be too small to be seen.
double PidSearch::slowness(const std::vector<PidGains>& gains) const {
  double longest = 0;
  for (std::size_t i = 0; i < gains.size(); ++i)
    longest = std::max(longest, (gains[i].proportional + stiffness_[i]) / gains[i].integral);
  return longest / (0.5 * settling_time_);
}

double PidSearch::cost(const VectorX& exponents) const {
  const std::vector<PidGains> gains = scaled(placed_, exponents);
  const Recovery found = worst(gains);
  if (!found.stable) return std::numeric_limits<double>::infinity();
  constexpr double cost_of_margin = 30;
  const double size = 0.02 * (2 * exponents[0] + exponents[1] + exponents[2]) + 0.01 * exponents.squaredNorm();
  return 10 * std::max(0.0, std::log(found.late / late_allowed)) + 10 * std::max(0.0, std::log(slowness(gains))) +
         (found.robust ? 0.0 : cost_of_margin) + size;
}

void PidSearch::minimise_from(const VectorX& start) {
  const auto value = [this](const VectorX& exponents) { return cost(exponents); };
  const SimplexResult other = minimise(value, start, VectorX::Constant(3, 0.7), 160, 1e-3);
  if (!(other.value < found_.value)) return;
  found_ = other;
  gains_ = scaled(placed_, found_.point);
  reached_ = worst(gains_);
}

void PidSearch::search(bool thorough) {
  const auto value = [this](const VectorX& exponents) { return cost(exponents); };
  minimise_from(stable_start(value));
  if (settles() || !thorough) return;
  for (const VectorX& start : further_starts(value)) minimise_from(start);
}

std::string seconds_or_never(const Recovery& reached) {
  return std::isfinite(reached.settling_time) ? cat(reached.settling_time, " s") : "three times as long is not enough";
}

PidTuning without_gains(std::string why) {
  PidTuning result;
  result.message = std::move(why);
  return result;
}

// What the search ended with: `longer` times what was asked for, 0 where nothing settles.
PidTuning told(const PidSearch& search, const PidGoal& goal, double longer) {
  PidTuning result;
  result.found = search.reached().stable;
  result.gains = search.gains();
  result.filter_time = search.filter_time();
  result.settling_time = search.reached().settling_time;
  const std::string wanted = goal.settling_time > 0 ? cat("the settling time of ", goal.settling_time, " s")
                                                    : cat("the bandwidth of ", goal.bandwidth, " Hz");
  if (!result.found) {
    result.message = "no stabilising PID gains found";
  } else if (longer == 0) {
    result.message = cat(wanted, " is out of reach, even one five times slower; with these gains ",
                         seconds_or_never(search.reached()));
  } else if (longer > 1) {
    result.message = cat(wanted, " is out of reach with the flexible modes stable; these gains are for one ", longer,
                         " times slower: ", seconds_or_never(search.reached()));
  }
  return result;
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
    const double jacobian = g.derivative / (filter_time + sample_time);
    // states: integral, derivative, last error
    result.a.block<3, 3>(3 * i, 3 * i) << 1, 0, 0, 0, memory, -jacobian, 0, 0, 0;
    result.b.block<3, 1>(3 * i, i) << sample_time * g.integral, jacobian, 1;
    result.c.block<1, 3>(i, 3 * i) << 1, memory, -jacobian;
    result.d(i, i) = g.proportional + jacobian;
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

bool is_robust(const std::vector<StateSpace>& plants, const std::vector<int>& tracked, const PidTuning& tuned,
               const PidGoal& goal) {
  for (const StateSpace& plant : sampled_plants(plants, tracked, goal)) {
    const StateSpace loop = feedback(plant, pid_system(tuned.gains, tuned.filter_time, goal.sample_time));
    if (!is_stable(loop) || !has_margin(plant, tuned.gains, tuned.filter_time)) return false;
  }
  return true;
}

PidTuning tune_pid(const std::vector<StateSpace>& plants, const std::vector<int>& tracked, const PidGoal& goal) {
  if (!(goal.settling_time > 0) && !(goal.bandwidth > 0))
    throw InputError("PID tuning: a settling time or a bandwidth is needed");
  const TargetMaps maps = target_maps(plants.front(), tracked);
  if (!maps.found) return without_gains("the references cannot be followed with these actuators at rest");
  const std::vector<StateSpace> sampled = sampled_plants(plants, tracked, goal);
  const double speed = goal.bandwidth > 0 ? 2 * std::numbers::pi * goal.bandwidth : 8 / goal.settling_time;
  const double asked = goal.settling_time > 0 ? goal.settling_time : 8 / speed;
  std::vector<double> filter_times = goal.other_filter_times;
  filter_times.insert(filter_times.begin(), goal.filter_time);
  std::optional<PidSearch> best;
  for (const double longer : {1.0, 1.5, 2.25, 3.4, 5.0})
    for (const double filter_time : filter_times) {
      PidSearch search(sampled, maps, longer * asked, speed / longer, filter_time);
      search.search(longer == 1 && filter_time == goal.filter_time);
      if (search.settles()) return told(search, goal, longer);
      if (!best || search.value() < best->value()) best = std::move(search);
    }
  return told(*best, goal, 0);
}

}  // namespace lithe
