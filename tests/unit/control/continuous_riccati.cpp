#include "unit/control/continuous_riccati.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "lithe/base/decompositions.h"
#include "lithe/control/linear/matrix_equations.h"

namespace lithe::testing {
namespace {

double largest_entry(const MatrixX& m) { return m.size() == 0 ? 0 : m.cwiseAbs().maxCoeff(); }

// The graph of X is the stable invariant subspace of H = [A -G; -Q -Aᵀ]: (sign(H) + I) [I; X] = 0.
std::optional<MatrixX> from_sign(const MatrixX& a, const MatrixX& g, const MatrixX& q) {
  const Eigen::Index n = a.rows();
  MatrixX hamiltonian(2 * n, 2 * n);
  hamiltonian << a, -g, -q, -a.transpose();
  const std::optional<MatrixX> sign = matrix_sign(hamiltonian);
  if (!sign) return std::nullopt;
  MatrixX left(2 * n, n), right(2 * n, n);
  left << sign->topRightCorner(n, n), sign->bottomRightCorner(n, n) + MatrixX::Identity(n, n);
  right << -(sign->topLeftCorner(n, n) + MatrixX::Identity(n, n)), -sign->bottomLeftCorner(n, n);
  const MatrixX x = PivotedQr(left).solve(right);
  if (!x.allFinite()) return std::nullopt;
  return MatrixX(0.5 * (x + x.transpose()));
}

}  // namespace

double riccati_residual(const MatrixX& a, const MatrixX& b, const MatrixX& q, const MatrixX& r, const MatrixX& x) {
  const MatrixX linear = a.transpose() * x, quadratic = x * b * r.llt().solve(b.transpose() * x);
  const double size = std::max({largest_entry(linear), largest_entry(quadratic), largest_entry(q)});
  return size > 0 ? largest_entry(linear + linear.transpose() - quadratic + q) / size : 0;
}

// Kleinman: with K from the last X, (A - B K)ᵀ X + X (A - B K) + Q + Kᵀ R K = 0. Quadratic, and stabilising from any
// stabilising start.
RiccatiSolution solve_riccati(const MatrixX& a, const MatrixX& b, const MatrixX& q, const MatrixX& r) {
  const Eigen::LLT<MatrixX> weight(r);
  const std::optional<MatrixX> first = from_sign(a, b * weight.solve(b.transpose()), q);
  if (!first) return {};
  RiccatiSolution best;
  best.x = *first;
  best.gain = weight.solve(b.transpose() * best.x);
  best.residual = riccati_residual(a, b, q, r, best.x);
  for (int i = 0; i < 20 && is_stable(a - b * best.gain, false); ++i) {
    const MatrixX closed = a - b * best.gain;
    const auto x = solve_lyapunov(closed.transpose(), q + best.gain.transpose() * r * best.gain);
    if (!x) break;
    const double residual = riccati_residual(a, b, q, r, *x);
    const bool better = residual < best.residual;
    if (!better && i > 0) break;
    best.x = *x;
    best.gain = weight.solve(b.transpose() * *x);
    best.residual = residual;
    if (residual < 1e-15) break;
  }
  best.solved = is_stable(a - b * best.gain, false) && best.residual < 1e-6;
  return best;
}

}  // namespace lithe::testing
