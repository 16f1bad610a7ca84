// Straight two-node beam elements in space: interpolation and stiffness in the beam's own axes.
// docs/theory/beam_elements.md derives them; equation numbers below are of that page.
#pragma once

#include <vector>

#include "lithe/base/math.h"
#include "lithe/model/model.h"

namespace lithe {

using Matrix12 = Eigen::Matrix<double, 12, 12>;
using Matrix3x12 = Eigen::Matrix<double, 3, 12>;

// What an element needs to know of its material and section. Degrees of freedom: (u_a, ψ_a, u_b, ψ_b) in beam axes,
// x along the beam, y and z principal axes of the section.
struct BeamProperties {
  BeamTheory theory = BeamTheory::euler_bernoulli;
  double length = 0;
  double mass_per_length = 0;      // ρ A
  double rotary_inertia_y = 0;     // ρ Iy, per length
  double rotary_inertia_z = 0;     // ρ Iz, per length
  double axial_stiffness = 0;      // E A
  double torsional_stiffness = 0;  // G J
  double bending_stiffness_y = 0;  // E Iy, bending in the x-z plane
  double bending_stiffness_z = 0;  // E Iz, bending in the x-y plane
  double shear_stiffness_y = 0;    // along y, with bending in the x-y plane; infinite for Euler-Bernoulli
  double shear_stiffness_z = 0;    // along z, with bending in the x-z plane
};

BeamProperties beam_properties(BeamTheory theory, const Material& material, const Section& section, double length);

// Displacement of the axis and rotation of the section at x = ξ length: u = translation U_e, ψ = rotation U_e.
struct BeamInterpolation {
  Matrix3x12 translation;
  Matrix3x12 rotation;
};
BeamInterpolation beam_interpolation(const BeamProperties& beam, double xi);

Matrix12 beam_stiffness(const BeamProperties& beam);

// Points ξ in (0, 1) and weights (sum 1) that integrate the element's consistent mass exactly.
struct QuadraturePoint {
  double xi = 0;
  double weight = 0;
};
std::vector<QuadraturePoint> mass_quadrature(BeamTheory theory);

}  // namespace lithe
