// A reduced link seen from its inboard joint: frame at the inboard node, elastic shapes that leave that node at rest,
// orthonormal again. A change of basis inside the span of the reduced body's rigid and elastic modes, so nothing is
// lost (docs/theory/erls_cms.md, section 2).
#pragma once

#include <array>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/reduce/reduced_body.h"

namespace lithe {

struct ModalLink {
  Vector3 origin = Vector3::Zero();  // the inboard node in the link frame; everything below is relative to it
  int num_modes = 0;                 // d

  double mass = 0;                                      // m
  Vector3 first_moment;                                 // c0 = ∫ρ s
  Matrix3 second_moment;                                // P0 = ∫ρ s sᵀ
  Matrix3 inertia;                                      // tr(P0) I - P0
  Matrix3X mode_momentum;                               // C = ∫ρ Φ, 3 x d
  Matrix3X mode_angular_momentum;                       // H0 = ∫ρ s × Φ, 3 x d
  std::array<std::array<VectorX, 3>, 3> position_mode;  // S[a][b] = ∫ρ s_a φ_b, d
  MatrixX position_mode_stack;                          // rows 3a+b: S[a][b]ᵀ, 9 x d
  MatrixX mode_mode_stack;                              // 9d x d: blocks 3a+b hold N[a][b] = ∫ρ φ_a φ_bᵀ
  MatrixX coriolis_stack;       // 3d x d: blocks N[z][y]-N[y][z], N[x][z]-N[z][x], N[y][x]-N[x][y]
  VectorX squared_frequencies;  // Ω, with the modal mass the identity
  MatrixX damping;              // d x d
  bool damped = false;
  MatrixX from_reduced;  // q_reduced = from_reduced q: coordinates of the reduced body's own basis

  std::vector<Vector3> node_positions;                        // relative to the origin
  std::vector<Matrix3X> translation_shapes, rotation_shapes;  // per node, 3 x d
};

// `inboard_node` is the node at which the joint towards the ground attaches, `origin` its place in the link frame (a
// rigid link may be held at a point that is no node).
ModalLink modal_link(const ReducedBody& body, int inboard_node, const Vector3& origin);

// How the frame of a floating body lies in the deformed body (docs/theory/floating_frame.md, section 2).
enum class ReferenceCondition {
  tangent,  // fixed to the inboard node
  chord,    // through the inboard and the outboard node, without turning about that line at the inboard node
  free,     // mean axes: the modes of the free body as they are
};
// The same for another reference condition. A link with one joint has no chord and gets the tangent frame
// (outboard_node < 0).
ModalLink modal_link(const ReducedBody& body, ReferenceCondition condition, int inboard_node, int outboard_node,
                     const Vector3& origin);

}  // namespace lithe
