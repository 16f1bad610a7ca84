// Second-order displacements of a floating body (docs/theory/floating_frame.md, section 6): r = s + Φ q + a + b s, with
// a, b = ½ qᵀ G q. Inertia forces for scalars that may carry derivatives. Private to this folder.
#pragma once

#include "lithe/formulate/links/second_order.h"
#include "lithe/formulate/numerics/dual.h"
#include "lithe/formulate/numerics/rotation_vector.h"

namespace lithe {

// Values of the forms of a field: aᵀ G b of each, as a vector and a matrix.
template <class S, class A, class B>
void field_values(const QuadraticForms& forms, const A& left, const B& right, const S& factor, Vector3Of<S>& a,
                  Matrix3Of<S>& b) {
  for (int i = 0; i < 3; ++i) {
    a(i) = factor * forms.product<S>(i, left, right);
    for (int j = 0; j < 3; ++j) b(i, j) = factor * forms.product<S>(affine_row(i, j), left, right);
  }
}

// A body's place in its own coordinates, its speeds and accelerations; `fall` is gravity in body axes.
template <class S>
struct BentMotion {
  using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;
  Vector3Of<S> v, omega, a, alpha, fall;
  Vector q, q_rate, q_second;
};

// M ν̇ - f without elasticity and damping: ∫ρ (1, r×, χᵀ) A of the acceleration field A. Without velocities and gravity
// it is the momentum of ν = (a, α, q̈).
template <class S>
Eigen::Matrix<S, Eigen::Dynamic, 1> bent_inertia(const ModalLink& link, const QuadraticForms& forms,
                                                 const BentMotion<S>& m) {
  using V3 = Vector3Of<S>;
  using M3 = Matrix3Of<S>;
  const Eigen::Index d = link.num_modes;
  V3 a, a_rate, a_second, a_bias;
  M3 b, b_rate, b_second, b_bias;
  field_values<S>(forms, m.q, m.q, S(0.5), a, b);
  field_values<S>(forms, m.q, m.q_rate, S(1.0), a_rate, b_rate);
  field_values<S>(forms, m.q, m.q_second, S(1.0), a_second, b_second);
  field_values<S>(forms, m.q_rate, m.q_rate, S(1.0), a_bias, b_bias);
  const M3 W = skew_of<S>(m.omega), X = skew_of<S>(m.alpha) + W * W, W2 = W * S(2.0);
  // A(s) = A0 + B s + Φ (...), with Φ's coefficients applied by X, 2 ω× and 1.
  const V3 A0 = m.a + m.omega.cross(m.v) - m.fall + X * a + W2 * a_rate + a_second + a_bias;
  const M3 B = X + X * b + W2 * b_rate + b_second + b_bias;
  const V3 c0 = link.first_moment.cast<S>();
  const M3 P0 = link.second_moment.cast<S>();
  V3 force = A0 * S(link.mass) + B * c0;
  M3 Ys = A0 * c0.transpose() + B * P0, Yu = M3::Constant(S(0.0));  // ∫ρ A sᵀ, ∫ρ A (Φq)ᵀ
  Eigen::Matrix<S, Eigen::Dynamic, 1> result = Eigen::Matrix<S, Eigen::Dynamic, 1>::Constant(6 + d, S(0.0));
  auto on_modes = result.tail(d);
  on_modes = m.q_second;
  for (Eigen::Index k = 0; k < d; ++k) {
    for (int i = 0; i < 3; ++i) {
      const V3 moved = X.col(i) * m.q(k) + W2.col(i) * m.q_rate(k);
      const S second = m.q_second(k);
      for (int c = 0; c < 3; ++c) {
        const S along = moved(c) + (c == i ? second : S(0.0));  // A_c of unit φ_k,i
        force(c) += along * link.mode_momentum(i, k);
        for (int j = 0; j < 3; ++j) Ys(c, j) += along * link.position_mode_stack(3 * j + i, k);
      }
      on_modes(k) += A0(i) * link.mode_momentum(i, k);
      for (int j = 0; j < 3; ++j) on_modes(k) += B(i, j) * link.position_mode_stack(3 * j + i, k);
      for (int j = 0; j < 3; ++j)  // ∫ρ (A0 + B s)_i (Φq)_j
        Yu(i, j) += m.q(k) * A0(i) * link.mode_momentum(j, k);
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int n = 0; n < 3; ++n) Yu(i, j) += m.q(k) * B(i, n) * link.position_mode_stack(3 * n + j, k);
  }
  // Modes with modes: N_ab = ∫ρ φ_a φ_bᵀ.
  for (int i = 0; i < 3; ++i)
    for (int n = 0; n < 3; ++n) {
      const auto N = link.mode_mode_stack.middleRows((3 * i + n) * d, d);
      for (Eigen::Index k = 0; k < d; ++k) {
        S of_q(0.0), of_rate(0.0), of_second(0.0);  // ∫ρ φ_k,i (Φ·)_n
        for (Eigen::Index l = 0; l < d; ++l) {
          of_q += m.q(l) * N(k, l);
          of_rate += m.q_rate(l) * N(k, l);
          of_second += m.q_second(l) * N(k, l);
        }
        on_modes(k) += X(i, n) * of_q + W2(i, n) * of_rate;
        // ∫ρ A_c (Φq)_i with A_c = X_cn (Φq)_n + ...
        for (int c = 0; c < 3; ++c) {
          S along = X(c, n) * of_q + W2(c, n) * of_rate;
          if (c == n) along += of_second;
          Yu(c, i) += m.q(k) * along;
        }
      }
    }
  const M3 Yr = Ys + Yu + force * a.transpose() + Ys * b.transpose();
  result.template head<3>() = force;
  result(3) = Yr(2, 1) - Yr(1, 2);
  result(4) = Yr(0, 2) - Yr(2, 0);
  result(5) = Yr(1, 0) - Yr(0, 1);
  for (int i = 0; i < 3; ++i) {
    forms.add_gradient<S>(i, m.q, force(i), on_modes);
    for (int j = 0; j < 3; ++j) forms.add_gradient<S>(affine_row(i, j), m.q, Ys(i, j), on_modes);
  }
  return result;
}

// ∂T/∂q.
VectorX bent_kinetic_gradient(const ModalLink& link, const QuadraticForms& forms, const Vector3& v,
                              const Vector3& omega, const VectorX& q, const VectorX& q_rate);

}  // namespace lithe
