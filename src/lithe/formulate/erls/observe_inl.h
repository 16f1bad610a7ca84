// What is seen of an ERLS tree, for any kind of number: double to look, Dual to differentiate. Private to this folder.
#pragma once

#include "lithe/formulate/erls/loops/constraints_inl.h"
#include "lithe/formulate/numerics/rotation_vector.h"

namespace lithe {

// Motion of a node: world axes, but the turn ψ of its axes, which is in the link's.
template <class S>
struct ErlsNode {
  Vec3<S> position, velocity, acceleration, displacement;
  Vec3<S> psi, psi_rate, psi_acceleration;  // of carried frames the latter two are those of the turn itself
};

// The node's axes in those of the link: a rotation that agrees with 1 + ψ× to first order, the quaternion (1, ψ/2) made
// a unit one.
template <class S>
Mat3<S> erls_node_axes(const Vec3<S>& psi) {
  return turn_of<S>(psi);
}

// docs/theory/erls_cms.md (1), after update_acceleration.
template <class S>
ErlsNode<S> erls_node(const ErlsTree& tree, const TreeWork<S>& work, int link, int node) {
  const FrameWork<S>& f = work.frames[tree.frame_of_link[link]];
  const ModalLink& body = tree.links[link];
  const Vec3<S> s = body.node_positions[node].template cast<S>();
  Vec3<S> u = f.t + f.psi.cross(s), u_rate = f.t_rate + f.psi_rate.cross(s);
  Vec3<S> u_acceleration = f.psi_acceleration.cross(s);  // ẗ is inside w_acceleration
  ErlsNode<S> result;
  result.psi = f.psi;
  result.psi_rate = f.psi_rate;
  result.psi_acceleration = f.psi_acceleration;
  if (body.num_modes > 0) {
    const auto part = [&](const Matrix3X& shapes, const VecX<S>& v) {
      return multiply3<S>(shapes, v.segment(tree.first_mode[link], body.num_modes));
    };
    const Matrix3X &phi = body.translation_shapes[node], &turn = body.rotation_shapes[node];
    u += part(phi, work.q);
    u_rate += part(phi, work.q_rate);
    u_acceleration += part(phi, work.q_acceleration);
    result.psi += part(turn, work.q);
    result.psi_rate += part(turn, work.q_rate);
    result.psi_acceleration += part(turn, work.q_acceleration);
    if (tree.carried) {
      if (tree.bends(link)) {
        const Eigen::Matrix<S, 6, 3> second = second_order_motion(tree, work, link, node);
        u += second.col(0).template head<3>();
        u_rate += second.col(1).template head<3>();
        u_acceleration += second.col(2).template head<3>();
        result.psi += second.col(0).template tail<3>();
        result.psi_rate += second.col(1).template tail<3>();
        result.psi_acceleration += second.col(2).template tail<3>();
      }
      result.psi_acceleration =
          spin_of<S>(result.psi, result.psi_acceleration) + spin_bias_of<S>(result.psi, result.psi_rate);
      result.psi_rate = spin_of<S>(result.psi, result.psi_rate);
    }
  }
  const Vec3<S> r = s + u, swing = f.omega.cross(r) + u_rate + u_rate;
  result.position = f.p_W + f.R_W * r;
  result.velocity = f.R_W * Vec3<S>(f.v + f.omega.cross(r) + u_rate);
  result.acceleration = tree.gravity.template cast<S>() +
                        f.R_W * Vec3<S>(f.w_acceleration + f.alpha.cross(r) + f.omega.cross(swing) + u_acceleration);
  result.displacement = f.R_W * u;
  return result;
}

// Force and torque, world axes.
template <class S>
struct ErlsWrench {
  Vec3<S> force, torque;
};

// On the child side of each cut joint, at its point. The multipliers of the elastic rows are the forces along the
// directions that a cut joint constrains: the constraint does the work -λ δΛ, with Λ of loop_residuals(). Rows that an
// overconstrained loop does not need carry nothing.
template <class S>
std::vector<ErlsWrench<S>> cut_wrenches_of(const ErlsConstraints& constraints, const ErlsTree& tree,
                                           const VecX<S>& multipliers, const TreeWork<S>& work) {
  const VariableSplit& split = constraints.split;
  VecX<S> multiplier = VecX<S>::Constant(constraints.num_loop_rows, S(0.0));
  for (std::size_t i = 0; i < split.elastic_rows.size(); ++i)
    multiplier(split.elastic_rows[i]) = multipliers(static_cast<Eigen::Index>(split.closure_rows.size() + i));
  std::vector<ErlsWrench<S>> wrenches;
  int row = 0;
  for (const LoopJoint& loop : constraints.loops) {
    const SidePlace<S> a = place_side(loop.parent, tree, work), b = place_side(loop.child, tree, work);
    ErlsWrench<S> wrench{Vec3<S>::Constant(S(0.0)), Vec3<S>::Constant(S(0.0))};
    row += loop.couples();
    for (const LoopRow& direction : loop.couples() ? std::vector<LoopRow>() : loop.rows) {
      const Vec3<S> e = a.axes.col(direction.parent_axis);
      if (direction.rotation) {
        wrench.torque += e.cross(Vec3<S>(b.axes.col(direction.child_axis))) * multiplier(row);
      } else {
        wrench.force -= e * multiplier(row);
      }
      ++row;
    }
    wrenches.push_back(wrench);
  }
  return wrenches;
}

// A wrench on a node, world axes.
template <class S>
struct ErlsLoad {
  int link = 0, node = 0;
  ErlsWrench<S> wrench;
};

// The same forces as loads on the nodes of both links; on the parent's they act at the child's point.
template <class S>
std::vector<ErlsLoad<S>> cut_loads_of(const Model& model, const ErlsConstraints& constraints, const ErlsTree& tree,
                                      const std::vector<ErlsWrench<S>>& wrenches, const TreeWork<S>& work) {
  std::vector<ErlsLoad<S>> loads;
  for (std::size_t k = 0; k < constraints.loops.size(); ++k) {
    const LoopJoint& loop = constraints.loops[k];
    if (loop.couples()) continue;  // it acts along joints alone
    const Joint& joint = model.joints[loop.joint];
    const SidePlace<S> a = place_side(loop.parent_link, tree, work), b = place_side(loop.child, tree, work);
    const Vec3<S>&force = wrenches[k].force, &torque = wrenches[k].torque;
    if (joint.child >= 0) loads.push_back({joint.child, joint.child_node, wrenches[k]});
    if (joint.parent >= 0)
      loads.push_back(
          {joint.parent, joint.parent_node, {-force, Vec3<S>(-torque - Vec3<S>(b.point - a.point).cross(force))}});
  }
  return loads;
}

// What a frame and everything outboard needs, moved from the rigid mechanism's joint to the displaced one.
template <class S>
ErlsWrench<S> frame_reaction(const FrameWork<S>& f, bool backwards) {
  ErlsWrench<S> result{Vec3<S>(f.R_W * f.f_w), Vec3<S>(f.R_W * Vec3<S>(f.f_omega - f.t.cross(f.f_w)))};
  if (backwards) result = {-result.force, -result.torque};
  return result;
}

template <class S>
struct ErlsEnergies {
  S kinetic, gravity, elastic;
};

// At positions and rates, by the momentum M ẏ: overwrites accelerations and forces. The tree's virtual displacement
// must be the full one.
template <class S>
ErlsEnergies<S> energies_of(const ErlsTree& tree, TreeWork<S>& work) {
  ErlsEnergies<S> result{S(0.0), S(0.0), S(0.0)};
  work.beta_acceleration = work.beta_rate;
  work.eps_acceleration = work.eps_rate;
  work.q_acceleration = work.q_rate;
  update_linear_acceleration(tree, work);
  inertia_forces(tree, work, false);
  collect_forces(tree, work, false);
  for (int c = 0; c < tree.num_coordinates; ++c) {
    const ErlsJoint& joint = tree.joints[c];
    const S stretch = work.beta(c) + work.eps(c) - joint.rest_value;
    result.kinetic += 0.5 * (work.beta_rate(c) * work.f_beta(c) + work.eps_rate(c) * work.f_eps(c));
    result.elastic += (0.5 * joint.stiffness) * stretch * stretch;
    if (joint.law) result.elastic += spring_excess_energy<S>(*joint.law, stretch);
  }
  for (Eigen::Index k = 0; k < work.q.size(); ++k) result.kinetic += 0.5 * work.q_rate(k) * work.f_q(k);
  const Vec3<S> gravity = tree.gravity.template cast<S>();
  for (const ErlsFrame& frame : tree.frames) {
    if (frame.link < 0) continue;
    const FrameWork<S>& f = work.frames[&frame - tree.frames.data()];
    const ModalLink& body = tree.links[frame.link];
    const Vec3<S> c0 = body.first_moment.template cast<S>();
    Vec3<S> centre = f.t * body.mass + c0 + f.psi.cross(c0);  // ∫ρ r
    for (int k = 0; k < body.num_modes; ++k) {
      const S& q = work.q(tree.first_mode[frame.link] + k);
      result.elastic += (0.5 * body.squared_frequencies(k)) * q * q;
    }
    if (body.num_modes > 0) centre += work.links[frame.link].Cq;
    if (tree.bends(frame.link)) centre += work.links[frame.link].a * body.mass + work.links[frame.link].b * c0;
    result.gravity -= gravity.dot(Vec3<S>(f.p_W * body.mass + f.R_W * centre));
  }
  return result;
}

// In observe.cpp and jacobians.cpp.
extern template ErlsNode<double> erls_node<double>(const ErlsTree&, const TreeWork<double>&, int, int);
extern template ErlsNode<ErlsDual> erls_node<ErlsDual>(const ErlsTree&, const TreeWork<ErlsDual>&, int, int);

}  // namespace lithe
