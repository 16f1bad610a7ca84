#include "lithe/model/stress_measure.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace lithe {
namespace {

using Row6 = Eigen::Matrix<double, 1, 6>;

Matrix3 tensor(const Vector6& s) {
  Matrix3 m;
  m << s(0), s(3), s(5), s(3), s(1), s(4), s(5), s(4), s(2);
  return m;
}

// sqrt(½ ((xx-yy)² + (yy-zz)² + (zz-xx)²) + 3 (xy² + yz² + zx²))
double von_mises_of(const Vector6& s) {
  const Vector3 apart(s(0) - s(1), s(1) - s(2), s(2) - s(0));
  return std::sqrt(0.5 * apart.squaredNorm() + 3 * s.tail<3>().squaredNorm());
}

Row6 von_mises_gradient_of(const Vector6& s) {
  const double value = von_mises_of(s);
  if (value == 0) return Row6::Zero();
  Row6 row;
  row << 2 * s(0) - s(1) - s(2), 2 * s(1) - s(2) - s(0), 2 * s(2) - s(0) - s(1), 6 * s(3), 6 * s(4), 6 * s(5);
  return row / (2 * value);
}

// d(nᵀ σ n) of a unit eigenvector n.
Row6 along(const Vector3& n) {
  Row6 row;
  row << n(0) * n(0), n(1) * n(1), n(2) * n(2), 2 * n(0) * n(1), 2 * n(1) * n(2), 2 * n(2) * n(0);
  return row;
}

bool is_component(StressMeasure measure) { return measure >= StressMeasure::xx; }
int component_of(StressMeasure measure) { return static_cast<int>(measure) - static_cast<int>(StressMeasure::xx); }

}  // namespace

double measure_of(const Vector6& stress, StressMeasure measure) {
  if (is_component(measure)) return stress(component_of(measure));
  if (measure == StressMeasure::von_mises || !stress.allFinite()) return von_mises_of(stress);
  const Vector3 principal =
      Eigen::SelfAdjointEigenSolver<Matrix3>(tensor(stress), Eigen::EigenvaluesOnly).eigenvalues();
  if (measure == StressMeasure::principal_max) return principal(2);
  if (measure == StressMeasure::principal_min) return principal(0);
  return 0.5 * (principal(2) - principal(0));
}

Row6 measure_gradient(const Vector6& stress, StressMeasure measure) {
  if (is_component(measure)) return Row6::Unit(component_of(measure));
  if (stress.isZero(0)) return Row6::Zero();
  if (measure == StressMeasure::von_mises || !stress.allFinite()) return von_mises_gradient_of(stress);
  const Eigen::SelfAdjointEigenSolver<Matrix3> principal(tensor(stress));
  const Row6 smallest = along(principal.eigenvectors().col(0)), largest = along(principal.eigenvectors().col(2));
  if (measure == StressMeasure::principal_max) return largest;
  if (measure == StressMeasure::principal_min) return smallest;
  return 0.5 * (largest - smallest);
}

double severity(double value, StressMeasure measure) {
  if (measure == StressMeasure::principal_min) return -value;
  return is_component(measure) ? std::abs(value) : value;
}

}  // namespace lithe
