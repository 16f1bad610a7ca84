// What a control engineer asks of a linear system: poles, zeros, response, margins, norms. docs/theory/control.md.
#pragma once

#include <complex>
#include <limits>
#include <vector>

#include "lithe/control/linear/state_space.h"

namespace lithe {

using ComplexVector = Eigen::VectorXcd;
using ComplexMatrix = Eigen::MatrixXcd;

// Eigenvalues of A, by modulus.
ComplexVector poles(const StateSpace& system);
bool is_stable(const StateSpace& system);

// Finite transmission zeros, by modulus: where the system matrix [A - zI, B; C, D] loses rank. By the reduction of
// Emami-Naeini and Van Dooren (1982), so that zeros at infinity do not show up as large numbers.
ComplexVector transmission_zeros(const StateSpace& system);

// C (zI - A)⁻¹ B + D at z = iω, or exp(iωT) for a sampled system; ω in rad/s.
ComplexMatrix frequency_response(const StateSpace& system, double angular_frequency);
// At z = 0 (continuous) or z = 1; infinite entries are NaN.
MatrixX steady_gain(const StateSpace& system);

// One loop opened: L(s) with unity negative feedback around it. Ratios and angles of the first crossings; infinite
// where there is none.
struct Margins {
  double gain = std::numeric_limits<double>::infinity();   // factor by which L may grow
  double phase = std::numeric_limits<double>::infinity();  // rad
  double delay = std::numeric_limits<double>::infinity();  // s, that the phase margin allows
  double gain_frequency = 0, phase_frequency = 0;          // rad/s, where L crosses -180 degrees, and |L| = 1
  double modulus = 0;                                      // least distance of L from -1
};
Margins margins(const StateSpace& loop);

// (∫ tr G Gᴴ dω / 2π)^½: rms output for white noise. Infinite for an unstable system or direct feedthrough
// (continuous).
double h2_norm(const StateSpace& system);
// Peak of the largest singular value over frequency, to a relative 1e-6, and where it is. Infinite when unstable.
struct PeakGain {
  double value = 0, angular_frequency = 0;
};
PeakGain hinf_norm(const StateSpace& system);

// How far the inputs reach a mode and the outputs see it: norms of wᴴB and C v with left and right eigenvectors scaled
// to wᴴv = 1 and |v| = 1. One row per eigenvalue with non-negative imaginary part, by modulus.
struct ModeReach {
  std::complex<double> pole;
  double frequency = 0;      // Hz, of |pole|
  double damping_ratio = 0;  // -Re/|pole|
  VectorX controllability;   // per input
  VectorX observability;     // per output
};
std::vector<ModeReach> mode_reach(const StateSpace& system);

// Negative feedback u = -K y with K a system of its own (sampled alike); outputs and inputs are those of the plant,
// input added where K's output enters.
StateSpace feedback(const StateSpace& plant, const StateSpace& controller);
// y = G2 G1 u
StateSpace series(const StateSpace& first, const StateSpace& second);

}  // namespace lithe
