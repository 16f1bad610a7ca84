// The body behind the integrals of standard input data (docs/howto/reduced_bodies.md).
#pragma once

#include <string>
#include <vector>

#include "lithe/model/finite_element_body.h"

namespace lithe {

// Over the mass of a part with d modes, about its frame of reference.
struct SidIntegrals {
  double mass = 0;
  Vector3 first_moment = Vector3::Zero();
  Matrix3 second_moment = Matrix3::Zero();  // ∫ρ s sᵀ
  Matrix3X momentum;                        // ∫ρ φ_k, 3 x d
  std::vector<Matrix3> position_mode;       // ∫ρ s φ_kᵀ
  MatrixX modal_mass;                       // ∫ρ φ_i · φ_k
  MatrixX products;                         // 3 x 3 blocks ∫ρ φ_i φ_kᵀ; empty: not known
};

// Dofs: displacement and rotation of the frame of reference, then the modes, each of a node of its own.
// Throws InputError where no body has these integrals. What the products have too much or too little is put right, with
// a warning.
FiniteElementBody sid_body(const SidIntegrals& integrals, const MatrixX& stiffness, std::vector<std::string>& warnings);

}  // namespace lithe
