// From the independent coordinates x to all variables y = (β, ε, q) of the tree, with rates and accelerations.
//   y = y(x, t),   ẏ = N ẋ + …,   ÿ = N ẍ + b
// Open chains with the encoder gauge need none of this: there y is x.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lithe/formulate/erls/loops/constraints.h"
#include "lithe/formulate/numerics/small_lu.h"

namespace lithe {

enum class Gauge {
  encoder,       // θ is what an encoder at the joint reads: no elastic displacement along the free direction
  minimum_norm,  // [CMS]: rigid modal coordinates of least norm
};

// Which variables are independent, prescribed and unknown, as indices into y, and which constraint rows determine the
// unknown ones.
struct VariableSplit {
  std::vector<int> independent;  // x: joint coordinates, then elastic ones
  std::vector<int> prescribed;   // β that a drive moves
  std::vector<int> unknown;      // β, then ε, then q; of deformed links, which have no ε, all by the elastic rows
  std::vector<int> closure_rows, elastic_rows;
  std::vector<int> gauge_coordinates;  // independent β whose ε the minimum-norm gauge determines
  int num_joint_coordinates = 0;       // how many of `independent` are β
  int num_unknown_joints = 0;          // how many of `unknown` are β

  int num_rows() const {
    return static_cast<int>(closure_rows.size() + elastic_rows.size() + gauge_coordinates.size());
  }
  bool open() const { return unknown.empty(); }
};

// Everything constant about the constraints.
struct ErlsConstraints {
  std::vector<LoopJoint> loops;
  VariableSplit split;
  int num_loop_rows = 0;
  int num_charts = 0;
};

// Chooses the split at a configuration whose loops are closed: joint coordinates as kinematics/independent.h does,
// constraint rows and dependent elastic coordinates (overconstrained loops, Pitfall 3 of the formulation notes) by
// elimination with full pivoting. Throws InputError where the joints declared independent cannot be.
void choose_split(const Model& model, const Mechanism& mechanism, const ErlsTree& tree,
                  const Configuration& configuration, TreeWork<double>& work, Gauge gauge,
                  ErlsConstraints& constraints);

// The closure rows and dependent modes of an overconstrained loop, as a state's configuration keeps them, and the split
// that they belong to, from the one at the start. Only modes change places: one that was independent at the start and
// is not any more lends its place among the independent variables to one that has become so. Throws InputError for
// numbers of another mechanism.
std::vector<int> recorded_split(const ErlsTree& tree, const VariableSplit& split);
void restore_split(const std::vector<int>& record, const ErlsTree& tree, ErlsConstraints& constraints);

// Another choice of closure rows and dependent modes, at closed loops with displacements in `work`, if its pivots are
// at least twice as large; empty: the present one serves as well.
std::vector<int> better_split(const ErlsTree& tree, const TreeWork<double>& work, const ErlsConstraints& constraints);

// What the constraint rows need besides the tree's work; sized once.
template <class S>
struct ConstraintScratch {
  ConstraintScratch(const ErlsTree& tree, const ErlsConstraints& constraints);

  VecX<S> rows;                                  // the result, in the order closure, elastic, gauge
  VecX<S> closure, elastic;                      // all loop rows
  VecX<S> momentum;                              // per tree coordinate
  std::vector<Vec3<S>> linear, angular;          // per frame
  MatX<S> closure_jacobians, elastic_jacobians;  // of the loop rows, by β and by y
  MatX<S> transposed, along_dependent;
  SmallLu<S> loop_factor;
};

// Lanes of a Jacobian sweep with Dual numbers, which the minimum-norm gauge needs; loops alone have loop_jacobians().
constexpr int jacobian_lanes = 8;

// Solves the constraints with numbers of type S.
template <class S>
class ConstraintSolver {
 public:
  ConstraintSolver(const ErlsTree& tree, const ErlsConstraints& constraints);

  // Newton for the unknown variables in `work`, the others given there. False: not converged.
  bool solve_position(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work, int max_iterations);
  // N and its part for prescribed coordinates, right after solve_position(); leaves all frames displaced.
  bool solve_tangent(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work);
  // Rates of the unknown variables.
  void solve_velocity(const ErlsConstraints& constraints, TreeWork<S>& work);
  // The part of the unknown variables' accelerations that velocities cause; needs velocities.
  void solve_bias(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work);
  // Acceleration of the unknown variables for given ones of the others, of which the independent ones may be known to
  // vanish; needs the bias.
  void solve_acceleration(const ErlsConstraints& constraints, TreeWork<S>& work, bool independent_vanish = false);

  // The smallest pivot of Ξ_u as a part of its column, at the last solve_tangent().
  double conditioning() const { return conditioning_; }
  // ∂unknown/∂independent
  const MatX<S>& tangent() const { return tangent_; }
  // ∂Λ/∂y of all loop rows, at the last solve_tangent(); encoder gauge only.
  const MatX<S>& elastic_jacobians() const { return scratch_.elastic_jacobians; }
  // ∂unknown/∂prescribed
  const MatX<S>& prescribed_tangent() const { return prescribed_tangent_; }
  // Multipliers of the constraint rows that balance forces F on the unknown variables: Ξ_uᵀ λ = -F.
  void multipliers(const VecX<S>& forces, VecX<S>& result) const;
  // What the unknown variables do about residuals of the constraint rows: Ξ_u X = B, in place.
  void solve_unknown(Eigen::Ref<MatX<S>> right_sides) const { factor_.solve(right_sides); }

 private:
  // Columns of ∂Ξ/∂y at the position in `work`; of loops from the derivatives in the scratch.
  void jacobian(const ErlsTree& tree, const ErlsConstraints& constraints, const TreeWork<S>& work,
                const std::vector<int>& variables, MatX<S>& result);
  void sweep_jacobian(const ErlsTree& tree, const ErlsConstraints& constraints, const TreeWork<S>& work,
                      const std::vector<int>& variables, MatX<S>& result);

  bool close_loops(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work, int max_iterations);
  bool close_deformed(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work, int max_iterations);
  bool solve_elastic(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work);
  bool solve_together(const ErlsTree& tree, const ErlsConstraints& constraints, TreeWork<S>& work, int max_iterations);

  // Derivatives of the minimum-norm gauge.
  struct GaugeWork {
    GaugeWork(const ErlsTree& tree, const ErlsConstraints& constraints);
    TreeWork<Dual<S, jacobian_lanes>> jacobians;
    TreeWork<Dual<Dual<S, 1>, 1>> curvatures;
    ConstraintScratch<Dual<S, jacobian_lanes>> jacobian_scratch;
    ConstraintScratch<Dual<Dual<S, 1>, 1>> curvature_scratch;
  };

  std::unique_ptr<GaugeWork> gauge_;
  LoopMotion<S> motion_;
  double conditioning_ = 1;
  MatX<S> by_unknown_, by_independent_, inverse_, tangent_, prescribed_tangent_;
  VecX<S> along_, across_;  // rates or accelerations of the independent and of the unknown variables
  SmallLu<S> factor_, closure_factor_, elastic_factor_;
  MatX<S> closure_matrix_, closure_step_, elastic_matrix_, elastic_step_;
  MatX<S> right_side_, bias_;
  ConstraintScratch<S> scratch_;
};

// Access to y = (β, ε, q) by one index.
template <class S>
S& variable(TreeWork<S>& work, int index) {
  const int n = static_cast<int>(work.beta.size());
  return index < n ? work.beta(index) : index < 2 * n ? work.eps(index - n) : work.q(index - 2 * n);
}
template <class S>
S& variable_rate(TreeWork<S>& work, int index) {
  const int n = static_cast<int>(work.beta.size());
  return index < n ? work.beta_rate(index) : index < 2 * n ? work.eps_rate(index - n) : work.q_rate(index - 2 * n);
}
template <class S>
S& variable_acceleration(TreeWork<S>& work, int index) {
  const int n = static_cast<int>(work.beta.size());
  return index < n       ? work.beta_acceleration(index)
         : index < 2 * n ? work.eps_acceleration(index - n)
                         : work.q_acceleration(index - 2 * n);
}
template <class S>
const S& variable_force(const TreeWork<S>& work, int index) {
  const int n = static_cast<int>(work.beta.size());
  return index < n ? work.f_beta(index) : index < 2 * n ? work.f_eps(index - n) : work.f_q(index - 2 * n);
}

}  // namespace lithe
