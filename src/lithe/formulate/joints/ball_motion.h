// The three angles of a spherical or free joint as they read with a reference at rest, whatever chart the equations use
// (kinematics.md, section on rotation charts).
#pragma once

#include <cmath>

#include "lithe/kinematics/mechanism.h"
#include "lithe/model/model.h"

namespace lithe {

// E(β): the columns are the axes of the three angles in the joint axes of the child side, ω = E β̇ (17).
template <class S>
Eigen::Matrix<S, 3, 3> ball_axes(const S& cosine2, const S& sine2, const S& cosine3, const S& sine3) {
  Eigen::Matrix<S, 3, 3> E;
  E << cosine2 * cosine3, sine3, S(0.0), -(cosine2 * sine3), cosine3, S(0.0), sine2, S(0.0), S(1.0);
  return E;
}
template <class S>
Eigen::Matrix<S, 3, 3> ball_axes(const Eigen::Matrix<S, 3, 1>& angles) {
  using std::cos;
  using std::sin;
  return ball_axes<S>(cos(angles[1]), sin(angles[1]), cos(angles[2]), sin(angles[2]));
}

template <class S>
struct BallMotion {
  Eigen::Matrix<S, 3, 1> angles, rates, accelerations;
};

// Ė β̇
template <class S>
Eigen::Matrix<S, 3, 1> ball_axes_rate(const Eigen::Matrix<S, 3, 3>& E, const Eigen::Matrix<S, 3, 1>& rates) {
  // Columns of E are carried by the angles after them: the first by the second and third, the second by the third.
  const Eigen::Matrix<S, 3, 1> first = E.col(0), second = E.col(1), third = E.col(2);
  const Eigen::Matrix<S, 3, 1> after_first = second * rates[1] + third * rates[2], after_second = third * rates[2];
  return -(after_first.cross(first) * rates[0] + after_second.cross(second) * rates[1]);
}

// R_ref R(β)
template <class S>
Eigen::Matrix<S, 3, 3> ball_rotation(const Matrix3& reference, const Eigen::Matrix<S, 3, 1>& angles) {
  using std::cos;
  using std::sin;
  const S c1 = cos(angles[0]), s1 = sin(angles[0]), c2 = cos(angles[1]), s2 = sin(angles[1]), c3 = cos(angles[2]),
          s3 = sin(angles[2]);
  Eigen::Matrix<S, 3, 3> R;
  R << c2 * c3, -(c2 * s3), s2, c1 * s3 + s1 * s2 * c3, c1 * c3 - s1 * s2 * s3, -(s1 * c2), s1 * s3 - c1 * s2 * c3,
      s1 * c3 + c1 * s2 * s3, c1 * c2;
  return reference.template cast<S>() * R;
}

// Rates and accelerations of the angles of the whole rotation; the angles themselves are whole_angles().
template <class S>
void whole_rates(const Matrix3& reference, const BallMotion<S>& in_chart, Eigen::Matrix<S, 3, 1>& rates,
                 Eigen::Matrix<S, 3, 1>& accelerations) {
  using std::sqrt;
  using Vector = Eigen::Matrix<S, 3, 1>;
  const Eigen::Matrix<S, 3, 3> R = ball_rotation<S>(reference, in_chart.angles), E = ball_axes<S>(in_chart.angles);
  const Vector omega = E * in_chart.rates;
  const Vector alpha = Vector(E * in_chart.accelerations) + ball_axes_rate<S>(E, in_chart.rates);
  const S c2 = sqrt(R(0, 0) * R(0, 0) + R(0, 1) * R(0, 1)), s2 = R(0, 2), c3 = R(0, 0) / c2, s3 = -R(0, 1) / c2;
  const auto solve = [&](const Vector& turning) {  // E(φ)⁻¹
    const S first = (c3 * turning[0] - s3 * turning[1]) / c2;
    return Vector(first, s3 * turning[0] + c3 * turning[1], turning[2] - s2 * first);
  };
  rates = solve(omega);
  accelerations = solve(Vector(alpha - ball_axes_rate<S>(ball_axes<S>(c2, s2, c3, s3), rates)));
}

// Which of the three angles a coordinate is; -1: none.
int angle_in_chart(const Chart& chart, int coordinate);
// The chart with this coordinate, if its reference is not where it was at first; -1: none.
int moved_chart(const Mechanism& mechanism, const Configuration& configuration, int coordinate);

// One angle of the whole rotation.
SignalValue whole_motion(const Configuration& configuration, int chart, int angle, const BallMotion<double>& in_chart);

}  // namespace lithe
