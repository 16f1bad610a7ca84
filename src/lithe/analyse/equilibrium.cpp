#include "lithe/analyse/equilibrium.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "lithe/base/text.h"
#include "lithe/formulate/constrained_equations.h"

namespace lithe {
namespace {

// The force on the coordinates at rest, f = M ẍ(x, 0), with its tangent: ∂f/∂x = -K + (∂M/∂x) ẍ, where linearise()'s K
// already contains (∂M/∂x) ẍ. Near equilibrium ẍ vanishes, so that -K is the derivative of the force: Newton's steps
// are exact in the end, and damping takes care of the beginning.
class StaticForce {
 public:
  StaticForce(const Equations& equations, const EquilibriumOptions& options)
      : equations_(equations),
        constrained_(dynamic_cast<const ConstrainedEquations*>(&equations)),
        hold_joints_(options.hold_joints),
        workspace_(equations.make_workspace()),
        inputs_(make_inputs(equations.model())),
        first_(options.hold_joints ? equations.num_joint_coordinates() : 0) {
    if (options.inputs) {
      inputs_ = *options.inputs;
    } else {
      evaluate_inputs(equations.model(), options.time, inputs_);
    }
    accelerations_.values.setZero(equations.num_coordinates());
    none_ = accelerations_;
  }
  EvaluationStatus update(State& state) {
    if (constrained_) constrained_->recentre(state);
    EvaluationStatus status = equations_.evaluate(state, inputs_, *workspace_, accelerations_);
    if (status != EvaluationStatus::ok) return status;
    status = constrained_ ? equations_.linearise_about(state, inputs_, none_, *workspace_, blocks_)
                          : equations_.linearise(state, inputs_, *workspace_, blocks_);
    if (status != EvaluationStatus::ok) return status;
    force_ = blocks_.mass * accelerations_.values;
    if (constrained_) {
      allowed_ = constrained_->admissible_directions(state, inputs_, hold_joints_, *workspace_);
      force_ = (allowed_.transpose() * force_).eval();
      const MatrixX stiffness = allowed_.transpose() * blocks_.stiffness * allowed_;
      blocks_.stiffness = 0.5 * (stiffness + stiffness.transpose());
      blocks_.mass = allowed_.transpose() * blocks_.mass * allowed_;
    }
    return force_.allFinite() ? EvaluationStatus::ok : EvaluationStatus::not_finite;
  }
  VectorX free_force() const { return force_.tail(num_free()); }
  VectorX held_force() const { return force_.head(first_); }
  MatrixX free_stiffness() const { return blocks_.stiffness.bottomRightCorner(num_free(), num_free()); }
  // Newton's step of all coordinates, with a multiple of the mass added to the stiffness: a shorter and safer step.
  VectorX step(double shift) const {
    const MatrixX matrix = free_stiffness() + shift * blocks_.mass.bottomRightCorner(num_free(), num_free());
    const VectorX free = matrix.partialPivLu().solve(free_force());
    if (constrained_) return allowed_ * free;
    VectorX all = VectorX::Zero(force_.size());
    all.tail(num_free()) = free;
    return all;
  }
  bool minimises() const { return constrained_ != nullptr; }
  // Potential energy, with the work of constant forces: it falls on the way to a stable equilibrium even where the
  // residual rises, as it does when bending stretches a beam to second order.
  double potential(const State& state) {
    const Energies energies = equations_.energies(state, inputs_, *workspace_);
    double value = energies.gravity + energies.elastic;
    for (const NodalLoad& load : inputs_.nodal_loads)
      value -=
          load.force.dot(equations_.node_motion(state, inputs_, none_, load.link, load.node, *workspace_).position);
    for (std::size_t joint = 0; joint < inputs_.joint_forces.size(); ++joint)
      for (std::size_t k = 0; k < inputs_.joint_forces[joint].size(); ++k)
        if (const double force = inputs_.joint_forces[joint][k]; force != 0)
          value -=
              force *
              equations_.joint_motion(state, inputs_, none_, static_cast<int>(joint), static_cast<int>(k), *workspace_)
                  .value;
    return value;
  }
  // The largest force on a coordinate; where directions are arbitrary, their common length.
  double residual() const {
    const VectorX force = free_force();
    if (force.size() == 0) return 0;
    return constrained_ ? force.norm() : force.cwiseAbs().maxCoeff();
  }
  bool accept(State& state) { return equations_.accept(state, inputs_, *workspace_); }
  bool stable() const {
    const MatrixX k = free_stiffness();
    return Eigen::LLT<MatrixX>(0.5 * (k + k.transpose())).info() == Eigen::Success;
  }

 private:
  int num_free() const { return static_cast<int>(force_.size()) - first_; }

  const Equations& equations_;
  const ConstrainedEquations* constrained_;
  bool hold_joints_;
  std::unique_ptr<Workspace> workspace_;
  Inputs inputs_;
  int first_;
  Accelerations accelerations_, none_;
  LinearBlocks blocks_;
  VectorX force_;
  MatrixX allowed_;  // of constrained equations: the directions in which the state may move
};

double largest(const VectorX& values) { return values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0.0; }

void report(Equilibrium& result, const StaticForce& force, const Equations& equations) {
  result.stable = force.stable();
  result.holding_forces = VectorX::Zero(equations.num_joint_coordinates());
  const VectorX held = force.held_force();
  result.holding_forces.head(held.size()) = -held;
  if (result.converged) {
    result.message = cat(result.stable ? "stable" : "unstable", " equilibrium after ", result.iterations,
                         " iterations, residual ", result.residual);
  } else if (result.message.empty()) {
    result.message = cat("no equilibrium found in ", result.iterations, " iterations, residual ", result.residual,
                         "; start nearer to it or hold the joints");
  }
}

}  // namespace

Equilibrium equilibrium(const Equations& equations, const State& start, const EquilibriumOptions& options) {
  Equilibrium result;
  result.state = start;
  result.state.speeds.setZero();
  StaticForce force(equations, options);
  const EvaluationStatus status = force.update(result.state);
  if (status != EvaluationStatus::ok) {
    result.message = cat("no equilibrium: ", describe(status));
    return result;
  }
  result.residual = force.residual();
  const double goal = options.tolerance * std::max({result.residual, largest(force.held_force()), 1e-12});
  double shift = 0;
  constexpr double longest_step = 0.5;  // rad, or of a coordinate's unit
  constexpr double rounding = 1e-14;    // likewise
  while (result.iterations < options.max_iterations && result.residual > goal) {
    ++result.iterations;
    VectorX step = force.step(shift);
    if (shift == 0 && largest(step) <= rounding) {  // the forces' own rounding moves it no further
      result.converged = true;
      break;
    }
    if (const double size = largest(step); size > longest_step) step *= longest_step / size;
    State trial = result.state;
    trial.coordinates += step;
    const bool good = step.allFinite() && force.update(trial) == EvaluationStatus::ok;
    const double residual = good ? force.residual() : 0;
    const bool lower = good && force.minimises() && force.potential(trial) < force.potential(result.state);
    if (good && (residual < result.residual || residual <= goal || lower)) {
      force.accept(trial);
      result.state = trial;
      result.residual = residual;
      shift = shift > 1 ? 0.1 * shift : 0;
    } else {
      shift = shift > 0 ? 10 * shift : 1;
    }
    if (force.update(result.state) != EvaluationStatus::ok || shift > 1e16) break;
  }
  result.converged = result.converged || result.residual <= goal;
  report(result, force, equations);
  return result;
}

State start_state(const Equations& equations) {
  const State start = equations.initial_state();
  if (!equations.model().initial_posture.static_equilibrium) return start;
  // A posture stated in full (a value for every freedom) is kept, and only the links settle.
  std::ptrdiff_t num_given = 0;
  for (const Joint& joint : equations.model().joints)
    num_given += std::count(joint.initial_value_given.begin(), joint.initial_value_given.end(), true);
  EquilibriumOptions options;
  const auto* constrained = dynamic_cast<const ConstrainedEquations*>(&equations);
  options.hold_joints = num_given >= (constrained ? constrained->mobility() : equations.num_joint_coordinates());
  const Equilibrium found = equilibrium(equations, start, options);
  if (!found.converged) throw InputError(cat("initial posture: ", found.message));
  return found.state;
}

}  // namespace lithe
