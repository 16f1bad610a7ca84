// One corotational beam element (docs/theory/corotational.md, section 2). Scalars may carry derivatives.
#pragma once

#include <Eigen/LU>

#include "lithe/formulate/absolute_body.h"
#include "lithe/formulate/rotation_vector.h"

namespace lithe {

using Vector12 = Eigen::Matrix<double, 12, 1>;
using Matrix12 = Eigen::Matrix<double, 12, 12>;

// Weights of (p_a, L t_a, p_b, L t_b), t the beam's tangent at a node: ∫ N_i N_j and ∫ N_i.
struct LineWeights {
  double mass[4][4], weight[4];
};
inline constexpr LineWeights hermite_line{{{156 / 420.0, 22 / 420.0, 54 / 420.0, -13 / 420.0},
                                           {22 / 420.0, 4 / 420.0, 13 / 420.0, -3 / 420.0},
                                           {54 / 420.0, 13 / 420.0, 156 / 420.0, -22 / 420.0},
                                           {-13 / 420.0, -3 / 420.0, -22 / 420.0, 4 / 420.0}},
                                          {0.5, 1.0 / 12, 0.5, -1.0 / 12}};
inline constexpr LineWeights straight_line{
    {{1 / 3.0, 0, 1 / 6.0, 0}, {0, 0, 0, 0}, {1 / 6.0, 0, 1 / 3.0, 0}, {0, 0, 0, 0}}, {0.5, 0, 0.5, 0}};

// One element: rest geometry in the link frame, stiffness, and the mass that its centre line carries.
struct CorotationalElement {
  int a = 0, b = 0;
  Vector3 chord;   // at rest, from a to b
  Vector3 y_axis;  // of the beam at rest, link axes
  double length = 0;
  Matrix12 stiffness;    // link axes, (u_a, ψ_a, u_b, ψ_b)
  double line_mass = 0;  // ρ A L when the mass is consistent, 0 when it is lumped to the nodes
  const LineWeights* line = &hermite_line;
  Matrix12 extra_mass = Matrix12::Zero();  // consistent mass of the linear element less that of its line, link axes
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
  Eigen::Matrix<S, 3, 12> turn;    // of E, world axes, by that motion
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
  state.turn = now * spin;
  const Eigen::Matrix<S, 3, 12>& turn = state.turn;

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

// Both nodes' vectors between their own axes and the world's.
template <class S>
Eigen::Matrix<S, 12, 1> world_or_body(const BodyFrameOf<S>& a, const BodyFrameOf<S>& b,
                                      const Eigen::Matrix<S, 12, 1>& v, bool to_world) {
  Eigen::Matrix<S, 12, 1> result;
  for (int i = 0; i < 4; ++i) {
    const Matrix3Of<S>& R = i < 2 ? a.rotation : b.rotation;
    const Vector3Of<S> part = v.template segment<3>(3 * i);
    result.template segment<3>(3 * i) = to_world ? Vector3Of<S>(R * part) : Vector3Of<S>(R.transpose() * part);
  }
  return result;
}

// Along the element motion is linear in the length, not Hermite's: what that changes of the weights of the line.
inline double axial_weight(const CorotationalElement& element, int i, int j) {
  return element.line_mass * (straight_line.mass[i][j] - element.line->mass[i][j]);
}

// Inertia forces of the line's axial motion, T = ½ Σ c_ij (e·ẋ_i)(e·ẋ_j) with x = (p_a, L t_a, p_b, L t_b) and e the
// element's direction, to `force` in world axes; `carried` gets what its momenta do to e. World axes, (7).
template <class S>
void add_axial_inertia(const CorotationalElement& element, const BodyFrameOf<S>& a, const BodyFrameOf<S>& b,
                       const Matrix3Of<S>& E, const Vector3Of<S>& spin, const Eigen::Matrix<S, 12, 1>& u,
                       const Eigen::Matrix<S, 12, 1>& u_rate, Eigen::Matrix<S, 12, 1>& force, Vector3Of<S>& carried) {
  const Vector3Of<S> chord = element.chord.template cast<S>();
  const Vector3Of<S> e = E * Vector3Of<S>(element.chord.normalized().template cast<S>()), e_rate = spin.cross(e);
  Vector3Of<S> tangent[2] = {a.rotation * chord, b.rotation * chord}, velocity[4];
  S along[4], along_rate[4];
  for (int i = 0; i < 4; ++i) {
    velocity[i] = u.template segment<3>(3 * i);
    Vector3Of<S> acceleration = u_rate.template segment<3>(3 * i);
    if (i % 2 == 1) {
      const Vector3Of<S> w = velocity[i];
      velocity[i] = w.cross(tangent[i / 2]);
      acceleration = Vector3Of<S>(acceleration.cross(tangent[i / 2]) + w.cross(velocity[i]));
    }
    along[i] = e.dot(velocity[i]);
    along_rate[i] = e.dot(acceleration) + e_rate.dot(velocity[i]);
  }
  for (int i = 0; i < 4; ++i) {
    S momentum(0), change(0);
    for (int j = 0; j < 4; ++j) {
      momentum += S(axial_weight(element, i, j)) * along[j];
      change += S(axial_weight(element, i, j)) * along_rate[j];
    }
    const Vector3Of<S> f = change * e + momentum * e_rate;
    force.template segment<3>(3 * i) += i % 2 == 0 ? f : Vector3Of<S>(tangent[i / 2].cross(f));
    carried += velocity[i].cross(Vector3Of<S>(momentum * e));
  }
}

// Inertia forces of what moves with the element's axes, on the nodes' body velocities: the extra mass D, T = ½ Vᵀ D V
// with V = Eᵀ (ṗ_a, ω_a, ṗ_b, ω_b), and the line's axial motion; docs/theory/corotational.md (6) and (7).
template <class S>
Eigen::Matrix<S, 12, 1> extra_inertia(const CorotationalElement& element, const BodyFrameOf<S>& a,
                                      const BodyFrameOf<S>& b, const ElementStateOf<S>& state,
                                      const Eigen::Matrix<S, 12, 1>& speeds,
                                      const Eigen::Matrix<S, 12, 1>& accelerations) {
  using Vector = Eigen::Matrix<S, 12, 1>;
  Vector rates = accelerations;  // of the world's velocities, body axes
  for (const int side : {0, 6}) {
    const Vector3Of<S> v = speeds.template segment<3>(side), w = speeds.template segment<3>(side + 3);
    rates.template segment<3>(side) += w.cross(v);
  }
  const Vector u = world_or_body<S>(a, b, speeds, true), u_rate = world_or_body<S>(a, b, rates, true);
  const Vector3Of<S> spin = state.turn * u;
  Vector V, V_rate;
  const auto part = [](const Vector& x, int i) { return Vector3Of<S>(x.template segment<3>(3 * i)); };
  for (int i = 0; i < 4; ++i) {
    V.template segment<3>(3 * i) = state.E.transpose() * part(u, i);
    V_rate.template segment<3>(3 * i) = state.E.transpose() * Vector3Of<S>(part(u_rate, i) - spin.cross(part(u, i)));
  }
  const Eigen::Matrix<S, 12, 12> D = element.extra_mass.template cast<S>();
  const Vector momentum = D * V, change = D * V_rate;
  Vector3Of<S> carried = Vector3Of<S>::Zero();  // Σ u × m: what the momenta do to the element's axes
  Vector force;
  for (int i = 0; i < 4; ++i) {
    const Vector3Of<S> m = state.E * part(momentum, i), along = part(u, i);
    Vector3Of<S> f = state.E * part(change, i) + spin.cross(m);
    if (i % 2 == 1) f -= along.cross(m);
    carried += along.cross(m);
    force.template segment<3>(3 * i) = f;
  }
  add_axial_inertia<S>(element, a, b, state.E, spin, u, u_rate, force, carried);
  force += state.turn.transpose() * carried;
  return world_or_body<S>(a, b, force, false);
}

}  // namespace lithe
