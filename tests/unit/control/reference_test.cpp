#include "lithe/control/reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lithe/base/diagnostics.h"

namespace lithe {
namespace {

TEST(SCurve, KeepsItsLimitsAndArrives) {
  const SCurveMove moves[] = {{0.1, 0, 2, 1, 4, 40},      // all phases
                              {0, 1, -1, 10, 4, 40},      // no constant speed, downwards
                              {0, 0, 0.01, 10, 100, 40},  // jerk alone
                              {0.5, 3, 3, 1, 1, 1}};      // no distance
  for (const SCurveMove& move : moves) {
    const SCurve curve(move);
    const double h = 1e-4;
    double speed = 0, acceleration = 0;
    for (double t = 0; t < curve.end_time() + 0.1; t += h) {
      const SignalValue before = curve.at(t - h), now = curve.at(t), after = curve.at(t + h);
      speed = std::max(speed, std::abs(now.rate));
      acceleration = std::max(acceleration, std::abs(now.acceleration));
      // central differences: exact to h² jerk/6, and h jerk where the jerk jumps
      EXPECT_NEAR((after.value - before.value) / (2 * h), now.rate, h * h * move.max_jerk + 1e-9);
      EXPECT_NEAR((after.rate - before.rate) / (2 * h), now.acceleration, h * move.max_jerk + 1e-9);
    }
    EXPECT_LE(speed, move.max_speed * (1 + 1e-9));
    EXPECT_LE(acceleration, move.max_acceleration * (1 + 1e-9));
    EXPECT_NEAR(curve.at(curve.end_time() - 1e-9).value, move.end_value, 1e-8);
    EXPECT_NEAR(curve.at(curve.end_time() - 1e-9).rate, 0, 1e-6);
    EXPECT_EQ(curve.at(curve.end_time() + 1).value, move.end_value);
  }
  EXPECT_THROW(SCurve({0, 0, 1, 0, 1, 1}), InputError);
}

TEST(Shaper, LeavesNoVibrationAtItsFrequency) {
  for (const double ratio : {0.0, 0.03, 0.2}) {
    for (const ShaperKind kind : {ShaperKind::zv, ShaperKind::zvd}) {
      const Shaper shaper = make_shaper(kind, 3, ratio);
      double sum = 0;
      for (const double size : shaper.sizes) sum += size;
      EXPECT_NEAR(sum, 1, 1e-15);
      EXPECT_NEAR(residual_vibration(shaper, 3, ratio), 0, 1e-14);
    }
    EXPECT_NEAR(residual_vibration({}, 3, ratio), 1, 1e-15);
  }
}

// The derivative of ZVD's residual vanishes too; EI allows its tolerance at the frequency and is wider for it.
TEST(Shaper, RobustnessIsThatOfTheBooks) {
  const Shaper zv = make_shaper(ShaperKind::zv, 5, 0), zvd = make_shaper(ShaperKind::zvd, 5, 0);
  const Shaper ei = make_shaper(ShaperKind::ei, 5, 0, 0.05);
  const double off = 1e-3;
  EXPECT_GT(residual_vibration(zv, 5 * (1 + off), 0), 1.5e-3);  // π/2 off
  EXPECT_LT(residual_vibration(zvd, 5 * (1 + off), 0), 3e-6);   // (π/2 off)²
  EXPECT_NEAR(residual_vibration(ei, 5, 0), 0.05, 1e-12);
  const auto width = [](const Shaper& shaper) {  // of frequencies that keep the residual below 5 %
    double low = 5, high = 5;
    while (residual_vibration(shaper, low, 0) <= 0.05 + 1e-9) low -= 1e-3;
    while (residual_vibration(shaper, high, 0) <= 0.05 + 1e-9) high += 1e-3;
    return (high - low) / 5;
  };
  // insensitivities of Singhose: 0.06, 0.28, 0.40
  EXPECT_NEAR(width(zv), 0.064, 0.005);
  EXPECT_NEAR(width(zvd), 0.287, 0.005);
  EXPECT_NEAR(width(ei), 0.399, 0.005);
}

// Sizes against the curve fits of Singhose, Seering and Singer (1997) for V = 5 %, which are good to half a percent;
// the conditions themselves to rounding.
TEST(Shaper, EiOfADampedModeKeepsItsConditions) {
  const double V = 0.05;
  for (const double z : {0.02, 0.1, 0.2}) {
    const Shaper ei = make_shaper(ShaperKind::ei, 3, z, V);
    EXPECT_NEAR(ei.sizes[0] + ei.sizes[1] + ei.sizes[2], 1, 1e-9);
    EXPECT_NEAR(residual_vibration(ei, 3, z), V, 1e-9);
    double below = 1, above = 1, highest = 0;  // least residual on either side, largest near the frequency
    for (double f = 0.7; f < 1; f += 1e-4) below = std::min(below, residual_vibration(ei, 3 * f, z));
    for (double f = 1; f < 1.4; f += 1e-4) above = std::min(above, residual_vibration(ei, 3 * f, z));
    for (double f = 0.95; f < 1.05; f += 1e-4) highest = std::max(highest, residual_vibration(ei, 3 * f, z));
    EXPECT_LT(below, 1e-4);
    EXPECT_LT(above, 1e-4);
    EXPECT_NEAR(highest, V, 1e-6);
    EXPECT_NEAR(ei.sizes[0], 0.24968 + 0.24961 * V + 0.80008 * z + 1.23328 * V * z + (0.49599 + 3.17316 * V) * z * z,
                5e-3);
    EXPECT_NEAR(ei.sizes[2], 0.25149 + 0.21474 * V - 0.83249 * z + 1.41498 * V * z + (0.85181 - 4.90094 * V) * z * z,
                5e-3);
  }
  EXPECT_THROW(make_shaper(ShaperKind::ei, 3, 0.9, V), InputError);
}

// What a shaped step leaves in an oscillator of another frequency, by exact stepping, against the formula.
TEST(Shaper, SensitivityIsThatOfASimulation) {
  const double z = 0.1, pi = std::acos(-1.0);
  const Shaper ei = make_shaper(ShaperKind::ei, 2, z, 0.05);
  for (const double off : {0.8, 0.9, 1.0, 1.15, 1.2}) {
    const double omega = 2 * pi * 2 * off, damped = omega * std::sqrt(1 - z * z);
    double x = 0, v = 0, level = 0, now = 0;
    for (std::size_t i = 0; i < ei.times.size(); ++i) {
      const double h = ei.times[i] - now, c = std::cos(damped * h), s = std::sin(damped * h) / damped;
      const double decay = std::exp(-z * omega * h), y = x - level;
      x = level + decay * (c * y + s * (v + z * omega * y));
      v = decay * (c * v - s * (omega * omega * y + z * omega * v));
      level += ei.sizes[i];
      now = ei.times[i];
    }
    const double y = x - level, amplitude = std::hypot(y, (v + z * omega * y) / damped);
    // a unit impulse's worth: a step leaves 1/√(1-ζ²) at once
    EXPECT_NEAR(amplitude * std::sqrt(1 - z * z), residual_vibration(ei, 2 * off, z), 1e-12) << off;
  }
}

TEST(Shaper, RefusesNonsense) {
  EXPECT_THROW(make_shaper(ShaperKind::zv, 0, 0), InputError);
  EXPECT_THROW(make_shaper(ShaperKind::zv, 5, 1), InputError);
}

TEST(ReferenceFunction, AShapedMoveStillArrivesAndMovesAnOscillatorWithoutVibration) {
  Reference reference;
  reference.signal = SignalSmoothMove{0, 0.2, 0, 1};
  const double frequency = 2, omega = 2 * std::acos(-1.0) * frequency;
  const ReferenceFunction plain(reference), shaped(reference, make_shaper(ShaperKind::zv, frequency, 0));
  EXPECT_EQ(plain.end_time(), 0.2);
  EXPECT_NEAR(shaped.end_time(), 0.45, 1e-12);
  EXPECT_NEAR(shaped.at(1).value, 1, 1e-15);
  for (const ReferenceFunction* r : {&plain, &shaped}) {
    // ẍ = ω² (r - x), symplectic Euler
    double x = 0, v = 0;
    const double h = 1e-5;
    for (double t = 0; t < 1; t += h) {
      v += h * omega * omega * (r->at(t).value - x);
      x += h * v;
    }
    const double left = std::hypot(x - 1, v / omega);
    if (r == &plain) {
      EXPECT_GT(left, 0.5);
    } else {
      EXPECT_LT(left, 1e-3);
    }
  }
}

}  // namespace
}  // namespace lithe
