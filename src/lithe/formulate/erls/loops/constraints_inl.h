// Definitions of the constraint functions of erls_constraints.h; included by the sources that instantiate them.
#pragma once

#include "lithe/formulate/erls/loops/constraints.h"
#include "lithe/formulate/erls/loops/loop_instances.h"
#include "lithe/formulate/erls/tree/tree_inl.h"

namespace lithe {

template <class S>
void update_displacement(const ErlsTree& tree, TreeWork<S>& work) {
  place_carriers(tree, work);
  for (std::size_t i = 0; i < tree.frames.size(); ++i) {
    place_frame(tree.frames[i], work, work.frames[i]);
    displace_frame(tree, tree.frames[i], work, work.frames[i]);
  }
}

template <class S>
void displace_frames(const ErlsTree& tree, TreeWork<S>& work) {
  for (std::size_t i = 0; i < tree.frames.size(); ++i) displace_frame(tree, tree.frames[i], work, work.frames[i]);
}

// A side of a cut joint in world axes: where the joint frame is in the rigid mechanism, and how the elastic links
// displace it.
template <class S>
struct SidePlace {
  Vec3<S> point;
  Mat3<S> axes;
  Vec3<S> displacement, rotation;
};

// Point and axes of a side alone.
template <class S>
void locate_side(const LoopSide& side, const TreeWork<S>& work, SidePlace<S>& place) {
  place.point = side.joint_frame.position.template cast<S>();
  place.axes = side.joint_frame.rotation.template cast<S>();
  if (side.frame < 0) return;
  const FrameWork<S>& f = work.frames[side.frame];
  if (side.carrier >= 0) {
    const CarrierWork<S>& c = work.carriers[static_cast<std::size_t>(side.carrier)];
    place.point += c.shift;
    place.axes = (c.turn * place.axes).eval();
  }
  place.point = (f.p_W + f.R_W * place.point).eval();
  place.axes = (f.R_W * place.axes).eval();
}

template <class S>
SidePlace<S> place_side(const LoopSide& side, const ErlsTree& tree, const TreeWork<S>& work) {
  SidePlace<S> place;
  place.point = side.joint_frame.position.template cast<S>();
  place.axes = side.joint_frame.rotation.template cast<S>();
  place.displacement.setConstant(S(0.0));
  place.rotation.setConstant(S(0.0));
  if (side.frame < 0) return place;
  const FrameWork<S>& f = work.frames[side.frame];
  if (tree.carried) {
    locate_side(side, work, place);
    return place;
  }
  Vec3<S> u = f.t + f.psi.cross(place.point), psi = f.psi;
  const int d = num_modes(side, tree);
  if (d > 0) {
    const auto q = work.q.segment(tree.first_mode[side.link], d);
    u += multiply3<S>(side.translation, q);
    psi += multiply3<S>(side.rotation, q);
  }
  place.point = f.p_W + f.R_W * place.point;
  place.axes = f.R_W * place.axes;
  place.displacement = f.R_W * u;
  place.rotation = f.R_W * psi;
  return place;
}

// What changes a side: forces on its displacement and on its rotation whose work is the change of one constraint row.
// The rigid mechanism's point and axes change Ψ in the same way as displacement and rotation change Λ.
template <class S>
struct RowWrench {
  Vec3<S> force, moment;
};
template <class S>
RowWrench<S> row_wrench(const LoopRow& row, const SidePlace<S>& a, const SidePlace<S>& b, bool parent_side) {
  const Vec3<S> e = a.axes.col(row.parent_axis);
  if (row.rotation) {
    const Vec3<S> turn = e.cross(Vec3<S>(b.axes.col(row.child_axis)));
    return {Vec3<S>::Constant(S(0.0)), parent_side ? turn : Vec3<S>(-turn)};
  }
  if (!parent_side) return {e, Vec3<S>::Constant(S(0.0))};
  return {-e, e.cross(Vec3<S>(b.point - a.point))};
}

template <class S>
void loop_residuals(const std::vector<LoopJoint>& loops, const ErlsTree& tree, const TreeWork<S>& work,
                    VecX<S>& closure, VecX<S>& elastic) {
  int row = -1;
  for (const LoopJoint& loop : loops) {
    if (loop.couples()) {
      ++row;
      if (!loop.rows[0].used) continue;
      closure(row) = coupled_sum(loop, work.beta) - S(loop.offset);
      elastic(row) = tree.carried ? closure(row) : coupled_sum(loop, work.eps);
      continue;
    }
    const SidePlace<S> a = place_side(loop.parent, tree, work), b = place_side(loop.child, tree, work);
    const Vec3<S> gap = b.point - a.point;
    const Vec3<S> displacement = b.displacement - a.displacement - a.rotation.cross(gap);
    const Vec3<S> rotation = a.rotation - b.rotation;
    for (const LoopRow& direction : loop.rows) {
      ++row;
      if (!direction.used) continue;
      const Vec3<S> e = a.axes.col(direction.parent_axis);
      if (direction.rotation) {
        const Vec3<S> other = b.axes.col(direction.child_axis);
        closure(row) = e.dot(other);
        elastic(row) = tree.carried ? closure(row) : S(e.cross(other).dot(rotation));
      } else {
        closure(row) = e.dot(gap);
        elastic(row) = tree.carried ? closure(row) : S(e.dot(displacement));
      }
    }
  }
}

// How a side moves per unit rate of a variable: its point and axes with the rigid mechanism, its displacement and
// rotation with the elastic one.
template <class S>
struct SideRate {
  Vec3<S> point, turn, displacement, rotation;
};

// Of β at frame i (8f). The displacement that the links before the frame impose, (T, Ψ) at its origin, stays; what
// comes after it turns along.
template <class S>
SideRate<S> joint_side_rate(const ErlsFrame& frame, const FrameWork<S>& f, const S& eps, const SidePlace<S>& side) {
  const Vec3<S> axis = f.R_W * frame.axis_in_frame.template cast<S>();
  const Vec3<S> zero = Vec3<S>::Constant(S(0.0));
  Vec3<S> before = f.R_W * f.psi;
  if (frame.motion != FrameMotion::revolute) return {axis, zero, before.cross(axis), zero};
  before -= axis * eps;
  const Vec3<S> arm = side.point - f.p_W;
  const Vec3<S> velocity = axis.cross(arm);
  const Vec3<S> after = side.displacement - f.R_W * f.t - before.cross(arm);
  const Vec3<S> rotation_after = side.rotation - before;
  return {velocity, axis, before.cross(velocity) + axis.cross(after), axis.cross(rotation_after)};
}

// Λ's column of β: derivative of (8b) when one side moves.
template <class S>
void enter_joint_column(const LoopJoint& loop, const SidePlace<S>& a, const SidePlace<S>& b, const SideRate<S>& rate,
                        bool parent_side, int row, int column, MatX<S>& elastic) {
  const Vec3<S> gap = b.point - a.point;
  const Vec3<S> displacement = b.displacement - a.displacement - a.rotation.cross(gap);
  const Vec3<S> rotation = a.rotation - b.rotation;
  const double sign = parent_side ? -1.0 : 1.0;
  const Vec3<S> gap_rate = rate.point * sign;
  Vec3<S> displacement_rate = rate.displacement * sign - a.rotation.cross(gap_rate);
  if (parent_side) displacement_rate -= rate.rotation.cross(gap);
  for (const LoopRow& direction : loop.rows) {
    const int r = row++;
    if (!direction.used) continue;
    const Vec3<S> e = a.axes.col(direction.parent_axis);
    if (direction.rotation) {
      const Vec3<S> other = b.axes.col(direction.child_axis), turn = e.cross(other);
      const Vec3<S> turn_rate =
          parent_side ? Vec3<S>(rate.turn.cross(e).cross(other)) : Vec3<S>(e.cross(Vec3<S>(rate.turn.cross(other))));
      elastic(r, column) += turn_rate.dot(rotation) - turn.dot(rate.rotation) * sign;
    } else {
      elastic(r, column) += e.dot(displacement_rate);
      if (parent_side) elastic(r, column) += rate.turn.cross(e).dot(displacement);
    }
  }
}

// A row's work per unit of every mode of a link whose node at `point` (world) carries the side.
template <class S, class Shapes>
void enter_modes(const RowWrench<S>& wrench, const Vec3<S>& side, const Mat3<S>& R_W, const Vec3<S>& point,
                 const Shapes& translation, const Shapes& rotation, int row, int first_column, MatX<S>& elastic) {
  const Vec3<S> arm = side - point;
  const Vec3<S> force = R_W.transpose() * wrench.force;
  const Vec3<S> moment = R_W.transpose() * (wrench.moment + arm.cross(wrench.force));
  for (Eigen::Index k = 0; k < translation.cols(); ++k) {
    S sum = force(0) * translation(0, k);
    sum += force(1) * translation(1, k);
    sum += force(2) * translation(2, k);
    for (int i = 0; i < 3; ++i) sum += moment(i) * rotation(i, k);
    elastic(row, first_column + k) += sum;
  }
}

// A row's work per unit of a joint's motion.
template <class S>
S joint_work(const ErlsFrame& frame, const FrameWork<S>& f, const RowWrench<S>& wrench, const Vec3<S>& side) {
  const Vec3<S> axis = f.R_W * frame.axis_in_frame.template cast<S>();
  if (frame.motion != FrameMotion::revolute) return axis.dot(wrench.force);
  return axis.dot(wrench.moment + Vec3<S>(side - f.p_W).cross(wrench.force));
}

// Columns of ∂Ψ/∂β and of Λ's ε and q; those of Λ's β are enter_joint_column()'s.
template <class S>
void enter_row(const LoopSide& side, const ErlsTree& tree, const TreeWork<S>& work, const RowWrench<S>& wrench,
               const Vec3<S>& point, int row, MatX<S>& closure, MatX<S>& elastic) {
  const int n = tree.num_coordinates;
  const auto first_mode = [&](int link) { return 2 * n + tree.first_mode[link]; };
  if (side.carrier >= 0) {
    const CarrierWork<S>& c = work.carriers[static_cast<std::size_t>(side.carrier)];
    enter_modes<S>(wrench, point, work.frames[side.frame].R_W, point, c.shift_jacobian, c.spin_jacobian, row,
                   first_mode(side.link), elastic);
  } else if (num_modes(side, tree) > 0) {
    enter_modes<S>(wrench, point, work.frames[side.frame].R_W, point, side.translation, side.rotation, row,
                   first_mode(side.link), elastic);
  }
  for (int i : side.path) {
    const ErlsFrame& frame = tree.frames[i];
    const FrameWork<S>& f = work.frames[i];
    if (frame.coordinate >= 0) {
      const S value = joint_work<S>(frame, f, wrench, point);
      closure(row, frame.coordinate) += value;
      elastic(row, (tree.carried ? 0 : n) + frame.coordinate) += value;
    }
    if (frame.carrier >= 0) {
      const CarrierWork<S>& c = work.carriers[static_cast<std::size_t>(frame.carrier)];
      const FrameWork<S>& p = work.frames[frame.parent];
      const Vec3<S> node = p.p_W + p.R_W * (f.offset - f.slide);
      enter_modes<S>(wrench, point, p.R_W, node, c.shift_jacobian, c.spin_jacobian, row,
                     first_mode(tree.frames[frame.parent].link), elastic);
    } else if (frame.parent_flexible) {
      const FrameWork<S>& p = work.frames[frame.parent];
      const Vec3<S> node = p.p_W + p.R_W * (f.offset - f.slide);
      enter_modes<S>(wrench, point, p.R_W, node, frame.attach_translation, frame.attach_rotation, row,
                     first_mode(tree.frames[frame.parent].link), elastic);
    }
  }
}

template <class S>
void loop_elastic_jacobians(const std::vector<LoopJoint>& loops, const ErlsTree& tree, const TreeWork<S>& work,
                            MatX<S>& closure, MatX<S>& elastic) {
  closure.setConstant(S(0.0));
  elastic.setConstant(S(0.0));
  int row = -1;
  SidePlace<S> a, b;
  for (const LoopJoint& loop : loops) {
    if (loop.couples()) {
      ++row;
      for (const LoopCoordinate& member : loop.coupled) {
        if (!loop.rows[0].used) break;
        closure(row, member.coordinate) = S(member.sign);
        elastic(row, (tree.carried ? 0 : tree.num_coordinates) + member.coordinate) = S(member.sign);
      }
      continue;
    }
    locate_side(loop.parent, work, a);
    locate_side(loop.child, work, b);
    for (const LoopRow& direction : loop.rows) {
      ++row;
      if (!direction.used) continue;
      for (const bool parent_side : {true, false}) {
        const LoopSide& side = parent_side ? loop.parent : loop.child;
        if (side.frame >= 0)
          enter_row<S>(side, tree, work, row_wrench<S>(direction, a, b, parent_side), parent_side ? a.point : b.point,
                       row, closure, elastic);
      }
    }
  }
}

template <class S>
void loop_joint_jacobians(const std::vector<LoopJoint>& loops, const ErlsTree& tree, const TreeWork<S>& work,
                          MatX<S>& elastic) {
  if (tree.carried) return;
  int row = 0;
  for (const LoopJoint& loop : loops) {
    const SidePlace<S> a = place_side(loop.parent, tree, work), b = place_side(loop.child, tree, work);
    for (const bool parent_side : {true, false}) {
      const LoopSide& side = parent_side ? loop.parent : loop.child;
      for (int i : side.path) {
        const int c = tree.frames[i].coordinate;
        if (c < 0) continue;
        const SideRate<S> rate = joint_side_rate<S>(tree.frames[i], work.frames[i], work.eps(c), parent_side ? a : b);
        enter_joint_column<S>(loop, a, b, rate, parent_side, row, c, elastic);
      }
    }
    row += static_cast<int>(loop.rows.size());
  }
}

template <class S>
void loop_jacobians(const std::vector<LoopJoint>& loops, const ErlsTree& tree, const TreeWork<S>& work,
                    MatX<S>& closure, MatX<S>& elastic) {
  loop_elastic_jacobians(loops, tree, work, closure, elastic);
  loop_joint_jacobians(loops, tree, work, elastic);
}

template <class S>
void loop_closure(const std::vector<LoopJoint>& loops, const ErlsTree& tree, const TreeWork<S>& work, VecX<S>& closure,
                  MatX<S>& jacobians) {
  jacobians.setConstant(S(0.0));
  int row = -1;
  SidePlace<S> a, b;
  for (const LoopJoint& loop : loops) {
    if (loop.couples()) {
      ++row;
      if (!loop.rows[0].used) continue;
      closure(row) = coupled_sum(loop, work.beta) - S(loop.offset);
      for (const LoopCoordinate& member : loop.coupled) jacobians(row, member.coordinate) = S(member.sign);
      continue;
    }
    locate_side(loop.parent, work, a);
    locate_side(loop.child, work, b);
    for (const LoopRow& direction : loop.rows) {
      ++row;
      if (!direction.used) continue;
      const Vec3<S> e = a.axes.col(direction.parent_axis);
      closure(row) = direction.rotation ? e.dot(b.axes.col(direction.child_axis)) : e.dot(Vec3<S>(b.point - a.point));
      for (const bool parent_side : {true, false}) {
        const LoopSide& side = parent_side ? loop.parent : loop.child;
        const RowWrench<S> wrench = row_wrench<S>(direction, a, b, parent_side);
        for (int i : side.path) {
          const int c = tree.frames[i].coordinate;
          if (c >= 0)
            jacobians(row, c) += joint_work<S>(tree.frames[i], work.frames[i], wrench, parent_side ? a.point : b.point);
        }
      }
    }
  }
}

template <class S>
void displacement_momentum(const ErlsTree& tree, const TreeWork<S>& work, std::vector<Vec3<S>>& linear,
                           std::vector<Vec3<S>>& angular, VecX<S>& momentum) {
  // World axes, moments about the world origin: ∫ρ u and its moment, accumulated from the tips inwards.
  for (std::size_t i = 0; i < tree.frames.size(); ++i) {
    linear[i].setConstant(S(0.0));
    angular[i].setConstant(S(0.0));
  }
  for (std::size_t i = tree.frames.size(); i-- > 0;) {
    const ErlsFrame& frame = tree.frames[i];
    const FrameWork<S>& f = work.frames[i];
    if (frame.link >= 0) {
      const ModalLink& body = tree.links[frame.link];
      const Vec3<S> c0 = body.first_moment.template cast<S>();
      Vec3<S> p = f.t * body.mass + f.psi.cross(c0);
      Vec3<S> L = c0.cross(f.t) + body.inertia.template cast<S>() * f.psi;
      if (body.num_modes > 0) {
        const auto q = work.q.segment(tree.first_mode[frame.link], body.num_modes);
        p += multiply3<S>(body.mode_momentum, q);
        L += multiply3<S>(body.mode_angular_momentum, q);
      }
      const Vec3<S> p_world = f.R_W * p;
      linear[i] += p_world;
      angular[i] += f.R_W * L + f.p_W.cross(p_world);
    }
    if (frame.coordinate >= 0) {
      const Vec3<S> axis = f.R_W * frame.axis_in_frame.template cast<S>();
      momentum(frame.coordinate) = frame.motion == FrameMotion::revolute
                                       ? S(axis.dot(angular[i] - f.p_W.cross(linear[i])))
                                       : S(axis.dot(linear[i]));
    }
    if (frame.parent >= 0) {
      linear[frame.parent] += linear[i];
      angular[frame.parent] += angular[i];
    }
  }
}

LITHE_ERLS_LOOPS(extern, double)
LITHE_ERLS_LOOPS(extern, ErlsDual)

}  // namespace lithe
