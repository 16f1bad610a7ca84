#include "lithe/analyse/stability/steady_motion.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/capabilities.h"

namespace lithe {
namespace {

bool is_prescribed(const Model& model, const SteadyFreedom& freedom) {
  return std::any_of(model.drives.begin(), model.drives.end(), [&](const Drive& drive) {
    return drive.prescribes_motion && drive.joint == freedom.joint && drive.freedom == freedom.freedom;
  });
}

// Rate of a joint freedom per unit rate of a coordinate, at rest.
double joint_rate(const Equations& equations, State state, const Inputs& inputs, int coordinate,
                  const SteadyFreedom& freedom, Workspace& workspace) {
  state.speeds = VectorX::Unit(equations.num_coordinates(), coordinate);
  Accelerations none;
  none.values = VectorX::Zero(equations.num_coordinates());
  return equations.joint_motion(state, inputs, none, freedom.joint, freedom.freedom, workspace).rate;
}

// Newton's iteration for the rest of some coordinates about given speeds and inputs.
class Settling {
 public:
  Settling(const Equations& equations, const Inputs& inputs, std::vector<int> free)
      : equations_(equations), inputs_(inputs), free_(std::move(free)), workspace_(equations.make_workspace()) {
    none_.values = VectorX::Zero(equations.num_coordinates());
  }
  // The sentence says why not.
  std::string settle(State& state) {
    if (free_.empty()) return "";
    double first = -1;
    for (int iteration = 0; iteration < 50; ++iteration) {
      VectorX step;
      double residual = 0;
      const EvaluationStatus status = newton_step(state, step, residual);
      if (status != EvaluationStatus::ok) return describe(status);
      if (first < 0) first = std::max(residual, 1e-12);
      const double size = step.cwiseAbs().maxCoeff();
      if (!std::isfinite(size)) return "its stiffness is singular";
      if (residual <= 1e-12 * first || size <= 1e-15) return "";
      state.coordinates(free_) += (size > longest_step ? longest_step / size : 1.0) * step;
      equations_.accept(state, inputs_, *workspace_);
      if (iteration > 5 && size <= 1e-12) return "";
    }
    return "Newton's iteration did not converge in 50 steps";
  }

 private:
  static constexpr double longest_step = 0.5;

  EvaluationStatus newton_step(const State& state, VectorX& step, double& residual) {
    EvaluationStatus status = equations_.evaluate(state, inputs_, *workspace_, accelerations_);
    if (status != EvaluationStatus::ok) return status;
    const VectorX own = accelerations_.values;
    if ((own.array() == 0).all()) {  // as in a straight shaft that turns without load
      residual = 0;
      step.setZero(static_cast<Eigen::Index>(free_.size()));
      return status;
    }
    status = equations_.linearise_about(state, inputs_, none_, *workspace_, blocks_);
    if (status != EvaluationStatus::ok) return status;
    const VectorX force = (blocks_.mass * own)(free_);
    residual = force.cwiseAbs().maxCoeff();
    step = MatrixX(blocks_.stiffness(free_, free_)).partialPivLu().solve(force);
    return EvaluationStatus::ok;
  }

  const Equations& equations_;
  const Inputs& inputs_;
  std::vector<int> free_;
  std::unique_ptr<Workspace> workspace_;
  Accelerations accelerations_, none_;
  LinearBlocks blocks_;
};

// All elastic coordinates, and joint coordinates that move a joint with a spring.
std::vector<int> settling_coordinates(const Equations& equations, const State& state, const Inputs& inputs,
                                      int spinning) {
  const std::unique_ptr<Workspace> workspace = equations.make_workspace();
  const Model& model = equations.model();
  std::vector<int> free;
  for (int k = 0; k < equations.num_coordinates(); ++k) {
    bool settles = k >= equations.num_joint_coordinates();
    for (int j = 0; !settles && j < static_cast<int>(model.joints.size()); ++j)
      for (int f = 0; f < num_freedoms(model.joints[j].type); ++f)
        settles = settles || (model.joints[j].stiffness[f] > 0 &&
                              joint_rate(equations, state, inputs, k, {j, f}, *workspace) != 0);
    if (settles && k != spinning) free.push_back(k);
  }
  return free;
}

// The coordinate that is the freedom itself; -1: none is.
int coordinate_of(const Equations& equations, const State& state, const Inputs& inputs, const SteadyFreedom& freedom) {
  const std::unique_ptr<Workspace> workspace = equations.make_workspace();
  for (int k = 0; k < equations.num_joint_coordinates(); ++k)
    if (std::abs(joint_rate(equations, state, inputs, k, freedom, *workspace) - 1) < 1e-12) return k;
  return -1;
}

Inputs inputs_at(const Model& model, double time) {
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, time, inputs);
  return inputs;
}

void set_at_rest(Inputs& inputs) {
  for (auto& joint : inputs.prescribed_motion)
    for (SignalValue& motion : joint) motion.rate = motion.acceleration = 0;
}

// Steady motions of one freedom at any speed: what does not depend on the speed is found once.
class SteadyFreedomMotion {
 public:
  SteadyFreedomMotion(const Equations& equations, const State& start, const Inputs& inputs,
                      const std::optional<SteadyFreedom>& freedom)
      : equations_(equations), freedom_(freedom), rest_{false, start, inputs, ""} {
    set_at_rest(rest_.inputs);
    rest_.state.speeds.setZero();
    constrained_ = as_constrained(equations) != nullptr;
    if (constrained_) return;
    prescribed_ = freedom && is_prescribed(equations.model(), *freedom);
    if (freedom && !prescribed_) spinning_ = coordinate_of(equations, rest_.state, rest_.inputs, *freedom);
    settling_ = settling_coordinates(equations, rest_.state, rest_.inputs, spinning_);
  }

  // From the last one that was found.
  SteadyMotion at(double speed) {
    if (constrained_) return constrained_motion(speed);
    SteadyMotion result = rest_;
    if (freedom_ && !prescribed_ && spinning_ < 0) {
      result.message = cat("joint '", equations_.model().joints[freedom_->joint].name,
                           "' is no independent coordinate: prescribe its motion to turn it steadily");
      return result;
    }
    if (prescribed_) result.inputs.prescribed_motion[freedom_->joint][freedom_->freedom].rate = speed;
    if (spinning_ >= 0) result.state.speeds[spinning_] = speed;
    const std::string reason = Settling(equations_, result.inputs, settling_).settle(result.state);
    result.found = reason.empty();
    if (!result.found) result.message = cat("no steady motion at speed ", speed, ": ", reason);
    if (result.found)
      rest_.state.coordinates = result.state.coordinates, rest_.state.configuration = result.state.configuration;
    return result;
  }

 private:
  SteadyMotion constrained_motion(double speed) {
    SteadyMotion result = rest_;
    EquilibriumOptions options;
    options.inputs = &result.inputs;
    options.hold_unsprung = true;
    options.tolerance = 1e-12;
    if (freedom_ && speed != 0) options.steady = SteadyTurn{freedom_->joint, freedom_->freedom, speed};
    const Equilibrium found = equilibrium(equations_, result.state, options);
    result.found = found.converged;
    result.state = found.state;
    if (options.steady) result.inputs.prescribed_motion[freedom_->joint][freedom_->freedom].rate = speed;
    if (!result.found) result.message = cat("no steady motion at speed ", speed, ": ", found.message);
    if (result.found)
      rest_.state.coordinates = result.state.coordinates, rest_.state.configuration = result.state.configuration;
    return result;
  }

  const Equations& equations_;
  std::optional<SteadyFreedom> freedom_;
  SteadyMotion rest_;  // the mechanism as it was last found, with nothing moving
  bool constrained_ = false, prescribed_ = false;
  int spinning_ = -1;
  std::vector<int> settling_;
};

// Modes as they are followed from speed to speed.
struct FollowedModes {
  std::vector<std::complex<double>> eigenvalues;
  MatrixXc shapes;
};

// How well modes fit those of the speed before. One that passes the frequency zero goes on as its conjugate; among
// equal shapes (the whirls |ω ± Ω| of a fast rotor) the nearer frequency decides.
Eigen::MatrixXd mode_likeness(const FollowedModes& before, const FollowedModes& now) {
  constexpr double conjugate = 0.98, apart = 0.1;
  Eigen::MatrixXd result = (before.shapes.adjoint() * now.shapes)
                               .cwiseAbs()
                               .cwiseMax(conjugate * (before.shapes.transpose() * now.shapes).cwiseAbs());
  for (Eigen::Index i = 0; i < result.rows(); ++i)
    for (Eigen::Index j = 0; j < result.cols(); ++j) {
      const double a = before.eigenvalues[i].imag(), b = now.eigenvalues[j].imag();
      if (a + b > 0) result(i, j) *= 1 - apart * std::abs(a - b) / (a + b);
    }
  return result;
}

// The permutation of modes that fits those of the speed before best: largest overlap first.
std::vector<int> followed(const FollowedModes& before, const FollowedModes& now) {
  const Eigen::MatrixXd overlap = mode_likeness(before, now);
  std::vector<int> partner(static_cast<std::size_t>(overlap.rows()), -1);
  std::vector<bool> taken(static_cast<std::size_t>(overlap.cols()), false);
  for (Eigen::Index round = 0; round < std::min(overlap.rows(), overlap.cols()); ++round) {
    double best = -1;
    Eigen::Index row = 0, column = 0;
    for (Eigen::Index i = 0; i < overlap.rows(); ++i)
      for (Eigen::Index j = 0; j < overlap.cols(); ++j)
        if (partner[i] < 0 && !taken[j] && overlap(i, j) > best) {
          best = overlap(i, j);
          row = i;
          column = j;
        }
    partner[row] = static_cast<int>(column);
    taken[column] = true;
  }
  return partner;
}

// The modes at the next speed; at the first, `count` of them begin.
void follow(const LinearModes& modes, const LinearModes& first, int count, FollowedModes& before) {
  const FollowedModes now{modes.eigenvalues, energy_shapes(modes, first)};
  if (before.eigenvalues.empty()) {
    const Eigen::Index kept = std::min<Eigen::Index>(count, now.shapes.cols());
    before = {{now.eigenvalues.begin(), now.eigenvalues.begin() + kept}, now.shapes.leftCols(kept)};
    return;
  }
  const std::vector<int> partner = followed(before, now);
  for (std::size_t k = 0; k < partner.size(); ++k) {
    if (partner[k] < 0) continue;
    before.eigenvalues[k] = now.eigenvalues[partner[k]];
    before.shapes.col(static_cast<Eigen::Index>(k)) = now.shapes.col(partner[k]);
  }
}

// Modes about the steady motion at one speed.
class ModesAtSpeed {
 public:
  ModesAtSpeed(const Equations& equations, const State& start, const CampbellOptions& options)
      : equations_(equations),
        motion_(equations, start, inputs_at(equations.model(), start.time), options.freedom),
        cancel_(options.cancel) {}
  // The sentence says why not.
  std::string find(double speed, LinearModes& modes, bool with_shapes) {
    if (cancel_ && *cancel_) return "interrupted";
    const SteadyMotion motion = motion_.at(speed);
    if (!motion.found) return motion.message;
    const LinearResult linear = linearise_coordinates(equations_, motion.state, motion.inputs, LinearAbout::held);
    if (linear.status != EvaluationStatus::ok) return linear.message;
    if (!linear_modes(linear.model, modes, with_shapes)) return describe(EvaluationStatus::singular_mass);
    if (with_shapes) in_first_coordinates(linear.model.directions, modes);
    return "";
  }
  // The speed between a stable and an unstable one at which growth begins.
  double boundary(double stable, double unstable) {
    LinearModes modes;
    for (int k = 0; k < 40 && std::abs(stable - unstable) > 1e-9 * std::abs(unstable); ++k) {
      const double middle = 0.5 * (stable + unstable);
      if (!find(middle, modes, false).empty()) break;
      (relative_growth(modes) > least_growth ? unstable : stable) = middle;
    }
    return 0.5 * (stable + unstable);
  }
  // An unstable speed between two stable ones of which one has two directions of negative stiffness more: where the two
  // turn negative one after the other. None narrower than a millionth of the speed.
  std::optional<double> diverging_between(double low, int negative, double high) {
    LinearModes modes;
    while (std::abs(high - low) > 1e-6 * std::max(std::abs(low), std::abs(high))) {
      const double middle = 0.5 * (low + high);
      if (!find(middle, modes, false).empty() || modes.negative_stiffness < 0) return std::nullopt;
      if ((modes.negative_stiffness - negative) % 2 != 0) return middle;
      (modes.negative_stiffness == negative ? low : high) = middle;
    }
    return std::nullopt;
  }

 private:
  // Coordinates of constrained equations are made anew at every speed, δx = N δz: those of the first speed that move
  // the same.
  void in_first_coordinates(const MatrixX& directions, LinearModes& modes) {
    if (directions.size() == 0) return;
    if (!first_directions_) first_directions_.emplace(directions);
    modes.shapes = (first_directions_->solve(directions) * modes.shapes).eval();
  }

  const Equations& equations_;
  SteadyFreedomMotion motion_;
  std::optional<PivotedQr> first_directions_;
  const std::atomic<bool>* cancel_;
};

// Number of directions in which the stiffness about the loaded state is negative; -1 where there is no such state.
int num_negative(const Equations& equations, State& state, const Inputs& unloaded, double factor) {
  Inputs inputs = unloaded;
  for (std::size_t i = 0; i < inputs.nodal_loads.size(); ++i) {
    inputs.nodal_loads[i].force *= factor;
    inputs.nodal_loads[i].torque *= factor;
  }
  const SteadyMotion motion = steady_motion(equations, state, inputs, std::nullopt, 0);
  if (!motion.found) return -1;
  state = motion.state;
  const LinearResult linear = linearise_coordinates(equations, motion.state, inputs, LinearAbout::held);
  if (linear.status != EvaluationStatus::ok) return -1;
  const MatrixX mass = 0.5 * (linear.model.mass + linear.model.mass.transpose());
  const SymmetricPairs levels =
      symmetric_values(0.5 * (linear.model.stiffness + linear.model.stiffness.transpose()), mass);
  if (!levels.converged) return -1;
  const double rounding = 1e-13 * levels.values.cwiseAbs().maxCoeff();
  return static_cast<int>((levels.values.array() < -rounding).count());
}

}  // namespace

SteadyMotion steady_motion(const Equations& equations, const State& start, const Inputs& inputs,
                           const std::optional<SteadyFreedom>& freedom, double speed) {
  return SteadyFreedomMotion(equations, start, inputs, freedom).at(speed);
}

CampbellDiagram campbell_diagram(const Equations& equations, const State& start, const CampbellOptions& options) {
  CampbellDiagram diagram;
  ModesAtSpeed at(equations, start, options);
  LinearModes first, now;
  FollowedModes before;
  bool unstable_before = false;
  int negative_before = -1;
  for (const double speed : options.speeds) {
    diagram.message = at.find(speed, now, true);
    if (!diagram.message.empty()) return diagram;
    if (before.eigenvalues.empty()) first = now;
    follow(now, first, options.count, before);
    const bool unstable = relative_growth(now) > least_growth;
    if (!unstable && !unstable_before && negative_before >= 0 && now.negative_stiffness >= 0 &&
        now.negative_stiffness != negative_before)
      if (const auto between = at.diverging_between(diagram.speeds.back(), negative_before, speed))
        diagram.unstable.emplace_back(at.boundary(diagram.speeds.back(), *between), at.boundary(speed, *between));
    negative_before = now.negative_stiffness;
    if (unstable && !unstable_before)
      diagram.unstable.emplace_back(diagram.speeds.empty() ? speed : at.boundary(diagram.speeds.back(), speed), speed);
    if (!unstable && unstable_before) diagram.unstable.back().second = at.boundary(speed, diagram.speeds.back());
    if (unstable) diagram.unstable.back().second = speed;
    unstable_before = unstable;
    diagram.speeds.push_back(speed);
    diagram.eigenvalues.push_back(before.eigenvalues);
    if (options.progress)
      options.progress(static_cast<double>(diagram.speeds.size()) / static_cast<double>(options.speeds.size()));
  }
  return diagram;
}

Buckling buckling_factors(const Equations& equations, const State& start, int count, double largest) {
  Buckling result;
  Inputs inputs = inputs_at(equations.model(), start.time);
  set_at_rest(inputs);
  const auto negatives = [&](double factor) {
    State from = start;
    return num_negative(equations, from, inputs, factor);
  };
  const int at_rest = negatives(0);
  if (at_rest != 0) {
    result.message = at_rest < 0 ? "the unloaded mechanism has no equilibrium to start from"
                                 : "the mechanism is unstable without the loads already";
    return result;
  }
  double low = 0, high = 1e-6;
  while (static_cast<int>(result.factors.size()) < count) {
    const int found = static_cast<int>(result.factors.size());
    high = std::max(high, 1.0001 * low);
    int above = negatives(high);
    while (above >= 0 && above <= found && high < largest) {
      low = high;
      above = negatives(high *= 2);
    }
    if (above <= found) break;
    double left = low, right = high;
    for (int k = 0; k < 60 && right - left > 1e-9 * right; ++k) {
      const double middle = 0.5 * (left + right);
      const int there = negatives(middle);
      if (there < 0) break;
      (there > found ? right : left) = middle;
    }
    result.factors.push_back(right);
    low = left;
  }
  if (result.factors.empty())
    result.message = cat("no load factor up to ", largest,
                         " takes the stiffness away; formulations without geometric "
                         "stiffness (erls-cms, erls-fem, floating-frame) cannot buckle");
  return result;
}

}  // namespace lithe
