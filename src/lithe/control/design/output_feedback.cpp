#include <Eigen/Cholesky>
#include <cmath>
#include <optional>

#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"
#include "lithe/control/design/optimise.h"
#include "lithe/control/design/regulator.h"
#include "lithe/control/linear/discretise.h"
#include "lithe/control/linear/infinite.h"
#include "lithe/control/linear/linear_analysis.h"
#include "lithe/control/linear/matrix_equations.h"
#include "lithe/control/linear/riccati.h"

namespace lithe {
namespace {

// The sampled plant with its weights; a gain is judged by the closed loop.
class FeedbackProblem {
 public:
  FeedbackProblem(const StateSpace& plant, const RegulatorWeights& w, double sample_time, int delay_steps) {
    StateSpace bare = plant;
    bare.d.setZero();
    const StateSpace sampled = zero_order_hold(bare, sample_time);
    system = with_input_delay(sampled, delay_steps);
    const Eigen::Index n = system.num_states();
    entry = MatrixX::Zero(n, system.num_inputs());
    entry.topRows(sampled.num_states()) = sampled.b * w.disturbances.asDiagonal();
    errors = MatrixX::Zero(plant.num_outputs(), n);
    for (Eigen::Index i = 0; i < plant.num_outputs(); ++i)
      if (std::isfinite(w.allowed_errors[i]))
        errors.row(i).head(plant.num_states()) = plant.c.row(i) / w.allowed_errors[i];
    q = errors.transpose() * errors;
    q.diagonal().array() += 1e-9 * std::max(q.diagonal().maxCoeff(), 1e-300);
    r = w.allowed_efforts.cwiseInverse().cwiseAbs2().asDiagonal();
    x0 = entry * entry.transpose();
    x0.diagonal().array() += 1e-9 * std::max(x0.diagonal().maxCoeff(), 1e-300);
  }

  MatrixX closed(const MatrixX& k) const { return system.a - system.b * k * system.c; }

  // tr(P X0), infinite when unstable.
  double cost(const MatrixX& k) const {
    const MatrixX a = closed(k), kc = k * system.c;
    if (!is_stable(a, true)) return infinite;
    const auto p = solve_discrete_lyapunov(a.transpose(), q + kc.transpose() * r * kc);
    return p ? (*p * x0).trace() : infinite;
  }

  double peak(const MatrixX& k) const {
    StateSpace loop;
    loop.a = closed(k);
    loop.b = entry;
    loop.c = errors;
    loop.d = MatrixX::Zero(errors.rows(), entry.cols());
    loop.sample_time = system.sample_time;
    return hinf_norm(loop).value;
  }

  // Where the gradient of the cost vanishes with P and L held: (R + BᵀPB)⁻¹ BᵀPA L Cᵀ (C L Cᵀ)⁻¹.
  std::optional<MatrixX> improved(const MatrixX& k) const {
    const MatrixX a = closed(k), kc = k * system.c;
    const auto p = solve_discrete_lyapunov(a.transpose(), q + kc.transpose() * r * kc);
    const auto l = solve_discrete_lyapunov(a, x0);
    if (!p || !l) return std::nullopt;
    return projected((r + system.b.transpose() * *p * system.b).ldlt().solve(system.b.transpose() * *p * system.a), *l);
  }

  // The output feedback nearest to a state feedback for states of covariance L.
  MatrixX projected(const MatrixX& state_gain, const MatrixX& l) const {
    const MatrixX lc = l * system.c.transpose();
    return (system.c * lc).ldlt().solve((state_gain * lc).transpose()).transpose();
  }

  StateSpace system;
  MatrixX entry, errors, q, r, x0;
};

double spectral_radius(const MatrixX& a) { return complex_values(a).values.cwiseAbs().maxCoeff(); }

MatrixX as_gain(const VectorX& values, const MatrixX& scale) {
  MatrixX result = scale;
  for (Eigen::Index i = 0; i < scale.size(); ++i) result.data()[i] *= values[i];
  return result;
}

// Entries of a gain are searched as multiples of the first one's; zeros get its smallest part.
MatrixX scales_of(const MatrixX& gain) {
  MatrixX result = gain;
  const double least = 1e-3 * std::max(gain.cwiseAbs().maxCoeff(), 1e-12);
  for (double& value : result.reshaped())
    if (std::abs(value) < least) value = least;
  return result;
}

std::optional<MatrixX> stabilising_start(const FeedbackProblem& problem) {
  const StateSpace& s = problem.system;
  const RiccatiSolution full = solve_discrete_riccati(s.a, s.b, problem.q, problem.r);
  if (!full.solved) return std::nullopt;
  const auto l = solve_discrete_lyapunov(s.a - s.b * full.gain, problem.x0);
  if (!l) return std::nullopt;
  const MatrixX first = problem.projected(full.gain, *l);
  if (!first.allFinite()) return std::nullopt;
  if (is_stable(problem.closed(first), true)) return first;
  const MatrixX scale = scales_of(first);
  const auto radius = [&](const VectorX& v) { return spectral_radius(problem.closed(as_gain(v, scale))); };
  const VectorX ones = VectorX::Ones(scale.size());
  const SimplexResult found = minimise(radius, ones, 0.5 * ones, 2000);
  const MatrixX gain = as_gain(found.point, scale);
  if (!is_stable(problem.closed(gain), true)) return std::nullopt;
  return gain;
}

// Towards the improved gain by a step that lowers the cost; an unstable loop costs infinitely much, which is the guard.
void descend(const FeedbackProblem& problem, OutputFeedback& result) {
  for (result.iterations = 0; result.iterations < 300; ++result.iterations) {
    const std::optional<MatrixX> aim = problem.improved(result.gain);
    if (!aim || !aim->allFinite()) return;
    double step = 1, cost = infinite;
    MatrixX next;
    for (; step > 1e-6; step *= 0.5) {
      next = result.gain + step * (*aim - result.gain);
      cost = problem.cost(next);
      if (cost < result.cost) break;
    }
    if (!(cost < result.cost)) return;
    const double gained = result.cost - cost;
    result.gain = next;
    result.cost = cost;
    if (gained <= 1e-10 * cost) return;
  }
}

// Least cost among gains whose peak gain stays below the bound: first the peak is brought below it, then the cost with
// a barrier.
void bound_peak(const FeedbackProblem& problem, double bound, OutputFeedback& result) {
  const MatrixX scale = scales_of(result.gain);
  const VectorX ones = VectorX::Ones(scale.size());
  VectorX point = ones;
  const auto stable_peak = [&](const VectorX& v) {
    const MatrixX k = as_gain(v, scale);
    return is_stable(problem.closed(k), true) ? problem.peak(k) : infinite;
  };
  if (!(stable_peak(point) < bound)) {
    point = minimise(stable_peak, point, 0.2 * ones, 400, 1e-4).point;
    const double least = stable_peak(point);
    if (!(least < bound)) {
      result.found = false;
      result.message = cat("no output feedback found with a peak gain below ", bound, "; the least was ", least);
      return;
    }
  }
  const auto with_barrier = [&](const VectorX& v) {
    const MatrixX k = as_gain(v, scale);
    const double cost = problem.cost(k);
    if (!std::isfinite(cost)) return infinite;
    const double peak = problem.peak(k);
    return peak < bound ? cost * (1 - 1e-3 * std::log(1 - peak / bound)) : infinite;
  };
  result.gain = as_gain(minimise(with_barrier, point, 0.1 * ones, 400, 1e-6).point, scale);
  result.cost = problem.cost(result.gain);
}

}  // namespace

OutputFeedback design_output_feedback(const StateSpace& plant, const RegulatorWeights& weights, double sample_time,
                                      int delay_steps, double max_peak_gain) {
  OutputFeedback result;
  const FeedbackProblem problem(plant, weights, sample_time, delay_steps);
  const std::optional<MatrixX> start = stabilising_start(problem);
  if (!start) {
    result.message =
        "no output feedback found that stabilises the loop: constant gains damp only what a measured speed shows "
        "(quantity = \"joint_speed\"); an observer (lqg) needs none";
    return result;
  }
  result.found = true;
  result.gain = *start;
  result.cost = problem.cost(*start);
  descend(problem, result);
  result.peak_gain = problem.peak(result.gain);
  if (max_peak_gain > 0 && !(result.peak_gain < max_peak_gain)) bound_peak(problem, max_peak_gain, result);
  result.peak_gain = problem.peak(result.gain);
  result.cost = std::sqrt(result.cost);
  return result;
}

}  // namespace lithe
