#include "lithe/fem/mesh_stress.h"

#include "lithe/fem/solid_element.h"

namespace lithe {
namespace {

using StressTriplets = std::vector<Eigen::Triplet<double>>;

// Rows of one element at its nodes, each a share of the mean there.
void add_element(const Mesh& mesh, const MeshElement& element, const Matrix6& elasticity, const std::vector<int>& place,
                 const std::vector<int>& rows, const std::vector<int>& counts, StressTriplets& triplets) {
  const int count = info(element.shape).num_nodes;
  const int* nodes = mesh.nodes_of(element);
  SolidNodes positions(count, 3);
  bool wanted = false;
  for (int k = 0; k < count; ++k) {
    positions.row(k) = mesh.positions[static_cast<std::size_t>(nodes[k])].transpose();
    wanted = wanted || rows[static_cast<std::size_t>(nodes[k])] >= 0;
  }
  if (!wanted) return;
  const MatrixX stress = solid_stress(element.shape, positions, elasticity);
  for (int i = 0; i < count; ++i) {
    const auto node = static_cast<std::size_t>(nodes[i]);
    if (rows[node] < 0) continue;
    for (int j = 0; j < count; ++j)
      for (int a = 0; a < 3; ++a) {
        const int column = 6 * place[static_cast<std::size_t>(nodes[j])] + a;
        for (int c = 0; c < 6; ++c)
          triplets.emplace_back(6 * rows[node] + c, column, stress(6 * i + c, 3 * j + a) / counts[node]);
      }
  }
}

}  // namespace

SparseMatrix nodal_stress(const Link& link, const FiniteElementBody& body, const std::vector<int>& nodes) {
  const MeshPart& part = *link.mesh;
  const Mesh& mesh = part.mesh;
  std::vector<int> place(mesh.positions.size(), -1), rows(mesh.positions.size(), -1), counts(mesh.positions.size(), 0);
  for (int node = 0; node < body.num_nodes(); ++node)
    if (const int of_mesh = body.mesh_nodes[static_cast<std::size_t>(node)]; of_mesh >= 0)
      place[static_cast<std::size_t>(of_mesh)] = node;
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (const int of_mesh = body.mesh_nodes[static_cast<std::size_t>(nodes[k])]; of_mesh >= 0)
      rows[static_cast<std::size_t>(of_mesh)] = static_cast<int>(k);
  const auto each = [&](const auto& action) {
    for (std::size_t e = 0; e < mesh.elements.size(); ++e)
      if (part.element_materials[e] >= 0) action(mesh.elements[e], static_cast<std::size_t>(part.element_materials[e]));
  };
  each([&](const MeshElement& element, std::size_t) {
    for (int k = 0; k < info(element.shape).num_nodes; ++k)
      ++counts[static_cast<std::size_t>(mesh.nodes_of(element)[k])];
  });
  std::vector<Matrix6> elasticity;
  for (const Material& material : part.materials)
    elasticity.push_back(
        isotropic_elasticity(material.young_modulus, material.young_modulus / (2 * material.shear_modulus) - 1));
  StressTriplets triplets;
  each([&](const MeshElement& element, std::size_t material) {
    add_element(mesh, element, elasticity[material], place, rows, counts, triplets);
  });
  SparseMatrix of_motions(6 * static_cast<Eigen::Index>(nodes.size()), 6 * body.num_nodes());
  of_motions.setFromTriplets(triplets.begin(), triplets.end());
  return of_motions * body.node_motions;
}

}  // namespace lithe
