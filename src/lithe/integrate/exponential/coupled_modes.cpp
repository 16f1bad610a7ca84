#include "lithe/integrate/exponential/coupled_modes.h"

#include <Eigen/LU>
#include <complex>

#include "lithe/base/decompositions.h"

namespace lithe {
namespace {

// e^z and φ_k(z) for k = 1, 2, 3: φ_k = Σ z^m/(m+k)!, or (φ_{k-1} - 1/(k-1)!)/z.
std::array<std::complex<double>, 4> phi_functions(std::complex<double> z) {
  std::array<std::complex<double>, 4> phi{std::exp(z)};
  if (std::abs(z) > 1) {
    phi[1] = (phi[0] - 1.0) / z;
    phi[2] = (phi[1] - 1.0) / z;
    phi[3] = (phi[2] - 0.5) / z;
    return phi;
  }
  std::complex<double> power = 1;
  double factorial[4] = {1, 1, 2, 6};
  for (int m = 0; m < 20; ++m) {
    for (std::size_t k = 1; k < 4; ++k) {
      phi[k] += power / factorial[k];
      factorial[k] *= static_cast<double>(m) + static_cast<double>(k) + 1;
    }
    power *= z;
  }
  return phi;
}

}  // namespace

bool CoupledModes::find(const MatrixX& stiffness, const MatrixX& damping) {
  const Eigen::Index n = stiffness.rows();
  scale_ = stiffness.diagonal().cwiseAbs().cwiseSqrt().cwiseMax(1.0);
  MatrixX a = MatrixX::Zero(2 * n, 2 * n);
  a.topRightCorner(n, n) = scale_.asDiagonal();
  a.bottomLeftCorner(n, n) = -stiffness * scale_.cwiseInverse().asDiagonal();
  a.bottomRightCorner(n, n) = -damping;
  const ComplexPairs pairs = complex_pairs(a);
  if (!pairs.converged) return false;
  rates_ = pairs.values;
  shapes_ = pairs.vectors;
  inverse_ = shapes_.partialPivLu().inverse();
  step_ = 0;
  if (!inverse_.allFinite()) return false;
  const double wrong = (shapes_ * rates_.asDiagonal() * inverse_ - a.cast<std::complex<double>>()).norm();
  return wrong <= 1e-9 * a.norm() && inverse_.norm() * shapes_.norm() < 1e6 * static_cast<double>(n);
}

void CoupledModes::set_step(double h) {
  if (h == step_) return;
  step_ = h;
  const Eigen::Index n = scale_.size();
  std::array<Eigen::VectorXcd, 4> phi;
  for (Eigen::VectorXcd& values : phi) values.resize(2 * n);
  for (Eigen::Index k = 0; k < 2 * n; ++k) {
    const std::array<std::complex<double>, 4> values = phi_functions(h * rates_[k]);
    for (std::size_t i = 0; i < 4; ++i) phi[i][k] = values[i] * (i > 0 ? h : 1.0);
  }
  VectorX back = VectorX::Ones(2 * n);
  back.head(n) = scale_.cwiseInverse();
  free_ = back.asDiagonal() * (shapes_ * phi[0].asDiagonal() * inverse_).real() * back.cwiseInverse().asDiagonal();
  for (std::size_t i = 0; i < 3; ++i)
    forced_[i] = back.asDiagonal() * (shapes_ * phi[i + 1].asDiagonal() * inverse_.rightCols(n)).real();
}

}  // namespace lithe
