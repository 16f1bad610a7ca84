// Eigenvalues of a linear model, with damping and gyroscopic terms, and its answer to harmonic inputs.
#pragma once

#include <complex>
#include <vector>

#include "lithe/analyse/linear/linearise.h"

namespace lithe {

using MatrixXc = Eigen::MatrixXcd;

// One eigenvalue of each conjugate pair (the one with positive imaginary part), and every real one; ascending in size.
struct LinearModes {
  std::vector<std::complex<double>> eigenvalues;  // 1/s
  MatrixXc shapes;                                // of the coordinates, one column each
  // Coordinates in which the length of displacements (times weights) and speeds is energy, from those of the model: Φᵀ
  // M.
  MatrixX energy_coordinates;
  VectorX energy_weights;
  // Directions in which a symmetric stiffness is negative by more than rounding; -1 where K is not symmetric. Where
  // their number is odd, det(λ² M + λ C + K) is negative at λ = 0 and positive for large λ: one λ is real and positive,
  // however small.
  int negative_stiffness = -1;
  bool diverges() const { return negative_stiffness > 0 && negative_stiffness % 2 == 1; }

  double frequency(std::size_t k) const;      // |λ| / 2π, Hz
  double damping_ratio(std::size_t k) const;  // -Re λ / |λ|; 0 where that is rounding
};

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
