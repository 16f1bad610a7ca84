// Definitions of the constraint functions of erls_constraints.h; included by the sources that instantiate them.
#pragma once

#include "lithe/formulate/erls_constraints.h"
#include "lithe/formulate/erls_tree_inl.h"

namespace lithe {

template <class S>
void update_displacement(const ErlsTree& tree, TreeWork<S>& work) {
  for (std::size_t i = 0; i < tree.frames.size(); ++i) {
    place_frame(tree.frames[i], work, work.frames[i]);
    displace_frame(tree, tree.frames[i], work, work.frames[i]);
  }
}

// A side of a cut joint in world axes: where the joint frame is in the rigid mechanism, and how the elastic links
// displace it.
template <class S>
struct SidePlace {
  Vec3<S> point;
  Mat3<S> axes;
  Vec3<S> displacement, rotation;
};

template <class S>
SidePlace<S> place_side(const LoopSide& side, const ErlsTree& tree, const TreeWork<S>& work) {
  SidePlace<S> place;
  place.point = side.joint_frame.position.template cast<S>();
  place.axes = side.joint_frame.rotation.template cast<S>();
  place.displacement.setConstant(S(0.0));
  place.rotation.setConstant(S(0.0));
  if (side.frame < 0) return place;
  const FrameWork<S>& f = work.frames[side.frame];
  Vec3<S> u = f.t + f.psi.cross(place.point), psi = f.psi;
  const int d = tree.links[side.link].num_modes;
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

template <class S>
void loop_residuals(const std::vector<LoopJoint>& loops, const ErlsTree& tree, const TreeWork<S>& work,
                    VecX<S>& closure, VecX<S>& elastic) {
  int row = 0;
  for (const LoopJoint& loop : loops) {
    const SidePlace<S> a = place_side(loop.parent, tree, work), b = place_side(loop.child, tree, work);
    const Vec3<S> gap = b.point - a.point;
    const Vec3<S> displacement = b.displacement - a.displacement - a.rotation.cross(gap);
    const Vec3<S> rotation = a.rotation - b.rotation;
    for (const LoopRow& direction : loop.rows) {
      const Vec3<S> e = a.axes.col(direction.parent_axis);
      if (direction.rotation) {
        const Vec3<S> other = b.axes.col(direction.child_axis);
        closure(row) = e.dot(other);
        elastic(row) = e.cross(other).dot(rotation);
      } else {
        closure(row) = e.dot(gap);
        elastic(row) = e.dot(displacement);
      }
      ++row;
    }
  }
}

// Motion of a point and of directions on one side, per unit rate of a coordinate on that side's path.
template <class S>
void add_path_columns(const std::vector<int>& path, const ErlsTree& tree, const TreeWork<S>& work,
                      const LoopJoint& loop, const SidePlace<S>& a, const SidePlace<S>& b, int first_row,
                      bool parent_side, MatX<S>& jacobian) {
  const Vec3<S> gap = b.point - a.point;
  for (int i : path) {
    const ErlsFrame& frame = tree.frames[i];
    const Vec3<S> axis = work.frames[i].R_W * frame.axis_in_frame.template cast<S>();
    const bool revolute = frame.motion == FrameMotion::revolute;
    const Vec3<S>& moved = parent_side ? a.point : b.point;
    Vec3<S> velocity = axis;
    if (revolute) velocity = axis.cross(Vec3<S>(moved - work.frames[i].p_W));
    int row = first_row;
    for (const LoopRow& direction : loop.rows) {
      const Vec3<S> e = a.axes.col(direction.parent_axis);
      S rate(0.0);
      if (direction.rotation) {
        const Vec3<S> turn = e.cross(Vec3<S>(b.axes.col(direction.child_axis)));
        if (revolute) rate = parent_side ? S(axis.dot(turn)) : S(-axis.dot(turn));
      } else if (parent_side) {
        rate = -e.dot(velocity);
        if (revolute) rate += axis.cross(e).dot(gap);
      } else {
        rate = e.dot(velocity);
      }
      jacobian(row++, frame.coordinate) += rate;
    }
  }
}

template <class S>
void closure_jacobian(const std::vector<LoopJoint>& loops, const ErlsTree& tree, const TreeWork<S>& work,
                      MatX<S>& jacobian) {
  jacobian.setConstant(S(0.0));
  int row = 0;
  for (const LoopJoint& loop : loops) {
    const SidePlace<S> a = place_side(loop.parent, tree, work), b = place_side(loop.child, tree, work);
    add_path_columns(loop.parent_path, tree, work, loop, a, b, row, true, jacobian);
    add_path_columns(loop.child_path, tree, work, loop, a, b, row, false, jacobian);
    row += static_cast<int>(loop.rows.size());
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

}  // namespace lithe
