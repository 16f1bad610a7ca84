#include "lithe/fem/mesh_beams.h"

#include <algorithm>
#include <array>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/beam_element.h"
#include "lithe/model/error_at.h"

namespace lithe {
namespace {

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// Motions (u_a, ψ_a, u_b, ψ_b) of two nodes as rows over the dofs that they depend on.
struct EndMotions {
  std::vector<int> dofs;
  MatrixX rows;  // 12 x dofs
};

EndMotions motions_of(const RowMatrix& motions, const std::array<int, 2>& nodes) {
  EndMotions ends;
  const auto each = [&](const auto& action) {
    for (int k = 0; k < 12; ++k)
      for (RowMatrix::InnerIterator entry(motions, 6 * nodes[static_cast<std::size_t>(k / 6)] + k % 6); entry; ++entry)
        action(k, static_cast<int>(entry.col()), entry.value());
  };
  each([&](int, int dof, double) { ends.dofs.push_back(dof); });
  std::sort(ends.dofs.begin(), ends.dofs.end());
  ends.dofs.erase(std::unique(ends.dofs.begin(), ends.dofs.end()), ends.dofs.end());
  ends.rows = MatrixX::Zero(12, static_cast<Eigen::Index>(ends.dofs.size()));
  each([&](int k, int dof, double value) {
    ends.rows(k, std::lower_bound(ends.dofs.begin(), ends.dofs.end(), dof) - ends.dofs.begin()) = value;
  });
  return ends;
}

// Ends beside their nodes, (12) of the theory of solids: u + ψ × offset.
void move_ends(const MeshBeam& beam, EndMotions& ends) {
  for (std::size_t k = 0; k < 2; ++k) {
    const auto first = static_cast<Eigen::Index>(6 * k);
    ends.rows.middleRows<3>(first) -= skew(beam.offsets[k]) * ends.rows.middleRows<3>(first + 3);
  }
}

// (11): what a rod carries.
Matrix12 rod_stiffness(const BeamProperties& rod) {
  Matrix12 stiffness = Matrix12::Zero();
  for (const auto& [at, value] : {std::pair(0, rod.axial_stiffness), std::pair(3, rod.torsional_stiffness)}) {
    stiffness(at, at) = stiffness(at + 6, at + 6) = value / rod.length;
    stiffness(at, at + 6) = stiffness(at + 6, at) = -value / rod.length;
  }
  return stiffness;
}

BeamInterpolation rod_interpolation(double xi) {
  BeamInterpolation shape{Matrix3x12::Zero(), Matrix3x12::Zero()};
  shape.translation.leftCols<3>() = (1 - xi) * Matrix3::Identity();
  shape.translation.middleCols<3>(6) = xi * Matrix3::Identity();
  return shape;
}

Matrix3 axes_of(const Link& link, const MeshBeam& beam, bool is_rod, const Vector3& along) {
  const Vector3 side = is_rod ? Vector3(along.unitOrthogonal()) : beam.side;
  const Vector3 normal = along.cross(side);
  if (!(normal.norm() > 1e-9 * along.norm() * side.norm()) || !(along.norm() > 0))
    throw InputError(std::vector{error_at(
        link.place,
        cat("link '", link.name, "': the beam ", link.mesh->mesh.elements[static_cast<std::size_t>(beam.element)].label,
            " of '", link.mesh->file, "' has no length, or its section's direction is along it"))});
  Matrix3 axes;
  axes.col(0) = along.normalized();
  axes.col(2) = normal.normalized();
  axes.col(1) = axes.col(2).cross(axes.col(0));
  return axes;
}

}  // namespace

void add_mesh_beams(const Link& link, const std::vector<int>& place, FiniteElementBody& body) {
  const MeshPart& part = *link.mesh;
  const Mesh& mesh = part.mesh;
  if (mesh.beams.empty()) return;
  const RowMatrix motions(body.node_motions);
  std::vector<Eigen::Triplet<double>> triplets;
  for (const MeshBeam& beam : mesh.beams) {
    const MeshBeamSection& section = mesh.beam_sections[static_cast<std::size_t>(beam.section)];
    const int* nodes = mesh.nodes_of(mesh.elements[static_cast<std::size_t>(beam.element)]);
    const std::array<int, 2> ends = {place[static_cast<std::size_t>(nodes[0])],
                                     place[static_cast<std::size_t>(nodes[1])]};
    const Vector3 start = body.node_positions[static_cast<std::size_t>(ends[0])] + beam.offsets[0];
    const Vector3 along = body.node_positions[static_cast<std::size_t>(ends[1])] + beam.offsets[1] - start;
    const Matrix3 axes = axes_of(link, beam, section.is_rod(), along);
    const BeamTheory shapes = section.is_rod() ? BeamTheory::linear_timoshenko : section.theory;
    BeamProperties properties = beam_properties(shapes, part.materials[static_cast<std::size_t>(section.material)],
                                                section.section, along.norm());
    properties.mass_per_length += section.mass_per_length;
    Matrix12 turn = Matrix12::Zero();  // from link axes to those of the beam
    for (int k = 0; k < 4; ++k) turn.block<3, 3>(3 * k, 3 * k) = axes.transpose();
    EndMotions of_ends = motions_of(motions, ends);
    move_ends(beam, of_ends);
    const MatrixX rows = turn * of_ends.rows;
    const MatrixX stiffness =
        rows.transpose() * (section.is_rod() ? rod_stiffness(properties) : beam_stiffness(properties)) * rows;
    for (std::size_t i = 0; i < of_ends.dofs.size(); ++i)
      for (std::size_t j = 0; j < of_ends.dofs.size(); ++j)
        triplets.emplace_back(of_ends.dofs[i], of_ends.dofs[j],
                              0.5 * (stiffness(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) +
                                     stiffness(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i))));
    for (const QuadraturePoint& quadrature : mass_quadrature(shapes)) {
      const BeamInterpolation shape =
          section.is_rod() ? rod_interpolation(quadrature.xi) : beam_interpolation(properties, quadrature.xi);
      const double length = quadrature.weight * properties.length;
      MassPoint point;
      point.mass = length * properties.mass_per_length;
      point.position = start + quadrature.xi * along;
      const Vector3 moments(0, properties.rotary_inertia_z, properties.rotary_inertia_y);
      if (!section.is_rod()) point.section_moment = length * axes * moments.asDiagonal() * axes.transpose();
      point.dofs = of_ends.dofs;
      point.translation_rows = axes * shape.translation * rows;
      point.rotation_rows = axes * shape.rotation * rows;
      body.mass_points.push_back(std::move(point));
    }
  }
  SparseMatrix stiffness(body.num_dofs(), body.num_dofs());
  stiffness.setFromTriplets(triplets.begin(), triplets.end());
  body.stiffness = SparseMatrix(body.stiffness + stiffness);
}

}  // namespace lithe
