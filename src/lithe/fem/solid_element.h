// Stiffness, mass and stress of solid elements with three displacements per node (docs/theory/solid_elements.md).
#pragma once

#include "lithe/fem/solid_shapes.h"

namespace lithe {

using SolidNodes = Eigen::Matrix<double, Eigen::Dynamic, 3, 0, most_solid_nodes, 3>;  // rest positions, one row each

// Stress from strain in the order xx, yy, zz, xy, yz, zx, link axes; shear strains are angles. The directions of an
// orthotropic material are those of the frame at the middle of the element.
Matrix6 solid_elasticity(const MeshPart& part, const MeshElement& element, const SolidNodes& nodes);

// The smallest Jacobian determinant at the points of both integration rules: not above zero where the element is turned
// inside out.
double smallest_jacobian(ElementShape shape, const SolidNodes& nodes);

// ∫ Bᵀ D B, of 8-node bricks with incompatible modes; columns: x, y, z of node 0, of node 1, ...
MatrixX solid_stiffness(ElementShape shape, const SolidNodes& nodes, const Matrix6& elasticity);

// ∫ N_i N_j: times the density this is the mass for each of x, y and z.
MatrixX solid_mass_per_density(ElementShape shape, const SolidNodes& nodes);

// ∫ N_i over a face: the share of each node in its mean displacement.
VectorX face_weights(ElementShape shape, const SolidNodes& nodes, const ElementFace& face);

// Stress at the element's nodes from their displacements: 6 rows for each node.
MatrixX solid_stress(ElementShape shape, const SolidNodes& nodes, const Matrix6& elasticity);

}  // namespace lithe
