// Strains of shell elements at their integration points (docs/theory/shell_elements.md).
#pragma once

#include <vector>

#include "lithe/fem/shells/shell_shapes.h"

namespace lithe {

// The eight strains of a shell and what its nodes' rotation about the normal has beyond the surface's:
// ε_xx, ε_yy, γ_xy, κ_xx, κ_yy, κ_xy, γ_xz, γ_yz, drilling.
inline constexpr int num_shell_strains = 9;
inline constexpr int most_internal = 4;
using ShellRows = Eigen::Matrix<double, num_shell_strains, Eigen::Dynamic, 0, num_shell_strains,
                                6 * most_shell_nodes + most_internal>;

struct ShellPoint {
  Vector2 xi = Vector2::Zero();
  Vector3 position = Vector3::Zero();
  Matrix3 axes = Matrix3::Identity();  // columns: x, y, normal, in which the strains are
  // Areas with which strains of the surface, transverse shear and drilling count.
  double in_plane = 0, shear = 0, drilling = 0;
  ShellRows strains;  // by (u, ψ) of each node in link axes, then the internal motions
};

// How thick plates of a section bend and shear: what the flat elements' shear asks for, in the axes of the element.
struct PlateStiffness {
  Matrix3 membrane, bending;
  Matrix2 shear;
};

// The plane of a flat element: of a warped quadrilateral the one that lies halfway between its nodes.
struct FlatFrame {
  Vector3 centre = Vector3::Zero();
  Matrix3 axes = Matrix3::Identity();
};
FlatFrame flat_frame(const ShellNodes& nodes);

// Triangles of 3 nodes: the optimal membrane triangle with drilling rotations (Felippa 2003) and the plate DKMT (Katili
// 1993). Quadrilaterals of 4: the membrane with incompatible modes (Taylor, Beresford, Wilson 1976) and the plate DKMQ
// (Katili 1993). The middle lies `offset` from the nodes along the normal.
std::vector<ShellPoint> flat_shell_points(const ShellNodes& nodes, double offset, const PlateStiffness& plate);
int num_internal_motions(ElementShape shape);

// Curved shells of 6 and 8 nodes with straight directors at the nodes and reduced integration.
std::vector<ShellPoint> curved_shell_points(ElementShape shape, const ShellNodes& nodes, double offset);

}  // namespace lithe
