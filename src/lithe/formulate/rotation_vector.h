// Rotations by their vector θ: R = exp(θ×), with the map from its rate to angular velocity and that map's rate.
#pragma once

#include <cmath>

#include "lithe/base/math.h"

namespace lithe {

// a = sin φ/φ, b = (1 - cos φ)/φ², c = (φ - sin φ)/φ³ with φ = |θ|, and the derivatives of b and c by φ².
struct RotationCoefficients {
  double a = 1, b = 0.5, c = 1.0 / 6, b_prime = -1.0 / 24, c_prime = -1.0 / 120;

  explicit RotationCoefficients(double s) {
    if (s < 0.25) {
      series(s);
      return;
    }
    const double phi = std::sqrt(s);
    a = std::sin(phi) / phi;
    b = (1 - std::cos(phi)) / s;
    c = (1 - a) / s;
    b_prime = (a - 2 * b) / (2 * s);
    c_prime = (b - 3 * c) / (2 * s);
  }

 private:
  // Σ (-s)^k/(2k+1)! and so on; seven terms reach rounding for s < 1/4.
  void series(double s) {
    constexpr double factorial[] = {
        1,      1,       2,        6,         24,         120,         720,           5040,           40320,
        362880, 3628800, 39916800, 479001600, 6227020800, 87178291200, 1307674368000, 20922789888000, 355687428096000};
    a = b = c = b_prime = c_prime = 0;
    for (int k = 7; k >= 0; --k) {
      a = 1 / factorial[2 * k + 1] - s * a;
      b = 1 / factorial[2 * k + 2] - s * b;
      c = 1 / factorial[2 * k + 3 > 17 ? 17 : 2 * k + 3] - s * c;
    }
    for (int k = 7; k >= 1; --k) {
      b_prime = -k / factorial[2 * k + 2] - s * b_prime;
      c_prime = -k / factorial[2 * k + 3 > 17 ? 17 : 2 * k + 3] - s * c_prime;
    }
  }
};

// exp(θ×)
inline Matrix3 rotation_of(const Vector3& theta) {
  const RotationCoefficients k(theta.squaredNorm());
  const Matrix3 S = skew(theta);
  return Matrix3::Identity() + k.a * S + k.b * S * S;
}

// T with ω = T(θ) θ̇, ω in the axes of the turned frame; T(-θ) = T(θ)ᵀ gives ω in the axes before the turn.
inline Matrix3 rate_map(const Vector3& theta) {
  const RotationCoefficients k(theta.squaredNorm());
  const Matrix3 S = skew(theta);
  return Matrix3::Identity() - k.b * S + k.c * S * S;
}

// Ṫ θ̇: what ω̇ has besides T θ̈.
inline Vector3 rate_map_bias(const Vector3& theta, const Vector3& rate) {
  const RotationCoefficients k(theta.squaredNorm());
  const double s_rate = 2 * theta.dot(rate);
  const Vector3 cross = theta.cross(rate);
  return -k.b_prime * s_rate * cross + k.c_prime * s_rate * theta.cross(cross) + k.c * rate.cross(cross);
}

// θ with exp(θ×) = R, |θ| <= π.
inline Vector3 rotation_vector(const Matrix3& R) {
  Quaternion q(R);
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  const double sine = q.vec().norm();
  const double factor = sine > 1e-9 ? 2 * std::atan2(sine, q.w()) / sine : 2 / q.w();
  return factor * q.vec();
}

}  // namespace lithe
