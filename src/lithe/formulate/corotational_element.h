// One corotational beam element (docs/theory/corotational.md, section 2). Scalars may carry derivatives.
#pragma once

#include <Eigen/LU>

#include "lithe/formulate/absolute_body.h"
#include "lithe/formulate/rotation_vector.h"

namespace lithe {

using Vector12 = Eigen::Matrix<double, 12, 1>;
using Matrix12 = Eigen::Matrix<double, 12, 12>;

// One element: rest geometry in the link frame, stiffness, and the mass that its centre line carries.
struct CorotationalElement {
  int a = 0, b = 0;
  Vector3 chord;   // at rest, from a to b
  Vector3 y_axis;  // of the beam at rest, link axes
  double length = 0;
  Matrix12 stiffness;    // link axes, (u_a, ψ_a, u_b, ψ_b)
  double line_mass = 0;  // ρ A L when the mass is consistent, 0 when it is lumped to the nodes
};

template <class S>
struct BodyFrameOf {
  Vector3Of<S> position;
  Matrix3Of<S> rotation;
};

// An element's deformation and how it follows from small motions (δp_a, δθ_a, δp_b, δθ_b), world axes.
template <class S>
struct ElementStateOf {
  Matrix3Of<S> E;                  // from link axes at rest to the element's
  Eigen::Matrix<S, 12, 1> strain;  // (0, ψ_a, u_b, ψ_b) in the element's axes
  Eigen::Matrix<S, 12, 12> rate;   // δstrain = rate · motion
};
using ElementState = ElementStateOf<double>;

// The element's frame: x along the chord, y in the plane of the chord and the mean of the nodes' y axes (section 2).
template <class S>
ElementStateOf<S> element_state(const CorotationalElement& element, const BodyFrameOf<S>& a, const BodyFrameOf<S>& b) {
  using std::sqrt;
  const Vector3Of<S> apart = b.position - a.position;
  const S l = sqrt(apart.dot(apart));
  const Vector3Of<S> y = element.y_axis.cast<S>(), e1 = apart / l, qa = a.rotation * y, qb = b.rotation * y;
  const Vector3Of<S> q = 0.5 * (qa + qb), normal = e1.cross(q), e3 = normal / S(sqrt(normal.dot(normal))),
                     e2 = e3.cross(e1);
  Matrix3Of<S> now;
  Matrix3 rest;
  now << e1, e2, e3;
  rest << element.chord / element.length, element.y_axis, (element.chord / element.length).cross(element.y_axis);
  ElementStateOf<S> state;
  state.E = now * rest.transpose().cast<S>();
  const Matrix3Of<S> Et = state.E.transpose(), turned_a = Et * a.rotation, turned_b = Et * b.rotation;
  const Vector3Of<S> psi_a = rotation_vector(turned_a), psi_b = rotation_vector(turned_b);
  state.strain << Vector3Of<S>::Zero(), psi_a, Et * apart - element.chord.cast<S>(), psi_b;

  // δφ of the frame in its axes e: φ2, φ3 from the chord; φ1 = (δq·e3 + q1 φ2)/q2.
  Eigen::Matrix<S, 3, 12> spin = Eigen::Matrix<S, 3, 12>::Zero();
  const S q1 = q.dot(e1), q2 = q.dot(e2), ratio = q1 / q2, half = 0.5 / q2;
  spin.row(1).template segment<3>(0) = e3.transpose() / l;
  spin.row(1).template segment<3>(6) = -e3.transpose() / l;
  spin.row(2).template segment<3>(0) = -e2.transpose() / l;
  spin.row(2).template segment<3>(6) = e2.transpose() / l;
  spin.row(0) = ratio * spin.row(1);
  spin.row(0).template segment<3>(3) += half * qa.cross(e3).transpose();
  spin.row(0).template segment<3>(9) += half * qb.cross(e3).transpose();
  const Eigen::Matrix<S, 3, 12> turn = now * spin;  // world axes

  state.rate.setZero();
  const Matrix3Of<S> La = rate_map(-psi_a).inverse() * Et, Lb = rate_map(-psi_b).inverse() * Et;
  state.rate.template middleRows<3>(3) = -La * turn;
  state.rate.template block<3, 3>(3, 3) += La;
  state.rate.template middleRows<3>(6) = (Et * skew_of<S>(apart)) * turn;
  state.rate.template block<3, 3>(6, 0) -= Et;
  state.rate.template block<3, 3>(6, 6) += Et;
  state.rate.template middleRows<3>(9) = -Lb * turn;
  state.rate.template block<3, 3>(9, 9) += Lb;
  return state;
}

}  // namespace lithe
