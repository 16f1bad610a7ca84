// Interpolation functions and integration rules of solid elements (docs/theory/solid_elements.md).
#pragma once

#include <vector>

#include "lithe/base/math.h"
#include "lithe/model/mesh/mesh.h"

namespace lithe {

inline constexpr int most_solid_nodes = 20;

// Values and derivatives at one point of the reference element; small and of bounded size, so on the stack.
using NodeValues = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_solid_nodes, 1>;
using NodeGradients = Eigen::Matrix<double, Eigen::Dynamic, 3, 0, most_solid_nodes, 3>;

struct SolidShape {
  NodeValues values;        // N_i
  NodeGradients gradients;  // ∂N_i/∂ξ_a
};

// Reference elements: tetrahedra and the triangles of wedges from 0 to 1, bricks and the height of wedges from -1 to 1.
SolidShape solid_shape(ElementShape shape, const Vector3& xi);

struct SolidPoint {
  Vector3 xi = Vector3::Zero();
  double weight = 0;
  SolidShape shape;
};

enum class SolidRule {
  stiffness,  // full integration of ∫ Bᵀ D B
  mass,       // exact for ∫ N_i N_j of elements with straight edges
  stress,     // where stresses are most accurate, as many as a linear field needs
};
const std::vector<SolidPoint>& solid_points(ElementShape shape, SolidRule rule);

// Points of a face of the reference element, with the tangents whose cross product times the weight is its area.
struct FacePoint {
  SolidShape shape;  // of the element; nodes beside the face have values of zero
  Vector3 tangent_s = Vector3::Zero(), tangent_t = Vector3::Zero();
  double weight = 0;
};
std::vector<FacePoint> face_points(ElementShape shape, const ElementFace& face);

// From values at the stress points to the element's nodes by the linear field through them: nodes x points.
const MatrixX& stress_extrapolation(ElementShape shape);

}  // namespace lithe
