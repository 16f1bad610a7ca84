// What a control engineer asks of a linear system: poles, zeros, response, margins, norms. docs/theory/control.md.
#pragma once

#include <complex>
#include <vector>

#include "lithe/control/linear/figures.h"

namespace lithe {

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

// L(s) with unity negative feedback around it.
Margins margins(const StateSpace& loop);

// (∫ tr G Gᴴ dω / 2π)^½: rms output for white noise. Infinite for an unstable system or direct feedthrough
// (continuous).
double h2_norm(const StateSpace& system);
// Peak of the largest singular value over frequency, to a relative 1e-6, and where it is. Infinite when unstable.
PeakGain hinf_norm(const StateSpace& system);

// Negative feedback u = -K y with K a system of its own (sampled alike); outputs and inputs are those of the plant,
// input added where K's output enters.
StateSpace feedback(const StateSpace& plant, const StateSpace& controller);
// y = G2 G1 u
StateSpace series(const StateSpace& first, const StateSpace& second);

}  // namespace lithe
