// Motion of uncoupled oscillators over time, exact between samples (docs/theory/reduction.md, "Automatic choice").
#pragma once

#include "lithe/base/math.h"

namespace lithe {

// z̈ + c ż + ω² z = f(t) from z = 0 with given speed. Column n of `force` is f on the interval from sample n to n + 1:
// forces at its begin and end, linear between, with jumps from one interval to the next.
struct SampledForce {
  double step = 0;
  MatrixX begin, end;  // oscillators x intervals
};

struct Oscillators {
  VectorX squared_frequencies, damping, initial_speed;
};

// Displacement, speed and acceleration at the begin of every interval; oscillators x intervals.
struct OscillatorMotion {
  MatrixX displacement, speed, acceleration;
};
OscillatorMotion respond(const Oscillators& oscillators, const SampledForce& force);

}  // namespace lithe
