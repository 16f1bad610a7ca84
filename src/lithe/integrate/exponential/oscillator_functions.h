// The functions phi_0 .. phi_3 of one damped oscillator, ÿ + damping ẏ + stiffness y = g, applied to a force: exact for
// any frequency times step, from 0 to 1e6 and beyond.
#pragma once

#include <array>

namespace lithe {

// With A = [0 1; -stiffness -damping] and the time t:
//   propagator  = exp(tA), by rows
//   position[k], speed[k] = the two entries of  t phi_k(tA) (0, 1),   k = 1, 2, 3        (entry 0 unused)
// so that g(τ) = g0 + g1 (τ/t) + g2 (τ/t)²/2 moves the oscillator from rest to sum_k position[k+1] g_k.
struct OscillatorFunctions {
  double yy = 1, yv = 0, vy = 0, vv = 1;
  std::array<double, 4> position{}, speed{};
};

// stiffness >= 0 and damping >= 0, per unit mass; time >= 0.
OscillatorFunctions oscillator_functions(double stiffness, double damping, double time);

}  // namespace lithe
