#include "lithe/analyse/reduction/modal_response.h"

#include <algorithm>
#include <cmath>

namespace lithe {
namespace {

// Free motion over one step: z ← a z + b ż,  ż ← -ω² b z + d ż.
struct FreeStep {
  double a, b, d;
};

FreeStep free_step(double squared, double damping, double step) {
  const double decay = 0.5 * damping, discriminant = decay * decay - squared;
  double c, s;  // e^{-decay h} cosh(r h), e^{-decay h} sinh(r h) / r with r² the discriminant
  if (discriminant > 0) {
    const double root = std::sqrt(discriminant);
    const double slow = std::exp((root - decay) * step), fast = std::exp(-(root + decay) * step);
    c = 0.5 * (slow + fast);
    s = root * step > 1e-8 ? 0.5 * (slow - fast) / root : step * slow;
  } else {
    const double root = std::sqrt(-discriminant), level = std::exp(-decay * step);
    c = level * std::cos(root * step);
    s = root * step > 1e-8 ? level * std::sin(root * step) / root : step * level;
  }
  return {c + decay * s, s, c - decay * s};
}

}  // namespace

OscillatorMotion respond(const Oscillators& oscillators, const SampledForce& force) {
  const Eigen::Index count = force.begin.rows(), intervals = force.begin.cols();
  OscillatorMotion motion;
  motion.displacement = motion.speed = motion.acceleration = MatrixX(count, intervals);
  // Free motions count as very slow oscillations: their particular solution below needs a stiffness.
  const double duration = force.step * static_cast<double>(intervals), slowest = 0.03 / duration;
  for (Eigen::Index k = 0; k < count; ++k) {
    const double squared = std::max(oscillators.squared_frequencies(k), slowest * slowest);
    const double damping = std::max(oscillators.damping(k), 0.0);
    const FreeStep free = free_step(squared, damping, force.step);
    double z = 0, speed = oscillators.initial_speed(k);
    for (Eigen::Index n = 0; n < intervals; ++n) {
      const double begin = force.begin(k, n), slope = (force.end(k, n) - begin) / force.step;
      motion.displacement(k, n) = z;
      motion.speed(k, n) = speed;
      motion.acceleration(k, n) = begin - damping * speed - squared * z;
      // z_p = (f + slope t - c slope / ω²) / ω²
      const double at_begin = (begin - damping * slope / squared) / squared, rate = slope / squared;
      const double dz = z - at_begin, dv = speed - rate;
      z = free.a * dz + free.b * dv + at_begin + rate * force.step;
      speed = -squared * free.b * dz + free.d * dv + rate;
    }
  }
  return motion;
}

}  // namespace lithe
