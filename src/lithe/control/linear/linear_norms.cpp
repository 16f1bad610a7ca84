// Margins and norms.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/control/linear/infinite.h"
#include "lithe/control/linear/linear_analysis.h"
#include "lithe/control/linear/matrix_equations.h"

namespace lithe {
namespace {

using std::numbers::pi;

// Frequencies that show every resonance: a grid by decades between the slowest and the fastest pole, dense about the
// lightly damped ones; up to the Nyquist frequency of a sampled system.
std::vector<double> telling_frequencies(const StateSpace& system) {
  double low = 1e-2, high = 1e2;
  std::vector<double> grid;
  const auto add_near = [&](std::complex<double> rate) {
    const double size = std::abs(rate);
    if (!(size > 0) || !std::isfinite(100 * size)) return;
    low = std::min(low, 0.01 * size);
    high = std::max(high, 100 * size);
    if (std::abs(rate.imag()) < 0.3 * size) return;
    const double width = std::max(std::abs(rate.real()), 1e-6 * size);
    for (int k = -40; k <= 40; ++k) {
      const double offset = width * std::copysign(std::pow(2.0, std::abs(k) / 2.0) - 1, k);
      if (std::abs(rate.imag()) + offset > 0) grid.push_back(std::abs(rate.imag()) + offset);
    }
  };
  for (const std::complex<double>& pole : poles(system))
    add_near(system.is_continuous() ? pole : std::log(pole) / system.sample_time);
  for (const std::complex<double>& zero : transmission_zeros(system))
    add_near(system.is_continuous() ? zero : std::log(zero) / system.sample_time);
  const double nyquist = system.is_continuous() ? infinite : pi / system.sample_time;
  high = std::min(high, nyquist);
  low = std::max(std::min(low, 1e-3 * high), 1e-300);  // samples may be so slow that even `low` lies beyond
  const double decades = std::max(std::log10(high) - std::log10(low), 1e-3);
  const int count = static_cast<int>(std::ceil(std::min(100 * decades, 2500.0)));
  for (int k = 0; k <= count; ++k) grid.push_back(low * std::pow(10.0, decades * k / count));
  std::erase_if(grid, [=](double w) { return !(w > 0) || w > nyquist; });
  std::sort(grid.begin(), grid.end());
  return grid;
}

// The real matrix [Re -Im; Im Re] has the same singular values, each twice.
double largest_singular_value(const ComplexMatrix& m) {
  if (m.size() == 0) return 0;
  if (m.size() == 1) return std::abs(m(0, 0));
  MatrixX real(2 * m.rows(), 2 * m.cols());
  real << m.real(), -m.imag(), m.imag(), m.real();
  return singular_values(real).values[0];
}

// Root of f between two frequencies of different sign.
template <class F>
double crossing(F&& f, double from, double to) {
  double low = f(from);
  for (int i = 0; i < 80 && to - from > 1e-14 * to; ++i) {
    const double middle = 0.5 * (from + to), value = f(middle);
    if ((value > 0) == (low > 0)) {
      from = middle;
      low = value;
    } else {
      to = middle;
    }
  }
  return 0.5 * (from + to);
}

// A continuous system with the same norm: z = (1 + s)/(1 - s).
StateSpace bilinear(const StateSpace& s) {
  const Eigen::Index n = s.num_states();
  const MatrixX identity = MatrixX::Identity(n, n);
  const Eigen::PartialPivLU<MatrixX> factors(s.a + identity);
  StateSpace result;
  result.a = factors.solve(s.a - identity);
  const MatrixX ib = factors.solve(s.b);
  result.b = std::sqrt(2.0) * ib;
  result.c = std::sqrt(2.0) * (s.a + identity).transpose().partialPivLu().solve(s.c.transpose()).transpose();
  result.d = s.d - s.c * ib;
  return result;
}

// Frequencies at which a singular value of G equals `level`: imaginary eigenvalues of the Hamiltonian matrix (Boyd,
// Balakrishnan, Kabamba 1989).
std::vector<double> level_frequencies(const StateSpace& g, double level) {
  const Eigen::Index n = g.num_states(), m = g.num_inputs(), p = g.num_outputs();
  const MatrixX r = level * level * MatrixX::Identity(m, m) - g.d.transpose() * g.d;
  const Eigen::PartialPivLU<MatrixX> factors(r);
  const MatrixX rdc = factors.solve(g.d.transpose() * g.c), rb = factors.solve(g.b.transpose());
  const MatrixX a = g.a + g.b * rdc;
  MatrixX h(2 * n, 2 * n);
  h << a, g.b * rb, -g.c.transpose() * (MatrixX::Identity(p, p) + g.d * factors.solve(g.d.transpose())) * g.c,
      -a.transpose();
  const ComplexVector values = complex_values(h).values;
  std::vector<double> found;
  for (const std::complex<double>& value : values)
    if (value.imag() >= 0 && std::abs(value.real()) <= 1e-8 * (h.norm() * 1e-2 + std::abs(value)))
      found.push_back(value.imag());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Margins margins(const StateSpace& loop) {
  if (loop.num_inputs() != 1 || loop.num_outputs() != 1)
    throw InputError("margins: the loop must have one input and one output");
  const auto at = [&](double w) { return frequency_response(loop, w)(0, 0); };
  const auto log_gain = [&](double w) { return std::log(std::abs(at(w))); };
  const auto imaginary = [&](double w) { return at(w).imag(); };
  Margins result;
  result.modulus = infinite;
  const std::vector<double> grid = telling_frequencies(loop);
  if (grid.empty()) return result;
  std::complex<double> last = at(grid.front());
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const std::complex<double> now = at(grid[i]);
    result.modulus = std::min(result.modulus, std::abs(1.0 + now));
    if (i > 0 && (std::abs(last) > 1) != (std::abs(now) > 1)) {
      const double w = crossing(log_gain, grid[i - 1], grid[i]);
      double phase = std::arg(at(w)) + pi;  // above -180 degrees; 0 to 2 pi
      if (phase > pi) phase -= 2 * pi;
      if (std::abs(phase) < std::abs(result.phase)) {
        result.phase = phase;
        result.phase_frequency = w;
      }
      const double lag = phase < 0 ? phase + 2 * pi : phase;
      result.delay = std::min(result.delay, lag / w);
    }
    if (i > 0 && (last.imag() > 0) != (now.imag() > 0) && last.real() < 0 && now.real() < 0) {
      const double w = crossing(imaginary, grid[i - 1], grid[i]);
      const double factor = 1 / std::abs(at(w));
      if (std::abs(std::log(factor)) < std::abs(std::log(result.gain))) {
        result.gain = factor;
        result.gain_frequency = w;
      }
    }
    last = now;
  }
  return result;
}

// tr C P Cᵀ (+ tr D Dᵀ, sampled), with the controllability Gramian P.
double h2_norm(const StateSpace& system) {
  if (!is_stable(system)) return infinite;
  if (system.is_continuous() && system.d.size() > 0 && system.d.cwiseAbs().maxCoeff() > 0) return infinite;
  const MatrixX noise = system.b * system.b.transpose();
  const auto gramian =
      system.is_continuous() ? solve_lyapunov(system.a, noise) : solve_discrete_lyapunov(system.a, noise);
  if (!gramian) return infinite;
  double square = (system.c * *gramian * system.c.transpose()).trace();
  if (!system.is_continuous()) square += system.d.squaredNorm();
  return std::sqrt(std::max(0.0, square));
}

// A lower bound from a grid, raised at the middle of each interval above it until none is left (Bruinsma and Steinbuch
// 1990).
PeakGain hinf_norm(const StateSpace& system) {
  constexpr double accuracy = 1e-7;
  if (!is_stable(system)) return {infinite, 0};
  const auto gain_at = [&](double w) { return largest_singular_value(frequency_response(system, w)); };
  PeakGain peak{gain_at(0), 0};
  const double direct = system.d.size() == 0 ? 0 : singular_values(system.d).values[0];
  if (system.is_continuous() && direct > peak.value) peak = {direct, infinite};
  for (const double w : telling_frequencies(system))
    if (const double gain = gain_at(w); gain > peak.value) peak = {gain, w};
  if (system.num_states() == 0 || peak.value == 0) return peak;
  const bool sampled = !system.is_continuous();
  const StateSpace g = sampled ? bilinear(system) : system;
  const auto to_system = [&](double w) { return sampled ? 2 * std::atan(w) / system.sample_time : w; };
  for (int i = 0; i < 30; ++i) {
    const std::vector<double> found = level_frequencies(g, (1 + 2 * accuracy) * peak.value);
    if (found.size() < 2) break;
    const double before = peak.value;
    for (std::size_t k = 0; k + 1 < found.size(); ++k) {
      const double w = to_system(0.5 * (found[k] + found[k + 1]));
      if (const double gain = gain_at(w); gain > peak.value) peak = {gain, w};
    }
    if (peak.value <= (1 + accuracy) * before) break;
  }
  return peak;
}

}  // namespace lithe
