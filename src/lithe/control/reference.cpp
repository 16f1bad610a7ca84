#include "lithe/control/reference.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

// Time to reach a speed under limits of acceleration and jerk, and its first (jerk) part.
struct SpeedUp {
  double jerk_time = 0, constant_time = 0;
  double total() const { return 2 * jerk_time + constant_time; }
};
SpeedUp speed_up(double speed, double acceleration, double jerk) {
  const double full = acceleration / jerk;
  if (speed < acceleration * full) return {std::sqrt(speed / jerk), 0};
  return {full, speed / acceleration - full};
}

// The highest speed that a distance allows: v (time to reach it) = distance.
double reachable_speed(double distance, double acceleration, double jerk) {
  const double full = acceleration / jerk;
  const double speed = 0.5 * acceleration * (-full + std::sqrt(full * full + 4 * distance / acceleration));
  if (speed >= acceleration * full) return speed;
  return std::cbrt(distance * distance * jerk / 4);
}

double last_of(const std::vector<double>& times) { return times.empty() ? 0 : times.back(); }

}  // namespace

SCurve::SCurve(const SCurveMove& move)
    : start_time_(move.start_time), start_value_(move.start_value), end_value_(move.end_value) {
  if (!(move.max_speed > 0) || !(move.max_acceleration > 0) || !(move.max_jerk > 0))
    throw InputError(cat("s-curve: speed, acceleration and jerk must be positive, got ", move.max_speed, ", ",
                         move.max_acceleration, " and ", move.max_jerk));
  const double distance = std::abs(end_value_ - start_value_), sign = end_value_ < start_value_ ? -1 : 1;
  const double speed = std::min(move.max_speed, reachable_speed(distance, move.max_acceleration, move.max_jerk));
  const SpeedUp up = speed_up(speed, move.max_acceleration, move.max_jerk);
  const double cruise = distance > 0 ? std::max(0.0, distance / speed - up.total()) : 0;
  const double lengths[7] = {up.jerk_time, up.constant_time, up.jerk_time, cruise,
                             up.jerk_time, up.constant_time, up.jerk_time};
  const double signs[7] = {1, 0, -1, 0, -1, 0, 1};
  states_[0].value = start_value_;
  for (std::size_t k = 0; k < 7; ++k) {
    const double h = lengths[k], j = sign * signs[k] * move.max_jerk;
    const SignalValue& s = states_[k];
    jerk_[k] = j;
    times_[k + 1] = times_[k] + h;
    states_[k + 1] = {s.value + h * (s.rate + h * (s.acceleration / 2 + h * j / 6)),
                      s.rate + h * (s.acceleration + h * j / 2), s.acceleration + h * j};
  }
}

SignalValue SCurve::at(double time) const {
  const double t = time - start_time_;
  if (t < 0) return {start_value_, 0, 0};
  if (t >= times_.back()) return {end_value_, 0, 0};
  std::size_t k = 0;
  while (k < 6 && t >= times_[k + 1]) ++k;
  const double h = t - times_[k], j = jerk_[k];
  const SignalValue& s = states_[k];
  return {s.value + h * (s.rate + h * (s.acceleration / 2 + h * j / 6)), s.rate + h * (s.acceleration + h * j / 2),
          s.acceleration + h * j};
}

std::vector<double> SCurve::break_times() const {
  std::vector<double> result;
  for (const double t : times_) result.push_back(start_time_ + t);
  return result;
}

Shaper make_shaper(ShaperKind kind, double frequency, double damping_ratio, double tolerance) {
  if (kind == ShaperKind::none) return {};
  if (!(frequency > 0)) throw InputError(cat("input shaper: the frequency must be positive, got ", frequency, " Hz"));
  if (!(damping_ratio >= 0 && damping_ratio < 1))
    throw InputError(cat("input shaper: the damping ratio must be from 0 to below 1, got ", damping_ratio));
  const double root = std::sqrt(1 - damping_ratio * damping_ratio);
  const double half = 0.5 / (frequency * root);                         // s, half a damped period
  const double k = std::exp(-damping_ratio * std::numbers::pi / root);  // decay over it
  Shaper result;
  switch (kind) {
    case ShaperKind::zv:
      result = {{0, half}, {1, k}};
      break;
    case ShaperKind::zvd:
      result = {{0, half, 2 * half}, {1, 2 * k, k * k}};
      break;
    default:  // Singhose, Seering, Singer (1994)
      result = {{0, half, 2 * half}, {(1 + tolerance) / 4, (1 - tolerance) / 2 * k, (1 + tolerance) / 4 * k * k}};
  }
  double sum = 0;
  for (const double size : result.sizes) sum += size;
  for (double& size : result.sizes) size /= sum;
  return result;
}

double residual_vibration(const Shaper& shaper, double frequency, double damping_ratio) {
  const double omega = 2 * std::numbers::pi * frequency;
  const double damped = omega * std::sqrt(1 - damping_ratio * damping_ratio);
  double c = 0, s = 0;
  for (std::size_t i = 0; i < shaper.times.size(); ++i) {
    const double grown = shaper.sizes[i] * std::exp(damping_ratio * omega * shaper.times[i]);
    c += grown * std::cos(damped * shaper.times[i]);
    s += grown * std::sin(damped * shaper.times[i]);
  }
  return std::exp(-damping_ratio * omega * shaper.times.back()) * std::hypot(c, s);
}

ReferenceFunction::ReferenceFunction(const Reference& reference, Shaper shaper)
    : signal_(reference.signal), shaper_(std::move(shaper)) {
  if (reference.s_curve) s_curve_.emplace(*reference.s_curve);
}

SignalValue ReferenceFunction::unshaped(double time) const {
  return s_curve_ ? s_curve_->at(time) : evaluate(signal_, time);
}

SignalValue ReferenceFunction::at(double time) const {
  SignalValue sum;
  for (std::size_t i = 0; i < shaper_.times.size(); ++i) {
    // before the run the reference stands where it starts
    const SignalValue part = unshaped(std::max(0.0, time - shaper_.times[i]));
    const bool waits = time < shaper_.times[i];
    sum.value += shaper_.sizes[i] * part.value;
    if (waits) continue;
    sum.rate += shaper_.sizes[i] * part.rate;
    sum.acceleration += shaper_.sizes[i] * part.acceleration;
  }
  return sum;
}

double ReferenceFunction::end_time() const {
  const double longer = last_of(shaper_.times);
  if (s_curve_) return s_curve_->end_time() + longer;
  if (std::holds_alternative<SignalConstant>(signal_)) return 0;
  if (std::holds_alternative<SignalSine>(signal_)) return std::numeric_limits<double>::infinity();
  return last_of(break_times(signal_)) + longer;
}

}  // namespace lithe
