// Mean-square parabolas of one damped oscillator under a quadratic force, in closed form, however many of its periods
// the interval holds. docs/theory/integrators.md, section 4, "Work".
#pragma once

#include <array>

namespace lithe {

// ÿ + damping ẏ + stiffness y = force[0] + force[1] t + force[2] t² from (y, w) at t = 0.
struct DrivenOscillator {
  double stiffness = 0, damping = 0;
  double y = 0, w = 0;
  std::array<double, 3> force{};
};

// Coordinate and speed at the three Gauss points of [0, duration].
struct SmoothedOscillator {
  std::array<double, 3> y{}, w{};
  // Energy that the damper takes beyond what it takes of the smoothed speed, >= 0; 0 where the motion is as smooth.
  double lost = 0;
};

inline constexpr std::array<double, 3> gauss_nodes{0.1127016653792583, 0.5, 0.8872983346207417};
inline constexpr std::array<double, 3> gauss_weights{5.0 / 18, 8.0 / 18, 5.0 / 18};

// The same oscillator seen from a later instant.
DrivenOscillator continued(const DrivenOscillator& oscillator, double time);

// The parabolas nearest to y and w in the mean square. Where the interval is at most 1/ω long, or the oscillator is
// overdamped, the motion itself at the Gauss points, which is the same to rounding or decays monotonically.
SmoothedOscillator smoothed_motion(const DrivenOscillator& oscillator, double duration);

}  // namespace lithe
