#include "lithe/read/urdf/measured_stiffness.h"

#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"
#include "lithe/read/parts.h"

namespace lithe {
namespace {

bool has_six_rows(const Value& value) {
  if (value.kind != ValueKind::array || value.items.size() != 6) return false;
  for (const Value& row : value.items)
    if (row.kind != ValueKind::array || row.items.size() != 6) return false;
  return true;
}

// Mass that moves with a node: its point, its own moments about it.
MassPoint mass_at_node(const RigidInertia& body, const Vector3& node, int first_dof) {
  MassPoint point;
  point.mass = body.mass;
  point.position = body.centre;
  point.section_moment = 0.5 * body.inertia.trace() * Matrix3::Identity() - body.inertia;
  for (int i = 0; i < 6; ++i) point.dofs.push_back(first_dof + i);
  point.translation_rows = Matrix3X::Zero(3, 6);
  point.translation_rows << Matrix3::Identity(), -skew(Vector3(body.centre - node));
  point.rotation_rows = Matrix3X::Zero(3, 6);
  point.rotation_rows.rightCols<3>().setIdentity();
  return point;
}

}  // namespace

std::optional<Matrix6> read_stiffness_matrix(const TableReader& reader, std::string_view key) {
  const Value& value = *reader.find(key);
  if (!has_six_rows(value)) {
    reader.error(key, cat(reader.label(key), " must be six rows of six numbers, got ", display(value)));
    return std::nullopt;
  }
  Matrix6 K;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      const std::optional<double> number =
          read_number(reader.reading(), value.items[static_cast<std::size_t>(i)].items[static_cast<std::size_t>(j)], "",
                      any_value, reader.path_of(key), cat(reader.owner(), ": ", reader.label(key)));
      if (!number) return std::nullopt;
      K(i, j) = *number;
    }
  // Scaled by the diagonal, so that forces and moments count alike.
  VectorX scale(6);
  for (int i = 0; i < 6; ++i) {
    if (!(K(i, i) > 0)) {
      reader.error(key, cat(reader.label(key), ": entry (", i + 1, ", ", i + 1, ") must be positive, got ", K(i, i)));
      return std::nullopt;
    }
    scale[i] = 1 / std::sqrt(K(i, i));
  }
  const Matrix6 scaled = scale.asDiagonal() * K * scale.asDiagonal();
  constexpr double allowed = 0.05;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < i; ++j) {
      if (std::abs(scaled(i, j) - scaled(j, i)) <= allowed) continue;
      reader.error(key, cat(reader.label(key), " must be symmetric: entries (", i + 1, ", ", j + 1, ") and (", j + 1,
                            ", ", i + 1, ") are ", K(i, j), " and ", K(j, i)));
      return std::nullopt;
    }
  const double least = symmetric_values(MatrixX((scaled + scaled.transpose()) / 2)).values[0];
  if (!(least > 1e-9)) {
    reader.error(key, cat(reader.label(key),
                          " must be positive definite; with its rows and columns scaled to a diagonal of ones, its "
                          "smallest eigenvalue is ",
                          least));
    return std::nullopt;
  }
  return Matrix6((K + K.transpose()) / 2);
}

FiniteElementBody body_of_stiffness(const Matrix6& stiffness, const Vector3& from, const Vector3& to,
                                    const EndBodies& ends) {
  FiniteElementBody body;
  body.node_positions = {from, to};
  Eigen::Matrix<double, 6, 12> stretch;  // motion of `to` less that of `from` moved there rigidly
  stretch << -Matrix6::Identity(), Matrix6::Identity();
  stretch.block<3, 3>(0, 3) = skew(Vector3(to - from));
  const MatrixX K = stretch.transpose() * stiffness * stretch;
  body.stiffness = K.sparseView();
  body.mass_points = {mass_at_node(ends.first, from, 0), mass_at_node(ends.last, to, 6)};
  MatrixX M = MatrixX::Zero(12, 12);
  for (const MassPoint& point : body.mass_points) {
    const Matrix3 turning = point.section_moment.trace() * Matrix3::Identity() - point.section_moment;
    M.block<6, 6>(point.dofs[0], point.dofs[0]) =
        point.mass * point.translation_rows.transpose() * point.translation_rows +
        point.rotation_rows.transpose() * turning * point.rotation_rows;
  }
  body.mass = M.sparseView();
  return body;
}

}  // namespace lithe
