#include "lithe/formulate/links/beam_section.h"

#include "lithe/fem/mesh_stress.h"
#include "lithe/model/mesh/stress_points.h"

namespace lithe {
namespace {

BeamSection::Point section_point(const MassPoint& source, const BeamElement& element, const Vector3& origin) {
  BeamSection::Point point;
  point.mass = source.mass;
  point.position = source.position - origin;
  point.section_moment = source.section_moment;
  for (std::size_t k = 0; k < source.dofs.size(); ++k) {
    const int node = source.dofs[k] / 6, column = source.dofs[k] % 6 + (node == element.node_b ? 6 : 0);
    point.translation.col(column) = source.translation_rows.col(static_cast<Eigen::Index>(k));
    point.rotation.col(column) = source.rotation_rows.col(static_cast<Eigen::Index>(k));
  }
  return point;
}

std::vector<BeamSection> beam_sections(const FiniteElementBody& mesh, const Vector3& origin) {
  std::vector<BeamSection> result(static_cast<std::size_t>(mesh.num_nodes()));
  for (const BeamElement& element : mesh.elements)
    for (const int node : {element.node_a, element.node_b}) {
      BeamSection& section = result[static_cast<std::size_t>(node)];
      if (section.exists()) continue;
      section.node_a = element.node_a;
      section.node_b = element.node_b;
      section.at_b = node == element.node_b;
      section.axes = element.axes;
      section.stiffness = element.stiffness;
      for (int k = 0; k < element.num_mass_points; ++k)
        section.points.push_back(
            section_point(mesh.mass_points[static_cast<std::size_t>(element.first_mass_point + k)], element, origin));
    }
  return result;
}

}  // namespace

SparseMatrix stress_rows(const Model& model, int link, const FiniteElementBody& mesh) {
  const MeshPart& part = *model.links[static_cast<std::size_t>(link)].mesh;
  const std::vector<int> points = stress_points(part);
  if (points.empty()) return {};
  return nodal_stress(model.links[static_cast<std::size_t>(link)], mesh, points);
}

std::vector<BeamSection> link_sections(const Model& model, int link, const FiniteElementBody& mesh,
                                       const ReducedBody& body, const ModalLink& modal) {
  if (!model.links[static_cast<std::size_t>(link)].mesh) return beam_sections(mesh, modal.origin);
  std::vector<BeamSection> result;
  const SparseMatrix rows = stress_rows(model, link, mesh);
  if (rows.rows() == 0 || modal.num_modes == 0) return result;
  const MatrixX stress = (rows * body.nodal_shapes) * modal.from_reduced;
  result.resize(static_cast<std::size_t>(stress.rows() / 6));
  for (std::size_t k = 0; k < result.size(); ++k)
    result[k].stress = stress.middleRows<6>(6 * static_cast<Eigen::Index>(k));
  return result;
}

}  // namespace lithe
