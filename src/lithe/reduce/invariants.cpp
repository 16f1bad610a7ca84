#include "lithe/reduce/invariants.h"

#include <Eigen/Eigenvalues>

#include "lithe/fem/assemble_mesh.h"

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

// The scalar mass matrix m_ij of imported matrices with translations only, M_ij = m_ij I.
SparseMatrix scalar_mass(const FiniteElementBody& body) {
  const int n = body.num_nodes();
  std::vector<Eigen::Triplet<double>> triplets;
  for (int column = 0; column < body.num_dofs(); ++column)
    for (SparseMatrix::InnerIterator entry(body.mass, column); entry; ++entry)
      if (entry.row() % 3 == column % 3)
        triplets.emplace_back(static_cast<int>(entry.row()) / 3, column / 3, entry.value() / 3);
  SparseMatrix mass(n, n);
  mass.setFromTriplets(triplets.begin(), triplets.end());
  return mass;
}

// Solid elements: displacement and rest position have the same interpolation,
// so the scalar mass matrix m_ij holds every integral exactly, (11); [CMS] (44).
InertiaInvariants nodal_invariants(const FiniteElementBody& body, const SparseMatrix& mass, const MatrixX& shapes) {
  const int n = body.num_nodes();
  const MatrixX translations = node_shapes(body, shapes).translations;
  MatrixX positions(n, 3);
  std::array<MatrixX, 3> fields;
  for (MatrixX& field : fields) field.resize(n, shapes.cols());
  for (int node = 0; node < n; ++node) {
    positions.row(node) = body.node_positions[node].transpose();
    for (int a = 0; a < 3; ++a) fields[a].row(node) = translations.row(3 * node + a);
  }
  InertiaInvariants result;
  const VectorX nodal = mass * VectorX::Ones(n);
  result.mass = nodal.sum();
  result.first_moment = positions.transpose() * nodal;
  result.second_moment = positions.transpose() * (mass * positions);
  result.mode_momentum.resize(3, shapes.cols());
  for (int b = 0; b < 3; ++b) {
    result.mode_momentum.row(b) = nodal.transpose() * fields[b];
    const MatrixX weighted = mass * fields[b];
    for (int a = 0; a < 3; ++a) {
      result.position_mode[a][b] = weighted.transpose() * positions.col(a);
      result.mode_mode[a][b] = fields[a].transpose() * weighted;
    }
  }
  return result;
}

// Imported matrices with rotations and nothing better known: row sums of the mass matrix as masses and inertias at the
// nodes, (12). Approximate, see the theory page; take_from_mass_matrix() puts right what the matrix knows.
std::vector<MassPoint> row_sum_points(const FiniteElementBody& body) {
  std::vector<MassPoint> points(body.num_nodes());
  std::vector<Matrix3> inertias(body.num_nodes(), Matrix3::Zero());
  for (int column = 0; column < body.num_dofs(); ++column)
    for (SparseMatrix::InnerIterator entry(body.mass, column); entry; ++entry) {
      const int row = static_cast<int>(entry.row()), node = body.node_of_dof(row);
      const int a = body.component(row), b = body.component(column);
      if (a < 3 && a == b) points[node].mass += entry.value() / 3;
      if (a >= 3 && b >= 3) inertias[node](a - 3, b - 3) += entry.value();
    }
  for (int node = 0; node < body.num_nodes(); ++node) {
    MassPoint& point = points[node];
    const Matrix3 inertia = 0.5 * (inertias[node] + inertias[node].transpose());
    point.position = body.node_positions[node];
    point.section_moment = 0.5 * inertia.trace() * Matrix3::Identity() - inertia;
    const int count = body.num_dofs(node);  // 3 or 6
    for (int k = 0; k < count; ++k) point.dofs.push_back(body.first_dof(node) + k);
    point.translation_rows = Matrix3X::Identity(3, count);
    point.rotation_rows = Matrix3X::Zero(3, count);
    if (count == 6) point.rotation_rows.rightCols<3>().setIdentity();
  }
  return points;
}

// Rigid motions at all dofs: three translations, three rotations about the link's origin.
MatrixX rigid_motions(const FiniteElementBody& body) {
  MatrixX result = MatrixX::Zero(body.num_dofs(), 6);
  for (int node = 0; node < body.num_nodes(); ++node) {
    const int first = body.first_dof(node);
    result.block<3, 3>(first, 0).setIdentity();
    result.block<3, 3>(first, 3) = -skew(body.node_positions[node]);
    if (body.has_rotation(node)) result.block<3, 3>(first + 3, 3).setIdentity();
  }
  return result;
}

// (13): mass, centre, inertia, momentum and angular momentum of the modes, and their kinetic energy are products of the
// mass matrix with rigid motions and modes, exact whatever elements it came from: all of the linear motion about rest.
// Of P, S and N only what the products leave open stays with the nodal masses.
void take_from_mass_matrix(const FiniteElementBody& body, const MatrixX& shapes, InertiaInvariants& result) {
  const MatrixX rigid = rigid_motions(body);
  const MatrixX momenta = body.mass * rigid;
  const Matrix6 whole = rigid.transpose() * momenta;
  const Matrix3 turning = whole.topRightCorner<3, 3>(), inertia = whole.bottomRightCorner<3, 3>();
  result.mass = whole.topLeftCorner<3, 3>().trace() / 3;
  result.first_moment =
      0.5 * Vector3(turning(1, 2) - turning(2, 1), turning(2, 0) - turning(0, 2), turning(0, 1) - turning(1, 0));
  result.second_moment = 0.5 * inertia.trace() * Matrix3::Identity() - 0.5 * (inertia + inertia.transpose());
  const MatrixX of_modes = momenta.transpose() * shapes;
  result.mode_momentum = of_modes.topRows<3>();
  for (int c = 0; c < 3; ++c) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    VectorX &ab = result.position_mode[a][b], &ba = result.position_mode[b][a];
    const VectorX missing = 0.5 * (of_modes.row(3 + c).transpose() - ab + ba);
    ab += missing;
    ba -= missing;
  }
  MatrixX missing = shapes.transpose() * (body.mass * shapes);
  for (int a = 0; a < 3; ++a) missing -= result.mode_mode[a][a];
  for (int a = 0; a < 3; ++a) result.mode_mode[a][a] += (missing + missing.transpose()) / 6;
}

}  // namespace

namespace {

// (8)-(10) as sums over samples.
InertiaInvariants sampled_invariants(const Samples& samples, Eigen::Index num_modes) {
  const Eigen::Index n = samples.num_mass_samples;
  InertiaInvariants result;
  result.mass = samples.weights.head(n).sum();
  result.first_moment = samples.positions.topRows(n).transpose() * samples.weights.head(n);
  const MatrixX weighted = samples.weights.asDiagonal() * samples.positions;
  result.second_moment = samples.positions.transpose() * weighted;
  result.mode_momentum.resize(3, num_modes);
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

void add(const InertiaInvariants& other, InertiaInvariants& sum) {
  sum.mass += other.mass;
  sum.first_moment += other.first_moment;
  sum.second_moment += other.second_moment;
  sum.mode_momentum += other.mode_momentum;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) {
      sum.position_mode[a][b] += other.position_mode[a][b];
      sum.mode_mode[a][b] += other.mode_mode[a][b];
    }
}

}  // namespace

InertiaInvariants inertia_invariants(const FiniteElementBody& body, const MatrixX& shapes) {
  if (body.node_mass.rows() > 0) {
    InertiaInvariants result = nodal_invariants(body, body.node_mass, shapes);
    if (!body.mass_points.empty()) add(sampled_invariants(sample(body.mass_points, shapes), shapes.cols()), result);
    return result;
  }
  const bool uniform = body.dof_starts.empty();
  if (body.mass_points.empty() && uniform && !body.nodes_have_rotations)
    return nodal_invariants(body, scalar_mass(body), shapes);
  if (!body.mass_points.empty()) return sampled_invariants(sample(body.mass_points, shapes), shapes.cols());
  InertiaInvariants result = sampled_invariants(sample(row_sum_points(body), shapes), shapes.cols());
  take_from_mass_matrix(body, shapes, result);
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
