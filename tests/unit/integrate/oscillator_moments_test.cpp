#include "lithe/integrate/exponential/oscillator_moments.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lithe/integrate/exponential/oscillator_functions.h"

namespace lithe {
namespace {

struct Motion {
  double y, w;
};

Motion motion_of(const DrivenOscillator& o, double t) {
  const DrivenOscillator later = continued(o, t);
  return {later.y, later.w};
}

struct Integrals {
  double y[3] = {}, w[3] = {}, lost = 0;
};

// By Gauss's rule on a grid that resolves every vibration.
Integrals summed(const DrivenOscillator& o, double duration) {
  constexpr int count = 4000;
  Integrals sum;
  const double h = duration / count;
  for (int i = 0; i < 3 * count; ++i) {
    const double t = (i / 3 + gauss_nodes[i % 3]) * h, weight = gauss_weights[i % 3] * h;
    const Motion at = motion_of(o, t);
    double power = 1;
    for (int j = 0; j < 3; ++j, power *= t) {
      sum.y[j] += weight * power * at.y;
      sum.w[j] += weight * power * at.w;
    }
    sum.lost += weight * o.damping * at.w * at.w;
  }
  return sum;
}

// Whatever is linear in the motion, times a parabola, has the integral of the motion itself.
TEST(OscillatorMoments, AParabolaKeepsThreeMomentsOfAnyVibration) {
  for (const double omega : {3.0, 40.0, 900.0})
    for (const double ratio : {0.0, 0.02, 0.6}) {
      const DrivenOscillator o{omega * omega, 2 * ratio * omega, 0.3, -0.2 * omega, {2.0, -3.0, 5.0}};
      const double duration = 0.7;
      const SmoothedOscillator smooth = smoothed_motion(o, duration);
      const Integrals exact = summed(o, duration);
      for (int j = 0; j < 3; ++j) {
        double y = 0, w = 0;
        for (int i = 0; i < 3; ++i) {
          const double t = gauss_nodes[i] * duration;
          y += gauss_weights[i] * duration * std::pow(t, j) * smooth.y[i];
          w += gauss_weights[i] * duration * std::pow(t, j) * smooth.w[i];
        }
        const double scale = std::max(1.0, omega);
        EXPECT_NEAR(y, exact.y[j], 2e-6) << omega << " " << ratio << " " << j;
        EXPECT_NEAR(w, exact.w[j], 2e-6 * scale) << omega << " " << ratio << " " << j;
      }
    }
}

TEST(OscillatorMoments, TheDamperTakesWhatTheVibrationLoses) {
  for (const double omega : {3.0, 40.0, 900.0})
    for (const double ratio : {0.001, 0.05, 0.6}) {
      const DrivenOscillator o{omega * omega, 2 * ratio * omega, 1e-2, 3.0, {2.0, -3.0, 5.0}};
      const double duration = 0.7;
      const SmoothedOscillator smooth = smoothed_motion(o, duration);
      double lost = smooth.lost;
      for (int i = 0; i < 3; ++i) lost += gauss_weights[i] * duration * o.damping * smooth.w[i] * smooth.w[i];
      EXPECT_NEAR(lost, summed(o, duration).lost, 1e-5) << omega << " " << ratio;
    }
}

// Seen from a later instant it is the same motion.
TEST(OscillatorMoments, AContinuedOscillatorGoesOn) {
  const DrivenOscillator o{400, 0.8, 0.1, 1.5, {2.0, -3.0, 5.0}};
  const Motion direct = motion_of(o, 0.9), twice = motion_of(continued(o, 0.4), 0.5);
  EXPECT_NEAR(direct.y, twice.y, 1e-14);
  EXPECT_NEAR(direct.w, twice.w, 1e-12);
}

}  // namespace
}  // namespace lithe
