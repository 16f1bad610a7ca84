// Numbers that describe a linear system: gains, margins, zeros, controllability and observability of its modes.
// docs/theory/control.md.
#pragma once

#include <complex>
#include <limits>

#include "lithe/control/linear/state_space.h"

namespace lithe {

using ComplexVector = Eigen::VectorXcd;
using ComplexMatrix = Eigen::MatrixXcd;

// y = G_integrators u + G_rest u. Rigid-body motions that nothing holds are poles at exactly zero: where nothing damps
// them either, double integrators η̈ = b u; where a damper does, single ones ξ̇ = b u beside a stable pole of the rest.
struct SeparatedSystem {
  StateSpace integrators;  // states: positions and rates of the double ones, then the single ones; D = 0
  StateSpace rest;         // with D
  Eigen::Index num_double = 0, num_single = 0;

  StateSpace whole() const;  // the sum: integrators first
};

// One loop opened: L(s) with unity negative feedback around it. Ratios and angles of the first crossings; infinite
// where there is none.
struct Margins {
  double gain = std::numeric_limits<double>::infinity();   // factor by which L may grow
  double phase = std::numeric_limits<double>::infinity();  // rad
  double delay = std::numeric_limits<double>::infinity();  // s, that the phase margin allows
  double gain_frequency = 0, phase_frequency = 0;          // rad/s, where L crosses -180 degrees, and |L| = 1
  double modulus = 0;                                      // least distance of L from -1
};
// Peak of the largest singular value over frequency, and where it is.
struct PeakGain {
  double value = 0, angular_frequency = 0;
};

enum class Sampling { none, hold, tustin };

// Why a gain has no bound.
enum class GainLimit { finite, integrator, unstable_pole, undamped_pole };

// What is known of a channel.
struct ChannelFigures {
  double steady_gain = 0;  // where `steady` is finite
  GainLimit steady = GainLimit::finite;
  PeakGain peak;  // largest gain and where; infinite at an integrator, or at an undamped or unstable pole
  GainLimit peak_limit = GainLimit::finite;
  Margins margins;  // of unity negative feedback around the channel
  ComplexVector zeros;
  Eigen::Index num_states = 0;  // that the input reaches and the output sees
};

// Of a pole: its modal controllability and observability.
struct ModeFigures {
  std::complex<double> rate;  // 1/s, also of a sampled system
  std::complex<double> pole;  // in the z plane of a sampled system, else the rate
  int integrator = 0;         // 1: single, 2: double (two poles at zero)
  VectorX controllability;    // per input, |wᴴ b|
  VectorX observability;      // per output, |c v|
};

}  // namespace lithe
