// What gearboxes add to the linear spring, the damper and the Coulomb friction of a joint of one freedom: backlash, the
// stiffness curve of harmonic-drive catalogues, the Stribeck effect. docs/theory/drive_trains.md. Smooth, with exact
// derivatives: scalars may be dual numbers.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

namespace lithe {

// Where the stiffness of a spring changes, on both sides of zero.
struct SpringCorner {
  double deflection = 0;  // rad or m, positive
  double change = 0;      // of the stiffness beyond it, N m/rad or N/m
  double width = 0;       // over which the corner is rounded, rad or m
};

struct JointLaw {
  std::vector<SpringCorner> corners;  // beside the joint's `stiffness`
  double offset_stiffness = 0;        // added to that: minus the stiffness, where a backlash makes it vanish
  double breakaway = 0;               // static friction above the Coulomb friction, N m or N
  double stribeck_speed = 1;          // at which the rest of it is 1/e, rad/s or m/s
};

namespace joint_law_parts {

// √(u² + w²): |u| with a round corner.
template <class S>
S rounded(const S& u, double w) {
  using std::sqrt;
  return sqrt(S(u * u + S(w * w)));
}

// Its integral from zero, an odd function: ½ (u √(u² + w²) + w² asinh(u/w)).
template <class S>
S rounded_integral(const S& u, double w) {
  using std::log;
  if (u < S(0.0)) return -rounded_integral<S>(-u, w);
  const S root = rounded<S>(u, w);
  return 0.5 * (u * root + log(S((u + root) * (1 / w))) * (w * w));
}

}  // namespace joint_law_parts

// x within ±corner, held at ±corner beyond.
template <class S>
S clamped(const S& x, const SpringCorner& corner) {
  using joint_law_parts::rounded;
  return 0.5 *
         (rounded<S>(x + S(corner.deflection), corner.width) - rounded<S>(x - S(corner.deflection), corner.width));
}

// Force of the spring at deflection x beside stiffness · x.
template <class S>
S spring_excess(const JointLaw& law, const S& x) {
  S force = x * law.offset_stiffness;
  for (const SpringCorner& corner : law.corners) force += (x - clamped<S>(x, corner)) * corner.change;
  return force;
}

// Its energy and its tangent stiffness.
template <class S>
S spring_excess_energy(const JointLaw& law, const S& x) {
  using joint_law_parts::rounded_integral;
  S energy = x * x * (0.5 * law.offset_stiffness);
  for (const SpringCorner& corner : law.corners) {
    const double g = corner.deflection, w = corner.width;
    const S of_clamped =
        0.5 * (rounded_integral<S>(x + S(g), w) - rounded_integral<S>(x - S(g), w)) - S(rounded_integral<double>(g, w));
    energy += (0.5 * (x * x) - of_clamped) * corner.change;
  }
  return energy;
}
inline double spring_excess_stiffness(const JointLaw& law, double x) {
  using joint_law_parts::rounded;
  double stiffness = law.offset_stiffness;
  for (const SpringCorner& corner : law.corners) {
    const double up = x + corner.deflection, down = x - corner.deflection;
    stiffness += corner.change *
                 (1 - 0.5 * (up / rounded<double>(up, corner.width) - down / rounded<double>(down, corner.width)));
  }
  return stiffness;
}

// Friction beside Coulomb friction and viscous damping: (static - Coulomb) exp(-(v/v_s)²), with the sign of the speed
// as smooth as Coulomb friction has it (H. Olsson et al., Eur. J. Control 4, 1998, eq. (4)).
template <class S>
S friction_excess(const JointLaw& law, const S& rate, double friction_speed) {
  using std::exp;
  using std::tanh;
  const S share = rate * (1 / law.stribeck_speed);
  return tanh(S(rate * (1 / friction_speed))) * exp(S(-(share * share))) * law.breakaway;
}
inline double friction_excess_damping(const JointLaw& law, double rate, double friction_speed) {
  const double share = rate / law.stribeck_speed, sign = std::tanh(rate / friction_speed);
  return law.breakaway * std::exp(-share * share) *
         ((1 - sign * sign) / friction_speed - 2 * sign * rate / (law.stribeck_speed * law.stribeck_speed));
}

}  // namespace lithe
