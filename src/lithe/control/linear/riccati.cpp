#include "lithe/control/linear/riccati.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>

#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"
#include "lithe/control/linear/matrix_equations.h"

namespace lithe {
namespace {

double largest(const MatrixX& m) { return m.size() == 0 ? 0 : m.cwiseAbs().maxCoeff(); }

RiccatiSolution refused(std::string why) {
  RiccatiSolution result;
  result.message = std::move(why);
  return result;
}

std::string size_error(const MatrixX& a, const MatrixX& b, const MatrixX& q, const MatrixX& r) {
  if (a.rows() != a.cols() || b.rows() != a.rows() || q.rows() != a.rows() || q.cols() != a.rows() ||
      r.rows() != b.cols() || r.cols() != b.cols())
    return "Riccati equation: the matrices do not fit together";
  if (Eigen::LLT<MatrixX>(r).info() != Eigen::Success)
    return "Riccati equation: the weight of the inputs is not positive definite";
  return {};
}

constexpr const char* no_solution =
    "Riccati equation: no stabilising solution; the model has an unstable or undamped mode that the inputs do not "
    "reach "
    "or the weights do not see";

// Structure-preserving doubling (Chu, Fan, Lin 2004): H converges quadratically to X.
std::optional<MatrixX> from_doubling(MatrixX a, MatrixX g, const MatrixX& q) {
  constexpr int max_doublings = 60;
  const Eigen::Index n = a.rows();
  MatrixX h = q;
  for (int i = 0; i < max_doublings; ++i) {
    const Eigen::PartialPivLU<MatrixX> w(MatrixX::Identity(n, n) + g * h);
    const MatrixX wa = w.solve(a), wg = w.solve(g);
    const MatrixX step = a.transpose() * h * wa;
    const MatrixX next_g = g + a * wg * a.transpose();
    a = (a * wa).eval();
    g = 0.5 * (next_g + next_g.transpose());
    h += 0.5 * (step + step.transpose());
    if (!h.allFinite()) return std::nullopt;
    if (largest(step) <= 1e-15 * largest(h)) return h;
  }
  return std::nullopt;
}

}  // namespace

double discrete_riccati_residual(const MatrixX& a, const MatrixX& b, const MatrixX& q, const MatrixX& r,
                                 const MatrixX& x) {
  const MatrixX xa = x * a, bxa = b.transpose() * xa, moved = a.transpose() * xa;
  const MatrixX quadratic = bxa.transpose() * (r + b.transpose() * x * b).ldlt().solve(bxa);
  const double size = std::max({largest(moved), largest(quadratic), largest(q), largest(x)});
  return size > 0 ? largest(moved - x - quadratic + q) / size : 0;
}

// Hewer: X = (A - B K)ᵀ X (A - B K) + Q + Kᵀ R K.
RiccatiSolution solve_discrete_riccati(const MatrixX& a, const MatrixX& b, const MatrixX& q, const MatrixX& r) {
  if (const std::string error = size_error(a, b, q, r); !error.empty()) return refused(error);
  const auto gain_of = [&](const MatrixX& x) -> MatrixX {
    return (r + b.transpose() * x * b).ldlt().solve(b.transpose() * x * a);
  };
  const std::optional<MatrixX> first = from_doubling(a, b * r.llt().solve(b.transpose()), q);
  if (!first) return refused(no_solution);
  RiccatiSolution best;
  best.x = *first;
  best.gain = gain_of(best.x);
  best.residual = discrete_riccati_residual(a, b, q, r, best.x);
  for (int i = 0; i < 20 && is_stable(a - b * best.gain, true); ++i) {
    const MatrixX closed = a - b * best.gain;
    const auto x = solve_discrete_lyapunov(closed.transpose(), q + best.gain.transpose() * r * best.gain);
    if (!x) break;
    const double residual = discrete_riccati_residual(a, b, q, r, *x);
    if (!(residual < best.residual)) break;
    best.x = *x;
    best.gain = gain_of(*x);
    best.residual = residual;
  }
  best.solved = is_stable(a - b * best.gain, true) && best.residual < 1e-6;
  if (!best.solved) best.message = no_solution;
  return best;
}

// The derivative of AᵀX(1 + G X)⁻¹A is FᵀδX F with F = (1 + G X)⁻¹A: each step of Newton's method is a Lyapunov
// equation.
std::optional<MatrixX> solve_game_riccati(const MatrixX& a, const MatrixX& g, const MatrixX& q) {
  const Eigen::Index n = a.rows();
  const auto closed = [&](const MatrixX& x) -> MatrixX {
    return (MatrixX::Identity(n, n) + g * x).partialPivLu().solve(a);
  };
  const auto missing = [&](const MatrixX& x) -> MatrixX {
    const MatrixX right = q + a.transpose() * x * closed(x) - x;
    return 0.5 * (right + right.transpose());
  };
  std::optional<MatrixX> x = from_doubling(a, g, q);
  if (!x || !is_stable(closed(*x), true)) return std::nullopt;
  double residual = largest(missing(*x));
  for (int i = 0; i < 5; ++i) {
    const auto step = solve_discrete_lyapunov(closed(*x).transpose(), missing(*x));
    if (!step) break;
    const MatrixX next = *x + *step;
    const double left = largest(missing(next));
    if (!(left < residual) || !is_stable(closed(next), true)) break;
    *x = next;
    residual = left;
  }
  const VectorX levels = symmetric_values(*x).values;
  const bool positive = n == 0 || levels[0] >= -1e-9 * levels[n - 1];
  return residual <= 1e-7 * largest(*x) && positive ? x : std::nullopt;
}

}  // namespace lithe
