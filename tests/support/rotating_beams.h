// Rotating beams and shafts as models, and an independent reference for their frequencies.
#pragma once

#include <cmath>
#include <vector>

#include "support/flexible_models.h"

namespace lithe::testing {

enum class Root { clamped, hinged_in_plane };

struct BeamOnHub {
  double length = 1, hub_radius = 0, stiffness = 1;  // EI
  double slenderness = 1e4;                          // length over radius of gyration: rotary inertia is 1e-8 of mass
  Root root = Root::clamped;
};

// Line density 1; equal stiffness in both planes; stiff along the axis. Turns about z on a hub without mass.
Model rotating_beam(const BeamOnHub& beam, int elements);

// Squared frequencies by Ritz' method with `terms` polynomials over the length (Legendre's, times x² or x at the root):
//   ∫ EI w''² + T w'² - [in plane] m Ω² w²,   T = m Ω² (r (l - x) + (l² - x²)/2)
VectorX ritz_squared_frequencies(const BeamOnHub& beam, double speed, bool in_plane, int terms);

// The simply supported shaft of [LIN] section 5.3 with line density 1, length 1, mean bending stiffness EI = 1 / π⁴, so
// that its first frequency is 1; `nu` is the difference of the stiffnesses over their mean. Discs at both ends with
// moment `disc` about the axis of the softer bending and none about the other.
Model rotating_shaft(double nu, int elements, double disc = 0, double slenderness = 1e4);

}  // namespace lithe::testing
