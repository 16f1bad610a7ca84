// Stiffness, mass and stress of shell elements with six unknowns per node (docs/theory/shell_elements.md).
#pragma once

#include "lithe/fem/shells/shell_shapes.h"
#include "lithe/model/sections/laminate.h"

namespace lithe {

// One element: where it is and what it is made of.
struct ShellElement {
  ElementShape shape = ElementShape::quad4;
  ShellNodes nodes;
  std::vector<Ply> plies;  // angles from direction 1 of the frame, laid into the surface
  double offset = 0;
  double mass_per_area = 0;
  ElementFrame frame;
};
ShellElement shell_element(const MeshPart& part, const MeshElement& element);

// Unit normal at each corner and edge node of the element, one row each; of flat elements that of their plane.
ShellNodes shell_normals(const ShellElement& element);

// The smallest Jacobian of the surface over its corners: not above zero where it has no area, crosses itself, or has a
// corner of more than 180 degrees.
double smallest_jacobian(const ShellElement& element);

// Columns: u, ψ of node 0 in link axes, of node 1, ...
MatrixX shell_stiffness(const ShellElement& element);

// ∫ N_i N_j dA over the middle surface.
MatrixX shell_areas(const ShellElement& element);
// ∫ N_i dA.
VectorX shell_weights(const ShellElement& element);

// ∫ρ of a, b, c over the thickness where the bottom's displacement is weighed with 1 − s and the top's with s:
// (1 − s)², s (1 − s), s². A point of the shell then moves as in a solid between two layers of nodes.
Vector3 shell_layer_masses(const ShellElement& element);

// Forces N per width, xx, yy, xy in `axes`, of the middle surface at points that stand for an area each.
struct ShellForces {
  Vector2 xi = Vector2::Zero();
  Matrix3 axes = Matrix3::Identity();  // columns: x, y, normal
  double area = 0;
  MatrixX forces;  // 3 rows; columns: u, ψ of node 0 in link axes, of node 1, ...
};
std::vector<ShellForces> shell_forces(const ShellElement& element);

// Stress xx, yy, zz, xy, yz, zx in link axes at the bottom and at the top of each node: 12 rows for each node.
MatrixX shell_stress(const ShellElement& element);

}  // namespace lithe
