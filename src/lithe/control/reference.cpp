#include "lithe/control/reference.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
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

namespace {

// Three impulses that leave the vibration V at the frequency itself, where it is largest, and none at a frequency on
// either side: Singhose, Seering, Singer (1994), in closed form without damping. With damping the same conditions are
// seven equations for the impulses and the two frequencies, solved by Newton's method while the damping grows.
class ExtraInsensitive {
 public:
  explicit ExtraInsensitive(double allowed) : allowed_(allowed) {}
  // In units of the undamped period. False: no solution.
  bool solve(double damping_ratio, Shaper& result);

 private:
  using Unknowns = Eigen::Matrix<double, 7, 1>;  // sizes, times of the last two, both frequencies over the mode's
  static Shaper shaper(const Unknowns& x) { return {{0, x[3], x[4]}, {x[0], x[1], x[2]}}; }
  Unknowns residuals(const Unknowns& x, double damping_ratio) const;
  bool newton(double damping_ratio, Unknowns& x) const;
  double allowed_;
};

// Cosine and sine sums of the impulses at a frequency over the mode's.
std::array<double, 2> vibration_sums(const Shaper& shaper, double frequency, double damping_ratio) {
  const double omega = 2 * std::numbers::pi * frequency;
  const double damped = omega * std::sqrt(1 - damping_ratio * damping_ratio);
  std::array<double, 2> sums{};
  for (std::size_t i = 0; i < shaper.times.size(); ++i) {
    const double grown = shaper.sizes[i] * std::exp(damping_ratio * omega * shaper.times[i]);
    sums[0] += grown * std::cos(damped * shaper.times[i]);
    sums[1] += grown * std::sin(damped * shaper.times[i]);
  }
  return sums;
}

ExtraInsensitive::Unknowns ExtraInsensitive::residuals(const Unknowns& x, double damping_ratio) const {
  constexpr double near = 1e-4;  // for the derivative at the mode's frequency, central
  const Shaper impulses = shaper(x);
  const auto at = [&](double f) { return residual_vibration(impulses, f, damping_ratio); };
  const auto below = vibration_sums(impulses, x[5], damping_ratio),
             above = vibration_sums(impulses, x[6], damping_ratio);
  Unknowns r;
  r << x[0] + x[1] + x[2] - 1, below[0], below[1], above[0], above[1], at(1) - allowed_,
      (at(1 + near) - at(1 - near)) / (2 * near);
  return r;
}

bool ExtraInsensitive::newton(double damping_ratio, Unknowns& x) const {
  for (int iteration = 0; iteration < 30; ++iteration) {
    const Unknowns r = residuals(x, damping_ratio);
    if (!r.allFinite()) return false;
    if (r.cwiseAbs().maxCoeff() < 1e-9) return true;
    Eigen::Matrix<double, 7, 7> jacobians;
    for (int k = 0; k < 7; ++k) {
      Unknowns moved = x;
      moved[k] += 1e-6;
      jacobians.col(k) = residuals(moved, damping_ratio);
      moved[k] -= 2e-6;
      jacobians.col(k) = (jacobians.col(k) - residuals(moved, damping_ratio)) / 2e-6;
    }
    x -= jacobians.partialPivLu().solve(r);
  }
  return false;
}

bool ExtraInsensitive::solve(double damping_ratio, Shaper& result) {
  Unknowns x;
  const double phase = std::acos(-(1 - allowed_) / (1 + allowed_)) / std::numbers::pi;
  x << (1 + allowed_) / 4, (1 - allowed_) / 2, (1 + allowed_) / 4, 0.5, 1, phase, 2 - phase;
  const int steps = static_cast<int>(std::ceil(damping_ratio / 0.02));
  for (int i = 1; i <= steps; ++i)
    if (!newton(damping_ratio * i / steps, x)) return false;
  result = shaper(x);
  return x.head<3>().minCoeff() > 0;
}

Shaper extra_insensitive(double frequency, double damping_ratio, double allowed) {
  Shaper result;
  if (!ExtraInsensitive(allowed).solve(damping_ratio, result))
    throw InputError(
        cat("input shaper: no EI shaper leaves ", allowed, " at a damping ratio of ", damping_ratio, "; take ZVD"));
  for (double& time : result.times) time /= frequency;
  return result;
}

}  // namespace

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
    default:
      return extra_insensitive(frequency, damping_ratio, tolerance);
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
    : signal_(reference.signal), stretch_(reference.stretch), shaper_(std::move(shaper)) {
  if (reference.s_curve) s_curve_.emplace(*reference.s_curve);
}

SignalValue ReferenceFunction::unshaped(double time) const {
  SignalValue now = s_curve_ ? s_curve_->at(time / stretch_) : evaluate(signal_, time / stretch_);
  now.rate /= stretch_;
  now.acceleration /= stretch_ * stretch_;
  return now;
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
  if (s_curve_) return stretch_ * s_curve_->end_time() + longer;
  if (std::holds_alternative<SignalConstant>(signal_)) return 0;
  if (std::holds_alternative<SignalSine>(signal_)) return std::numeric_limits<double>::infinity();
  return stretch_ * last_of(break_times(signal_)) + longer;
}

}  // namespace lithe
