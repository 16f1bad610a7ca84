// A link as a finite-element model: nodes, sparse mass and stiffness, and the mass distribution behind them. Made by
// fem/ from a Link, or read from a file.
#pragma once

#include <Eigen/SparseCore>
#include <algorithm>
#include <string>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/model/model.h"

namespace lithe {

using SparseMatrix = Eigen::SparseMatrix<double>;

// The body's mass as material fields: every bit of mass moves with the linear interpolation of the nodal displacements.
// A patch is a straight piece (a beam element, or a point mass) whose points are x(ξ) + y, with y in the section and ∫ρ
// y = 0:
//   displacement(ξ, y) = u(ξ) + ψ(ξ) × y,   u(ξ) = translation_rows U_e,   ψ(ξ) = rotation_rows U_e     (U_e: dofs of
//   the patch's nodes)
// Quadrature points carry mass dm = weight and the section's second moments ∫ρ y yᵀ per point, so that all inertia
// invariants are exact sums over points: docs/theory/modal_body.md, "Sums over mass points".
struct MassPoint {
  double mass = 0;
  Vector3 position = Vector3::Zero();        // rest position, link frame
  Matrix3 section_moment = Matrix3::Zero();  // ∫ρ y yᵀ of this point, link axes
  std::vector<int> dofs;                     // columns into the body's dof vector
  Matrix3X translation_rows;                 // 3 x dofs.size()
  Matrix3X rotation_rows;                    // 3 x dofs.size()
};

// One beam element, kept for section forces, stresses and drawing.
struct BeamElement {
  int node_a = 0;
  int node_b = 0;
  int segment = 0;                                // index into Link::segments
  int first_mass_point = 0, num_mass_points = 0;  // its own mass among the body's points
  Matrix3 axes = Matrix3::Identity();             // R_LB: columns are the beam's x, y, z axes in the link frame
  Eigen::Matrix<double, 12, 12> stiffness =
      Eigen::Matrix<double, 12, 12>::Zero();  // link axes, dofs (u_a, ψ_a, u_b, ψ_b)
};

// A link's mesh.
struct FiniteElementBody {
  std::string name;
  SourcePlace place;  // of the link in its file, for messages of later stages
  std::vector<Vector3>
      node_positions;  // all nodes, link frame; the first Link::nodes.size() are the named ones, in that order
  bool nodes_have_rotations = true;  // dofs of every node: 6 (ux uy uz ψx ψy ψz) or 3, unless `dof_starts` says
  // First dof of each node and, at the end, their number. A node has 6 dofs, or 3, or fewer where it follows a spider.
  // Empty: all nodes are alike.
  std::vector<int> dof_starts;
  std::vector<int> dof_components;  // 0 to 5 (ux uy uz ψx ψy ψz), one per dof; empty: all nodes are alike
  // Motion (u, ψ) of the nodes from the dofs: 6 num_nodes x num_dofs, rotations zero where there are none. Empty: dofs
  // are the nodes' own.
  SparseMatrix node_motions;
  SparseMatrix mass;
  SparseMatrix stiffness;
  // Consistent with `mass` up to the paper-style lumping: mass points of imported matrices come from nodal lumping when
  // nothing better is known.
  std::vector<MassPoint> mass_points;
  // Mass that moves with the nodes' translations, m_ij: displacement and rest position have the same interpolation
  // (solid elements). nodes x nodes; `mass_points` are then what comes on top.
  SparseMatrix node_mass;
  std::vector<BeamElement> elements;
  std::vector<int> mesh_nodes;  // of a link of type mesh: the mesh node of every node, -1 of a spider's reference

  int num_nodes() const { return static_cast<int>(node_positions.size()); }
  int num_dofs() const { return dof_starts.empty() ? (nodes_have_rotations ? 6 : 3) * num_nodes() : dof_starts.back(); }
  int first_dof(int node) const {
    return dof_starts.empty() ? (nodes_have_rotations ? 6 : 3) * node : dof_starts[static_cast<std::size_t>(node)];
  }
  int num_dofs(int node) const { return first_dof(node + 1) - first_dof(node); }
  bool has_rotation(int node) const { return num_dofs(node) == 6; }
  int node_of_dof(int dof) const;
  int component(int dof) const {
    return dof_components.empty() ? dof % (nodes_have_rotations ? 6 : 3)
                                  : dof_components[static_cast<std::size_t>(dof)];
  }
};

inline int FiniteElementBody::node_of_dof(int dof) const {
  if (dof_starts.empty()) return dof / (nodes_have_rotations ? 6 : 3);
  // the last node that starts at or before it: nodes without dofs start where the next one does
  const auto after = std::upper_bound(dof_starts.begin(), dof_starts.end(), dof);
  return static_cast<int>(after - dof_starts.begin()) - 1;
}

}  // namespace lithe
