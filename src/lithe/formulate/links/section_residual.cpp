#include "lithe/formulate/links/section_residual.h"

#include "lithe/base/diagnostics.h"
#include "lithe/reduce/invariants.h"

namespace lithe {
namespace {

// The link's modes at all dofs.
MatrixX nodal_modes(const ModalLink& link, int num_nodes) {
  MatrixX shapes(6 * num_nodes, link.num_modes);
  for (int node = 0; node < num_nodes; ++node)
    shapes.middleRows(6 * node, 6) << link.translation_shapes[static_cast<std::size_t>(node)],
        link.rotation_shapes[static_cast<std::size_t>(node)];
  return shapes;
}

// The same plus rigid motions, so that a node is at rest.
MatrixX held_modes(const ModalLink& link, const MatrixX& modes, int held_node) {
  MatrixX shapes = modes;
  const Matrix3X shift = -modes.middleRows(6 * held_node, 3), turn = -modes.middleRows(6 * held_node + 3, 3);
  const Vector3 centre = link.node_positions[static_cast<std::size_t>(held_node)];
  for (Eigen::Index node = 0; node < modes.rows() / 6; ++node) {
    const Vector3 arm = link.node_positions[static_cast<std::size_t>(node)] - centre;
    shapes.middleRows(6 * node, 3) += shift - skew(arm) * turn;
    shapes.middleRows(6 * node + 3, 3) += turn;
  }
  return shapes;
}

// Aᵀ: the section's load of the element's displacements, with the sign and axes of section_wrench().
MatrixX section_rows(const BeamSection& section, Eigen::Index num_dofs) {
  const int end = section.at_b ? 6 : 0;
  Matrix6 to_beam = Matrix6::Zero();
  to_beam.topLeftCorner<3, 3>() = to_beam.bottomRightCorner<3, 3>() = section.axes.transpose();
  const Eigen::Matrix<double, 6, 12> rows =
      (section.at_b ? 1.0 : -1.0) * to_beam * section.stiffness.middleRows<6>(end);
  MatrixX result = MatrixX::Zero(num_dofs, 6);
  result.middleRows(6 * section.node_a, 6) = rows.leftCols<6>().transpose();
  result.middleRows(6 * section.node_b, 6) = rows.rightCols<6>().transpose();
  return result;
}

}  // namespace

SectionResiduals::SectionResiduals(std::shared_ptr<const FiniteElementBody> mesh, int held_node, Space space)
    : mesh_(std::move(mesh)),
      held_node_(held_node),
      space_(space),
      made_(static_cast<std::size_t>(mesh_->num_nodes())) {}

const SectionResidual* SectionResiduals::at(int node, const BeamSection& section, const ModalLink& link) const {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<SectionResidual>& wanted = made_[static_cast<std::size_t>(node)];
  if (wanted || failed_) return wanted.get();
  try {
    if (!held_) held_ = std::make_unique<HeldBody>(*mesh_, held_node_, space_);
    wanted = make(section, link);
  } catch (const InputError&) {
    failed_ = true;
  }
  return wanted.get();
}

std::unique_ptr<SectionResidual> SectionResiduals::make(const BeamSection& section, const ModalLink& link) const {
  auto result = std::make_unique<SectionResidual>();
  const int num_nodes = mesh_->num_nodes();
  const MatrixX rows = section_rows(section, mesh_->num_dofs());
  const MatrixX modes = nodal_modes(link, num_nodes), held = held_modes(link, modes, held_node_);
  result->fields = held_->displacements(rows);
  if (link.num_modes > 0)
    result->fields -= held * (link.squared_frequencies.cwiseInverse().asDiagonal() * (held.transpose() * rows));
  const Eigen::Index d = link.num_modes;
  MatrixX all(modes.rows(), d + 6);
  all << modes, result->fields;
  const InertiaInvariants in = inertia_invariants(*mesh_, all);
  result->momentum = in.mode_momentum.rightCols<6>();
  result->mode_mode.resize(54, d);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      result->position.row(3 * a + b) =
          in.position_mode[a][b].tail<6>().transpose() - link.origin(a) * result->momentum.row(b);
      result->mode_mode.middleRows(6 * (3 * a + b), 6) = in.mode_mode[a][b].bottomLeftCorner(6, d);
    }
  return result;
}

std::shared_ptr<const SectionResiduals> section_residuals(const FiniteElementBody& mesh, const ReducedBody& body,
                                                          int held_node, Space space) {
  if (mesh.elements.empty() || held_node < 0) return nullptr;
  const int num_rigid = space == Space::planar ? 3 : 6;
  if (body.num_modes() + num_rigid >= static_cast<int>(moving_dofs(mesh, space).size())) return nullptr;
  return std::make_shared<const SectionResiduals>(std::make_shared<const FiniteElementBody>(mesh), held_node, space);
}

}  // namespace lithe
