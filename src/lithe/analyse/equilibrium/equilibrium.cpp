#include "lithe/analyse/equilibrium/equilibrium.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "lithe/analyse/equilibrium/sprung.h"
#include "lithe/analyse/linear/linearise.h"
#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/capabilities.h"
#include "lithe/model/control_setup.h"

namespace lithe {
namespace {

// Which joint coordinates have a spring of their own.
std::vector<bool> sprung_coordinates(const Equations& equations) {
  std::vector<bool> result(static_cast<std::size_t>(equations.num_joint_coordinates()), false);
  const Mechanism mechanism(equations.model());
  const std::vector<std::string> names = equations.coordinate_names();
  for (int c = 0; c < mechanism.num_coordinates(); ++c) {
    const TreeFrame& frame = mechanism.frames()[mechanism.frame_of_coordinate(c)];
    const auto at =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), mechanism.coordinate_name(c)) - names.begin());
    if (at < result.size() && is_sprung(equations.model().joints[frame.joint], frame.freedom)) result[at] = true;
  }
  return result;
}

// The force on the coordinates at rest, f = M ẍ(x, 0), with its tangent -K, K taken at no accelerations: Newton's steps
// are exact, and damping takes care of the beginning.
class StaticForce {
 public:
  StaticForce(const Equations& equations, const EquilibriumOptions& options)
      : equations_(equations),
        constrained_(as_constrained(equations)),
        held_(options.hold_all_joints ? HeldJoints::all
              : options.hold_unsprung ? HeldJoints::unsprung
                                      : HeldJoints::none),
        steady_(options.steady),
        workspace_(equations.make_workspace()),
        inputs_(make_inputs(equations.model())),
        first_(options.hold_all_joints && options.held_inputs.cols() == 0 ? equations.num_joint_coordinates() : 0),
        held_inputs_(options.held_inputs) {
    if (options.hold_unsprung && !constrained_ && held_inputs_.cols() == 0) hold_unsprung();
    if (held_inputs_.cols() > 0)
      allowed_ = orthogonal_factor(held_inputs_).rightCols(held_inputs_.rows() - held_inputs_.cols());
    if (options.inputs) {
      inputs_ = *options.inputs;
    } else {
      evaluate_inputs(equations.model(), options.time, inputs_);
      bring_to_rest(inputs_);
    }
    full_ = inputs_;
    accelerations_.values.setZero(equations.num_coordinates());
    none_ = accelerations_;
  }
  // A part of all that acts: gravity, loads, drives, and the inertia of a steady motion.
  void set_load(double part) {
    load_ = part;
    constrained_->scale_gravity(part, *workspace_);
    for (std::size_t j = 0; j < inputs_.joint_forces.size(); ++j)
      for (std::size_t k = 0; k < inputs_.joint_forces[j].size(); ++k)
        inputs_.joint_forces[j][k] = part * full_.joint_forces[j][k];
    for (std::size_t i = 0; i < inputs_.nodal_loads.size(); ++i) {
      inputs_.nodal_loads[i].force = part * full_.nodal_loads[i].force;
      inputs_.nodal_loads[i].torque = part * full_.nodal_loads[i].torque;
    }
  }
  EvaluationStatus update(State& state) {
    if (constrained_) return update_constrained(state);
    EvaluationStatus status = equations_.evaluate(state, inputs_, *workspace_, accelerations_);
    if (status == EvaluationStatus::ok)
      status = equations_.linearise_about(state, inputs_, none_, *workspace_, blocks_);
    if (status != EvaluationStatus::ok) return status;
    force_ = blocks_.mass * accelerations_.values;
    if (holds_inputs()) project();
    return force_.allFinite() ? EvaluationStatus::ok : EvaluationStatus::not_finite;
  }
  EvaluationStatus update_constrained(State& state) {
    constrained_->recentre(state);
    state.speeds.setZero();
    if (steady_ && !move_steadily(state)) return EvaluationStatus::loop_not_closed;
    ConstrainedLinearisation linear;
    const EvaluationStatus status =
        constrained_->linearise_constrained(state, inputs_, none_.values, *workspace_, linear);
    if (status != EvaluationStatus::ok) return status;
    allowed_ = held_ == HeldJoints::none ? linear.directions
                                         : constrained_->admissible_directions(state, inputs_, held_, *workspace_);
    const MatrixX among = linear.onto * allowed_;
    force_ = among.transpose() * linear.force;
    blocks_.stiffness = among.transpose() * linear.stiffness * among;
    blocks_.mass = among.transpose() * linear.mass * among;
    return force_.allFinite() ? EvaluationStatus::ok : EvaluationStatus::not_finite;
  }
  VectorX free_force() const { return force_.tail(num_free()); }
  VectorX held_force() const { return holds_inputs() ? all_forces_ : VectorX(force_.head(first_)); }
  bool holds_inputs() const { return held_inputs_.cols() > 0; }
  const std::vector<int>& held_coordinates() const { return held_coordinates_; }
  VectorX holding_inputs() const { return PivotedQr(held_inputs_).solve(-all_forces_); }
  MatrixX free_stiffness() const { return blocks_.stiffness.bottomRightCorner(num_free(), num_free()); }
  // Newton's step of all coordinates, with a multiple of the mass added to the stiffness: a shorter and safer step.
  VectorX step(double shift) const {
    const MatrixX matrix = free_stiffness() + shift * blocks_.mass.bottomRightCorner(num_free(), num_free());
    const VectorX free = matrix.partialPivLu().solve(free_force());
    if (constrained_ || holds_inputs()) return allowed_ * free;
    VectorX all = VectorX::Zero(force_.size());
    all.tail(num_free()) = free;
    return all;
  }
  // Follower loads have no potential.
  bool minimises() const { return !steady_ && !follows(); }
  bool is_constrained() const { return constrained_ != nullptr; }
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
    return constrained_ || holds_inputs() ? force.norm() : force.cwiseAbs().maxCoeff();
  }
  bool accept(State& state) { return equations_.accept(state, inputs_, *workspace_); }
  // Stiffness, with the mass the identity, in every free direction.
  bool is_held() const {
    const MatrixX k = free_stiffness();
    if (k.size() == 0) return false;
    const VectorX levels = symmetric_values(0.5 * (k + k.transpose())).values;
    return levels[0] > 1e-12 * levels[levels.size() - 1];
  }
  // With follower loads K is not symmetric: no motion may grow where all eigenvalues of M⁻¹ K are real and positive.
  bool stable() const {
    const MatrixX k = free_stiffness();
    if (follows() && k.size() > 0) {
      const MatrixX m = blocks_.mass.bottomRightCorner(num_free(), num_free());
      const Eigen::VectorXcd squares = complex_values(m.llt().solve(k)).values;
      const double rounding = 1e-9 * squares.cwiseAbs().maxCoeff();
      return squares.real().minCoeff() > 0 && squares.imag().cwiseAbs().maxCoeff() <= rounding;
    }
    return Eigen::LLT<MatrixX>(0.5 * (k + k.transpose())).info() == Eigen::Success;
  }

 private:
  void hold_unsprung() {
    const std::vector<bool> sprung = sprung_coordinates(equations_);
    for (std::size_t c = 0; c < sprung.size(); ++c)
      if (!sprung[c]) held_coordinates_.push_back(static_cast<int>(c));
    if (held_coordinates_.size() == sprung.size()) {
      held_coordinates_.clear();
      first_ = equations_.num_joint_coordinates();
      return;
    }
    held_inputs_ = MatrixX::Zero(equations_.num_coordinates(), static_cast<Eigen::Index>(held_coordinates_.size()));
    for (std::size_t k = 0; k < held_coordinates_.size(); ++k)
      held_inputs_(held_coordinates_[k], static_cast<Eigen::Index>(k)) = 1;
  }
  bool move_steadily(State& state) {
    const double speed = std::sqrt(load_) * steady_->speed;
    inputs_.prescribed_motion[steady_->joint][steady_->freedom].rate = speed;
    return constrained_->steady_velocities(state, inputs_, steady_->joint, steady_->freedom, speed, *workspace_,
                                           state.speeds);
  }
  int num_free() const { return static_cast<int>(force_.size()) - first_; }
  // Onto the directions that leave the held displacements as they are.
  void project() {
    all_forces_ = force_;
    force_ = allowed_.transpose() * all_forces_;
    blocks_.stiffness = (allowed_.transpose() * blocks_.stiffness * allowed_).eval();
    blocks_.mass = (allowed_.transpose() * blocks_.mass * allowed_).eval();
  }
  bool follows() const {
    return std::any_of(full_.nodal_loads.begin(), full_.nodal_loads.end(), [](const NodalLoad& load) {
      return load.follows_link && !(load.force.isZero(0) && load.torque.isZero(0));
    });
  }

  const Equations& equations_;
  const ConstrainedEquations* constrained_;
  HeldJoints held_;
  std::optional<SteadyTurn> steady_;
  double load_ = 1;
  std::unique_ptr<Workspace> workspace_;
  Inputs inputs_, full_;  // now, and with the whole load
  int first_;
  Accelerations accelerations_, none_;
  LinearBlocks blocks_;
  VectorX force_;
  MatrixX held_inputs_;
  std::vector<int> held_coordinates_;  // that held inputs stand for, where springs settle
  VectorX all_forces_;                 // with held inputs: on all coordinates, before they are projected
  MatrixX allowed_;  // of constrained equations, or with held inputs: the directions in which the state may move
};

double largest(const VectorX& values) { return values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0.0; }

// Two digits of what is rounding.
std::string size_of(double value) {
  std::ostringstream text;
  text.precision(2);
  text << value;
  return text.str();
}

void report(Equilibrium& result, const StaticForce& force, const Equations& equations) {
  result.stable = force.stable();
  result.holding_forces = VectorX::Zero(equations.num_joint_coordinates());
  if (force.holds_inputs()) {
    result.holding_inputs = force.holding_inputs();
    for (std::size_t k = 0; k < force.held_coordinates().size(); ++k)
      result.holding_forces[force.held_coordinates()[k]] = result.holding_inputs[static_cast<Eigen::Index>(k)];
  } else {
    const VectorX held = force.held_force();
    result.holding_forces.head(held.size()) = -held;
  }
  if (result.converged) {
    result.message = cat(result.stable ? "stable" : "unstable", " equilibrium after ", result.iterations,
                         " iterations, residual ", size_of(result.residual));
  } else if (result.message.empty()) {
    result.message = cat("no equilibrium found in ", result.iterations, " iterations, residual ",
                         size_of(result.residual), "; start nearer to it or hold the joints");
  }
}

constexpr double longest_newton_step = 0.5;  // rad, or of a coordinate's unit
constexpr double step_rounding = 1e-14;      // likewise

VectorX limited(VectorX step) {
  const double size = largest(step);
  return size > longest_newton_step ? VectorX(step * (longest_newton_step / size)) : step;
}

// Plain Newton's iteration with the exact tangent: large rotations make the residual rise before it falls.
bool newton(StaticForce& force, State& state, double goal, int& iterations) {
  constexpr int most = 20;
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < most; ++i, ++iterations) {
    if (force.update(state) != EvaluationStatus::ok) return false;
    if (force.residual() <= goal) return true;
    const VectorX step = force.step(0);
    const double size = largest(step);
    if (!step.allFinite() || (i > 4 && size > 4 * last)) return false;
    if (size <= step_rounding || (size <= 1e-10 && last <= 1e-10 && size >= 0.5 * last)) return true;
    last = size;
    state.coordinates += limited(step);
    force.accept(state);
  }
  return false;
}

// The load grows in steps that Newton's iteration can follow; what part of it was reached.
double raise_load(StaticForce& force, Equilibrium& result, double goal, int most_iterations) {
  constexpr double least_step = 1e-4;
  double reached = 0, step = 1;
  while (reached < 1 && step >= least_step && result.iterations < most_iterations) {
    const double target = std::min(1.0, reached + step);
    State trial = result.state;
    const int before = result.iterations;
    force.set_load(target);
    if (newton(force, trial, goal, result.iterations)) {
      reached = target;
      result.state = std::move(trial);
      if (result.iterations - before <= 8) step *= 2;
    } else {
      step *= reached == 0 && step == 1 ? 0.125 : 0.5;
    }
  }
  return reached;
}

// Whether what rests without a load is held by stiffness alone; then the load can be raised from nothing.
bool rests_unloaded(StaticForce& force, const State& start) {
  State state = start;
  force.set_load(0);
  const bool held = force.update(state) == EvaluationStatus::ok && force.is_held();
  force.set_load(1);
  return force.update(state) == EvaluationStatus::ok && held;
}

// Newton's iteration with a multiple of the mass added to the stiffness where the potential would rise or, on short
// steps, the residual: from afar a smaller residual may lie on the way up.
void settle(StaticForce& force, Equilibrium& result, double goal, int most_iterations) {
  constexpr double short_step = 0.1;  // rad, or of a coordinate's unit
  double shift = 0;
  bool rejected = false;
  while (result.iterations < most_iterations && result.residual > goal) {
    ++result.iterations;
    const VectorX step = force.step(shift);
    if (shift == 0 && largest(step) <= step_rounding) {  // the forces' own rounding moves it no further
      result.converged = true;
      break;
    }
    State trial = result.state;
    trial.coordinates += limited(step);
    if (step.allFinite()) force.accept(trial);  // what brings it back onto constraints counts
    const bool lower = step.allFinite() && force.minimises() && force.potential(trial) < force.potential(result.state);
    const bool judged_by_residual = !force.minimises() || largest(step) <= short_step;
    const bool promising = step.allFinite() && (lower || judged_by_residual);
    const bool good = promising && force.update(trial) == EvaluationStatus::ok;
    const double residual = good ? force.residual() : 0;
    if (good && (lower || residual < result.residual || residual <= goal)) {
      result.state = trial;
      result.residual = residual;
      if (!rejected) shift = shift > 1 ? 0.2 * shift : 0;
      rejected = false;
      continue;
    }
    shift = shift > 0 ? 3 * shift : 1;
    rejected = true;
    if (shift > 1e16 || (promising && force.update(result.state) != EvaluationStatus::ok)) break;
  }
  result.converged = result.converged || result.residual <= goal;
}

}  // namespace

void bring_to_rest(Inputs& inputs) {
  for (std::vector<SignalValue>& joint : inputs.prescribed_motion)
    for (SignalValue& freedom : joint) freedom = {freedom.value, 0, 0};
}

Equilibrium equilibrium(const Equations& equations, const State& start, const EquilibriumOptions& options) {
  Equilibrium result;
  result.state = start;
  result.state.speeds.setZero();
  StaticForce force(equations, options);
  const EvaluationStatus status = force.update(result.state);
  if (status != EvaluationStatus::ok) {
    result.message = options.steady && status == EvaluationStatus::loop_not_closed
                         ? std::string("what lies beyond the joint cannot move with it as one")
                         : cat("no equilibrium: ", describe(status));
    return result;
  }
  result.residual = force.residual();
  const double goal = options.tolerance * std::max({result.residual, largest(force.held_force()), 1e-12});
  double reached = 1;
  if (force.is_constrained() && result.residual > goal && rests_unloaded(force, result.state)) {
    const State begin = result.state;
    reached = raise_load(force, result, goal, 10 * options.max_iterations);
    result.converged = reached == 1;
    force.set_load(1);
    if (!result.converged) result.state = begin;
    force.update(result.state);
    result.residual = force.residual();
  }
  // Where the links are stiff, constraints bend the way of the joints, which then have to go in small steps.
  const int most = (force.is_constrained() ? 10 : 1) * options.max_iterations;
  if (!result.converged) settle(force, result, goal, result.iterations + most);
  if (!result.converged && reached < 1)
    result.message =
        cat("no equilibrium found in ", result.iterations, " iterations: from the unloaded rest the load could be ",
            "raised to ", 100 * reached, " % of its value; beyond there may be none nearby (buckling)");
  report(result, force, equations);
  return result;
}

namespace {

bool is_controlled(const Model& model, int joint, int freedom) {
  if (!model.control) return false;
  for (const ControllerSetup& controller : model.control->controllers)
    for (const Actuator& actuator : controller.actuators)
      if (actuator.joint == joint && actuator.freedom == freedom) return true;
  return false;
}

// An elastic gearbox: a spring on a freedom that no controller drives, in a mechanism with controllers.
bool has_passive_spring(const Model& model) {
  if (!model.control || model.control->controllers.empty()) return false;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t k = 0; k < model.joints[j].stiffness.size(); ++k)
      if (model.joints[j].stiffness[k] > 0 && !is_controlled(model, static_cast<int>(j), static_cast<int>(k)))
        return true;
  return false;
}

// Of the freedoms that controllers hold and of those with a stated value and no spring; the first alone where loops
// make both depend on each other.
MatrixX held_while_springs_settle(const Equations& equations, const State& start) {
  const Model& model = equations.model();
  std::vector<LinearInput> driven, stated;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    for (std::size_t k = 0; k < joint.stiffness.size(); ++k) {
      LinearInput input;
      input.joint = static_cast<int>(j);
      input.freedom = static_cast<int>(k);
      if (is_controlled(model, input.joint, input.freedom)) {
        driven.push_back(input);
      } else if (joint.initial_value_given[k] && joint.stiffness[k] == 0) {
        stated.push_back(input);
      }
    }
  }
  const auto matrix_of = [&](const std::vector<LinearInput>& inputs) {
    Inputs acting = make_inputs(model);
    evaluate_inputs(model, start.time, acting);
    bring_to_rest(acting);
    return linearise(equations, start, acting, inputs, LinearAbout::held).model.input;
  };
  std::vector<LinearInput> all = driven;
  all.insert(all.end(), stated.begin(), stated.end());
  const MatrixX both = matrix_of(all);
  return both.size() > 0 && PivotedQr(both).rank() == both.cols() ? both : matrix_of(driven);
}

}  // namespace

State start_state(const Equations& equations) {
  State start = equations.initial_state();
  if (!equations.model().initial_configuration.static_equilibrium) return start;
  // A configuration stated in full (a value for every freedom) is kept, and only the links settle.
  std::ptrdiff_t num_given = 0;
  for (const Joint& joint : equations.model().joints)
    num_given += std::count(joint.initial_value_given.begin(), joint.initial_value_given.end(), true);
  EquilibriumOptions options;
  const auto* constrained = as_constrained(equations);
  if (!has_passive_spring(equations.model())) {
    options.hold_all_joints = num_given >= (constrained ? constrained->mobility() : equations.num_joint_coordinates());
  } else if (constrained) {
    options.hold_unsprung = true;
  } else {
    start.speeds.setZero();
    options.held_inputs = held_while_springs_settle(equations, start);
  }
  const Equilibrium found = equilibrium(equations, start, options);
  if (!found.converged) throw InputError(cat("initial configuration: ", found.message));
  return found.state;
}

}  // namespace lithe
