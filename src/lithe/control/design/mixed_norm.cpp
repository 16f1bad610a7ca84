#include "lithe/control/design/mixed_norm.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>

#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"
#include "lithe/control/linear/infinite.h"
#include "lithe/control/linear/linear_analysis.h"
#include "lithe/control/linear/matrix_equations.h"
#include "lithe/control/linear/reduce_linear.h"
#include "lithe/control/linear/riccati.h"

namespace lithe {
namespace {

MatrixX root_of(const MatrixX& p) {
  const SymmetricPairs pairs = symmetric_pairs(0.5 * (p + p.transpose()));
  return pairs.vectors * pairs.values.cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

// Largest eigenvalue of the product of two positive semidefinite matrices, one given by a root.
double largest_product(const MatrixX& root, const MatrixX& other) {
  const VectorX values = symmetric_values(root.transpose() * other * root).values;
  return values.size() > 0 ? values[values.size() - 1] : 0;
}

// A controller in observer form; see MixedNormDesign.
struct ObserverForm {
  MatrixX a, from_y, from_u, c, from_y_direct, from_u_direct;
  MatrixX entry;  // of the plant's state
};

// The sampled game: x⁺ = A x + B (u + d) + w, d⁺ = d + w_d, y = C x + v; cost |x|²_Q + |u + d|²_R. Inputs that wait are
// counted from -d, where they rest: with them x⁺ has u + d where it has u, whatever the delay.
class MixedNormProblem {
 public:
  explicit MixedNormProblem(const RegulatorDesign& base) : base_(base) {
    const Eigen::Index n = base.model.num_states(), m = base.model.num_inputs(), extra = base.num_disturbances;
    waiting_ = MatrixX::Zero(n, extra);
    for (int k = 0; k < base.delay_steps && extra > 0; ++k)
      waiting_.middleRows(base.num_plant_states + k * m, m).setIdentity();
    MatrixX change = MatrixX::Identity(n + extra, n + extra);
    change.topRightCorner(n, extra) = waiting_;
    process_ = change * base.process_covariance * change.transpose();
    process_root_ = root_of(process_.topLeftCorner(n, n));
    disturbance_root_ = root_of(base.process_covariance.bottomRightCorner(extra, extra));
    noise_root_ = root_of(base.noise_covariance);
    state_root_ = root_of(base.state_weight).transpose();
    input_root_ = root_of(base.input_weight).transpose();
    a_ = MatrixX::Identity(n + extra, n + extra);
    a_.topLeftCorner(n, n) = base.model.a;
    a_.topRightCorner(n, extra) = base.model.b.leftCols(extra);
    b_ = MatrixX::Zero(n + extra, m);
    b_.topRows(n) = base.model.b;
    c_ = MatrixX::Zero(base.model.num_outputs(), n + extra);
    c_.leftCols(n) = base.model.c;
  }

  // Başar and Bernhard (1995), measurements up to the present sample: nothing where no controller reaches the level.
  std::optional<ObserverForm> central(double level) const;
  LoopNorms norms(const ObserverForm& k) const;
  std::optional<ObserverForm> reduced(const ObserverForm& k, Eigen::Index order) const;
  Eigen::Index num_states() const { return a_.rows(); }

 private:
  const RegulatorDesign& base_;
  MatrixX a_, b_, c_;  // with the disturbances as last states
  MatrixX waiting_;    // of the disturbances into the inputs that wait
  MatrixX process_, process_root_, disturbance_root_, noise_root_, state_root_, input_root_;
};

// Control: M = Q + AᵀM (1 + (B R⁻¹Bᵀ - W/γ²) M)⁻¹ A, W M < γ². Filter, with d as states, which the effort sees, Q' =
// (Q, R): Σ = W + A (Σ⁻¹ + CᵀV⁻¹C - Q'/γ²)⁻¹ Aᵀ. Both together: Σ M < γ², and Σ_f Q' < γ² with the covariance Σ_f after
// the measurement. Then from the filtered z = ξ + L (y - C ξ) the worst state is (1 - Σ_f M/γ²)⁻¹ z, u = -(K 1) of it,
// and ξ⁺ = A (1 - Σ_f Q'/γ²)⁻¹ (z + Σ_f (0, R u)/γ²) + B u.
std::optional<ObserverForm> MixedNormProblem::central(double level) const {
  const Eigen::Index n = base_.model.num_states(), all = a_.rows(), m = b_.cols();
  const double weight = std::isfinite(level) ? 1 / (level * level) : 0;
  const MatrixX& a = base_.model.a;
  const MatrixX& b = base_.model.b;
  const MatrixX g = b * base_.input_weight.llt().solve(b.transpose()) - weight * process_.topLeftCorner(n, n);
  const std::optional<MatrixX> control = solve_game_riccati(a, g, base_.state_weight);
  if (!control || weight * largest_product(process_root_, *control) >= 1) return std::nullopt;
  MatrixX seen_weight = MatrixX::Zero(all, all), value = seen_weight;
  seen_weight.topLeftCorner(n, n) = base_.state_weight;
  seen_weight.bottomRightCorner(all - n, all - n) = base_.input_weight.topLeftCorner(all - n, all - n);
  value.topLeftCorner(n, n) = *control;
  const MatrixX seen = c_.transpose() * base_.noise_covariance.llt().solve(c_) - weight * seen_weight;
  const std::optional<MatrixX> filter = solve_game_riccati(a_.transpose(), seen, process_);
  if (!filter) return std::nullopt;
  const MatrixX sc = *filter * c_.transpose();
  const MatrixX l = (base_.noise_covariance + c_ * sc).ldlt().solve(sc.transpose()).transpose();
  const MatrixX filtered = *filter - l * sc.transpose();
  if (weight * largest_product(root_of(*filter), value) >= 1) return std::nullopt;
  if (weight * largest_product(root_of(filtered), seen_weight) >= 1) return std::nullopt;

  const MatrixX unit = MatrixX::Identity(all, all), kept = unit - l * c_;
  MatrixX gain = MatrixX::Zero(m, all);
  gain.leftCols(n) = base_.input_weight.llt().solve(b.transpose() * *control *
                                                    (MatrixX::Identity(n, n) + g * *control).partialPivLu().solve(a));
  gain.rightCols(all - n).setIdentity();
  const MatrixX worst = (unit - weight * filtered * value).partialPivLu().solve(MatrixX(unit));
  const MatrixX forward = a_ * (unit - weight * filtered * seen_weight).partialPivLu().solve(MatrixX(unit));
  MatrixX effort = MatrixX::Zero(all, m);  // of u in |u + d|²
  effort.bottomRows(all - n) = base_.input_weight.topRows(all - n);
  ObserverForm k;
  k.a = forward * kept;
  k.from_y = forward * l;
  k.from_u = b_ + weight * forward * filtered * effort;
  k.c = -gain * worst * kept;
  k.from_y_direct = -gain * worst * l;
  k.from_u_direct = MatrixX::Zero(m, m);
  k.entry = MatrixX::Identity(all, n);
  return k;
}

// The loop without the states d: a controller that cancels a constant disturbance rests at ξ = Ξ d under it, and ζ = ξ
// - Ξ d obeys the same equations with u + d in place of u, disturbed by -Ξ w_d.
LoopNorms MixedNormProblem::norms(const ObserverForm& k) const {
  const Eigen::Index n = base_.model.num_states(), r = k.a.rows(), m = b_.cols(), p = c_.rows();
  const Eigen::Index extra = waiting_.cols();
  const MatrixX own = (MatrixX::Identity(m, m) - k.from_u_direct).partialPivLu().solve(MatrixX::Identity(m, m));
  const MatrixX uc = own * k.c, ud = own * k.from_y_direct;
  const MatrixX& c = base_.model.c;
  const MatrixX& b = base_.model.b;
  StateSpace loop;
  loop.sample_time = base_.model.sample_time;
  loop.a.resize(n + r, n + r);
  loop.a << base_.model.a + b * ud * c, b * uc, (k.from_y + k.from_u * ud) * c, k.a + k.from_u * uc;
  loop.b = MatrixX::Zero(n + r, process_root_.cols() + p + extra);
  loop.b.topLeftCorner(n, n) = process_root_;
  if (extra > 0) {  // process_ has what w_d does to the inputs that wait; here the two belong together
    loop.b.topLeftCorner(n, n) = root_of(base_.process_covariance.topLeftCorner(n, n));
    const MatrixX rest = -(MatrixX::Identity(r, r) - k.a).partialPivLu().solve(k.from_u);
    loop.b.topRightCorner(n, extra) = waiting_ * disturbance_root_;
    loop.b.bottomRightCorner(r, extra) = -rest * disturbance_root_;
  }
  loop.b.block(0, n, n, p) = b * ud * noise_root_;
  loop.b.block(n, n, r, p) = (k.from_y + k.from_u * ud) * noise_root_;
  loop.c = MatrixX::Zero(n + m, n + r);
  loop.c.topLeftCorner(n, n) = state_root_;
  loop.c.bottomRows(m) << input_root_ * ud * c, input_root_ * uc;
  loop.d = MatrixX::Zero(n + m, loop.b.cols());
  loop.d.block(n, n, m, p) = input_root_ * ud * noise_root_;
  if (!loop.a.allFinite() || !is_stable(loop)) return {infinite, infinite};
  return {h2_norm(loop), hinf_norm(loop).value};
}

// Balanced residualisation of the observer form, which is stable whatever the controller is (reduction of coprime
// factors, Liu and Anderson 1986); steady gains stay as they are, so that constant disturbances are still cancelled.
// Measurements count in the size of their innovations' noise, inputs and outputs in the allowed efforts.
std::optional<ObserverForm> MixedNormProblem::reduced(const ObserverForm& k, Eigen::Index order) const {
  const Eigen::Index r = k.a.rows(), m = b_.cols(), p = c_.rows();
  const MatrixX effort = base_.input_weight.diagonal().cwiseSqrt().cwiseInverse().asDiagonal();
  StateSpace scaled;
  scaled.sample_time = base_.model.sample_time;
  scaled.a = k.a;
  scaled.b.resize(r, p + m);
  scaled.b << k.from_y * noise_root_, k.from_u * effort;
  scaled.c = effort.inverse() * k.c;
  scaled.d = MatrixX::Zero(m, p + m);
  const std::optional<Gramians> found = gramians(scaled);
  if (!found) return std::nullopt;
  const MatrixX reach = root_of(found->controllability), sight = root_of(found->observability);
  const SingularPairs pairs = singular_pairs(sight.transpose() * reach, true);
  const double least = 1e-13 * pairs.values[0];
  Eigen::Index whole = 0;
  while (whole < pairs.values.size() && pairs.values[whole] > least) ++whole;
  if (order >= whole) order = whole;
  const VectorX scale = pairs.values.head(whole).cwiseSqrt().cwiseInverse();
  const MatrixX t = reach * pairs.v.leftCols(whole) * scale.asDiagonal();
  const MatrixX w = sight * pairs.u.leftCols(whole) * scale.asDiagonal();
  const MatrixX a = w.transpose() * k.a * t, c = k.c * t;
  const Eigen::Index n = k.entry.cols();
  MatrixX b(whole, p + m + n);
  b << w.transpose() * k.from_y, w.transpose() * k.from_u, w.transpose() * k.entry;
  const Eigen::Index rest = whole - order;
  const Eigen::PartialPivLU<MatrixX> steady(MatrixX::Identity(rest, rest) - a.bottomRightCorner(rest, rest));
  const MatrixX sa = steady.solve(a.bottomLeftCorner(rest, order)), sb = steady.solve(b.bottomRows(rest));
  const MatrixX rb = b.topRows(order) + a.topRightCorner(order, rest) * sb;
  const MatrixX direct = c.rightCols(rest) * sb;
  ObserverForm result;
  result.a = a.topLeftCorner(order, order) + a.topRightCorner(order, rest) * sa;
  result.from_y = rb.leftCols(p);
  result.from_u = rb.middleCols(p, m);
  result.entry = rb.rightCols(n);
  result.c = c.leftCols(order) + c.rightCols(rest) * sa;
  result.from_y_direct = k.from_y_direct + direct.leftCols(p);
  result.from_u_direct = k.from_u_direct + direct.middleCols(p, m);
  return result;
}

StateSpace as_system(const ObserverForm& k, double sample_time) {
  StateSpace s;
  s.sample_time = sample_time;
  s.a = k.a;
  s.b.resize(k.a.rows(), k.from_y.cols() + k.from_u.cols());
  s.b << k.from_y, k.from_u;
  s.c = k.c;
  s.d.resize(k.c.rows(), s.b.cols());
  s.d << k.from_y_direct, k.from_u_direct;
  return s;
}

// The smallest level that the Riccati equations allow, between `known` and nothing.
double least_level(const MixedNormProblem& problem, double known) {
  double low = 0, high = known;
  for (double trial = 0.5 * known; trial > 1e-6 * known; trial *= 0.5) {
    if (!problem.central(trial)) {
      low = trial;
      break;
    }
    high = trial;
  }
  while (high - low > 1e-4 * high) {
    const double middle = 0.5 * (low + high);
    (problem.central(middle) ? high : low) = middle;
  }
  return high;
}

// The largest level whose loop keeps the bound: its H2 norm is the smallest. A loop is below its level by itself.
void keep_bound(const MixedNormProblem& problem, MixedNormDesign& design, ObserverForm& k) {
  constexpr double far = 100;  // levels beyond so many bounds are LQG
  double low = design.bound, high = infinite;
  const auto try_level = [&](double level) {
    const std::optional<ObserverForm> trial = problem.central(level);
    const LoopNorms norms = trial ? problem.norms(*trial) : LoopNorms{infinite, infinite};
    if (!(norms.peak <= design.bound)) return false;
    k = *trial;
    design.norms = norms;
    design.level = level;
    return true;
  };
  if (!try_level(low)) {  // rounding next to the smallest level
    design.found = false;
    design.message = cat("no dynamic output feedback found with a peak gain below ", design.bound);
    return;
  }
  while (low < far * design.bound && !std::isfinite(high)) (try_level(2 * low) ? low : high) = 2 * low;
  for (int i = 0; i < 12 && std::isfinite(high) && high - low > 1e-3 * low; ++i) {
    const double middle = 0.5 * (low + high);
    (try_level(middle) ? low : high) = middle;
  }
}

void reduce_order(const MixedNormProblem& problem, int order, MixedNormDesign& design, ObserverForm& k) {
  if (order <= 0 || order >= k.a.rows()) return;
  const std::optional<ObserverForm> smaller = problem.reduced(k, order);
  const LoopNorms norms = smaller ? problem.norms(*smaller) : LoopNorms{infinite, infinite};
  design.found = std::isfinite(norms.h2) && !(design.bound > 0 && norms.peak > design.bound);
  if (!std::isfinite(norms.h2)) {
    design.message = cat("with ", order, " states of ", k.a.rows(), " the controller does not stabilise the loop");
  } else if (!design.found) {
    design.message =
        cat("with ", order, " states of ", k.a.rows(), " the peak gain is ", norms.peak, ", above ", design.bound);
  } else {
    design.norms = norms;
    k = *smaller;
  }
}

}  // namespace

MixedNormDesign design_mixed_norm(const StateSpace& plant, const std::vector<int>& tracked,
                                  const RegulatorWeights& weights, double sample_time, int delay_steps,
                                  const MixedNormGoal& goal) {
  MixedNormDesign design;
  design.base = design_regulator(plant, tracked, weights, sample_time, delay_steps);
  design.message = design.base.message;
  if (!design.base.found) return design;
  const MixedNormProblem problem(design.base);
  std::optional<ObserverForm> k = problem.central(infinite);
  if (k) design.norms = problem.norms(*k);
  if (!k || !std::isfinite(design.norms.h2)) {
    design.message = "no dynamic output feedback found that stabilises the loop";
    return design;
  }
  design.found = true;
  if (goal.peak_gain > 0 || goal.peak_ratio > 0) {
    design.least_peak = least_level(problem, design.norms.peak);
    design.bound = goal.peak_gain > 0 ? goal.peak_gain : goal.peak_ratio * design.least_peak;
    if (design.bound < design.least_peak) {
      design.found = false;
      design.message = cat("no controller has a peak gain below ", design.least_peak, ", asked for ", design.bound);
      return design;
    }
    if (design.norms.peak > design.bound) keep_bound(problem, design, *k);
  }
  design.whole = design.norms;
  design.whole_order = k->a.rows();
  if (design.found) reduce_order(problem, goal.order, design, *k);
  if (design.found) {
    design.observer = as_system(*k, sample_time);
    design.entry = k->entry;
  }
  return design;
}

StateSpace feedback_form(const MixedNormDesign& design) {
  const StateSpace& o = design.observer;
  const Eigen::Index m = o.num_outputs(), p = o.num_inputs() - m;
  const MatrixX own = (MatrixX::Identity(m, m) - o.d.rightCols(m)).partialPivLu().solve(MatrixX::Identity(m, m));
  const MatrixX c = own * o.c, d = own * o.d.leftCols(p);
  StateSpace result;
  result.sample_time = o.sample_time;
  result.a = o.a + o.b.rightCols(m) * c;
  result.b = o.b.leftCols(p) + o.b.rightCols(m) * d;
  result.c = -c;
  result.d = -d;
  return result;
}

}  // namespace lithe
