#include "lithe/analyse/stability/floquet.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "lithe/analyse/linear/linearise.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/analyse/stability/constrained_variation.h"
#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/control/linear/matrix_equations.h"
#include "lithe/formulate/contract/capabilities.h"

namespace lithe {
namespace {

constexpr double least_accuracy = 1e-5;
constexpr int most_coordinates = 500;  // of the exponential integrator, which decomposes matrices of all of them

// A period of the motion from a state, with the states at the Gauss points and ends of equal steps.
class PeriodicMotion {
 public:
  PeriodicMotion(const Equations& equations, const FloquetOptions& options, double period)
      : equations_(equations), options_(options), period_(period) {
    if (const ConstrainedEquations* constrained = as_constrained(equations))
      constrained_.emplace(*constrained).cancel = options.cancel;
  }

  std::string integrator = "automatic";
  std::string message;  // why the last call failed

  // Simulates from `start`; false with a message where that fails.
  bool simulate_from(const State& start, int steps) {
    SimulateOptions options;
    options.end_time = start.time + period_;
    options.output_step = 0;
    options.output_times = times_of(start.time, steps);
    options.energy_balance = false;
    options.end_stops = EndStops::ignore;
    options.integration.tolerance = options_.tolerance;
    options.integration.spectral_radius = 0.8;  // vibrations below the tolerance decay within the period
    options.integrator = integrator;
    options.cancel = options_.cancel;
    Trajectory motion = simulate(equations_, start, options);
    if (motion.end != RunEnd::finished) {
      message = motion.message;
      return false;
    }
    states_ = std::move(motion.states);
    for (const State& state : states_)
      if (!constrained_ && (state.configuration.split != start.configuration.split || !same_charts(state, start))) {
        message = cat("the coordinates change on the way (at ", state.time, " s)");
        return false;
      }
    return true;
  }

  // exp(Ω_m) ... exp(Ω_1) with Ω = h (A1 + A2)/2 - √3 h²/12 [A1, A2] at the Gauss points of each step: Magnus' series
  // to order 4. Stiff vibrations are exact where A is constant.
  bool monodromy(MatrixX& result) {
    const double h = period_ / (static_cast<double>(states_.size() - 1) / 3);
    if (constrained_) {
      const bool found = constrained_->monodromy(states_, h, result);
      message = constrained_->message;
      return found;
    }
    message.clear();
    const Eigen::Index n = 2 * equations_.num_coordinates();
    result = MatrixX::Identity(n, n);
    MatrixX first, second;
    for (std::size_t i = 1; i + 2 < states_.size(); i += 3) {
      if (options_.cancelled()) {
        message = "interrupted";
        return false;
      }
      if (!system_matrix(states_[i], first) || !system_matrix(states_[i + 1], second)) return false;
      const MatrixX omega =
          0.5 * h * (first + second) - std::numbers::sqrt3 / 12 * h * h * (first * second - second * first);
      result = (matrix_exponential(omega) * result).eval();
    }
    if (!result.allFinite()) message = "the linearised motion is not finite";
    return message.empty();
  }

  // z(T) - z(0), whole turns of hinges left out, and its size. After monodromy().
  VectorX gap(double& size) const {
    const State &start = states_.front(), &end = states_.back();
    if (constrained_) return constrained_->gap(start, end, size);
    const Eigen::Index n = equations_.num_coordinates();
    VectorX result(2 * n);
    result << end.coordinates - start.coordinates, end.speeds - start.speeds;
    constexpr double turn = 2 * std::numbers::pi;
    for (Eigen::Index k = 0; k < equations_.num_joint_coordinates(); ++k)
      if (std::abs(result(k)) > 0.5 * turn) result(k) -= turn * std::round(result(k) / turn);
    size = result.norm();
    return result;
  }

  void change(State& start, const VectorX& step) const {
    if (constrained_) return constrained_->change(start, step);
    const Eigen::Index n = equations_.num_coordinates();
    start.coordinates += step.head(n);
    start.speeds += step.tail(n);
  }

 private:
  static bool same_charts(const State& a, const State& b) {
    for (std::size_t i = 0; i < a.configuration.references.size(); ++i)
      if (!a.configuration.references[i].isApprox(b.configuration.references[i], 1e-14)) return false;
    return true;
  }

  std::vector<double> times_of(double from, int steps) const {
    std::vector<double> times;
    const double h = period_ / steps, off = std::numbers::sqrt3 / 6;
    for (int i = 0; i < steps; ++i)
      for (const double part : {0.5 - off, 0.5 + off, 1.0}) times.push_back(from + (i + part) * h);
    times.back() = from + period_;
    return times;
  }

  // A of d/dt (δx, δẋ) = A (δx, δẋ) along the motion, with the state's own accelerations.
  bool system_matrix(const State& state, MatrixX& result) {
    Inputs inputs = make_inputs(equations_.model());
    evaluate_inputs(equations_.model(), state.time, inputs);
    const LinearResult linear = linearise_coordinates(equations_, state, inputs, LinearAbout::motion);
    if (linear.status != EvaluationStatus::ok) {
      message = cat("no linear model at ", state.time, " s: ", linear.message);
      return false;
    }
    const Eigen::Index n = linear.model.size();
    const Eigen::PartialPivLU<MatrixX> mass(linear.model.mass);
    result = MatrixX::Zero(2 * n, 2 * n);
    result.topRightCorner(n, n).setIdentity();
    result.bottomLeftCorner(n, n) = -mass.solve(linear.model.stiffness);
    result.bottomRightCorner(n, n) = -mass.solve(linear.model.damping);
    return true;
  }

  const Equations& equations_;
  const FloquetOptions& options_;
  double period_;
  std::vector<State> states_;  // the start, and for each step its Gauss points and its end
  std::optional<ConstrainedVariation> constrained_;
};

std::vector<std::complex<double>> multipliers_of(const MatrixX& monodromy) {
  const ComplexPairs pairs = complex_values(monodromy);
  std::vector<std::complex<double>> values(pairs.values.data(), pairs.values.data() + pairs.values.size());
  std::stable_sort(values.begin(), values.end(), [](const std::complex<double>& a, const std::complex<double>& b) {
    const double size_a = std::abs(a), size_b = std::abs(b);
    if (std::abs(size_a - size_b) > 1e-9 * std::max(size_a, size_b)) return size_a > size_b;
    return a.imag() > b.imag();
  });
  return values;
}

// Where the model's motion starts to repeat.
bool start_of_motion(const Equations& equations, const FloquetOptions& options, FloquetResult& result) {
  result.start = equations.initial_state();
  if (!(options.start_time > result.start.time)) return true;
  SimulateOptions until;
  until.end_time = options.start_time;
  until.output_step = 0;
  until.output_times = {options.start_time};
  until.energy_balance = false;
  until.end_stops = EndStops::ignore;
  until.cancel = options.cancel;
  const Trajectory motion = simulate(equations, result.start, until);
  if (motion.end != RunEnd::finished) result.message = motion.message;
  result.start = motion.states.back();
  return result.message.empty();
}

// Newton on z(T) = z(0): (1 - Φ) δ = z(T) - z(0), least squares where a free motion leaves a direction open.
bool close(const FloquetOptions& options, PeriodicMotion& motion, int steps, FloquetResult& result) {
  constexpr double good = 1e-8, acceptable = 1e-5, open_direction = 1e-9;
  double last = 0;
  for (result.iterations = 0; result.iterations <= options.max_iterations; ++result.iterations) {
    MatrixX monodromy;
    if (!motion.simulate_from(result.start, steps) || !motion.monodromy(monodromy)) break;
    double missed = 0;
    const VectorX gap = motion.gap(missed);
    const double size = std::hypot(result.start.coordinates.norm(), result.start.speeds.norm());
    result.closure = missed > 1e-12 ? missed / std::max(size, missed) : 0;
    const bool stagnates = result.iterations > 2 && result.closure < acceptable && result.closure > 0.5 * last;
    if (result.closure < good || stagnates) return true;
    last = result.closure;
    const MatrixX open = MatrixX::Identity(gap.size(), gap.size()) - monodromy;
    motion.change(result.start, PivotedQr(open, open_direction).solve(gap));
  }
  result.message = motion.message.empty()
                       ? cat("no periodic motion was found: after ", options.max_iterations,
                             " iterations the motion misses its start by ", result.closure, " of its size")
                       : motion.message;
  return false;
}

// Vibrations that the integrator damps are not in the monodromy matrix, and Newton's method may then not converge: so
// the exponential method has a try after those that `automatic` chooses.
bool find_periodic(const Equations& equations, const FloquetOptions& options, PeriodicMotion& motion, int steps,
                   FloquetResult& result) {
  const State start = result.start;
  if (close(options, motion, steps, result)) return true;
  const bool cancelled = options.cancel && *options.cancel;
  if (cancelled || as_constrained(equations) || equations.num_coordinates() > most_coordinates) return false;
  result.start = start;
  result.message.clear();
  motion.message.clear();
  motion.integrator = "exponential";
  return close(options, motion, steps, result);
}

}  // namespace

double FloquetResult::growth() const { return std::log(largest()) / period; }

FloquetVerdict FloquetResult::verdict() const {
  if (largest() > 1 + accuracy) return FloquetVerdict::unstable;
  return largest() < 1 - accuracy ? FloquetVerdict::stable : FloquetVerdict::neutral;
}

FloquetResult floquet(const Equations& equations, const FloquetOptions& options) {
  FloquetResult result;
  result.period = options.period != 0 ? options.period : drive_period(equations.model(), options.start_time);
  if (!(result.period > 0) || !std::isfinite(result.period))
    throw InputError(cat("the period must be a positive number of seconds, got ", result.period));
  if (equations.num_coordinates() == 0) {
    result.message = "all motion is prescribed: nothing can grow";
    return result;
  }
  if (!start_of_motion(equations, options, result)) return result;
  PeriodicMotion motion(equations, options, result.period);
  int steps = 32;
  if (!find_periodic(equations, options, motion, steps, result)) return result;
  // Twice as many steps until the largest size and the sum of all agree.
  double size = -1, trace = 0;
  for (; steps <= options.max_steps; steps *= 2) {
    MatrixX monodromy;
    if (!motion.simulate_from(result.start, steps) || !motion.monodromy(monodromy)) {
      result.message = motion.message;
      return result;
    }
    result.multipliers = multipliers_of(monodromy);
    result.steps = steps;
    const double change =
        size < 0 ? 1 : std::max(std::abs(result.largest() - size), std::abs(monodromy.trace() - trace));
    result.accuracy = std::max(least_accuracy, 2 * change);
    if (change < 1e-7 * std::max(1.0, result.largest())) break;
    size = result.largest();
    trace = monodromy.trace();
  }
  result.found = true;
  return result;
}

}  // namespace lithe
