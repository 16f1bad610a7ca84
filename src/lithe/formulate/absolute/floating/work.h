// What a thread needs of a floating body; shared by the sources that implement it.
#pragma once

#include "lithe/formulate/absolute/floating/body.h"

namespace lithe {

// Symbols of docs/theory/floating_frame.md, section 3.
struct FloatingBody::ModalWork : Work {
  ModalWork(int d, int num_nodes)
      : q(d), q_rate(d), moment(d, 9), C(3, d), H(3, d), shapes(num_nodes, Matrix3X(3, d)), turns(shapes) {}

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
  // Second order, section 6: G q of the field a + b s, its value, rate and what rates add to its acceleration.
  MatrixX field_jacobian, modal_mass;
  MatrixX field_product;
  Vector3 a, a_rate, a_bias;
  Matrix3 b, b_rate, b_bias;
  Matrix3 Prs;  // ∫ρ r sᵀ

  mutable std::vector<Matrix3X> shapes, turns;  // ∂r/∂q and ∂ψ/∂q at the nodes
};

}  // namespace lithe
