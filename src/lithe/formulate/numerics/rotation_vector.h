// Rotations by their vector θ: R = exp(θ×), with the map from its rate to angular velocity and that map's rate. Scalars
// may carry derivatives (dual.h).
#pragma once

#include <cmath>

#include "lithe/base/math.h"
#include "lithe/formulate/numerics/dual.h"

namespace lithe {

template <class S>
using Vector3Of = Eigen::Matrix<S, 3, 1>;
template <class S>
using Matrix3Of = Eigen::Matrix<S, 3, 3>;

template <class S>
Matrix3Of<S> skew_of(const Vector3Of<S>& a) {
  Matrix3Of<S> result;
  result << S(0.0), -a.z(), a.y(), a.z(), S(0.0), -a.x(), -a.y(), a.x(), S(0.0);
  return result;
}

// a = sin φ/φ, b = (1 - cos φ)/φ², c = (φ - sin φ)/φ³ with φ = |θ|, and the derivatives of b and c by φ².
template <class S>
struct RotationCoefficients {
  S a{1.0}, b{0.5}, c{1.0 / 6}, b_prime{-1.0 / 24}, c_prime{-1.0 / 120};

  explicit RotationCoefficients(const S& s) {
    if (plain_value(s) < 0.25) {
      series(s);
      return;
    }
    using std::cos;
    using std::sin;
    using std::sqrt;
    const S phi = sqrt(s);
    a = sin(phi) / phi;
    b = (1.0 - cos(phi)) / s;
    c = (1.0 - a) / s;
    b_prime = (a - 2.0 * b) / (2.0 * s);
    c_prime = (b - 3.0 * c) / (2.0 * s);
  }

 private:
  // Σ (-s)^k/(2k+1)! and so on; seven terms reach rounding for s < 1/4.
  void series(const S& s) {
    constexpr double factorial[] = {
        1,      1,       2,        6,         24,         120,         720,           5040,           40320,
        362880, 3628800, 39916800, 479001600, 6227020800, 87178291200, 1307674368000, 20922789888000, 355687428096000};
    a = b = c = b_prime = c_prime = S(0.0);
    for (int k = 7; k >= 0; --k) {
      a = S(1 / factorial[2 * k + 1]) - s * a;
      b = S(1 / factorial[2 * k + 2]) - s * b;
      c = S(1 / factorial[2 * k + 3]) - s * c;
    }
    for (int k = 7; k >= 1; --k) {
      b_prime = S(-k / factorial[2 * k + 2]) - s * b_prime;
      c_prime = S(-k / factorial[2 * k + 3]) - s * c_prime;
    }
  }
};

// exp(θ×)
template <class D>
Matrix3Of<typename D::Scalar> rotation_of(const Eigen::MatrixBase<D>& theta) {
  using S = typename D::Scalar;
  const Vector3Of<S> t = theta;
  const RotationCoefficients<S> k(t.dot(t));
  const Matrix3Of<S> X = skew_of<S>(t);
  return Matrix3Of<S>::Identity() + k.a * X + k.b * (X * X);
}

// T with ω = T(θ) θ̇, ω in the axes of the turned frame; T(-θ) = T(θ)ᵀ gives ω in the axes before the turn.
template <class D>
Matrix3Of<typename D::Scalar> rate_map(const Eigen::MatrixBase<D>& theta) {
  using S = typename D::Scalar;
  const Vector3Of<S> t = theta;
  const RotationCoefficients<S> k(t.dot(t));
  const Matrix3Of<S> X = skew_of<S>(t);
  return Matrix3Of<S>::Identity() - k.b * X + k.c * (X * X);
}

// Ṫ θ̇: what ω̇ has besides T θ̈.
template <class S>
Vector3Of<S> rate_map_bias(const Vector3Of<S>& theta, const Vector3Of<S>& rate) {
  const RotationCoefficients<S> k(theta.dot(theta));
  const S s_rate = 2.0 * theta.dot(rate);
  const Vector3Of<S> cross = theta.cross(rate);
  return -(k.b_prime * s_rate) * cross + (k.c_prime * s_rate) * theta.cross(cross) + k.c * rate.cross(cross);
}

// θ with exp(θ×) = R, |θ| <= π.
inline Vector3 rotation_vector(const Matrix3& R) {
  Quaternion q(R);
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  const double sine = q.vec().norm();
  const double factor = sine > 1e-9 ? 2 * std::atan2(sine, q.w()) / sine : 2 / q.w();
  return factor * q.vec();
}

// With derivatives: δR = R δφ×, δθ = T(θ)⁻¹ δφ.
template <int N>
Vector3Of<Dual<double, N>> rotation_vector(const Matrix3Of<Dual<double, N>>& R) {
  Matrix3 value, jacobian;
  for (int i = 0; i < 9; ++i) value(i) = R(i).value;
  const Vector3 theta = rotation_vector(value);
  const Matrix3 inverse = rate_map(theta).inverse();
  Vector3Of<Dual<double, N>> result;
  for (int c = 0; c < 3; ++c) result[c].value = theta[c];
  for (int k = 0; k < N; ++k) {
    for (int i = 0; i < 9; ++i) jacobian(i) = R(i).jacobian[k];
    const Matrix3 spin = value.transpose() * jacobian;
    const Vector3 turn =
        inverse * (0.5 * Vector3(spin(2, 1) - spin(1, 2), spin(0, 2) - spin(2, 0), spin(1, 0) - spin(0, 1)));
    for (int c = 0; c < 3; ++c) result[c].jacobian[k] = turn[c];
  }
  return result;
}

}  // namespace lithe
