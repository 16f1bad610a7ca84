#include "lithe/control/linear/linear_analysis.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/control/linear/matrix_equations.h"

namespace lithe {
namespace {

ComplexVector by_modulus(ComplexVector values) {
  // stable_sort() stays within its bounds where values are NaN or equal only nearly
  std::stable_sort(values.data(), values.data() + values.size(), [](const auto& p, const auto& q) {
    const double a = std::abs(p), b = std::abs(q);
    return std::abs(a - b) > 1e-9 * std::max(a, b) ? a < b : p.imag() > q.imag();
  });
  return values;
}

// Orthogonal compressions by singular values with one common threshold.
struct Compression {
  Eigen::Index rank = 0;
  MatrixX u, v;  // full: D = U S Vᵀ
};
Compression compress(const MatrixX& m, double threshold) {
  Compression result;
  if (m.rows() == 0 || m.cols() == 0) {
    result.u = MatrixX::Identity(m.rows(), m.rows());
    result.v = MatrixX::Identity(m.cols(), m.cols());
    return result;
  }
  const SingularPairs pairs = singular_pairs(m, true);
  result.rank = (pairs.values.array() > threshold).count();
  result.u = pairs.u;
  result.v = pairs.v;
  return result;
}

// Removes outputs that no input reaches at once: where y2 = C2 x is to vanish, the part of x that C2 sees vanishes and
// its derivative takes the place of the output. Ends with D of full row rank.
void deflate(StateSpace& s, double threshold) {
  while (s.num_states() > 0) {
    const Compression d = compress(s.d, threshold);
    const Eigen::Index silent = s.num_outputs() - d.rank;
    if (silent == 0) return;
    s.c = (d.u.transpose() * s.c).eval();
    s.d = (d.u.transpose() * s.d).eval();
    const Compression c = compress(s.c.bottomRows(silent), threshold);
    const MatrixX c1 = s.c.topRows(d.rank), d1 = s.d.topRows(d.rank);
    if (c.rank == 0) {
      s.c = c1;
      s.d = d1;
      return;
    }
    // states: the seen ones first (columns of V by falling singular value)
    const Eigen::Index n = s.num_states(), seen = c.rank, kept = n - seen;
    const MatrixX a = c.v.transpose() * s.a * c.v, b = c.v.transpose() * s.b, c1v = c1 * c.v;
    StateSpace next;
    next.a = a.bottomRightCorner(kept, kept);
    next.b = b.bottomRows(kept);
    next.c.resize(d.rank + seen, kept);
    next.c << c1v.rightCols(kept), a.topRightCorner(seen, kept);
    next.d.resize(d.rank + seen, s.num_inputs());
    next.d << d1, b.topRows(seen);
    s = std::move(next);
  }
}

void transpose(StateSpace& s) {
  s.a.transposeInPlace();
  MatrixX b = s.c.transpose();
  s.c = s.b.transpose().eval();
  s.b = std::move(b);
  s.d.transposeInPlace();
}

std::complex<double> point_at(const StateSpace& system, double omega) {
  return system.is_continuous() ? std::complex<double>(0, omega) : std::polar(1.0, omega * system.sample_time);
}

void check_pair(const StateSpace& one, const StateSpace& two) {
  if (one.sample_time != two.sample_time) throw InputError("two linear systems of different sample times");
}

}  // namespace

ComplexVector poles(const StateSpace& system) { return by_modulus(complex_values(system.a).values); }

bool is_stable(const StateSpace& system) { return is_stable(system.a, !system.is_continuous()); }

ComplexVector transmission_zeros(const StateSpace& system) {
  StateSpace s;
  s.a = system.a;
  s.b = system.b;
  s.c = system.c;
  s.d = system.d;
  // Inputs and outputs in units of their own size, so that one threshold serves all.
  for (Eigen::Index j = 0; j < s.num_inputs(); ++j)
    if (const double size = std::max(s.b.col(j).norm(), s.d.col(j).norm()); size > 0) {
      s.b.col(j) /= size;
      s.d.col(j) /= size;
    }
  for (Eigen::Index i = 0; i < s.num_outputs(); ++i)
    if (const double size = std::max(s.c.row(i).norm(), s.d.row(i).norm()); size > 0) {
      s.c.row(i) /= size;
      s.d.row(i) /= size;
    }
  const double threshold = 1e-11 * std::max(1.0, s.a.norm());
  deflate(s, threshold);
  transpose(s);
  deflate(s, threshold);
  if (s.num_states() == 0) return {};
  if (s.num_inputs() == 0 || s.num_outputs() == 0) return by_modulus(complex_values(s.a).values);
  return by_modulus(complex_values(s.a - s.b * s.d.partialPivLu().solve(s.c)).values);
}

ComplexMatrix frequency_response(const StateSpace& system, double omega) {
  const Eigen::Index n = system.num_states();
  if (n == 0) return system.d.cast<std::complex<double>>();
  ComplexMatrix pencil = -system.a.cast<std::complex<double>>();
  pencil.diagonal().array() += point_at(system, omega);
  const ComplexMatrix x = pencil.partialPivLu().solve(system.b.cast<std::complex<double>>());
  return system.c.cast<std::complex<double>>() * x + system.d.cast<std::complex<double>>();
}

MatrixX steady_gain(const StateSpace& system) {
  const Eigen::Index n = system.num_states();
  if (n == 0) return system.d;
  MatrixX pencil = -system.a;
  if (!system.is_continuous()) pencil.diagonal().array() += 1;
  const Eigen::FullPivLU<MatrixX> factors(pencil);
  if (!factors.isInvertible())
    return MatrixX::Constant(system.num_outputs(), system.num_inputs(), std::numeric_limits<double>::quiet_NaN());
  return system.c * factors.solve(system.b) + system.d;
}

// y = (I + D Dk)⁻¹ ...: written for a loop that is well posed, which a strictly proper plant or controller guarantees.
StateSpace feedback(const StateSpace& plant, const StateSpace& controller) {
  check_pair(plant, controller);
  const Eigen::Index n = plant.num_states(), k = controller.num_states(), p = plant.num_outputs();
  const Eigen::PartialPivLU<MatrixX> loop(MatrixX::Identity(p, p) + plant.d * controller.d);
  // y = E (C x - D Ck xk + D v),  u = v - Ck xk - Dk y
  const MatrixX ec = loop.solve(plant.c), ed = loop.solve(plant.d), edc = ed * controller.c;
  StateSpace result;
  result.sample_time = plant.sample_time;
  result.a.resize(n + k, n + k);
  result.a.topLeftCorner(n, n) = plant.a - plant.b * controller.d * ec;
  result.a.topRightCorner(n, k) = plant.b * (controller.d * edc - controller.c);
  result.a.bottomLeftCorner(k, n) = controller.b * ec;
  result.a.bottomRightCorner(k, k) = controller.a - controller.b * edc;
  result.b.resize(n + k, plant.num_inputs());
  result.b.topRows(n) = plant.b - plant.b * controller.d * ed;
  result.b.bottomRows(k) = controller.b * ed;
  result.c.resize(p, n + k);
  result.c.leftCols(n) = ec;
  result.c.rightCols(k) = -edc;
  result.d = ed;
  result.inputs = plant.inputs;
  result.outputs = plant.outputs;
  return result;
}

StateSpace series(const StateSpace& first, const StateSpace& second) {
  check_pair(first, second);
  const Eigen::Index n = first.num_states(), k = second.num_states();
  StateSpace result;
  result.sample_time = first.sample_time;
  result.a = MatrixX::Zero(n + k, n + k);
  result.a.topLeftCorner(n, n) = first.a;
  result.a.bottomLeftCorner(k, n) = second.b * first.c;
  result.a.bottomRightCorner(k, k) = second.a;
  result.b.resize(n + k, first.num_inputs());
  result.b << first.b, second.b * first.d;
  result.c.resize(second.num_outputs(), n + k);
  result.c << second.d * first.c, second.c;
  result.d = second.d * first.d;
  result.inputs = first.inputs;
  result.outputs = second.outputs;
  return result;
}

}  // namespace lithe
