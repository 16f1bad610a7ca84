// Eigenvalues of a linear model, with damping and gyroscopic terms, and its answer to harmonic inputs.
#pragma once

#include <complex>
#include <vector>

#include "lithe/analyse/linear/linearise.h"

namespace lithe {

// Eigenvalues smaller than this part of the largest one are rounding of zero.
inline constexpr double smallest_eigenvalue = 1e-7;

// False when M is not positive definite. Eigenvalues alone cost half.
bool linear_modes(const LinearModel& model, LinearModes& modes, bool with_shapes = true);

// Displacements and speeds of modes as columns of unit length, in the energy coordinates of `frame`: to compare modes
// of models that differ. Each model's own coordinates would not do: where two of its frequencies are equal they are any
// in a plane.
MatrixXc energy_shapes(const LinearModes& modes, const LinearModes& frame);

// The largest growth rate Re λ, relative to |λ|, of eigenvalues that are not rounding: positive where the motion is
// unstable. A motion that diverges has 1, even if its eigenvalue is as small as rounding.
double relative_growth(const LinearModes& modes);
// Above this it is more than rounding.
inline constexpr double least_growth = 1e-5;

// y(ω) = H(iω) u(ω), outputs x inputs at every angular frequency (rad/s): (9) of the theory page.
std::vector<MatrixXc> frequency_response(const LinearModel& model, const std::vector<double>& angular_frequencies);

}  // namespace lithe
