#include "lithe/reduce/invariants.h"

#include <Eigen/Eigenvalues>

namespace lithe {
namespace {

// The mass of a point and the three principal parts of its section moments are samples of one kind: weight w, position
// p and displacement field f, with P0 = Σ w p pᵀ, S = Σ w p fᵀ, N = Σ w f fᵀ (docs/theory/modal_body.md (8)-(10)).
//   mass:     w = m,   p = x,   f = u
//   section:  w = λ_i, p = e_i, f = ψ × e_i,   with Σ λ_i e_i e_iᵀ = ∫ρ y yᵀ; first moments vanish
struct Samples {
  VectorX weights;
  MatrixX positions;                  // samples x 3
  std::array<MatrixX, 3> fields;      // component a: samples x modes
  Eigen::Index num_mass_samples = 0;  // these come first
};

MatrixX rows_of(const MatrixX& shapes, const std::vector<int>& dofs) {
  MatrixX result(static_cast<Eigen::Index>(dofs.size()), shapes.cols());
  for (std::size_t k = 0; k < dofs.size(); ++k) result.row(static_cast<Eigen::Index>(k)) = shapes.row(dofs[k]);
  return result;
}

void set_sample(Samples& samples, Eigen::Index row, double weight, const Vector3& position, const MatrixX& field) {
  samples.weights(row) = weight;
  samples.positions.row(row) = position.transpose();
  for (int a = 0; a < 3; ++a) samples.fields[a].row(row) = field.row(a);
}

Samples sample(const std::vector<MassPoint>& points, const MatrixX& shapes) {
  const auto n = static_cast<Eigen::Index>(points.size());
  Samples samples{VectorX(4 * n), MatrixX(4 * n, 3), {}, n};
  for (MatrixX& field : samples.fields) field.resize(4 * n, shapes.cols());
  for (Eigen::Index k = 0; k < n; ++k) {
    const MassPoint& point = points[static_cast<std::size_t>(k)];
    const MatrixX nodal = rows_of(shapes, point.dofs);
    set_sample(samples, k, point.mass, point.position, point.translation_rows * nodal);
    const MatrixX rotation = point.rotation_rows * nodal;
    const Eigen::SelfAdjointEigenSolver<Matrix3> principal(point.section_moment);
    for (int i = 0; i < 3; ++i) {
      const Vector3 axis = principal.eigenvectors().col(i);
      set_sample(samples, n + 3 * k + i, principal.eigenvalues()(i), axis, -skew(axis) * rotation);
    }
  }
  return samples;
}

}  // namespace

InertiaInvariants inertia_invariants(const FiniteElementBody& body, const MatrixX& shapes) {
  const Samples samples = sample(body.mass_points, shapes);
  const Eigen::Index n = samples.num_mass_samples;
  InertiaInvariants result;
  result.mass = samples.weights.head(n).sum();
  result.first_moment = samples.positions.topRows(n).transpose() * samples.weights.head(n);
  const MatrixX weighted = samples.weights.asDiagonal() * samples.positions;
  result.second_moment = samples.positions.transpose() * weighted;
  result.mode_momentum.resize(3, shapes.cols());
  for (int b = 0; b < 3; ++b) {
    const MatrixX& field = samples.fields[b];
    result.mode_momentum.row(b) = samples.weights.head(n).transpose() * field.topRows(n);
    for (int a = 0; a < 3; ++a) result.position_mode[a][b] = field.transpose() * weighted.col(a);
    const MatrixX weighted_field = samples.weights.asDiagonal() * field;
    for (int a = 0; a <= b; ++a) {
      result.mode_mode[a][b] = samples.fields[a].transpose() * weighted_field;
      if (a < b) result.mode_mode[b][a] = result.mode_mode[a][b].transpose();
    }
    result.mode_mode[b][b] = (0.5 * (result.mode_mode[b][b] + result.mode_mode[b][b].transpose())).eval();
  }
  return result;
}

InertiaInvariants rigid_invariants(const std::vector<MassPoint>& points) {
  InertiaInvariants result;
  for (const MassPoint& point : points) {
    result.mass += point.mass;
    result.first_moment += point.mass * point.position;
    result.second_moment += point.mass * point.position * point.position.transpose() + point.section_moment;
  }
  result.mode_momentum = Matrix3X(3, 0);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      result.position_mode[a][b] = VectorX(0);
      result.mode_mode[a][b] = MatrixX(0, 0);
    }
  return result;
}

}  // namespace lithe
