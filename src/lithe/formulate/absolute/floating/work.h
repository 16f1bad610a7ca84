// What a thread needs of a floating body; shared by the sources that implement it.
#pragma once

#include "lithe/formulate/absolute/floating/body.h"

namespace lithe {

// Symbols of docs/theory/floating_frame.md, section 3.
struct FloatingBody::ModalWork : Work {
  ModalWork(int d, int num_nodes)
      : q(d), q_rate(d), moment(d, 9), C(3, d), H(3, d), shapes(num_nodes, Matrix3X(3, d)) {}

  Vector3 p;
  Matrix3 R;
  Vector3 v, omega;
  VectorX q, q_rate;

  MatrixX moment;  // column 3a+b: g_ab(k) = ∫ρ r_a B_kb, with B = ∂r/∂q
  Matrix3X C;      // ∫ρ B
  Matrix3X H;      // ∫ρ r × B
  Vector3 c;       // ∫ρ r
  Matrix3 J;       // ∫ρ (r·r - r rᵀ)
  Vector3 Cq_rate;
  Vector3 C_bias = Vector3::Zero(), H_bias = Vector3::Zero();  // ∫ρ G(q̇,q̇), ∫ρ s × G(q̇,q̇)

  mutable std::vector<Matrix3X> shapes;  // B at the nodes: with foreshortening it changes with q
};

}  // namespace lithe
