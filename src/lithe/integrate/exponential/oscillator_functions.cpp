#include "lithe/integrate/exponential/oscillator_functions.h"

#include <algorithm>
#include <cmath>

namespace lithe {
namespace {

constexpr double inverse_factorial[4] = {1.0, 1.0, 0.5, 1.0 / 6.0};

// All in the scaled variables (y, t v): Z = [0 1; -p -q] with p = stiffness t², q = damping t. phi_k is a polynomial in
// Z, so phi_k = a_k I + b_k Z; a 2x2 matrix needs two numbers.
struct Phi {
  double a[4], b[4];
};

// Taylor series sum_m Z^m / (m+k)!, with Z² = -p I - q Z; for p, q <= 1/4 to rounding in 14 terms.
Phi series(double p, double q) {
  Phi result{};
  double a = 1, b = 0;  // Z^m = a I + b Z
  double factorial[4] = {1, 1, 2, 6};
  for (int m = 0; m < 14; ++m) {
    for (int k = 0; k < 4; ++k) {
      result.a[k] += a / factorial[k];
      result.b[k] += b / factorial[k];
      factorial[k] *= m + k + 1;
    }
    const double next_b = a - q * b;
    a = -p * b;
    b = next_b;
  }
  return result;
}

// phi_k(2Z) = 2^-k [ phi_0(Z) phi_k(Z) + sum_{j=1}^k phi_j(Z) / (k-j)! ]; p and q are those of Z.
Phi doubled(const Phi& f, double p, double q) {
  Phi result{};
  double power = 1;
  for (int k = 0; k < 4; ++k, power *= 0.5) {
    // (a0 I + b0 Z)(ak I + bk Z) with Z² = -p I - q Z
    double a = f.a[0] * f.a[k] - p * f.b[0] * f.b[k];
    double b = f.a[0] * f.b[k] + f.b[0] * f.a[k] - q * f.b[0] * f.b[k];
    for (int j = 1; j <= k; ++j) {
      a += f.a[j] * inverse_factorial[k - j];
      b += f.b[j] * inverse_factorial[k - j];
    }
    result.a[k] = power * a;
    result.b[k] = 0.5 * power * b;  // b multiplies 2Z
  }
  return result;
}

// phi_0 = exp(Z) of an underdamped oscillator; then phi_{k+1} = Z^-1 (phi_k - I/k!), with Z^-1 = -(q I + Z)/p.
// Loses a factor 1/p per function: for p >= 1 only.
Phi recursion(double p, double q) {
  const double decay = std::exp(-0.5 * q), angle = std::sqrt(p - 0.25 * q * q);
  const double c = decay * std::cos(angle), s = decay * std::sin(angle) / angle;
  Phi result{};
  result.a[0] = c + 0.5 * q * s;
  result.b[0] = s;
  for (int k = 0; k < 3; ++k) {
    // phi_{k+1} = -(1/p)(q I + Z)(a I + b Z) = -(1/p)[(q a - p b) I + a Z],  a reduced by 1/k!
    const double a = result.a[k] - inverse_factorial[k], b = result.b[k];
    result.a[k + 1] = b - q * a / p;
    result.b[k + 1] = -a / p;
  }
  return result;
}

}  // namespace

OscillatorFunctions oscillator_functions(double stiffness, double damping, double time) {
  const double p = stiffness * time * time, q = damping * time;
  Phi f{};
  if (p >= 1 && q * q < 2 * p) {
    f = recursion(p, q);
  } else {
    // Scaling and doubling; strongly damped modes come here too, where the recursion would cancel.
    const double norm = std::max(std::sqrt(p), q);
    const int doublings = norm > 0.25 ? static_cast<int>(std::ceil(std::log2(norm / 0.25))) : 0;
    const double shrink = std::ldexp(1.0, -doublings);
    double scaled_p = p * shrink * shrink, scaled_q = q * shrink;
    f = series(scaled_p, scaled_q);
    for (int i = 0; i < doublings; ++i, scaled_p *= 4, scaled_q *= 2) f = doubled(f, scaled_p, scaled_q);
  }
  OscillatorFunctions result;
  result.yy = f.a[0];
  result.yv = time * f.b[0];
  result.vy = -time * stiffness * f.b[0];
  result.vv = f.a[0] - q * f.b[0];
  for (int k = 1; k < 4; ++k) {
    // t phi_k (0, 1): in scaled variables (0, t), so (t b_k, a_k - q b_k) times t and 1
    result.position[k] = time * time * f.b[k];
    result.speed[k] = time * (f.a[k] - q * f.b[k]);
  }
  return result;
}

}  // namespace lithe
