#include "lithe/control/linear/matrix_equations.h"

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "lithe/base/decompositions.h"

namespace lithe {
namespace {

using MatrixXc = Eigen::MatrixXcd;

constexpr double eps = std::numeric_limits<double>::epsilon();

// Solves (T scaled by `factor`, plus `shift` on its diagonal) y = y in place; false when that is singular.
bool solve_shifted(const MatrixXc& t, std::complex<double> factor, std::complex<double> shift, double size,
                   Eigen::VectorXcd& y) {
  for (Eigen::Index i = t.rows() - 1; i >= 0; --i) {
    std::complex<double> sum = y[i];
    for (Eigen::Index k = i + 1; k < t.cols(); ++k) sum -= factor * t(i, k) * y[k];
    const std::complex<double> pivot = factor * t(i, i) + shift;
    if (!(std::abs(pivot) > 10 * eps * size)) return false;
    y[i] = sum / pivot;
  }
  return true;
}

std::optional<MatrixX> back_transformed(const SchurForm& form, const MatrixXc& y, const MatrixX& q) {
  MatrixX x = (form.u * y * form.u.adjoint()).real();
  if (!x.allFinite()) return std::nullopt;
  if (q.isApprox(q.transpose(), 1e-14)) x = (0.5 * (x + x.transpose())).eval();
  return x;
}

}  // namespace

// With Y = Uᴴ X U: T Y + Y Tᴴ + F = 0, solved from the last column on.
std::optional<MatrixX> solve_lyapunov(const MatrixX& a, const MatrixX& q) {
  const SchurForm form = schur_form(a);
  if (!form.converged) return std::nullopt;
  const MatrixXc& t = form.t;
  const MatrixXc f = form.u.adjoint() * q * form.u;
  const Eigen::Index n = a.rows();
  const double size = n == 0 ? 0 : t.cwiseAbs().maxCoeff();
  MatrixXc y = MatrixXc::Zero(n, n);
  for (Eigen::Index j = n - 1; j >= 0; --j) {
    Eigen::VectorXcd column = -f.col(j);
    for (Eigen::Index k = j + 1; k < n; ++k) column -= std::conj(t(j, k)) * y.col(k);
    if (!solve_shifted(t, 1.0, std::conj(t(j, j)), size, column)) return std::nullopt;
    y.col(j) = column;
  }
  return back_transformed(form, y, q);
}

// T Y Tᴴ - Y + F = 0, likewise.
std::optional<MatrixX> solve_discrete_lyapunov(const MatrixX& a, const MatrixX& q) {
  const SchurForm form = schur_form(a);
  if (!form.converged) return std::nullopt;
  const MatrixXc& t = form.t;
  const MatrixXc f = form.u.adjoint() * q * form.u;
  const Eigen::Index n = a.rows();
  MatrixXc y = MatrixXc::Zero(n, n);
  for (Eigen::Index j = n - 1; j >= 0; --j) {
    Eigen::VectorXcd sum = Eigen::VectorXcd::Zero(n);
    for (Eigen::Index k = j + 1; k < n; ++k) sum += std::conj(t(j, k)) * y.col(k);
    Eigen::VectorXcd column = -f.col(j) - t.triangularView<Eigen::Upper>() * sum;
    if (!solve_shifted(t, std::conj(t(j, j)), -1.0, 1.0, column)) return std::nullopt;
    y.col(j) = column;
  }
  return back_transformed(form, y, q);
}

// exp(A) = (D⁻¹ N)^(2^s) with N = Σ c_k A^k, D = Σ c_k (-A)^k of A / 2^s, whose norm is at most 1/2: the error of order
// 8 is then below 1e-16 (Golub and Van Loan, section 9.3).
MatrixX matrix_exponential(const MatrixX& a) {
  constexpr int order = 8;
  if (a.rows() == 0) return a;
  const double norm = a.cwiseAbs().rowwise().sum().maxCoeff();
  if (!std::isfinite(norm)) return MatrixX::Constant(a.rows(), a.cols(), std::numeric_limits<double>::quiet_NaN());
  const int squarings = norm > 0.5 ? static_cast<int>(std::ceil(std::log2(norm / 0.5))) : 0;
  const MatrixX scaled = a / std::ldexp(1.0, squarings);
  const Eigen::Index n = a.rows();
  MatrixX power = MatrixX::Identity(n, n), numerator = power, denominator = power;
  double c = 1;
  for (int k = 1; k <= order; ++k) {
    c *= static_cast<double>(order - k + 1) / static_cast<double>(k * (2 * order - k + 1));
    power = (power * scaled).eval();
    numerator += c * power;
    denominator += (k % 2 == 0 ? c : -c) * power;
  }
  MatrixX result = denominator.partialPivLu().solve(numerator);
  for (int i = 0; i < squarings; ++i) result = (result * result).eval();
  return result;
}

// S ← (μ S + (μ S)⁻¹) / 2 with μ = |det S|^(-1/n) (Byers), unscaled once it has nearly converged.
std::optional<MatrixX> matrix_sign(const MatrixX& a) {
  constexpr int max_iterations = 60;
  const Eigen::Index n = a.rows();
  MatrixX s = a;
  if (n == 0) return s;
  double last_change = std::numeric_limits<double>::infinity();
  for (int i = 0; i < max_iterations; ++i) {
    const Eigen::PartialPivLU<MatrixX> factors(s);
    const VectorX pivots = factors.matrixLU().diagonal().cwiseAbs();
    if (!(pivots.minCoeff() > 0) || !pivots.allFinite()) return std::nullopt;
    const double scale = last_change > 0.1 ? std::exp(-pivots.array().log().sum() / static_cast<double>(n)) : 1.0;
    const MatrixX next = 0.5 * (scale * s + factors.inverse() / scale);
    const double change = (next - s).norm() / next.norm();
    s = next;
    if (!s.allFinite()) return std::nullopt;
    if (change < 100 * static_cast<double>(n) * eps || (change < 1e-8 && change >= last_change)) return s;
    last_change = change;
  }
  return std::nullopt;
}

bool is_stable(const MatrixX& a, bool discrete, double margin) {
  if (!a.allFinite()) return false;
  if (a.rows() == 0) return true;
  const ComplexPairs poles = complex_values(a);
  if (!poles.converged) return false;
  return discrete ? poles.values.cwiseAbs().maxCoeff() < 1 - margin : poles.values.real().maxCoeff() < -margin;
}

}  // namespace lithe
