#include "lithe/control/linear/reduce_linear.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/control/linear/linear_analysis.h"
#include "lithe/control/linear/matrix_equations.h"

namespace lithe {
namespace {

// A square root of a symmetric positive semidefinite matrix that rounding may have made slightly indefinite: P = L Lᵀ.
MatrixX square_root(const MatrixX& p) {
  const SymmetricPairs pairs = symmetric_pairs(p);
  return pairs.vectors * pairs.values.cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

// States in coordinates T z with [T1 T2]: the projected system of T1, W1 = rows of T⁻¹.
StateSpace projected(const StateSpace& s, const MatrixX& w, const MatrixX& t) {
  StateSpace result;
  result.a = w.transpose() * s.a * t;
  result.b = w.transpose() * s.b;
  result.c = s.c * t;
  result.d = s.d;
  result.sample_time = s.sample_time;
  result.inputs = s.inputs;
  result.outputs = s.outputs;
  return result;
}

// The sum of two systems.
StateSpace parallel(const StateSpace& one, const StateSpace& two) {
  const Eigen::Index n = one.num_states(), k = two.num_states();
  StateSpace result = one;
  result.states.clear();
  result.a = MatrixX::Zero(n + k, n + k);
  result.a.topLeftCorner(n, n) = one.a;
  result.a.bottomRightCorner(k, k) = two.a;
  result.b.resize(n + k, one.num_inputs());
  result.b.topRows(n) = one.b;
  result.b.bottomRows(k) = two.b;
  result.c.resize(one.num_outputs(), n + k);
  result.c.leftCols(n) = one.c;
  result.c.rightCols(k) = two.c;
  return result;
}

struct Split {
  StateSpace stable, other;  // D with `other`
};

// An orthonormal basis of the range of a projector.
MatrixX range_basis(const MatrixX& projector, Eigen::Index rank) {
  if (rank == 0) return MatrixX(projector.rows(), 0);
  MatrixX basis = MatrixX::Identity(projector.rows(), rank);
  PivotedQr(projector).apply_q(basis);
  return basis;
}

// By the projector (I + sign)/2 of the shifted matrix: poles closer to the stability limit than `margin` times the
// fastest one count as unstable. A sampled system goes through (A - I)(A + I)⁻¹, which maps the unit circle to the
// axis.
std::optional<Split> split_stable(const StateSpace& s) {
  const Eigen::Index n = s.num_states();
  if (n == 0) return Split{s, s};
  const MatrixX identity = MatrixX::Identity(n, n);
  const MatrixX m = s.is_continuous() ? s.a : MatrixX((s.a + identity).partialPivLu().solve(s.a - identity));
  const double fastest = std::max(1e-300, complex_values(m).values.cwiseAbs().maxCoeff());
  const std::optional<MatrixX> sign = matrix_sign(m + 1e-7 * fastest * identity);
  if (!sign) return std::nullopt;
  const MatrixX to_other = 0.5 * (identity + *sign);
  const auto rank = static_cast<Eigen::Index>(std::lround(to_other.trace()));
  const MatrixX others = range_basis(to_other, rank), stables = range_basis(identity - to_other, n - rank);
  MatrixX t(n, n);
  t.leftCols(n - rank) = stables;
  t.rightCols(rank) = others;
  const MatrixX w = t.partialPivLu().inverse().transpose();
  Split result{projected(s, w.leftCols(n - rank), stables), projected(s, w.rightCols(rank), others)};
  result.stable.d.setZero();
  return result;
}

struct Balanced {
  VectorX hankel;
  MatrixX w, t;  // w.leftCols(r), t.leftCols(r) give the truncation to r states
};

// Square-root method: Lqᵀ Lp = U S Vᵀ, T = Lp V S^-½, W = Lq U S^-½ (Tombs and Postlethwaite 1987).
std::optional<Balanced> balance(const StateSpace& s) {
  const std::optional<Gramians> both = gramians(s);
  if (!both) return std::nullopt;
  const MatrixX lp = square_root(both->controllability), lq = square_root(both->observability);
  const SingularPairs svd = singular_pairs(lq.transpose() * lp);
  Balanced result;
  result.hankel = svd.values;
  const double floor = std::numeric_limits<double>::min() + 1e-15 * (result.hankel.size() > 0 ? result.hankel[0] : 0);
  const VectorX scale = result.hankel.cwiseMax(floor).cwiseSqrt().cwiseInverse();
  result.t = lp * svd.v * scale.asDiagonal();
  result.w = lq * svd.u * scale.asDiagonal();
  return result;
}

// Eigenvalues and eigenvectors with what the inputs do to each mode and the outputs see of it.
class ModeList {
 public:
  explicit ModeList(const StateSpace& system) : pairs_(complex_pairs(system.a)) {
    pairs_.vectors.colwise().normalize();
    left_ = pairs_.vectors.partialPivLu().inverse();
    reach_ = (left_ * system.b.cast<std::complex<double>>()).rowwise().norm();
    seen_ = (system.c.cast<std::complex<double>>() * pairs_.vectors).colwise().norm();
    fastest_ = pairs_.values.cwiseAbs().maxCoeff();
  }
  const ComplexVector& values() const { return pairs_.values; }
  ComplexVector right(Eigen::Index k) const { return pairs_.vectors.col(k); }
  ComplexVector left(Eigen::Index k) const { return left_.row(k).transpose(); }
  bool undamped(Eigen::Index k) const {
    const std::complex<double> value = values()[k];
    return std::abs(value.real()) <= std::max(1e-9 * std::abs(value), 1e-13 * fastest_);
  }
  // At zero, or right of the axis.
  bool unstable(Eigen::Index k) const {
    return std::abs(values()[k]) <= 1e-13 * fastest_ || (values()[k].real() > 0 && !undamped(k));
  }
  Eigen::Index num_unstable() const {
    Eigen::Index count = 0;
    for (Eigen::Index k = 0; k < values().size(); ++k) count += unstable(k) ? 1 : 0;
    return count;
  }
  // |1/(iω - λ)| is at most 1/|Re λ|; its distance from -1/λ at most (|λ| + |Re λ|)/(|λ| |Re λ|).
  double gain_left_out(Eigen::Index k, bool static_gain_kept) const {
    const double gain = reach_[k] * seen_[k], decay = std::abs(values()[k].real()), size = std::abs(values()[k]);
    if (gain == 0) return 0;
    if (undamped(k)) return std::numeric_limits<double>::infinity();
    return gain * (static_gain_kept ? (size + decay) / (size * decay) : 1 / decay);
  }
  // Unstable ones first; conjugate pairs stay together.
  std::vector<Eigen::Index> sequence(ModeOrder by) const {
    std::vector<Eigen::Index> result(static_cast<std::size_t>(values().size()));
    for (std::size_t k = 0; k < result.size(); ++k) result[k] = static_cast<Eigen::Index>(k);
    const auto rank = [&](Eigen::Index k) {
      const double size = std::abs(values()[k]);
      return by == ModeOrder::slowest ? size : -reach_[k] * seen_[k] / size;
    };
    std::stable_sort(result.begin(), result.end(), [&](Eigen::Index i, Eigen::Index j) {
      if (unstable(i) != unstable(j)) return unstable(i);
      return rank(i) < rank(j) - 1e-9 * std::abs(rank(j));
    });
    return result;
  }

 private:
  ComplexPairs pairs_;
  ComplexMatrix left_;
  VectorX reach_, seen_;
  double fastest_ = 0;
};

// By eigenvectors of the unstable poles, which are few and far from the others; the stable part is what their left
// eigenvectors do not see. Nothing where they are not independent (a double integrator).
std::optional<Split> split_by_modes(const StateSpace& s) {
  const Eigen::Index n = s.num_states();
  const ModeList modes(s);
  const Eigen::Index count = modes.num_unstable();
  Split result;
  result.stable = result.other = s;
  result.stable.d.setZero();
  MatrixX t(n, count), w(n, count);
  Eigen::Index column = 0;
  for (Eigen::Index k = 0; k < n; ++k) {
    if (!modes.unstable(k) || modes.values()[k].imag() < 0) continue;
    t.col(column) = modes.right(k).real();
    w.col(column++) = modes.left(k).real();
    if (modes.values()[k].imag() == 0) continue;
    t.col(column) = modes.right(k).imag();
    w.col(column++) = modes.left(k).imag();
  }
  if (column != count || !w.allFinite() || (count > 0 && w.colwise().norm().maxCoeff() > 1e6)) return std::nullopt;
  const MatrixX stable = count > 0 ? MatrixX(orthogonal_factor(w).rightCols(n - count)) : MatrixX::Identity(n, n);
  MatrixX all(n, n);
  all << stable, t;
  const MatrixX inverse = all.partialPivLu().inverse().transpose();
  result.other = projected(s, inverse.rightCols(count), t);
  if (count > 0) result.stable = projected(s, inverse.leftCols(n - count), stable);
  result.stable.d.setZero();
  return result;
}

template <class ChooseOrder>
ReducedSystem truncate(const StateSpace& system, ChooseOrder&& choose) {
  ReducedSystem result;
  result.system = system;
  if (system.num_states() == 0) return result;
  std::optional<Split> split = system.is_continuous() ? split_by_modes(system) : std::nullopt;
  if (!split) split = split_stable(system);
  if (!split) {
    result.message = "the stable part of the system cannot be separated";
    return result;
  }
  result.kept_unstable = split->other.num_states();
  const std::optional<Balanced> balanced = balance(split->stable);
  if (!balanced) {
    result.message = "the Gramians of the stable part do not exist";
    return result;
  }
  result.hankel = balanced->hankel;
  const Eigen::Index stable = split->stable.num_states();
  const Eigen::Index kept = std::clamp<Eigen::Index>(choose(balanced->hankel, result.kept_unstable), 0, stable);
  result.error_bound = 2 * balanced->hankel.tail(stable - kept).sum();
  result.system =
      parallel(split->other, projected(split->stable, balanced->w.leftCols(kept), balanced->t.leftCols(kept)));
  return result;
}

// An orthonormal basis of what the columns of B reach under A: each block is orthogonalised against the earlier ones.
MatrixX reachable_basis(const MatrixX& a, const MatrixX& b, double threshold) {
  const Eigen::Index n = a.rows();
  MatrixX basis(n, 0), block = b;
  double size = b.norm();
  while (block.cols() > 0 && basis.cols() < n) {
    for (int twice = 0; twice < 2; ++twice) block -= basis * (basis.transpose() * block);
    const SingularPairs svd = singular_pairs(block);
    const Eigen::Index rank = std::min<Eigen::Index>((svd.values.array() > threshold * size).count(), n - basis.cols());
    const MatrixX fresh = svd.u.leftCols(rank);
    MatrixX next(n, basis.cols() + rank);
    next << basis, fresh;
    basis = std::move(next);
    block = a * fresh;
    size = a.norm();
  }
  return basis;
}

}  // namespace

std::optional<Gramians> gramians(const StateSpace& s) {
  if (!is_stable(s)) return std::nullopt;
  const MatrixX bb = s.b * s.b.transpose(), cc = s.c.transpose() * s.c;
  const auto p = s.is_continuous() ? solve_lyapunov(s.a, bb) : solve_discrete_lyapunov(s.a, bb);
  const auto q = s.is_continuous() ? solve_lyapunov(s.a.transpose(), cc) : solve_discrete_lyapunov(s.a.transpose(), cc);
  if (!p || !q) return std::nullopt;
  return Gramians{*p, *q};
}

ReducedSystem balanced_truncation(const StateSpace& system, Eigen::Index order) {
  return truncate(system, [order](const VectorX&, Eigen::Index unstable) { return order - unstable; });
}

ReducedSystem balanced_truncation_to(const StateSpace& system, double error_bound) {
  return truncate(system, [error_bound](const VectorX& hankel, Eigen::Index) {
    Eigen::Index kept = hankel.size();
    double bound = 0;
    while (kept > 0 && bound + 2 * hankel[kept - 1] <= error_bound) bound += 2 * hankel[--kept];
    return kept;
  });
}

StateSpace minimal_realisation(const StateSpace& system, double threshold) {
  const MatrixX reached = reachable_basis(system.a, system.b, threshold);
  const StateSpace one = projected(system, reached, reached);
  const MatrixX seen = reachable_basis(one.a.transpose(), one.c.transpose(), threshold);
  return projected(one, seen, seen);
}

ReducedSystem modal_truncation(const StateSpace& system, Eigen::Index order, bool keep_static_gain, ModeOrder by) {
  if (!system.is_continuous()) throw InputError("modal truncation: the system must be continuous");
  const Eigen::Index n = system.num_states();
  ReducedSystem result;
  result.system = system;
  if (n == 0) return result;
  const ModeList modes(system);
  const std::vector<Eigen::Index> sequence = modes.sequence(by);
  result.kept_unstable = modes.num_unstable();
  Eigen::Index kept = std::clamp(order, result.kept_unstable, n);
  const auto value_at = [&](Eigen::Index i) { return modes.values()[sequence[static_cast<std::size_t>(i)]]; };
  if (kept > 0 && kept < n && value_at(kept - 1).imag() != 0 && value_at(kept) == std::conj(value_at(kept - 1))) ++kept;

  // Real bases of the modes left out: T2, and W2 with W2ᵀ T2 = I from left eigenvectors.
  const Eigen::Index out = n - kept;
  MatrixX t2(n, out), w2(n, out);
  Eigen::Index column = 0;
  for (Eigen::Index i = kept; i < n; ++i) {
    const Eigen::Index k = sequence[static_cast<std::size_t>(i)];
    const std::complex<double> value = modes.values()[k];
    result.error_bound += modes.gain_left_out(k, keep_static_gain);
    if (value.imag() < 0) continue;
    t2.col(column) = modes.right(k).real();
    w2.col(column++) = modes.left(k).real();
    if (value.imag() == 0) continue;
    t2.col(column) = modes.right(k).imag();
    w2.col(column++) = modes.left(k).imag();
  }
  // The invariant subspace of those kept is the orthogonal complement of the left eigenvectors left out.
  const MatrixX q = orthogonal_factor(w2);
  const MatrixX t1 = q.rightCols(kept);
  MatrixX t(n, n);
  t << t1, t2;
  const MatrixX w = t.partialPivLu().inverse().transpose();
  result.system = projected(system, w.leftCols(kept), t1);
  if (keep_static_gain && out > 0) {
    const StateSpace rest = projected(system, w.rightCols(out), t2);
    result.system.d -= rest.c * rest.a.partialPivLu().solve(rest.b);
  }
  return result;
}

}  // namespace lithe
