// Second time derivatives of the loop equations, docs/theory/erls_cms.md (8g); included by erls_coordinates_inl.h.
#pragma once

#include "lithe/formulate/erls/loops/constraints_inl.h"

namespace lithe {

// A vector of the world with its first two time derivatives.
template <class S>
struct Moving {
  Vec3<S> x, v, a;

  Moving& operator+=(const Moving& b) {
    x += b.x;
    v += b.v;
    a += b.a;
    return *this;
  }
  friend Moving operator-(const Moving& p, const Moving& b) { return {p.x - b.x, p.v - b.v, p.a - b.a}; }
};

template <class S>
Moving<S> cross(const Moving<S>& p, const Moving<S>& b) {
  const Vec3<S> twice = p.v.cross(b.v);
  return {p.x.cross(b.x), p.v.cross(b.x) + p.x.cross(b.v), p.a.cross(b.x) + twice + twice + p.x.cross(b.a)};
}

template <class S>
S dot_acceleration(const Moving<S>& p, const Moving<S>& b) {
  const S twice = p.v.dot(b.v);
  return p.a.dot(b.x) + twice + twice + p.x.dot(b.a);
}

// x is carried by a body that turns with ω and α, and moves by `rate` and `acceleration` in it.
template <class S>
Moving<S> carried(const Vec3<S>& omega, const Vec3<S>& alpha, const Vec3<S>& x, const Vec3<S>& rate,
                  const Vec3<S>& acceleration) {
  const Vec3<S> swing = omega.cross(x);
  return {x, swing + rate, alpha.cross(x) + omega.cross(Vec3<S>(swing + rate + rate)) + acceleration};
}
template <class S>
Moving<S> carried(const Vec3<S>& omega, const Vec3<S>& alpha, const Vec3<S>& x) {
  const Vec3<S> swing = omega.cross(x);
  return {x, swing, alpha.cross(x) + omega.cross(swing)};
}

template <class S>
struct LoopMotionStep {
  const ErlsTree& tree;
  const TreeWork<S>& work;
  bool with_accelerations;

  S acceleration(const VecX<S>& values, int i) const { return with_accelerations ? values(i) : S(0.0); }

  // R Φ q of a node's shapes, carried by the link.
  Moving<S> elastic(const Matrix3X& shapes, int link, const Mat3<S>& R_W, const Vec3<S>& omega,
                    const Vec3<S>& alpha) const {
    const int first = tree.first_mode[link], d = tree.links[link].num_modes;
    const auto part = [&](const VecX<S>& q) { return Vec3<S>(R_W * multiply3<S>(shapes, q.segment(first, d))); };
    return carried<S>(omega, alpha, part(work.q), part(work.q_rate),
                      with_accelerations ? part(work.q_acceleration) : Vec3<S>(Vec3<S>::Constant(S(0.0))));
  }

  void ground(typename LoopMotion<S>::Frame& m) const {
    for (Vec3<S>* v : {&m.omega, &m.alpha, &m.point_rate, &m.point_acceleration, &m.shift, &m.shift_rate,
                       &m.shift_acceleration, &m.turn, &m.turn_rate, &m.turn_acceleration})
      v->setConstant(S(0.0));
  }

  // A carrier's shift and turn with their rates, axes R of its link.
  struct CarrierMotion {
    Vec3<S> shift_rate, shift_acceleration, spin, spin_acceleration;
  };
  CarrierMotion carrier(int index, const Mat3<S>& R) const {
    const ErlsCarrier& node = tree.carriers[static_cast<std::size_t>(index)];
    const CarrierWork<S>& c = work.carriers[static_cast<std::size_t>(index)];
    const int first = tree.first_mode[node.link], d = tree.links[static_cast<std::size_t>(node.link)].num_modes;
    const auto rate = work.q_rate.segment(first, d);
    Vec3<S> shift = Vec3<S>::Constant(S(0.0)), psi = shift;
    node_squares<S>(tree, node, rate, shift, psi);
    Vec3<S> spin = spin_of<S>(c.psi, psi) + spin_bias_of<S>(c.psi, Vec3<S>(c.psi_jacobian.lazyProduct(rate)));
    if (with_accelerations) {
      const auto second = work.q_acceleration.segment(first, d);
      shift += c.shift_jacobian.lazyProduct(second);
      spin += c.spin_jacobian.lazyProduct(second);
    }
    return {R * Vec3<S>(c.shift_jacobian.lazyProduct(rate)), R * shift, R * Vec3<S>(c.spin_jacobian.lazyProduct(rate)),
            R * spin};
  }

  // The frame's motion from its parent's, and the displacement (2) with its rates, all in world axes.
  void frame(int i, LoopMotion<S>& motion) const {
    const ErlsFrame& frame = tree.frames[i];
    const FrameWork<S>& f = work.frames[i];
    typename LoopMotion<S>::Frame& m = motion.frames[i];
    Mat3<S> R_P;
    if (frame.parent >= 0) {
      m = motion.frames[frame.parent];
      R_P = work.frames[frame.parent].R_W;
    } else {
      ground(m);
      R_P = Mat3<S>(Matrix3::Identity().template cast<S>());
    }
    const Vec3<S> omega_P = m.omega, alpha_P = m.alpha;  // of the parent
    Moving<S> offset = carried<S>(omega_P, alpha_P, R_P * f.offset);
    if (frame.carrier >= 0) {
      const CarrierMotion node = carrier(frame.carrier, R_P);
      offset =
          carried<S>(omega_P, alpha_P, R_P * Vec3<S>(f.offset - f.slide), node.shift_rate, node.shift_acceleration);
      m.alpha += node.spin_acceleration + omega_P.cross(node.spin);
      m.omega += node.spin;
      offset += carried<S>(m.omega, m.alpha, R_P * f.slide);
    }
    const Vec3<S> omega = m.omega, alpha = m.alpha;  // of the parent's node
    Moving<S> turn{m.turn, m.turn_rate, m.turn_acceleration};
    Moving<S> shift{m.shift, m.shift_rate, m.shift_acceleration};
    const Vec3<S> axis = f.R_W * frame.axis_in_frame.template cast<S>();
    const bool slides = frame.coordinate >= 0 && frame.motion == FrameMotion::prismatic;
    if (frame.coordinate >= 0) {
      const S rate = work.beta_rate(frame.coordinate);
      const S acceleration = this->acceleration(work.beta_acceleration, frame.coordinate);
      const Vec3<S> swing = omega.cross(axis) * rate;
      if (slides) {
        offset.v += axis * rate;
        offset.a += swing + swing + axis * acceleration;
      } else {
        m.omega += axis * rate;
        m.alpha += swing + axis * acceleration;
      }
    }
    m.point_rate += offset.v;
    m.point_acceleration += offset.a;
    if (!frame.displaced) return;
    shift += cross(turn, offset);
    if (frame.parent_flexible) {
      const int link = tree.frames[frame.parent].link;
      const Moving<S> bend = elastic(frame.attach_rotation, link, R_P, omega, alpha);
      shift += elastic(frame.attach_translation, link, R_P, omega, alpha);
      turn += bend;
      if (slides) {
        const Moving<S> node = carried<S>(omega, alpha, R_P * Vec3<S>(f.offset - f.slide));
        shift += cross(bend, offset - node);
      }
    }
    if (frame.coordinate >= 0) {
      const int c = frame.coordinate;
      (slides ? shift : turn) += carried<S>(omega, alpha, axis * work.eps(c), axis * work.eps_rate(c),
                                            axis * acceleration(work.eps_acceleration, c));
    }
    m.shift = shift.x, m.shift_rate = shift.v, m.shift_acceleration = shift.a;
    m.turn = turn.x, m.turn_rate = turn.v, m.turn_acceleration = turn.a;
  }
};

// A side of a cut joint with its time derivatives.
template <class S>
struct MovingSide {
  Moving<S> point, displacement, rotation;
  Vec3<S> omega, alpha;
  Mat3<S> axes;

  Moving<S> axis(int i) const { return carried<S>(omega, alpha, axes.col(i)); }
};

template <class S>
MovingSide<S> moving_side(const LoopSide& side, const LoopMotionStep<S>& step, const LoopMotion<S>& motion) {
  MovingSide<S> place;
  const Vec3<S> zero = Vec3<S>::Constant(S(0.0));
  const Vec3<S> position = side.joint_frame.position.template cast<S>();
  const Mat3<S> axes = side.joint_frame.rotation.template cast<S>();
  if (side.frame < 0) {
    place = {{position, zero, zero}, {zero, zero, zero}, {zero, zero, zero}, zero, zero, axes};
    return place;
  }
  const FrameWork<S>& f = step.work.frames[side.frame];
  const typename LoopMotion<S>::Frame& m = motion.frames[side.frame];
  place.omega = m.omega;
  place.alpha = m.alpha;
  place.axes = f.R_W * axes;
  if (step.tree.carried) {
    place.displacement = place.rotation = {zero, zero, zero};
    place.point = {f.p_W, m.point_rate, m.point_acceleration};
    if (side.carrier < 0) {
      place.point += carried<S>(m.omega, m.alpha, f.R_W * position);
      return place;
    }
    const CarrierWork<S>& c = step.work.carriers[static_cast<std::size_t>(side.carrier)];
    const auto node = step.carrier(side.carrier, f.R_W);
    place.point +=
        carried<S>(m.omega, m.alpha, f.R_W * Vec3<S>(position + c.shift), node.shift_rate, node.shift_acceleration);
    place.alpha += node.spin_acceleration + m.omega.cross(node.spin);
    place.omega += node.spin;
    place.axes = f.R_W * Mat3<S>(c.turn * axes);
    return place;
  }
  const Moving<S> arm = carried<S>(m.omega, m.alpha, f.R_W * position);
  place.point = {f.p_W, m.point_rate, m.point_acceleration};
  place.point += arm;
  place.rotation = {m.turn, m.turn_rate, m.turn_acceleration};
  place.displacement = {m.shift, m.shift_rate, m.shift_acceleration};
  place.displacement += cross(place.rotation, arm);
  if (num_modes(side, step.tree) > 0) {
    place.displacement += step.elastic(side.translation, side.link, f.R_W, m.omega, m.alpha);
    place.rotation += step.elastic(side.rotation, side.link, f.R_W, m.omega, m.alpha);
  }
  return place;
}

// A side of a cut joint as relative_motion() of joints/joint_rows.h wants it.
template <class S>
struct ErlsSideNode {
  Vec3<S> position, velocity, angular_velocity, acceleration_bias, angular_bias;
  Mat3<S> rotation;

  explicit ErlsSideNode(const MovingSide<S>& side)
      : position(side.point.x),
        velocity(side.point.v),
        angular_velocity(side.omega),
        acceleration_bias(side.point.a),
        angular_bias(side.alpha),
        rotation(side.axes) {}
};

template <class S>
void loop_accelerations(const std::vector<LoopJoint>& loops, const ErlsTree& tree, const TreeWork<S>& work,
                        bool with_accelerations, LoopMotion<S>& motion, VecX<S>& closure, VecX<S>& elastic) {
  const LoopMotionStep<S> step{tree, work, with_accelerations};
  for (std::size_t i = 0; i < tree.frames.size(); ++i) step.frame(static_cast<int>(i), motion);
  int row = -1;
  for (const LoopJoint& loop : loops) {
    if (loop.couples()) {
      ++row;
      if (!loop.rows[0].used) continue;
      closure(row) = with_accelerations ? coupled_sum(loop, work.beta_acceleration) : S(0.0);
      elastic(row) = tree.carried         ? closure(row)
                     : with_accelerations ? coupled_sum(loop, work.eps_acceleration)
                                          : S(0.0);
      continue;
    }
    const MovingSide<S> a = moving_side(loop.parent, step, motion), b = moving_side(loop.child, step, motion);
    const Moving<S> gap = b.point - a.point;
    const Moving<S> displacement = b.displacement - a.displacement - cross(a.rotation, gap);
    const Moving<S> rotation = a.rotation - b.rotation;
    for (const LoopRow& direction : loop.rows) {
      ++row;
      if (!direction.used) continue;
      const Moving<S> e = a.axis(direction.parent_axis);
      if (direction.rotation) {
        const Moving<S> other = b.axis(direction.child_axis);
        closure(row) = dot_acceleration(e, other);
        elastic(row) = tree.carried ? closure(row) : dot_acceleration(cross(e, other), rotation);
      } else {
        closure(row) = dot_acceleration(e, gap);
        elastic(row) = tree.carried ? closure(row) : dot_acceleration(e, displacement);
      }
    }
  }
}

extern template void loop_accelerations<double>(const std::vector<LoopJoint>&, const ErlsTree&, const TreeWork<double>&,
                                                bool, LoopMotion<double>&, VecX<double>&, VecX<double>&);
extern template void loop_accelerations<ErlsDual>(const std::vector<LoopJoint>&, const ErlsTree&,
                                                  const TreeWork<ErlsDual>&, bool, LoopMotion<ErlsDual>&,
                                                  VecX<ErlsDual>&, VecX<ErlsDual>&);

}  // namespace lithe
