// A link reduced to a few elastic modes, with everything the equations of motion need, and nothing of the mesh's size.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/model/finite_element_body.h"

namespace lithe {

// Constant integrals over the body with displacement field φ_k(s) of elastic mode k (docs/theory/modal_body.md). All in
// the link frame. The field includes the section's rotation, so rotary inertia is inside.
struct InertiaInvariants {
  double mass = 0;                          // m = ∫ρ
  Vector3 first_moment = Vector3::Zero();   // c0 = ∫ρ s
  Matrix3 second_moment = Matrix3::Zero();  // P0 = ∫ρ s sᵀ; inertia about the link origin is tr(P0) I - P0
  Matrix3X mode_momentum;                   // C(:,k) = ∫ρ φ_k, 3 x d
  // S[a][b](k) = ∫ρ s_a φ_k,b
  std::array<std::array<VectorX, 3>, 3> position_mode;
  // N[a][b](k,l) = ∫ρ φ_k,a φ_l,b;  N[b][a] = N[a][b]ᵀ;  the sum N[0][0]+N[1][1]+N[2][2] is the modal mass matrix
  std::array<std::array<MatrixX, 3>, 3> mode_mode;

  int num_modes() const { return static_cast<int>(mode_momentum.cols()); }
};

// Elastic part of a reduced link: u(node) = translation_shapes q, ψ(node) = rotation_shapes q, mass-orthonormal and
// orthogonal to the rigid motions (free-body modes of the kept space), so that the modal mass is the identity and the
// stiffness diagonal. The six rigid modes are exact and are not stored.
struct ReducedBody {
  std::string name;
  std::vector<Vector3> node_positions;  // as in the finite-element body
  MatrixX translation_shapes;           // 3 num_nodes x d
  MatrixX rotation_shapes;              // 3 num_nodes x d; zero rows where nodes carry no rotations
  VectorX squared_frequencies;          // Ω_d, (rad/s)^2
  MatrixX damping;                      // d x d modal damping matrix, N s/m per unit modal mass
  InertiaInvariants invariants;
  MatrixX nodal_shapes;  // all finite-element dofs x d, for section forces and drawing
  int num_finite_element_dofs = 0;
  int num_available_modes = 0;  // elastic modes of the reduction before selection

  int num_modes() const { return static_cast<int>(squared_frequencies.size()); }
  int num_nodes() const { return static_cast<int>(node_positions.size()); }
  bool rigid() const { return num_modes() == 0; }
};

}  // namespace lithe
