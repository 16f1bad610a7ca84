#include "lithe/formulate/links/section_residual.h"

#include <Eigen/LU>
#include <algorithm>

#include "lithe/base/diagnostics.h"
#include "lithe/model/mesh/mesh.h"
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

// Modes of a link of solid elements at all dofs: as the link has them, and moved so that a node with rotations is at
// rest.
struct SolidModes {
  MatrixX own, held;
};

SolidModes solid_modes(const FiniteElementBody& mesh, const MatrixX& nodal_shapes, const ModalLink& link,
                       int held_node) {
  SolidModes modes;
  if (link.num_modes == 0) return {MatrixX(mesh.num_dofs(), 0), MatrixX(mesh.num_dofs(), 0)};
  const MatrixX shapes = nodal_shapes * link.from_reduced;
  const MatrixX rigid = rigid_modes(mesh);
  const int first = mesh.first_dof(held_node);
  if (rigid.cols() != 6) throw InputError("the link has no moment of inertia about some axis");
  const MatrixX by_node = rigid * Matrix6(Matrix6(rigid.middleRows<6>(first)).inverse());
  modes.held = shapes - by_node * shapes.middleRows(first, 6);
  MatrixX node(6, link.num_modes);
  node << link.translation_shapes[static_cast<std::size_t>(held_node)],
      link.rotation_shapes[static_cast<std::size_t>(held_node)];
  modes.own = modes.held + by_node * node;
  return modes;
}

// ∫ρ f g of a field f of one of the axes, for all g: with f = 1 (axis < 0) or f = s_axis, times unit vector `along`.
VectorX field_force(const FiniteElementBody& mesh, const Vector3& origin, int axis, int along) {
  VectorX of_nodes(mesh.num_nodes());
  for (int node = 0; node < mesh.num_nodes(); ++node)
    of_nodes(node) = axis < 0 ? 1.0 : mesh.node_positions[static_cast<std::size_t>(node)](axis) - origin(axis);
  const VectorX weighted = mesh.node_mass * of_nodes;
  VectorX motions = VectorX::Zero(6 * static_cast<Eigen::Index>(mesh.num_nodes()));
  for (int node = 0; node < mesh.num_nodes(); ++node) motions(6 * node + along) = weighted(node);
  VectorX force = mesh.node_motions.transpose() * motions;
  for (const MassPoint& point : mesh.mass_points) {
    VectorX own = (axis < 0 ? 1.0 : point.position(axis) - origin(axis)) * point.mass *
                  point.translation_rows.row(along).transpose();
    // Σ λ_i e_i,a (ψ × e_i)_b of the principal parts of the section moments (docs/theory/modal_body.md (8)-(10))
    for (int c = 0; axis >= 0 && c < 3; ++c)
      own -= point.section_moment(axis, c) * (skew(Vector3::Unit(c)).row(along) * point.rotation_rows).transpose();
    for (std::size_t k = 0; k < point.dofs.size(); ++k) force(point.dofs[k]) += own(static_cast<Eigen::Index>(k));
  }
  return force;
}

// Forces whose work on a field g is what SectionResidual has of it: its motion at the named nodes, ∫ρ g, ∫ρ s_a g_b and
// ∫ρ g·φ.
MatrixX test_forces(const FiniteElementBody& mesh, int num_named_nodes, const Vector3& origin, const MatrixX& modes) {
  const Eigen::Index of_nodes = 6 * static_cast<Eigen::Index>(num_named_nodes);
  MatrixX forces(mesh.num_dofs(), of_nodes + 12 + modes.cols());
  const SparseMatrix by_motion = mesh.node_motions.topRows(of_nodes).transpose();
  forces.leftCols(of_nodes) = MatrixX(by_motion);
  for (int b = 0; b < 3; ++b) {
    forces.col(of_nodes + b) = field_force(mesh, origin, -1, b);
    for (int a = 0; a < 3; ++a) forces.col(of_nodes + 3 + 3 * a + b) = field_force(mesh, origin, a, b);
  }
  forces.rightCols(modes.cols()) = mesh.mass * modes;
  return forces;
}

}  // namespace

SectionResiduals::SectionResiduals(std::shared_ptr<const FiniteElementBody> mesh, int held_node, Space space)
    : mesh_(std::move(mesh)),
      held_node_(held_node),
      space_(space),
      made_(static_cast<std::size_t>(mesh_->num_nodes())) {}

SectionResiduals::SectionResiduals(std::shared_ptr<const FiniteElementBody> mesh, int held_node, int num_named_nodes,
                                   SparseMatrix stress, MatrixX nodal_shapes)
    : mesh_(std::move(mesh)),
      held_node_(held_node),
      num_named_nodes_(num_named_nodes),
      stress_(std::move(stress)),
      nodal_shapes_(std::move(nodal_shapes)),
      made_(static_cast<std::size_t>(stress_.rows() / 6)) {}

const SectionResidual* SectionResiduals::at(int node, const BeamSection& section, const ModalLink& link) const {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<SectionResidual>& wanted = made_[static_cast<std::size_t>(node)];
  if (wanted || failed_) return wanted.get();
  try {
    if (!held_) held_ = std::make_unique<HeldBody>(*mesh_, held_node_, space_);
    if (stress_.rows() > 0)
      make_all(link);
    else
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

// Of all points at once, from the other side: with W = K⁻¹ - Φ Ω⁻¹ Φᵀ of the held link and rows A of a point, g = W Aᵀ
// and every integral of g is gᵀ F = A W F with a force F. Few forces serve any number of points.
void SectionResiduals::make_all(const ModalLink& link) const {
  const SolidModes modes = solid_modes(*mesh_, nodal_shapes_, link, held_node_);
  const MatrixX forces = test_forces(*mesh_, num_named_nodes_, link.origin, modes.own);
  MatrixX stress(stress_.rows(), forces.cols());
  constexpr Eigen::Index most = 32;  // displacements of all dofs at a time
  for (Eigen::Index first = 0; first < forces.cols(); first += most) {
    const Eigen::Index count = std::min(most, forces.cols() - first);
    const MatrixX part = forces.middleCols(first, count);
    MatrixX left_out = held_->displacements(part);
    if (link.num_modes > 0)
      left_out -= modes.held * (link.squared_frequencies.cwiseInverse().asDiagonal() * (modes.held.transpose() * part));
    stress.middleCols(first, count) = stress_ * left_out;
  }
  const Eigen::Index of_nodes = 6 * static_cast<Eigen::Index>(num_named_nodes_);
  for (std::size_t k = 0; k < made_.size(); ++k) {
    const auto rows = stress.middleRows<6>(6 * static_cast<Eigen::Index>(k));
    auto residual = std::make_unique<SectionResidual>();
    residual->fields = rows.leftCols(of_nodes).transpose();
    residual->momentum = rows.middleCols(of_nodes, 3).transpose();
    residual->position = rows.middleCols(of_nodes + 3, 9).transpose();
    residual->modes = rows.rightCols(link.num_modes);
    made_[k] = std::move(residual);
  }
  held_.reset();
}

std::shared_ptr<const SectionResiduals> section_residuals(const Model& model, int link, const FiniteElementBody& mesh,
                                                          const ReducedBody& body, int held_node) {
  const Link& of = model.links[static_cast<std::size_t>(link)];
  const int num_rigid = model.space == Space::planar ? 3 : 6;
  const auto all_kept = [&] {
    return body.num_modes() + num_rigid >= static_cast<int>(moving_dofs(mesh, model.space).size());
  };
  if (held_node < 0 || (mesh.elements.empty() && !of.mesh) || all_kept()) return nullptr;
  if (!of.mesh)
    return std::make_shared<const SectionResiduals>(std::make_shared<const FiniteElementBody>(mesh), held_node,
                                                    model.space);
  SparseMatrix stress = stress_rows(model, link, mesh);
  if (stress.rows() == 0 || !mesh.has_rotation(held_node)) return nullptr;
  return std::make_shared<const SectionResiduals>(std::make_shared<const FiniteElementBody>(mesh), held_node,
                                                  static_cast<int>(of.nodes.size()), std::move(stress),
                                                  body.nodal_shapes);
}

}  // namespace lithe
