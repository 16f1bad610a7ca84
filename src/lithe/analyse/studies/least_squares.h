// Nonlinear least squares: Levenberg-Marquardt with bounds, and what the data tell of each unknown.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lithe/base/math.h"

namespace lithe {

// Residuals of several points, so that these may be computed on all cores. Empty where there are none: the model is
// invalid there, or has no answer.
using ResidualFunction = std::function<std::vector<VectorX>(const std::vector<VectorX>& points)>;

struct LeastSquaresOptions {
  VectorX lower, upper;  // of the unknowns; infinite: none
  // Steps of central differences change residuals by so much (RMS): more than the error of a simulation, less than what
  // bends curves. At most 5 % of an unknown's size.
  double change = 0.01;
  int max_iterations = 50;
  double tolerance = 1e-7;             // the last step, of the unknowns' size
  std::function<bool()> cancelled;     // looked at before every iteration
  std::function<void(int)> iteration;  // after every one
};

struct LeastSquaresFit {
  VectorX unknowns, residuals;
  int iterations = 0;
  bool converged = false;
  std::string failure;  // why there are no residuals; empty: there are
};

// Unknowns should be of the size of 1. K. Madsen, H. B. Nielsen, O. Tingleff, Methods for non-linear least squares
// problems (2004), with the column norms of Moré (1978) as scales; unknowns at a bound that the descent points beyond
// are left out of the step.
LeastSquaresFit fit_least_squares(const ResidualFunction& residuals, const VectorX& start,
                                  const LeastSquaresOptions& options);

// What the residuals tell of the unknowns where they are smallest.
struct FitStatistics {
  double deviation = 0;                  // of one residual: sqrt(rᵀ r / (m - p)); infinite with m = p
  int degrees_of_freedom = 0;            // m - p
  VectorX standard_errors;               // infinite where the data do not tell
  MatrixX correlation;                   // of the unknowns that they tell
  std::vector<VectorX> free_directions;  // of the unknowns, along which the residuals do not change: length 1
  std::vector<bool> determined;          // one per unknown
};

// The Jacobian is that of central differences with two steps, extrapolated; how much the two differ is its error. A
// direction whose singular value is within three times that error counts as one that the data do not tell.
FitStatistics fit_statistics(const ResidualFunction& residuals, const LeastSquaresFit& fit,
                             const LeastSquaresOptions& options);

// t for which |T| <= t with a probability, T of Student's distribution. Infinite without degrees of freedom.
double student_quantile(double probability, int degrees_of_freedom);

}  // namespace lithe
