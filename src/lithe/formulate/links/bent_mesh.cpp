#include "lithe/formulate/links/bent_mesh.h"

#include <algorithm>

#include "lithe/base/diagnostics.h"
#include "lithe/fem/mesh_stiffening.h"
#include "lithe/reduce/bases.h"

namespace lithe {
namespace {

constexpr Eigen::Index num_fields = 12;

// Loads whose work on a displacement is its moments with 1 and s, row 4b + i of FieldMoments; then a force and a moment
// along each axis at each named node, as far as it has such dofs.
struct Loads {
  MatrixX on_nodes;                             // 6 rows per node
  MatrixX on_dofs;                              // of mass at points
  std::vector<std::pair<int, int>> components;  // node and component of each column after the fields
};

void add_fields(const FiniteElementBody& mesh, const Vector3& origin, Loads& loads) {
  MatrixX powers(mesh.num_nodes(), 4);  // 1, s
  for (int node = 0; node < mesh.num_nodes(); ++node) {
    const Vector3 s = mesh.node_positions[static_cast<std::size_t>(node)] - origin;
    powers.row(node) << 1, s.transpose();
  }
  const MatrixX moments = mesh.node_mass * powers;
  for (int node = 0; node < mesh.num_nodes(); ++node)
    for (int b = 0; b < 3; ++b) loads.on_nodes.block<1, 4>(6 * node + b, 4 * b) = moments.row(node);
  for (const MassPoint& point : mesh.mass_points) {
    const Vector3 s = point.position - origin;
    for (std::size_t k = 0; k < point.dofs.size(); ++k) {
      const auto column = static_cast<Eigen::Index>(k);
      const Matrix3 turned = skew(Vector3(point.rotation_rows.col(column)));
      for (int b = 0; b < 3; ++b) {
        auto row = loads.on_dofs.block<1, 4>(point.dofs[k], 4 * b);
        row(0) += point.mass * point.translation_rows(b, column);
        for (int a = 0; a < 3; ++a)
          row(1 + a) +=
              point.mass * s[a] * point.translation_rows(b, column) + turned.row(b).dot(point.section_moment.col(a));
      }
    }
  }
}

Loads loads_on(const Link& of, const FiniteElementBody& mesh, const Vector3& origin) {
  Loads loads;
  for (std::size_t node = 0; node < of.nodes.size(); ++node)
    for (int dof = mesh.first_dof(static_cast<int>(node)); dof < mesh.first_dof(static_cast<int>(node) + 1); ++dof)
      loads.components.emplace_back(static_cast<int>(node), mesh.component(dof));
  const Eigen::Index count = num_fields + static_cast<Eigen::Index>(loads.components.size());
  loads.on_nodes = MatrixX::Zero(6 * static_cast<Eigen::Index>(mesh.num_nodes()), count);
  loads.on_dofs = MatrixX::Zero(mesh.num_dofs(), count);
  add_fields(mesh, origin, loads);
  for (std::size_t k = 0; k < loads.components.size(); ++k) {
    const auto [node, component] = loads.components[k];
    loads.on_nodes(6 * node + component, num_fields + static_cast<Eigen::Index>(k)) = 1;
  }
  return loads;
}

NodeShapes shapes_of(const ModalLink& link) {
  const auto count = static_cast<Eigen::Index>(link.translation_shapes.size());
  NodeShapes shapes{MatrixX(3 * count, link.num_modes), MatrixX(3 * count, link.num_modes)};
  for (Eigen::Index node = 0; node < count; ++node) {
    shapes.translations.middleRows<3>(3 * node) = link.translation_shapes[static_cast<std::size_t>(node)];
    shapes.rotations.middleRows<3>(3 * node) = link.rotation_shapes[static_cast<std::size_t>(node)];
  }
  return shapes;
}

// A point at d from the node that carries it moves by ½ ψ × (ψ × d) besides, and its section turns likewise.
void add_points(const FiniteElementBody& mesh, const ModalLink& link, FieldMoments& moments) {
  for (const MassPoint& point : mesh.mass_points) {
    const int node = mesh.node_of_dof(point.dofs.front());
    if (node != mesh.node_of_dof(point.dofs.back()) || !mesh.has_rotation(node)) continue;
    const Matrix3X& turn = link.rotation_shapes[static_cast<std::size_t>(node)];
    const Vector3 arm = point.position - mesh.node_positions[static_cast<std::size_t>(node)],
                  s = point.position - link.origin;
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 3; ++c) {
        Vector3 with = point.section_moment.row(c).transpose() + point.mass * arm[c] * s;  // ∫ρ s_a y_c
        const double alone = point.mass * arm[c];
        if (alone == 0 && with.isZero(0)) continue;
        const MatrixX product = turn.row(b).transpose() * turn.row(c);
        MatrixX bent = 0.5 * (product + product.transpose());
        if (b == c) bent -= turn.transpose() * turn;
        const auto row = static_cast<std::size_t>(4 * b);
        moments[row] += alone * bent;
        for (std::size_t a = 0; a < 3; ++a) moments[row + 1 + a] += with[static_cast<Eigen::Index>(a)] * bent;
      }
  }
}

}  // namespace

std::optional<SecondOrderParts> bent_mesh(const Link& of, const FiniteElementBody& mesh, const ModalLink& link,
                                          int inboard_node, Space space) {
  const Loads loads = loads_on(of, mesh, link.origin);
  MatrixX dofs;
  try {
    dofs = HeldBody(mesh, inboard_node, space)
               .displacements(mesh.node_motions.transpose() * loads.on_nodes + loads.on_dofs);
  } catch (const InputError&) {
    return std::nullopt;
  }
  const std::vector<MatrixX> work =
      second_order_work(of, mesh, {loads.on_nodes, mesh.node_motions * dofs}, shapes_of(link));
  SecondOrderParts parts;
  std::copy_n(work.begin(), num_fields, parts.moments.begin());
  add_points(mesh, link, parts.moments);
  parts.nodes.assign(of.nodes.size(), {});
  for (auto& node : parts.nodes) node.fill(MatrixX::Zero(link.num_modes, link.num_modes));
  for (std::size_t k = 0; k < loads.components.size(); ++k) {
    const auto [node, component] = loads.components[k];
    if (node != inboard_node)
      parts.nodes[static_cast<std::size_t>(node)][static_cast<std::size_t>(component)] =
          work[static_cast<std::size_t>(num_fields) + k];
  }
  return parts;
}

}  // namespace lithe
