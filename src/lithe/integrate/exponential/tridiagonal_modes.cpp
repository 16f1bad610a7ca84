#include "lithe/integrate/exponential/tridiagonal_modes.h"

#include <Eigen/Jacobi>
#include <algorithm>
#include <cmath>
#include <limits>

namespace lithe {

TridiagonalModes::TridiagonalModes(int size) {
  values_.setZero(size);
  beside_.setZero(std::max(0, size - 1));
  vectors_.setZero(size, size);
}

void TridiagonalModes::begin() {
  vectors_.setIdentity(values_.size(), values_.size());
  last_ = values_.size() - 1;
  sweeps_ = 0;
}

TridiagonalModes::Progress TridiagonalModes::advance(long rotations) {
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  constexpr long most_sweeps = 30;  // per value; two or three are usual
  rotations_ = 0;
  while (last_ > 0 && rotations_ < rotations) {
    for (Eigen::Index k = 0; k < last_; ++k)
      if (std::abs(beside_[k]) <= rounding * (std::abs(values_[k]) + std::abs(values_[k + 1]))) beside_[k] = 0;
    while (last_ > 0 && beside_[last_ - 1] == 0) --last_;
    if (last_ <= 0) break;
    Eigen::Index first = last_ - 1;
    while (first > 0 && beside_[first - 1] != 0) --first;
    if (++sweeps_ > most_sweeps * values_.size() || !std::isfinite(values_[last_])) return Progress::failed;
    chase(first, last_);
  }
  if (last_ > 0) return Progress::under_way;
  sort();
  return Progress::done;
}

// One sweep of the implicit QR method on rows first to last: T - μ with Wilkinson's shift μ, the eigenvalue of the last
// two rows that is nearer to their corner; a rotation of the first two rows makes a bulge, the following ones drive it
// out (Golub and Van Loan, Matrix Computations, 8.3).
void TridiagonalModes::chase(Eigen::Index first, Eigen::Index last) {
  const double half = 0.5 * (values_[last - 1] - values_[last]), corner = beside_[last - 1];
  const double root = std::copysign(std::hypot(half, corner), half);
  const double shift = values_[last] - corner * (corner / (half + root));
  double along = values_[first] - shift, bulge = beside_[first];
  for (Eigen::Index k = first; k < last; ++k, ++rotations_) {
    const double length = std::hypot(along, bulge);
    if (length == 0) return;
    const double c = along / length, s = bulge / length;
    if (k > first) beside_[k - 1] = length;
    const double a = values_[k], b = beside_[k], d = values_[k + 1];
    values_[k] = c * c * a + 2 * c * s * b + s * s * d;
    values_[k + 1] = s * s * a - 2 * c * s * b + c * c * d;
    beside_[k] = c * s * (d - a) + (c * c - s * s) * b;
    if (k + 1 < last) {
      along = beside_[k];
      bulge = s * beside_[k + 1];
      beside_[k + 1] *= c;
    }
    vectors_.applyOnTheRight(k, k + 1, Eigen::JacobiRotation<double>(c, -s));
  }
}

// By selection: as many exchanges of columns as there are values at most.
void TridiagonalModes::sort() {
  for (Eigen::Index k = 0; k + 1 < values_.size(); ++k) {
    Eigen::Index least = 0;
    values_.tail(values_.size() - k).minCoeff(&least);
    if (least == 0) continue;
    std::swap(values_[k], values_[k + least]);
    vectors_.col(k).swap(vectors_.col(k + least));
  }
}

}  // namespace lithe
