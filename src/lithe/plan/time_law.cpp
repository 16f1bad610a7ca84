#include "lithe/plan/time_law.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "lithe/control/reference.h"

namespace lithe {
namespace {

TimeLaw trapezoid(double length, double speed, double acceleration) {
  speed = std::min(speed, std::sqrt(length * acceleration));
  const double ramp = speed / acceleration, cruise = std::max(0.0, length / speed - ramp);
  const SignalValue fast{speed * ramp / 2, speed, 0}, slow{length - speed * ramp / 2, speed, 0};
  TimeLaw law;
  law.add(ramp, {0, 0, acceleration}, {fast.value, speed, acceleration});
  if (cruise > 1e-9 * ramp) law.add(ramp + cruise, fast, slow);
  const double start = law.duration();
  law.add(start + ramp, {slow.value, speed, -acceleration}, {length, 0, -acceleration});
  return law;
}

TimeLaw s_curve(double length, const MotionLimits& limits) {
  SCurveMove move;
  move.end_value = length;
  move.max_speed = limits.speed;
  move.max_acceleration = limits.acceleration;
  move.max_jerk = limits.jerk;
  const SCurve curve(move);
  TimeLaw law;
  const std::vector<double> times = curve.break_times();
  for (std::size_t k = 1; k < times.size(); ++k)
    if (times[k] - law.duration() > 1e-9 * curve.end_time())
      law.add(times[k], curve.at(law.duration()), curve.at(times[k]));
  return law;
}

TimeLaw minimum_jerk(double length, double duration) {
  TimeLaw law;
  law.add(duration, {}, {length, 0, 0});
  return law;
}

}  // namespace

void TimeLaw::add(double time, const SignalValue& from, const SignalValue& to) {
  times_.push_back(time);
  from_.push_back(from);
  to_.push_back(to);
}

SignalValue TimeLaw::at(double time, bool before) const {
  const auto next = before ? std::lower_bound(times_.begin() + 1, times_.end(), time)
                           : std::upper_bound(times_.begin() + 1, times_.end(), time);
  const auto i = std::min<std::size_t>(static_cast<std::size_t>(next - times_.begin()), times_.size() - 1) - 1;
  const double width = times_[i + 1] - times_[i];
  const double part = std::clamp((time - times_[i]) / width, 0.0, 1.0);
  return quintic_at(quintic(from_[i], to_[i], width), width, part);
}

bool TimeLaw::is_sound() const {
  constexpr double longest = 1e9;  // s
  const auto ascends = [](double before, double after) { return after > before && after <= longest; };
  return !from_.empty() && std::adjacent_find(times_.begin(), times_.end(), std::not_fn(ascends)) == times_.end() &&
         std::all_of(to_.begin(), to_.end(), [](const SignalValue& v) { return std::isfinite(v.value + v.rate); });
}

double TimeLaw::time_at(double s) const {
  double low = 0, high = duration();
  for (int k = 0; k < 80; ++k) {
    const double middle = (low + high) / 2;
    (at(middle, true).value < s ? low : high) = middle;
  }
  return high;
}

TimeLaw TimeLaw::stretched(double factor) const {
  const auto slower = [&](const SignalValue& v) {
    return SignalValue{v.value, v.rate / factor, v.acceleration / (factor * factor)};
  };
  TimeLaw law;
  for (std::size_t i = 0; i < from_.size(); ++i) law.add(factor * times_[i + 1], slower(from_[i]), slower(to_[i]));
  return law;
}

TimeLaw law_in_time(MoveProfile profile, double length, double duration) {
  const double T = duration;
  switch (profile) {
    case MoveProfile::trapezoid:
      return trapezoid(length, 1.5 * length / T, 4.5 * length / (T * T));
    case MoveProfile::s_curve:
      return s_curve(length, {1.5 * length / T, 9 * length / (T * T), 54 * length / (T * T * T)});
    case MoveProfile::minimum_jerk:
      return minimum_jerk(length, T);
    default: {  // the path has its own times
      TimeLaw law;
      law.add(T, {0, length / T, 0}, {length, length / T, 0});
      return law;
    }
  }
}

TimeLaw fastest_law(MoveProfile profile, double length, const MotionLimits& limits) {
  if (profile == MoveProfile::trapezoid) return trapezoid(length, limits.speed, limits.acceleration);
  if (profile == MoveProfile::s_curve) return s_curve(length, limits);
  // Peaks of 10 s³ - 15 s⁴ + 6 s⁵: 15/8, 10/√3 and 60.
  return minimum_jerk(
      length, std::max({1.875 * length / limits.speed, std::sqrt(10 / std::sqrt(3.0) * length / limits.acceleration),
                        std::cbrt(60 * length / limits.jerk)}));
}

}  // namespace lithe
