// Integrals of a body's mass with displacement fields: what equations of motion need of its inertia.
#pragma once

#include <array>

#include "lithe/base/math.h"

namespace lithe {

// Constant integrals over the body with displacement field φ_k(s) of elastic mode k (formulation section 1). All in the
// link frame. The field includes the section's rotation, so rotary inertia is inside.
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

}  // namespace lithe
