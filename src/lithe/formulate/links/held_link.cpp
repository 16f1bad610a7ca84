#include "lithe/formulate/links/held_link.h"

#include <cmath>
#include <limits>

#include "lithe/base/decompositions.h"

namespace lithe {
namespace {

// Rigid motions (translation of the origin, rotation) that bring the nodes at which the link is held to rest, 6 x d.
Matrix6X rigid_parts(const ModalLink& link, int inboard, int outboard) {
  const auto in = static_cast<std::size_t>(inboard);
  const Vector3& s = link.node_positions[in];
  const Matrix3X &shift = link.translation_shapes[in], &turn = link.rotation_shapes[in];
  Matrix3X rho = -turn;
  if (outboard >= 0) {
    const auto out = static_cast<std::size_t>(outboard);
    const Vector3 line = link.node_positions[out] - s, e = line.normalized();
    rho = -skew(e) * (link.translation_shapes[out] - shift) / line.norm() - e * (e.transpose() * turn);
  }
  Matrix6X parts(6, link.num_modes);
  parts.topRows<3>() = -shift + skew(s) * rho;  // τ = -φ - ρ × s
  parts.bottomRows<3>() = rho;
  return parts;
}

}  // namespace

// With the fields χ_k = φ_k + τ_k + ρ_k × s, the mass is 1 + BᵀΘ + ΘᵀB + ΘᵀGΘ and Σ m χᵀχ of carried masses, Θ = (τ;
// ρ), B = (C; H0), G that of the rigid body. The largest eigenvalue of Ω^(-1/2) M Ω^(-1/2) is 1/ω² of the slowest mode.
double held_squared_frequency(const ModalLink& link, int inboard, int outboard,
                              const std::vector<CarriedMass>& carried) {
  if (link.num_modes == 0 || !(link.squared_frequencies.minCoeff() > 0)) return std::numeric_limits<double>::infinity();
  Matrix6X B(6, link.num_modes);
  B << link.mode_momentum, link.mode_angular_momentum;
  Matrix6 G = Matrix6::Zero();
  G.topLeftCorner<3, 3>().diagonal().setConstant(link.mass);
  G.bottomRightCorner<3, 3>() = link.inertia;
  G.bottomLeftCorner<3, 3>() = skew(link.first_moment);  // τ·(ρ × c)
  G.topRightCorner<3, 3>() = -skew(link.first_moment);
  const VectorX scale = link.squared_frequencies.cwiseSqrt().cwiseInverse();
  const Matrix6X parts = rigid_parts(link, inboard, outboard) * scale.asDiagonal(), momentum = B * scale.asDiagonal();
  const Matrix6X weighted = G * parts + momentum;
  std::vector<Matrix3X> nodal;  // √m χ at the nodes that carry masses
  for (const CarriedMass& at : carried) {
    const auto node = static_cast<std::size_t>(at.node);
    nodal.push_back(std::sqrt(at.mass) * (link.translation_shapes[node] * scale.asDiagonal() + parts.topRows<3>() -
                                          skew(link.node_positions[node]) * parts.bottomRows<3>()));
  }
  VectorX x = scale, next;
  double largest = 0;
  constexpr int most_iterations = 1000;
  constexpr double accuracy = 1e-6;  // between iterations; of an estimate
  for (int i = 0; i < most_iterations; ++i) {
    x.normalize();
    next = scale.cwiseAbs2().cwiseProduct(x) + momentum.transpose() * (parts * x) + parts.transpose() * (weighted * x);
    for (const Matrix3X& field : nodal) next += field.transpose() * (field * x);
    const double before = largest;
    largest = x.dot(next);
    if (std::abs(largest - before) <= accuracy * largest) break;
    x.swap(next);
  }
  return largest > 0 ? 1 / largest : std::numeric_limits<double>::infinity();
}

Vector3 long_axis(const ModalLink& link) {
  const Vector3 centre = link.first_moment / link.mass;
  const Matrix3 spread = link.second_moment - link.mass * centre * centre.transpose();
  return symmetric_pairs(spread, Matrix3::Identity()).vectors.col(2).normalized();
}

}  // namespace lithe
