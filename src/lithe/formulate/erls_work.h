// What a thread needs to evaluate ErlsCms; shared by the sources that implement it.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "lithe/formulate/erls_articulated.h"
#include "lithe/formulate/erls_cms.h"
#include "lithe/formulate/erls_mass.h"
#include "lithe/formulate/erls_observe_inl.h"
#include "lithe/formulate/erls_tree_inl.h"

namespace lithe {

// What the positions and velocities in a Work belong to, so that those who ask for many things at one state (sensors,
// energies, powers) do not solve the loops for each of them. The posture is the start of that solution and belongs to
// it: results depend on the arguments alone to the last bit.
struct KnownState {
  bool valid = false, mass_factorised = false;
  bool observed = false;  // the frames' accelerations are those of `accelerations`
  VectorX coordinates, speeds, posture, accelerations;
  std::vector<Quaternion> references;
  std::vector<SignalValue> prescribed;
};

struct ErlsCms::Work : Workspace {
  Work(const ErlsTree& tree, const ErlsConstraints& constraints, const std::vector<char>& solved);
  ~Work() override;
  // Everything that depends on which variables are independent, for the split in `constraints`.
  void follow_split(const ErlsTree& tree);

  ErlsConstraints constraints;  // with the split that `split` records, see Posture
  std::vector<int> split;

  TreeWork<double> tree;
  KnownState known;
  ArticulatedMass articulated;                // open chains
  std::unique_ptr<ArticulatedMass> implicit;  // likewise, with parts of damping and stiffness
  double implicit_damping = 0, implicit_stiffness = 0;
  VectorX implicit_rhs;
  CompositeMass composite;                           // in the order of `place`
  std::unique_ptr<ConstraintSolver<double>> solver;  // closed chains, or the minimum-norm gauge
  // Row of each variable of y in matrices over (independent, unknown); -1: it does not move.
  std::vector<int> place;
  MatrixX variable_matrix, variable_product, tangent_product;  // of those matrices and their projection
  VectorX beta_rhs, q_rhs;
  mutable VectorX bend_scratch;
  VectorX rhs;
  MatrixX mass;
  Eigen::LLT<MatrixX> cholesky;
  Eigen::PartialPivLU<MatrixX> lu;  // of the published variant, whose mass matrix is not symmetric
  VectorX unknown_forces, multipliers;
  std::vector<ErlsWrench<double>> cut_wrenches;  // on the child side of each cut joint, at its point
  std::unique_ptr<DualWork> dual;                // of linearise
};

// The generalised force of the tree on independent coordinate i: F_i + Σ_u N_ui F_u.
template <class S>
S reduced_force(const ErlsConstraints& constraints, const ConstraintSolver<S>* solver, const TreeWork<S>& work, int i) {
  S force = variable_force(work, constraints.split.independent[i]);
  if (solver != nullptr)
    for (std::size_t u = 0; u < constraints.split.unknown.size(); ++u)
      force += solver->tangent()(u, i) * variable_force(work, constraints.split.unknown[u]);
  return force;
}

// For the accelerations in the tree.
template <class S>
bool ErlsCms::section_of(int link, int node, const TreeWork<S>& tree, Eigen::Matrix<S, 3, 1>& force,
                         Eigen::Matrix<S, 3, 1>& moment) const {
  const ModalLink& body = tree_.links[link];
  if (body.num_modes == 0 || !sections_[link][node].exists()) return false;
  const int frame = tree_.frame_of_link[link], first = tree_.first_mode[link], count = body.num_modes;
  section_wrench<S>(sections_[link][node], body, acceleration_field<S>(tree_.frames[frame], tree.frames[frame], true),
                    tree.strain.segment(first, count), tree.strain_rate.segment(first, count),
                    tree.strain_acceleration.segment(first, count), force, moment);
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
    Vec3<S> force = load.force.template cast<S>(), torque = load.torque.template cast<S>();
    if (!load.follows_link) {
      const Mat3<S>& R_W = tree.frames[tree_.frame_of_link[load.link]].R_W;
      force = (R_W.transpose() * force).eval();
      torque = (R_W.transpose() * torque).eval();
    }
    apply_nodal_load<S>(tree_, tree, load.link, load.node, force, torque);
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

}  // namespace lithe
