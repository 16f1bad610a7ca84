// One corotational beam element (docs/theory/corotational.md, sections 2 and 3): its own axes, what strains it, and the
// forces of stiffness, inertia and weight on its two nodes. Scalars may carry derivatives.
#pragma once

#include <Eigen/LU>
#include <vector>

#include "lithe/formulate/absolute/body.h"
#include "lithe/formulate/numerics/rotation_vector.h"

namespace lithe {

using Vector12 = Eigen::Matrix<double, 12, 1>;
using Matrix12 = Eigen::Matrix<double, 12, 12>;
using Matrix7 = Eigen::Matrix<double, 7, 7>;
template <class S>
using Vector7Of = Eigen::Matrix<S, 7, 1>;
template <class S>
using Vector12Of = Eigen::Matrix<S, 12, 1>;

// A piece of the element's mass: a point of the line, or a point of a section seen from the line. In the element's axes
// it is at rest + along · stretch e1 + Σ weight ∘ n over the nodes, n an axis of the node's beam, (6) and (7).
struct ElementParticle {
  double mass = 0, along = 0;
  int axis = 0;  // of the nodes' beam: x for points of the line, y and z for those of sections
  Vector3 rest = Vector3::Zero();
  Vector3 weight[2] = {Vector3::Zero(), Vector3::Zero()};

  bool on_line() const { return axis == 0; }
};

// Rest geometry in the link frame; the rest in the beam's axes, x along the chord. Strain: (ψ_a, ψ_b, stretch).
struct CorotationalElement {
  int a = 0, b = 0;
  Matrix3 axes;  // of the beam at rest, link frame
  double length = 0, mass = 0;
  Eigen::Matrix<double, 12, 7> end_loads;  // on the nodes, (force, moment) each, of unit strains
  Matrix7 stiffness;
  std::vector<ElementParticle> particles;  // none where the mass is lumped to the nodes
  double lumped_mass = 0;                  // of each end, then; the nodes carry it
  Matrix3 lumped_inertia = Matrix3::Zero();
  // Sums over the particles that no motion changes: m w wᵀ's diagonal for the axes of both nodes; on the line m w,
  // m ξ w's x part, m ξ and m ξ².
  Vector3 weights[3][2][2], line_weight[2];
  double along_weight[2] = {0, 0}, along_mass[2] = {0, 0};
};

template <class S>
struct BodyFrameOf {
  Vector3Of<S> position;
  Matrix3Of<S> rotation;
};

// Where the element is, and how its axes turn and its strain changes with the velocities (v_a, ω_a, v_b, ω_b) of its
// nodes, each in the node's own axes.
template <class S>
struct ElementStateOf {
  Matrix3Of<S> E;           // the element's axes in the world
  Matrix3Of<S> node[2];     // the nodes' axes in the element's
  Matrix3Of<S> to_rate[2];  // T(-ψ)⁻¹
  Matrix3Of<S> axes[2];     // of the nodes' beams
  S length{};               // of the chord
  Vector7Of<S> strain;
  Eigen::Matrix<S, 3, 12> spin;  // φ, in the element's axes
  Eigen::Matrix<S, 7, 12> rate;

  // φ1 = Σ share · (ω - (0, φ2, φ3)) of the nodes, (3).
  Vector3Of<S> share(int i) const {
    const S half = 0.5 / (1.0 + axes[i](0, 0));
    return {S(0.5), half * axes[i](1, 0), half * axes[i](2, 0)};
  }
};
using ElementState = ElementStateOf<double>;

// (3) and (4), columns still in the element's axes.
template <class S>
void set_rates(ElementStateOf<S>& state) {
  const S inverse = 1.0 / state.length;
  state.spin.setZero();
  state.spin(1, 2) = inverse;
  state.spin(1, 8) = -inverse;
  state.spin(2, 1) = -inverse;
  state.spin(2, 7) = inverse;
  for (int i = 0; i < 2; ++i) {
    const Vector3Of<S> share = state.share(i);
    state.spin.row(0) -= share[1] * state.spin.row(1) + share[2] * state.spin.row(2);
    state.spin.template block<1, 3>(0, 6 * i + 3) += share.transpose();
  }
  state.rate.setZero();
  for (int i = 0; i < 2; ++i) {
    state.rate.template middleRows<3>(3 * i) = -state.to_rate[i] * state.spin;
    state.rate.template block<3, 3>(3 * i, 6 * i + 3) += state.to_rate[i];
  }
  state.rate(6, 0) = S(-1.0);
  state.rate(6, 6) = S(1.0);
}

// The y axis of a node's beam, brought normal to the chord e by the shortest turn of its tangent, (1).
template <class S>
Vector3Of<S> brought_along(const Vector3Of<S>& y, const Vector3Of<S>& tangent, const Vector3Of<S>& e) {
  const S factor = y.dot(e) / (1.0 + tangent.dot(e));
  return y - factor * (tangent + e);
}

// The element's frame: x along the chord, y halfway between the nodes' y axes (section 2).
template <class S>
ElementStateOf<S> element_state(const CorotationalElement& element, const BodyFrameOf<S>& a, const BodyFrameOf<S>& b) {
  using std::sqrt;
  const Vector3Of<S> apart = b.position - a.position;
  const Matrix3Of<S> axes[] = {a.rotation * element.axes.cast<S>(), b.rotation * element.axes.cast<S>()};
  ElementStateOf<S> state;
  state.length = sqrt(apart.dot(apart));
  const Vector3Of<S> e1 = apart / state.length;
  const Vector3Of<S> mean =
      brought_along<S>(axes[0].col(1), axes[0].col(0), e1) + brought_along<S>(axes[1].col(1), axes[1].col(0), e1);
  const Vector3Of<S> e2 = mean / S(sqrt(mean.dot(mean)));
  state.E << e1, e2, e1.cross(e2);
  for (int i = 0; i < 2; ++i) {
    state.node[i] = state.E.transpose() * (i == 0 ? a.rotation : b.rotation);
    state.axes[i] = state.E.transpose() * axes[i];
    const Vector3Of<S> psi = rotation_vector(state.axes[i]);
    state.strain.template segment<3>(3 * i) = psi;
    state.to_rate[i] = rate_map(-psi).inverse();
  }
  state.strain[6] = state.length - element.length;
  set_rates(state);
  for (int k = 0; k < 4; ++k) {
    const Matrix3Of<S>& A = state.node[k / 2];
    state.spin.template middleCols<3>(3 * k) = (state.spin.template middleCols<3>(3 * k) * A).eval();
    state.rate.template middleCols<3>(3 * k) = (state.rate.template middleCols<3>(3 * k) * A).eval();
  }
  return state;
}

// What moves the element's particles, with its rates, in the element's axes: node a, the turn of these axes, the turns
// of the nodes relative to them, the stretch.
template <class S>
struct ElementMotionOf {
  Vector3Of<S> acceleration, spin, spin_rate, relative[2], relative_rate[2];
  S stretch_rate{}, stretch_acceleration{};
};

// φ̇1, the derivative of (3): nodes turn by `relative` as seen from the element.
template <class S>
S twist_rate(const ElementStateOf<S>& state, const ElementMotionOf<S>& motion, const Vector3Of<S>* turn_rates) {
  S result(0.0);
  for (int i = 0; i < 2; ++i) {
    const Vector3Of<S> tangent = state.axes[i].col(0), share = state.share(i), &relative = motion.relative[i],
                       moved = relative.cross(tangent);
    const S half = 0.5 / (1.0 + tangent[0]);
    result += 0.5 * turn_rates[i][0];
    for (const int c : {1, 2})
      result += share[c] * (turn_rates[i][c] - motion.spin_rate[c]) +
                (half * moved[c] - 2.0 * half * moved[0] * share[c]) * relative[c];
  }
  return result;
}

// (8): the derivatives of (3) along the motion.
template <class S>
ElementMotionOf<S> element_motion(const ElementStateOf<S>& state, const Vector12Of<S>& speeds,
                                  const Vector12Of<S>& accelerations) {
  ElementMotionOf<S> motion;
  motion.spin = state.spin * speeds;
  const Vector3Of<S>& phi = motion.spin;
  Vector3Of<S> v[2], a[2], turn_rates[2];
  for (int i = 0; i < 2; ++i) {
    const Vector3Of<S> own_v = speeds.template segment<3>(6 * i), own_w = speeds.template segment<3>(6 * i + 3),
                       w = state.node[i] * own_w;
    v[i] = state.node[i] * own_v;
    a[i] = state.node[i] * (accelerations.template segment<3>(6 * i) + own_w.cross(own_v));
    motion.relative[i] = w - phi;
    turn_rates[i] = state.node[i] * accelerations.template segment<3>(6 * i + 3) - phi.cross(w);
  }
  motion.acceleration = a[0];
  const Vector3Of<S> apart = v[1] - v[0], apart_rate = a[1] - a[0] - phi.cross(apart);
  motion.stretch_rate = apart[0];
  motion.stretch_acceleration = apart_rate[0];
  motion.spin_rate[1] = -(apart_rate[2] + phi[1] * apart[0]) / state.length;
  motion.spin_rate[2] = (apart_rate[1] - phi[2] * apart[0]) / state.length;
  motion.spin_rate[0] = twist_rate(state, motion, turn_rates);
  for (int i = 0; i < 2; ++i) motion.relative_rate[i] = turn_rates[i] - motion.spin_rate;
  return motion;
}

// The nodes' axes n as seen from the element, their rates and accelerations there: n, β × n, β̇ × n + β × (β × n).
template <class S>
struct NodeAxesOf {
  Vector3Of<S> place[3][2], rate[3][2], acceleration[3][2];

  NodeAxesOf(const ElementStateOf<S>& state, const ElementMotionOf<S>& motion) {
    for (int axis = 0; axis < 3; ++axis)
      for (int i = 0; i < 2; ++i) {
        place[axis][i] = state.axes[i].col(axis);
        rate[axis][i] = motion.relative[i].cross(place[axis][i]);
        acceleration[axis][i] = motion.relative_rate[i].cross(place[axis][i]) + motion.relative[i].cross(rate[axis][i]);
      }
  }
};

template <class S>
Vector3Of<S> weighted_axes(const ElementParticle& particle, const Vector3Of<S> (&values)[2]) {
  return Vector3Of<S>(particle.weight[0].cast<S>().cwiseProduct(values[0]) +
                      particle.weight[1].cast<S>().cwiseProduct(values[1]));
}

// What acts on node a, on the turns of the nodes and of the element's axes, and along the chord; in these axes.
template <class S>
struct ElementLoadsOf {
  Vector3Of<S> node = Vector3Of<S>::Zero(), turn = Vector3Of<S>::Zero(),
               nodes[2] = {Vector3Of<S>::Zero(), Vector3Of<S>::Zero()};
  S stretch{0.0};
};

// (9): what inertia and weight ask for.
template <class S>
ElementLoadsOf<S> inertia_loads(const CorotationalElement& element, const ElementStateOf<S>& state,
                                const ElementMotionOf<S>& motion, const Vector3& gravity) {
  const NodeAxesOf<S> n(state, motion);
  const Vector3Of<S> carried = motion.acceleration - state.E.transpose() * gravity.cast<S>();
  const Vector3Of<S>& phi = motion.spin;
  ElementLoadsOf<S> loads;
  for (const ElementParticle& particle : element.particles) {
    const int axis = particle.axis;
    Vector3Of<S> place = particle.rest.cast<S>() + weighted_axes(particle, n.place[axis]),
                 rate = weighted_axes(particle, n.rate[axis]), force = weighted_axes(particle, n.acceleration[axis]);
    if (particle.on_line()) {
      place[0] += particle.along * state.strain[6];
      rate[0] += particle.along * motion.stretch_rate;
      force[0] += particle.along * motion.stretch_acceleration;
      force += carried;
    }
    const Vector3Of<S> turning = phi.cross(place) + 2.0 * rate;
    force += motion.spin_rate.cross(place) + phi.cross(turning);
    force *= S(particle.mass);
    if (particle.on_line()) {
      loads.node += force;
      loads.stretch += particle.along * force[0];
    }
    loads.turn += place.cross(force);
    for (int i = 0; i < 2; ++i)
      loads.nodes[i] += n.place[axis][i].cross(Vector3Of<S>(particle.weight[i].cast<S>().cwiseProduct(force)));
  }
  return loads;
}

// The forces of these loads on the nodes, in the nodes' axes. Nodes turn by ω - φ as seen from the element.
template <class S>
Vector12Of<S> on_nodes(const ElementStateOf<S>& state, const ElementLoadsOf<S>& loads) {
  const Vector3Of<S> turn = loads.turn - loads.nodes[0] - loads.nodes[1];
  Vector12Of<S> result = state.spin.transpose() * turn + state.rate.row(6).transpose() * loads.stretch;
  result.template head<3>() += state.node[0].transpose() * loads.node;
  for (int i = 0; i < 2; ++i) result.template segment<3>(6 * i + 3) += state.node[i].transpose() * loads.nodes[i];
  return result;
}

// What stiffness, damping, inertia and weight ask of the nodes, in the nodes' axes: (5) and (9).
template <class S>
Vector12Of<S> element_force(const CorotationalElement& element, const ElementStateOf<S>& state,
                            const Vector12Of<S>& speeds, const Vector12Of<S>& accelerations, const Vector3& gravity,
                            double damping_factor) {
  Vector7Of<S> strain = state.strain;
  if (damping_factor > 0) strain += S(damping_factor) * (state.rate * speeds);
  const Vector7Of<S> load = element.stiffness.cast<S>() * strain;
  Vector12Of<S> result = state.rate.transpose() * load;
  if (!element.particles.empty())
    result += on_nodes(state, inertia_loads(element, state, element_motion(state, speeds, accelerations), gravity));
  return result;
}

// What the section beside node a or b carries: the element's forces at that end, with the mass that is lumped there, in
// the element's axes.
template <class S>
void section_wrench(const CorotationalElement& element, bool at_b, const ElementStateOf<S>& state,
                    const Vector12Of<S>& speeds, const Vector12Of<S>& accelerations, const Vector3& gravity,
                    double damping_factor, Vector3Of<S>& force, Vector3Of<S>& moment) {
  const int side = at_b ? 1 : 0, end = 6 * side;
  const Vector12Of<S> ends = element_force<S>(element, state, speeds, accelerations, gravity, damping_factor);
  Vector3Of<S> f = ends.template segment<3>(end), m = ends.template segment<3>(end + 3);
  if (element.particles.empty()) {
    const Vector3Of<S> v = speeds.template segment<3>(end), w = speeds.template segment<3>(end + 3),
                       turning = element.lumped_inertia.cast<S>() * w;
    const Vector3Of<S> weight = state.node[side].transpose() * Vector3Of<S>(state.E.transpose() * gravity.cast<S>());
    f += (Vector3Of<S>(accelerations.template segment<3>(end)) + w.cross(v) - weight) * S(element.lumped_mass);
    m += element.lumped_inertia.cast<S>() * Vector3Of<S>(accelerations.template segment<3>(end + 3)) + w.cross(turning);
  }
  const S sign(at_b ? 1.0 : -1.0);
  force = state.node[side] * f * sign;
  moment = state.node[side] * m * sign;
}

// The element's mass matrix times accelerations of its nodes.
template <class S>
Vector12Of<S> mass_times(const CorotationalElement& element, const ElementStateOf<S>& state,
                         const Vector12Of<S>& accelerations) {
  const ElementMotionOf<S> motion = element_motion<S>(state, Vector12Of<S>::Zero(), accelerations);
  return on_nodes(state, inertia_loads(element, state, motion, Vector3::Zero()));
}

}  // namespace lithe
