// Interpolation functions and integration rules of triangles and quadrilaterals (docs/theory/shell_elements.md).
#pragma once

#include <vector>

#include "lithe/base/math.h"
#include "lithe/model/mesh/mesh.h"

namespace lithe {

inline constexpr int most_shell_nodes = 8;
using Vector2 = Eigen::Vector2d;
using Matrix2 = Eigen::Matrix2d;
using ShellNodes = Eigen::Matrix<double, Eigen::Dynamic, 3, 0, most_shell_nodes, 3>;  // rest positions, one row each

struct PlaneShape {
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_shell_nodes, 1> values;     // N_i
  Eigen::Matrix<double, Eigen::Dynamic, 2, 0, most_shell_nodes, 2> gradients;  // ∂N_i/∂ξ_a
};
// Triangles from 0 to 1, quadrilaterals from -1 to 1.
PlaneShape plane_shape(ElementShape shape, const Vector2& xi);

// The nodes' places in the reference element.
std::vector<Vector2> reference_nodes(ElementShape shape);

struct PlanePoint {
  Vector2 xi = Vector2::Zero();
  double weight = 0;
};
enum class ShellRule {
  stiffness,  // of strains: 3 points of triangles, 2 x 2 of quadrilaterals
  full,       // exact for ∫ N_i N_j of elements with straight edges
};
std::vector<PlanePoint> plane_points(ElementShape shape, ShellRule rule);

// From values at the stiffness points to the nodes by the linear (bilinear) field through them: nodes x points.
MatrixX strain_extrapolation(ElementShape shape);

}  // namespace lithe
