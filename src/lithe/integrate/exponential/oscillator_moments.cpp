#include "lithe/integrate/exponential/oscillator_moments.h"

#include <algorithm>

#include "lithe/integrate/exponential/oscillator_functions.h"

namespace lithe {
namespace {

struct OscillatorState {
  double y, w;
};

OscillatorState state_after(const DrivenOscillator& o, double t) {
  const OscillatorFunctions f = oscillator_functions(o.stiffness, o.damping, t);
  const double g0 = o.force[0], g1 = t * o.force[1], g2 = 2 * t * t * o.force[2];
  return {f.yy * o.y + f.yv * o.w + f.position[1] * g0 + f.position[2] * g1 + f.position[3] * g2,
          f.vy * o.y + f.vv * o.w + f.speed[1] * g0 + f.speed[2] * g1 + f.speed[3] * g2};
}

// The parabola with the moments ∫ f, ∫ t f, ∫ t² f over [0, T], at the Gauss points: Σ (2j+1) m_j P_j(ξ), with m_j the
// mean of f P_j(ξ), ξ = 2t/T - 1 and P_j Legendre's polynomials.
std::array<double, 3> parabola_of_moments(const std::array<double, 3>& moments, double T) {
  const double a = moments[0] / T, b = moments[1] / (T * T), c = moments[2] / (T * T * T);
  const double m1 = 2 * b - a, m2 = 6 * c - 6 * b + a;
  std::array<double, 3> values{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double xi = 2 * gauss_nodes[i] - 1;
    values[i] = a + 3 * m1 * xi + 5 * m2 * (1.5 * xi * xi - 0.5);
  }
  return values;
}

}  // namespace

DrivenOscillator continued(const DrivenOscillator& o, double time) {
  DrivenOscillator result = o;
  const OscillatorState now = state_after(o, time);
  result.y = now.y;
  result.w = now.w;
  result.force = {o.force[0] + time * (o.force[1] + time * o.force[2]), o.force[1] + 2 * time * o.force[2], o.force[2]};
  return result;
}

// Iterated integrals I1, I2, I3 of y follow from the equation integrated once, twice and three times:
//   w(T) - w + c (y(T) - y) + k I1 = G1,   y(T) - y - w T + c (I1 - y T) + k I2 = G2,   ...
// Moments of w by parts. The energy that the damper takes is ∫ g w - Δ(w² + k y²)/2.
SmoothedOscillator smoothed_motion(const DrivenOscillator& o, double T) {
  SmoothedOscillator result;
  const double k = o.stiffness, c = o.damping;
  if (!(k * T * T > 1) || c * c >= 2 * k) {
    for (std::size_t i = 0; i < 3; ++i) {
      const OscillatorState at = state_after(o, gauss_nodes[i] * T);
      result.y[i] = at.y;
      result.w[i] = at.w;
    }
    return result;
  }
  const OscillatorState end = state_after(o, T);
  const auto [g0, g1, g2] = o.force;
  const double T2 = T * T, T3 = T2 * T;
  const double G1 = g0 * T + g1 * T2 / 2 + g2 * T3 / 3;
  const double G2 = g0 * T2 / 2 + g1 * T3 / 6 + g2 * T2 * T2 / 12;
  const double G3 = g0 * T3 / 6 + g1 * T2 * T2 / 24 + g2 * T2 * T3 / 60;
  const double I1 = (G1 - (end.w - o.w) - c * (end.y - o.y)) / k;
  const double I2 = (G2 - (end.y - o.y - o.w * T) - c * (I1 - o.y * T)) / k;
  const double I3 = (G3 - (I1 - o.y * T - o.w * T2 / 2) - c * (I2 - o.y * T2 / 2)) / k;
  const double y1 = T * I1 - I2, y2 = T2 * I1 - 2 * T * I2 + 2 * I3;
  const std::array<double, 3> of_speed{end.y - o.y, T * end.y - I1, T2 * end.y - 2 * y1};
  result.y = parabola_of_moments({I1, y1, y2}, T);
  result.w = parabola_of_moments(of_speed, T);
  if (c > 0) {
    const double work = g0 * of_speed[0] + g1 * of_speed[1] + g2 * of_speed[2];
    const double stored = 0.5 * (end.w * end.w - o.w * o.w + k * (end.y * end.y - o.y * o.y));
    double smooth = 0;
    for (std::size_t i = 0; i < 3; ++i) smooth += gauss_weights[i] * T * result.w[i] * result.w[i];
    result.lost = std::max(0.0, work - stored - c * smooth);
  }
  return result;
}

}  // namespace lithe
