// What a thread needs to evaluate ErlsCms; shared by the sources that implement it.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/formulate/erls/loops/loop_factor.h"
#include "lithe/formulate/erls/observe_inl.h"
#include "lithe/formulate/erls/tree/articulated.h"
#include "lithe/formulate/erls/tree/mass.h"
#include "lithe/formulate/erls/tree/tree_inl.h"
#include "lithe/kinematics/position.h"

namespace lithe {

// Whose forces are on the frames of a tree, for known accelerations and inputs: the tree's own, or also those in cut
// joints.
enum class KnownForces { none, of_tree, with_cuts };

// What the positions and velocities in a Work belong to, so that those who ask for many things at one state (sensors,
// energies, powers) do not solve the loops for each of them. The configuration is the start of that solution and
// belongs to it: results depend on the arguments alone to the last bit.
// Sensors and drives ask for many forces at one state, too: as long as nothing else is asked in between, these stay.
struct KnownState {
  bool valid = false, mass_factorised = false;
  bool observed = false;  // the frames' accelerations are those of `accelerations`
  bool rigid = false;     // the rigid mechanism beside the deformed one is in its place
  KnownForces forces = KnownForces::none;
  VectorX coordinates, speeds, configuration, accelerations;
  std::vector<Quaternion> references;
  std::vector<SignalValue> prescribed;
  Inputs inputs;  // of the forces

  void forget_forces() {
    observed = false;
    forces = KnownForces::none;
  }
};

struct ErlsCms::Work : Workspace {
  Work(const ErlsTree& tree, const ErlsConstraints& constraints, const std::vector<char>& solved);
  ~Work() override;
  // Everything that depends on which variables are independent, for the split in `constraints`.
  void follow_split(const ErlsTree& tree);

  ErlsConstraints constraints;  // with the split that `split` records, see Configuration
  std::vector<int> split;

  TreeWork<double> tree;
  KnownState known;
  ArticulatedMass articulated;                // open chains
  std::unique_ptr<ArticulatedMass> implicit;  // likewise, with parts of damping and stiffness
  double implicit_damping = 0, implicit_stiffness = 0;
  VectorX implicit_rhs;
  std::unique_ptr<LoopFactor<double>> mass_factor, real_factor;
  std::unique_ptr<LoopFactor<std::complex<double>>> complex_factor;
  CompositeMass composite;                           // in the order of `place`
  std::unique_ptr<ConstraintSolver<double>> solver;  // closed chains, or the minimum-norm gauge
  // Row of each variable of y in matrices over (independent, unknown); -1: it does not move.
  std::vector<int> place;
  MatrixX variable_matrix, variable_product, tangent_product;  // of those matrices and their projection
  VectorX beta_rhs, q_rhs;
  VectorX rhs;
  MatrixX mass;
  Eigen::LLT<MatrixX> cholesky;
  Eigen::PartialPivLU<MatrixX> lu;  // of the published variant, whose mass matrix is not symmetric
  VectorX unknown_forces, multipliers;
  std::unique_ptr<KinematicState> rigid;         // of the rigid mechanism beside deformed links
  std::vector<ErlsWrench<double>> cut_wrenches;  // on the child side of each cut joint, at its point
  std::unique_ptr<DualWork> dual;                // of linearise
};

inline const SignalValue& prescribed_motion(const Mechanism& mechanism, const Inputs& inputs, int coordinate) {
  const TreeFrame& frame = mechanism.frames()[mechanism.frame_of_coordinate(coordinate)];
  return inputs.prescribed_motion[frame.joint][frame.freedom];
}

// The generalised force of the tree on independent coordinate i: F_i + Σ_u N_ui F_u.
template <class S>
S reduced_force(const ErlsConstraints& constraints, const ConstraintSolver<S>* solver, const TreeWork<S>& work, int i) {
  S force = variable_force(work, constraints.split.independent[i]);
  if (solver != nullptr)
    for (std::size_t u = 0; u < constraints.split.unknown.size(); ++u)
      force += solver->tangent()(u, i) * variable_force(work, constraints.split.unknown[u]);
  return force;
}

// A load in the axes of its link.
template <class S>
ErlsWrench<S> wrench_in_link(const ErlsTree& constants, const NodalLoad& load, const TreeWork<S>& tree) {
  ErlsWrench<S> wrench{load.force.template cast<S>(), load.torque.template cast<S>()};
  if (load.follows_link) {  // the axes of the deformed node
    const Mat3<S> turn = erls_node_axes<S>(erls_node_turn<S>(constants, tree, load.link, load.node));
    return {Vec3<S>(turn * wrench.force), Vec3<S>(turn * wrench.torque)};
  }
  const Mat3<S>& R_W = tree.frames[constants.frame_of_link[load.link]].R_W;
  return {Vec3<S>(R_W.transpose() * wrench.force), Vec3<S>(R_W.transpose() * wrench.torque)};
}

template <class S>
ErlsWrench<S> wrench_in_link(const ErlsTree& constants, const ErlsLoad<S>& load, const TreeWork<S>& tree) {
  const Mat3<S>& R_W = tree.frames[constants.frame_of_link[load.link]].R_W;
  return {Vec3<S>(R_W.transpose() * load.wrench.force), Vec3<S>(R_W.transpose() * load.wrench.torque)};
}

// Loads on the link, what it passes on to the frames after it, and its inertia; its inboard node is held.
template <class S>
void ErlsCms::add_left_out(const SectionResidual& residual, const Inputs& inputs,
                           const std::vector<ErlsLoad<S>>& cut_loads, int link, const TreeWork<S>& tree,
                           SectionLoad<S>& load) const {
  const auto add = [&](int node, const ErlsWrench<S>& wrench) {
    add_nodal_part<S>(residual, node, wrench.force, wrench.torque, load);
  };
  for (const NodalLoad& acting : inputs.nodal_loads)
    if (acting.link == link) add(acting.node, wrench_in_link<S>(tree_, acting, tree));
  for (const ErlsLoad<S>& acting : cut_loads)
    if (acting.link == link) add(acting.node, wrench_in_link<S>(tree_, acting, tree));
  const int own = tree_.frame_of_link[link];
  for (std::size_t i = 0; i < tree_.frames.size(); ++i) {
    if (tree_.frames[i].parent != own) continue;
    const FrameWork<S>& f = tree.frames[i];
    const Vec3<S> force = f.R * f.f_w;
    Vec3<S> torque = f.R * (tree_.carried ? f.f_omega : f.f_psi);
    if (tree_.frames[i].motion == FrameMotion::prismatic) torque += f.slide.cross(force);
    add(mechanism_.frames()[i].parent_node, {Vec3<S>(-force), Vec3<S>(-torque)});
  }
  const int first = tree_.first_mode[link], count = tree_.links[link].num_modes;
  add_inertia_part<S>(residual, acceleration_field<S>(tree_, tree_.frames[own], tree, tree.frames[own], true),
                      tree.q.segment(first, count), tree.q_rate.segment(first, count),
                      tree.q_acceleration.segment(first, count), load);
}

// For the accelerations in the tree.
template <class S>
bool ErlsCms::section_of(const Inputs& inputs, const std::vector<ErlsLoad<S>>& cut_loads, int link, int node,
                         const TreeWork<S>& tree, Eigen::Matrix<S, 3, 1>& force, Eigen::Matrix<S, 3, 1>& moment) const {
  const ModalLink& body = tree_.links[link];
  const auto& sections = sections_[link];
  if (static_cast<std::size_t>(node) >= sections.size() || !sections[node].exists()) return false;
  const int frame = tree_.frame_of_link[link], first = tree_.first_mode[link], count = body.num_modes;
  section_wrench<S>(sections[node], body,
                    acceleration_field<S>(tree_, tree_.frames[frame], tree, tree.frames[frame], true),
                    tree.q.segment(first, count), tree.q_rate.segment(first, count),
                    tree.q_acceleration.segment(first, count), force, moment);
  if (!residuals_[link]) return true;
  const SectionResidual* residual = residuals_[link]->at(node, sections[node], body);
  if (residual == nullptr) return count > 0;
  SectionLoad<S> load = SectionLoad<S>::Constant(S(0.0));
  add_left_out<S>(*residual, inputs, cut_loads, link, tree, load);
  force += load.template head<3>();
  moment += load.template tail<3>();
  return true;
}

template <class S>
void ErlsCms::tree_forces(const Inputs& inputs, TreeWork<S>& tree) const {
  tree_forces<S>(inputs, {}, tree);
}

template <class S>
void ErlsCms::tree_forces(const Inputs& inputs, const std::vector<ErlsLoad<S>>& more, TreeWork<S>& tree) const {
  update_acceleration(tree_, tree);
  inertia_forces(tree_, tree, true);
  elastic_forces(tree_, tree);
  for (const NodalLoad& load : inputs.nodal_loads) {
    if (load.force.isZero(0) && load.torque.isZero(0)) continue;
    const ErlsWrench<S> wrench = wrench_in_link<S>(tree_, load, tree);
    apply_nodal_load<S>(tree_, tree, load.link, load.node, wrench.force, wrench.torque);
  }
  for (const ErlsLoad<S>& load : more) {
    const Mat3<S> to_link = tree.frames[tree_.frame_of_link[load.link]].R_W.transpose();
    apply_nodal_load<S>(tree_, tree, load.link, load.node, to_link * load.wrench.force, to_link * load.wrench.torque);
  }
  collect_forces(tree_, tree, true);
  for (int c = 0; c < tree_.num_coordinates; ++c) {
    const TreeFrame& frame = mechanism_.frames()[mechanism_.frame_of_coordinate(c)];
    const double drive = inputs.joint_forces[frame.joint][frame.freedom];
    tree.f_beta(c) -= S(drive);
    tree.f_eps(c) -= S(drive);
  }
}

// In erls_cms.cpp and jacobians.cpp.
extern template void ErlsCms::tree_forces<double>(const Inputs&, const std::vector<ErlsLoad<double>>&,
                                                  TreeWork<double>&) const;
extern template void ErlsCms::tree_forces<ErlsDual>(const Inputs&, const std::vector<ErlsLoad<ErlsDual>>&,
                                                    TreeWork<ErlsDual>&) const;

}  // namespace lithe
