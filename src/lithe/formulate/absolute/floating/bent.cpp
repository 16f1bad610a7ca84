#include "lithe/formulate/absolute/floating/bent_inl.h"
#include "lithe/formulate/absolute/floating/work.h"

namespace lithe {

// Moments of the deformed body with a + b s, and of the velocity fields χ_k = φ_k + P_a,k + P_b,k s; after those of
// s + Φ q, section 6.
void FloatingBody::bend_moments(ModalWork& work) const {
  const QuadraticForms& forms = second_order_.field;
  MatrixX& P = work.field_jacobian;
  forms.gradients(work.q, P);
  unpack(0.5 * affine_rows(P).lazyProduct(work.q), work.a, work.b);
  unpack(affine_rows(P).lazyProduct(work.q_rate), work.a_rate, work.b_rate);
  unpack(forms.squares<12>(work.q_rate), work.a_bias, work.b_bias);
  const Vector3 &c0 = link_.first_moment, &a = work.a;
  const Matrix3 &P0 = link_.second_moment, &b = work.b;
  Matrix3 Q;  // ∫ρ Φq sᵀ
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) Q(i, j) = link_.position_mode[j][i].dot(work.q);
  const Matrix3 Ps = P0 + Q;
  const Matrix3 along = work.c * a.transpose() + Ps * b.transpose();  // ∫ρ (s + Φq) (a + b s)ᵀ
  const Vector3 shift = link_.mass * a + b * c0;
  const Matrix3 shift_s = a * c0.transpose() + b * P0;
  const Matrix3 more = along + along.transpose() + shift * a.transpose() + shift_s * b.transpose();
  work.J += more.trace() * Matrix3::Identity() - more;
  work.c += shift;
  work.Prs = Ps + shift_s;
  Eigen::Matrix<double, 12, 9> on_fields = Eigen::Matrix<double, 12, 9>::Zero();
  Eigen::Matrix<double, 3, 12> of_fields = Eigen::Matrix<double, 3, 12>::Zero();
  for (int i = 0; i < 3; ++i) {
    of_fields(i, i) = link_.mass;
    for (int j = 0; j < 3; ++j) {
      auto moment = work.moment.col(3 * i + j);  // ∫ρ r_i χ_j
      moment += a[i] * link_.mode_momentum.row(j).transpose();
      for (int n = 0; n < 3; ++n) moment += b(i, n) * link_.position_mode[n][j];
      on_fields(j, 3 * i + j) = work.c[i];
      for (int n = 0; n < 3; ++n) on_fields(affine_row(j, n), 3 * i + j) = work.Prs(i, n);
      of_fields(i, affine_row(i, j)) = c0[j];
    }
  }
  work.moment += affine_rows(P).transpose().lazyProduct(on_fields);
  work.C += of_fields.lazyProduct(affine_rows(P));
  bent_modal_mass(link_, forms, P, work.field_product, work.modal_mass);
}

// Coriolis forces of the field a + b s, and what rates do to it when q̈ = 0.
void FloatingBody::add_bent_forces(const ModalWork& work, Eigen::Ref<VectorX> force) const {
  const MatrixX& P = work.field_jacobian;
  const Vector3& c0 = link_.first_moment;
  const Matrix3 &P0 = link_.second_moment, W2 = 2 * skew(work.omega);
  Matrix3 Q_rate;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) Q_rate(i, j) = link_.position_mode[j][i].dot(work.q_rate);
  const Matrix3 biased = work.a_bias * work.c.transpose() + work.b_bias * work.Prs.transpose();  // ∫ρ (...) rᵀ
  const Vector3 bias = link_.mass * work.a_bias + work.b_bias * c0;
  const Matrix3 bias_s = work.a_bias * c0.transpose() + work.b_bias * P0;
  force.head<3>() -= bias;
  force.segment<3>(3) -= Vector3(biased(2, 1) - biased(1, 2), biased(0, 2) - biased(2, 0), biased(1, 0) - biased(0, 1));
  auto elastic = force.tail(num_elastic_);
  const Vector3 A = W2 * work.a_rate + work.a_bias;  // on the modes
  const Matrix3 B = W2 * work.b_rate + work.b_bias;
  elastic.noalias() -= link_.mode_momentum.transpose() * A;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) elastic -= B(i, j) * link_.position_mode[j][i];
  const Vector3 on_a = W2 * work.Cq_rate + bias;
  const Matrix3 on_b = W2 * (Q_rate + work.a_rate * c0.transpose() + work.b_rate * P0) + bias_s;
  elastic -= affine_rows(P).transpose().lazyProduct(packed(on_a, on_b));
}

namespace {

using Lanes = Dual<double, 8>;

template <class Values>
BentMotion<Lanes> without_derivatives(const Vector3& v, const Vector3& omega, const Vector3& a, const Vector3& alpha,
                                      const Vector3& fall, const VectorX& q, const VectorX& q_rate,
                                      const Values& q_second) {
  return {v.cast<Lanes>(),    omega.cast<Lanes>(), a.cast<Lanes>(),      alpha.cast<Lanes>(),
          fall.cast<Lanes>(), q.cast<Lanes>(),     q_rate.cast<Lanes>(), VectorX(q_second).cast<Lanes>()};
}

}  // namespace

void FloatingBody::add_bent_derivatives(const Vector3& gravity, const ModalWork& work,
                                        const Eigen::Ref<const VectorX>& accelerations, Eigen::Ref<MatrixX> by_place,
                                        Eigen::Ref<MatrixX> by_speed) const {
  const int n = num_speeds(), d = num_elastic_;
  const Vector3 fall = work.R.transpose() * gravity;
  const Matrix3 by_turn = skew(fall);  // Rᵀ g seen from a frame that turns
  for (int first = 0; first < 2 * n; first += 8) {
    BentMotion<Lanes> motion =
        without_derivatives(work.v, work.omega, accelerations.head<3>(), accelerations.segment<3>(3), fall, work.q,
                            work.q_rate, accelerations.tail(d));
    for (int lane = 0; lane < 8 && first + lane < 2 * n; ++lane) {
      const bool speed = first + lane >= n;
      const int k = speed ? first + lane - n : first + lane;
      if (k >= 6) {
        (speed ? motion.q_rate : motion.q)(k - 6).jacobian[lane] = 1;
      } else if (speed) {
        (k < 3 ? motion.v(k) : motion.omega(k - 3)).jacobian[lane] = 1;
      } else if (k >= 3) {
        for (int i = 0; i < 3; ++i) motion.fall(i).jacobian[lane] = by_turn(i, k - 3);
      }
    }
    const auto residual = bent_inertia<Lanes>(link_, second_order_.field, motion);
    for (int lane = 0; lane < 8 && first + lane < 2 * n; ++lane) {
      const bool speed = first + lane >= n;
      const int k = speed ? first + lane - n : first + lane;
      for (int i = 0; i < n; ++i) (speed ? by_speed : by_place)(i, k) += residual(i).jacobian[lane];
    }
  }
  by_place.bottomRightCorner(d, d).diagonal() += link_.squared_frequencies;
  if (link_.damped) by_speed.bottomRightCorner(d, d) += link_.damping;
}

VectorX bent_kinetic_gradient(const ModalLink& link, const QuadraticForms& forms, const Vector3& v,
                              const Vector3& omega, const VectorX& q, const VectorX& q_rate) {
  const Vector3 zero = Vector3::Zero();
  const VectorX still = VectorX::Zero(q.size());
  VectorX result(q.size()), speeds(6 + q.size());
  speeds << v, omega, q_rate;
  for (Eigen::Index first = 0; first < q.size(); first += 8) {
    BentMotion<Lanes> motion = without_derivatives(zero, zero, v, omega, zero, q, still, q_rate);
    for (Eigen::Index lane = 0; lane < 8 && first + lane < q.size(); ++lane)
      motion.q(first + lane).jacobian[static_cast<std::size_t>(lane)] = 1;
    const auto momentum = bent_inertia<Lanes>(link, forms, motion);
    for (Eigen::Index lane = 0; lane < 8 && first + lane < q.size(); ++lane) {
      double sum = 0;
      for (Eigen::Index i = 0; i < speeds.size(); ++i)
        sum += 0.5 * speeds(i) * momentum(i).jacobian[static_cast<std::size_t>(lane)];
      result(first + lane) = sum;
    }
  }
  return result;
}

}  // namespace lithe
