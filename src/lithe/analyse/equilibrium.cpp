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
    evaluate_inputs(equations.model(), options.time, inputs_);
    accelerations_.values.setZero(equations.num_coordinates());
  }
  EvaluationStatus update(State& state) {
    if (constrained_) constrained_->recentre(state);
    EvaluationStatus status = equations_.evaluate(state, inputs_, *workspace_, accelerations_);
    if (status != EvaluationStatus::ok) return status;
    status = equations_.linearise(state, inputs_, *workspace_, blocks_);
    if (status != EvaluationStatus::ok) return status;
    force_ = blocks_.mass * accelerations_.values;
    if (constrained_) {
      allowed_ = constrained_->admissible_directions(state, inputs_, hold_joints_, *workspace_);
      force_ = (allowed_.transpose() * force_).eval();
      blocks_.stiffness = allowed_.transpose() * blocks_.stiffness * allowed_;
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
  Accelerations accelerations_;
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
  result.residual = largest(force.free_force());
  const double goal = options.tolerance * std::max({result.residual, largest(force.held_force()), 1e-12});
  double shift = 0;
  constexpr double longest_step = 0.5;  // rad, or of a coordinate's unit
  while (result.iterations < options.max_iterations && result.residual > goal) {
    ++result.iterations;
    VectorX step = force.step(shift);
    if (const double size = largest(step); size > longest_step) step *= longest_step / size;
    State trial = result.state;
    trial.coordinates += step;
    const bool good = step.allFinite() && force.update(trial) == EvaluationStatus::ok;
    const double residual = good ? largest(force.free_force()) : 0;
    if (good && (residual < result.residual || residual <= goal)) {
      force.accept(trial);
      result.state = trial;
      result.residual = residual;
      shift = shift > 1 ? 0.1 * shift : 0;
    } else {
      shift = shift > 0 ? 10 * shift : 1;
    }
    if (force.update(result.state) != EvaluationStatus::ok || shift > 1e16) break;
  }
  result.converged = result.residual <= goal;
  report(result, force, equations);
  return result;
}

}  // namespace lithe
