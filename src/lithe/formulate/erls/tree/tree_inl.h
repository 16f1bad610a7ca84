// Definitions of the recursions of erls_tree.h; included by the sources that instantiate them.
#pragma once

#include <cmath>

#include "lithe/formulate/erls/tree/second_order_inl.h"
#include "lithe/formulate/erls/tree/tree.h"
#include "lithe/formulate/erls/tree/tree_instances.h"
#include "lithe/formulate/links/beam_section.h"

namespace lithe {

template <class S>
void multiply(const MatrixX& A, const Eigen::Ref<const VecX<S>>& x, VecX<S>& y) {
  if constexpr (std::is_same_v<S, double>) {
    y.noalias() = A * x;
  } else {
    y.setConstant(S(0.0));
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      for (Eigen::Index i = 0; i < A.rows(); ++i) y(i) += x(j) * A(i, j);
  }
}

template <class S>
Vec3<S> multiply3(const Matrix3X& A, const Eigen::Ref<const VecX<S>>& x) {
  if constexpr (std::is_same_v<S, double>) {
    return A * x;
  } else {
    Vec3<S> y = Vec3<S>::Constant(S(0.0));
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      for (int i = 0; i < 3; ++i) y(i) += x(j) * A(i, j);
    return y;
  }
}

// y += Aᵀ f
template <class S>
void add_transposed(const Matrix3X& A, const Vec3<S>& f, Eigen::Ref<VecX<S>> y) {
  if constexpr (std::is_same_v<S, double>) {
    y.noalias() += A.transpose() * f;
  } else {
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      for (int i = 0; i < 3; ++i) y(j) += f(i) * A(i, j);
  }
}

template <class S>
Mat3<S> cross_matrix(const Vec3<S>& a) {
  Mat3<S> m;
  m << S(0.0), -a(2), a(1), a(2), S(0.0), -a(0), -a(1), a(0), S(0.0);
  return m;
}

// Σ_b e_c ε_cab Y_ba: the moment ∫ x × A of Y = ∫ A xᵀ.
template <class S>
Vec3<S> moment_of(const Mat3<S>& Y) {
  return Vec3<S>(Y(2, 1) - Y(1, 2), Y(0, 2) - Y(2, 0), Y(1, 0) - Y(0, 1));
}

// Rodrigues: rotation about a unit axis.
template <class S>
Mat3<S> rotation_about(const Vector3& axis, const S& angle) {
  using std::cos;
  using std::sin;
  const S c = cos(angle), s = sin(angle);
  const Matrix3 K = skew(axis), KK = K * K;
  Mat3<S> R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) = (i == j ? S(1.0) : S(0.0)) + s * K(i, j) + (S(1.0) - c) * KK(i, j);
  return R;
}

template <class S>
TreeWork<S>::TreeWork(const ErlsTree& tree, int num_charts)
    : references(num_charts), frames(tree.frames.size()), links(tree.links.size()), carriers(tree.carriers.size()) {
  const auto zeros = [](int n) { return VecX<S>(VecX<S>::Constant(n, S(0.0))); };
  for (VecX<S>* v : {&beta, &beta_rate, &beta_acceleration, &eps, &eps_rate, &eps_acceleration, &f_beta, &f_eps})
    *v = zeros(tree.num_coordinates);
  for (VecX<S>* v : {&q, &q_rate, &q_acceleration, &f_q}) *v = zeros(tree.num_modes);
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const int d = tree.links[i].num_modes;
    links[i].mode_moments = zeros(9 * d);
    links[i].coriolis_moments = zeros(3 * d);
    links[i].f_q = zeros(d);
    if (!tree.bends(static_cast<int>(i))) continue;
    links[i].field_jacobian = MatX<S>::Constant(12, d, S(0.0));
    links[i].field_product = links[i].field_jacobian;
    for (Vec3<S>* v : {&links[i].a, &links[i].a_rate, &links[i].a_bias, &links[i].a_acceleration})
      v->setConstant(S(0.0));
    for (Mat3<S>* m : {&links[i].b, &links[i].b_rate, &links[i].b_bias, &links[i].b_acceleration})
      m->setConstant(S(0.0));
  }
  for (std::size_t i = 0; i < carriers.size(); ++i) {
    const int d = tree.links[static_cast<std::size_t>(tree.carriers[i].link)].num_modes;
    for (Mat3X<S>* m : {&carriers[i].shift_jacobian, &carriers[i].spin_jacobian, &carriers[i].psi_jacobian})
      *m = Mat3X<S>::Constant(3, d, S(0.0));
  }
  for (FrameWork<S>& f : frames) {
    for (Vec3<S>* v : {&f.slide, &f.slide_axis, &f.t, &f.psi, &f.psi_attach, &f.t_rate, &f.psi_rate, &f.t_rate_attach,
                       &f.psi_rate_attach, &f.psi_acceleration, &f.f_psi})
      v->setConstant(S(0.0));
  }
}

// Pose in the parent and in the world: R_PC = R_node R_before R_ref R_motion R_after, with R_node of a node that
// carries the frame.
template <class S>
void place_frame(const ErlsFrame& frame, TreeWork<S>& work, FrameWork<S>& f) {
  const auto constant = [](const Matrix3& m) { return Mat3<S>(m.template cast<S>()); };
  Mat3<S> R = constant(frame.before);
  f.offset = frame.offset.template cast<S>();
  if (frame.carrier >= 0) {
    const CarrierWork<S>& c = work.carriers[static_cast<std::size_t>(frame.carrier)];
    R = (c.turn * R).eval();
    f.offset += c.shift;
  }
  if (frame.chart >= 0) {
    const Mat3<S>& reference = work.references[frame.chart];
    R = frame.chart_transposed ? Mat3<S>(R * reference.transpose()) : Mat3<S>(R * reference);
  }
  if (frame.motion == FrameMotion::revolute) {
    R = R * rotation_about(frame.axis, work.beta(frame.coordinate));
  } else if (frame.motion == FrameMotion::prismatic) {
    f.slide_axis = R * frame.axis.template cast<S>();
    f.slide = f.slide_axis * work.beta(frame.coordinate);
    f.offset += f.slide;
  }
  f.R = R * constant(frame.after);
  if (frame.parent < 0) {
    f.R_W = f.R;
    f.p_W = f.offset;
  } else {
    const FrameWork<S>& p = work.frames[frame.parent];
    f.R_W = p.R_W * f.R;
    f.p_W = p.p_W + p.R_W * f.offset;
  }
}

// Displacement that the joint passes on, docs/theory/erls_cms.md: (t, ψ)_C = R_CP (t_α + ψ_α × slide, ψ_α) + axis ε (2)
template <class S>
void displace_frame(const ErlsTree& tree, const ErlsFrame& frame, TreeWork<S>& work, FrameWork<S>& f) {
  if (!frame.displaced) return;
  Vec3<S> t = Vec3<S>::Constant(S(0.0)), psi = t;
  if (frame.parent >= 0) {
    const FrameWork<S>& p = work.frames[frame.parent];
    t = p.t + p.psi.cross(f.offset);
    psi = p.psi;
    if (frame.parent_flexible) {
      const int link = tree.frames[frame.parent].link;
      const auto q = work.q.segment(tree.first_mode[link], tree.links[link].num_modes);
      const Vec3<S> psi_elastic = multiply3<S>(frame.attach_rotation, q);
      t += multiply3<S>(frame.attach_translation, q);
      psi += psi_elastic;
      if (frame.motion == FrameMotion::prismatic) t += psi_elastic.cross(f.slide);
    }
  }
  f.psi_attach = psi;
  f.t = f.R.transpose() * t;
  f.psi = f.R.transpose() * psi;
  if (frame.motion == FrameMotion::revolute)
    f.psi += frame.axis_in_frame.template cast<S>() * work.eps(frame.coordinate);
  if (frame.motion == FrameMotion::prismatic)
    f.t += frame.axis_in_frame.template cast<S>() * work.eps(frame.coordinate);
}

template <class S>
Mat3<S> unstack(const MatrixX& stack9, const Eigen::Ref<const VecX<S>>& q) {
  // Σ_k q_k ∫ρ φ_k sᵀ from rows 3a+b = ∫ρ s_a φ_b: element (b, a).
  Mat3<S> Q;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      S sum(0.0);
      for (Eigen::Index k = 0; k < q.size(); ++k) sum += q(k) * stack9(3 * a + b, k);
      Q(b, a) = sum;
    }
  return Q;
}

template <class S>
void update_modal_moments(const ErlsTree& tree, int link, TreeWork<S>& work) {
  const ModalLink& body = tree.links[link];
  const int d = body.num_modes;
  if (d == 0) return;
  LinkWork<S>& l = work.links[link];
  const auto q = work.q.segment(tree.first_mode[link], d);
  multiply<S>(body.mode_mode_stack, q, l.mode_moments);
  l.Cq = multiply3<S>(body.mode_momentum, q);
  l.Q = unstack<S>(body.position_mode_stack, q);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) l.Nqq(a, b) = q.dot(l.mode_moments.segment((3 * a + b) * d, d));
  place_field(tree, link, work);
}

template <class S>
void update_moments(const ErlsTree& tree, TreeWork<S>& work) {
  for (const ErlsFrame& frame : tree.frames)
    if (frame.link >= 0) update_modal_moments(tree, frame.link, work);
}

template <class S>
void update_position(const ErlsTree& tree, TreeWork<S>& work) {
  place_carriers(tree, work);
  for (std::size_t i = 0; i < tree.frames.size(); ++i) {
    const ErlsFrame& frame = tree.frames[i];
    place_frame(frame, work, work.frames[i]);
    displace_frame(tree, frame, work, work.frames[i]);
    if (frame.link >= 0) update_modal_moments(tree, frame.link, work);
  }
}

// Time derivative of (2); docs/theory/erls_cms.md (9).
template <class S>
void displacement_rates(const ErlsTree& tree, const ErlsFrame& frame, TreeWork<S>& work, FrameWork<S>& f) {
  if (!frame.displaced) return;
  Vec3<S> t_rate = Vec3<S>::Constant(S(0.0)), psi_rate = t_rate;
  if (frame.parent >= 0) {
    const FrameWork<S>& p = work.frames[frame.parent];
    t_rate = p.t_rate + p.psi_rate.cross(f.offset);
    psi_rate = p.psi_rate;
    if (frame.parent_flexible) {
      const int link = tree.frames[frame.parent].link;
      const auto q_rate = work.q_rate.segment(tree.first_mode[link], tree.links[link].num_modes);
      const Vec3<S> elastic = multiply3<S>(frame.attach_rotation, q_rate);
      t_rate += multiply3<S>(frame.attach_translation, q_rate);
      psi_rate += elastic;
      if (frame.motion == FrameMotion::prismatic) t_rate += elastic.cross(f.slide);
    }
  }
  f.t_rate_attach = f.R.transpose() * t_rate;
  f.psi_rate_attach = f.R.transpose() * psi_rate;
  f.t_rate = f.t_rate_attach;
  f.psi_rate = f.psi_rate_attach;
  if (frame.coordinate < 0) return;
  const S& rate = work.beta_rate(frame.coordinate);
  const Vec3<S> axis = frame.axis_in_frame.template cast<S>();
  if (frame.motion == FrameMotion::revolute) {
    f.t_rate += f.t.cross(axis) * rate;
    f.psi_rate += f.psi.cross(axis) * rate + axis * work.eps_rate(frame.coordinate);
  } else {
    f.t_rate += f.R.transpose() * f.psi_attach.cross(f.slide_axis) * rate + axis * work.eps_rate(frame.coordinate);
  }
}

template <class S>
void update_velocity(const ErlsTree& tree, TreeWork<S>& work) {
  const Vec3<S> zero = Vec3<S>::Constant(S(0.0));
  move_carriers(tree, work);
  for (std::size_t i = 0; i < tree.frames.size(); ++i) {
    const ErlsFrame& frame = tree.frames[i];
    FrameWork<S>& f = work.frames[i];
    f.v = zero;
    f.omega = zero;
    if (frame.parent >= 0) {
      const FrameWork<S>& p = work.frames[frame.parent];
      Vec3<S> v = p.v + p.omega.cross(f.offset), omega = p.omega;
      if (frame.carrier >= 0) {
        const CarrierWork<S>& c = work.carriers[static_cast<std::size_t>(frame.carrier)];
        v += c.shift_rate;
        omega += c.spin;
        if (frame.motion == FrameMotion::prismatic) v += c.spin.cross(f.slide);
      }
      f.v = f.R.transpose() * v;
      f.omega = f.R.transpose() * omega;
    }
    if (frame.motion == FrameMotion::revolute)
      f.omega += frame.axis_in_frame.template cast<S>() * work.beta_rate(frame.coordinate);
    if (frame.motion == FrameMotion::prismatic)
      f.v += frame.axis_in_frame.template cast<S>() * work.beta_rate(frame.coordinate);
    displacement_rates(tree, frame, work, f);
    if (frame.link < 0 || tree.links[frame.link].num_modes == 0) continue;
    const ModalLink& body = tree.links[frame.link];
    LinkWork<S>& l = work.links[frame.link];
    const auto q_rate = work.q_rate.segment(tree.first_mode[frame.link], body.num_modes);
    multiply<S>(body.coriolis_stack, q_rate, l.coriolis_moments);
    l.Cq_rate = multiply3<S>(body.mode_momentum, q_rate);
    l.Q_rate = unstack<S>(body.position_mode_stack, q_rate);
    move_field(tree, frame.link, work);
  }
}

// V̇_C from the parent's V̇ and the elastic accelerations of its link, without the joint's own: linear part.
template <class S>
void pass_acceleration(const ErlsTree& tree, const ErlsFrame& frame, TreeWork<S>& work, FrameWork<S>& f,
                       const Vec3<S>& ground) {
  if (frame.parent < 0) {
    f.w_acceleration = f.R.transpose() * ground;
    f.alpha.setConstant(S(0.0));
    f.psi_acceleration.setConstant(S(0.0));
    return;
  }
  const FrameWork<S>& p = work.frames[frame.parent];
  Vec3<S> w = p.w_acceleration + p.alpha.cross(f.offset), alpha = p.alpha;
  if (frame.carrier >= 0) {
    const CarrierWork<S>& c = work.carriers[static_cast<std::size_t>(frame.carrier)];
    const int link = tree.frames[frame.parent].link;
    const auto q = work.q_acceleration.segment(tree.first_mode[link], tree.links[link].num_modes);
    const Vec3<S> spin = c.spin_jacobian.lazyProduct(q);
    w += c.shift_jacobian.lazyProduct(q);
    if (frame.motion == FrameMotion::prismatic) w += spin.cross(f.slide);
    alpha += spin;
  }
  f.alpha = f.R.transpose() * alpha;
  if (frame.displaced) {
    Vec3<S> psi = p.psi_acceleration;
    w += psi.cross(f.offset);
    if (frame.parent_flexible) {
      const int link = tree.frames[frame.parent].link;
      const auto q = work.q_acceleration.segment(tree.first_mode[link], tree.links[link].num_modes);
      const Vec3<S> elastic = multiply3<S>(frame.attach_rotation, q);
      w += multiply3<S>(frame.attach_translation, q);
      psi += elastic;
      if (frame.motion == FrameMotion::prismatic) w += elastic.cross(f.slide);
    }
    f.psi_acceleration = f.R.transpose() * psi;
  }
  f.w_acceleration = f.R.transpose() * w;
}

// S β̈ + S_ε ε̈: motion of the joint itself, docs/theory/erls_cms.md (10).
template <class S>
void add_joint_acceleration(const ErlsFrame& frame, const S& beta, const S& eps, FrameWork<S>& f) {
  const Vec3<S> axis = frame.axis_in_frame.template cast<S>();
  if (frame.motion == FrameMotion::revolute) {
    f.alpha += axis * beta;
    if (frame.displaced) {
      f.w_acceleration += f.t.cross(axis) * beta;
      f.psi_acceleration += f.psi.cross(axis) * beta + axis * eps;
    }
  } else {
    f.w_acceleration += axis * beta;
    if (frame.displaced) f.w_acceleration += f.R.transpose() * f.psi_attach.cross(f.slide_axis) * beta + axis * eps;
  }
}

// Velocity products of the frame's acceleration, docs/theory/erls_cms.md (11).
template <class S>
void add_velocity_products(const ErlsFrame& frame, TreeWork<S>& work, FrameWork<S>& f) {
  Vec3<S> omega_passed = Vec3<S>::Constant(S(0.0));
  if (frame.parent >= 0) {
    const FrameWork<S>& p = work.frames[frame.parent];
    Vec3<S> w = p.omega.cross(p.omega.cross(f.offset)), omega = p.omega;
    if (frame.carrier >= 0) {
      const CarrierWork<S>& c = work.carriers[static_cast<std::size_t>(frame.carrier)];
      Vec3<S> rate = c.shift_rate;
      w += c.shift_bias;
      if (frame.motion == FrameMotion::prismatic) {
        const Vec3<S> swing = c.spin.cross(f.slide);
        rate += swing;
        w += c.spin_bias.cross(f.slide) + c.spin.cross(swing);
      }
      w += p.omega.cross(rate) * S(2.0);
      f.alpha += f.R.transpose() * Vec3<S>(c.spin_bias + p.omega.cross(c.spin));
      omega += c.spin;
    }
    f.w_acceleration += f.R.transpose() * w;
    omega_passed = f.R.transpose() * omega;
  }
  if (frame.coordinate < 0) return;
  const S& rate = work.beta_rate(frame.coordinate);
  const Vec3<S> axis = frame.axis_in_frame.template cast<S>();
  if (frame.motion == FrameMotion::revolute) {
    f.alpha += omega_passed.cross(axis) * rate;
    if (!frame.displaced) return;
    f.w_acceleration += (f.t_rate_attach + f.t_rate).cross(axis) * rate;
    f.psi_acceleration += (f.psi_rate_attach + f.psi_rate).cross(axis) * rate;
  } else {
    f.w_acceleration += omega_passed.cross(axis) * (rate * 2.0);
    if (frame.displaced) f.w_acceleration += f.psi_rate_attach.cross(axis) * (rate * 2.0);
  }
}

template <class S>
void accelerate_frames(const ErlsTree& tree, TreeWork<S>& work, const Vec3<S>& ground, bool with_velocity) {
  for (std::size_t i = 0; i < tree.frames.size(); ++i) {
    const ErlsFrame& frame = tree.frames[i];
    FrameWork<S>& f = work.frames[i];
    pass_acceleration(tree, frame, work, f, ground);
    if (frame.coordinate >= 0)
      add_joint_acceleration(frame, work.beta_acceleration(frame.coordinate), work.eps_acceleration(frame.coordinate),
                             f);
    if (with_velocity) add_velocity_products(frame, work, f);
    if (frame.link >= 0) accelerate_field(tree, frame.link, with_velocity, work);
  }
}

template <class S>
void update_acceleration(const ErlsTree& tree, TreeWork<S>& work) {
  accelerate_frames<S>(tree, work, -tree.gravity.template cast<S>(), true);
}

template <class S>
void update_linear_acceleration(const ErlsTree& tree, TreeWork<S>& work) {
  accelerate_frames<S>(tree, work, Vec3<S>::Constant(S(0.0)), false);
}

// docs/theory/erls_cms.md (12).
template <class S>
AccelerationField<S> acceleration_field(const ErlsTree& tree, const ErlsFrame& frame, const TreeWork<S>& work,
                                        const FrameWork<S>& f, bool with_velocity) {
  AccelerationField<S> field;
  field.X = cross_matrix<S>(f.alpha);
  field.A0 = f.w_acceleration;
  field.W2.setConstant(S(0.0));
  if (with_velocity) {
    const Mat3<S> w = cross_matrix<S>(f.omega);
    field.X += w * w;
    field.W2 = w * S(2.0);
  }
  field.B = field.X;
  if (frame.displaced) {
    field.A0 += field.X * f.t;
    field.B += field.X * cross_matrix<S>(f.psi) + cross_matrix<S>(f.psi_acceleration);
    if (with_velocity) {
      field.A0 += field.W2 * f.t_rate;
      field.B += field.W2 * cross_matrix<S>(f.psi_rate);
    }
  }
  if (tree.bends(frame.link)) {
    const LinkWork<S>& l = work.links[static_cast<std::size_t>(frame.link)];
    field.A0 += field.X * l.a + l.a_acceleration;
    field.B += field.X * l.b + l.b_acceleration;
    if (with_velocity) {
      field.A0 += field.W2 * l.a_rate;
      field.B += field.W2 * l.b_rate;
    }
  }
  return field;
}

// f_q,k = ∫ρ φ_k · A(s), docs/theory/erls_cms.md (15).
template <class S>
void modal_inertia_force(const ModalLink& body, const AccelerationField<S>& field, const Vec3<S>& omega,
                         const Eigen::Ref<const VecX<S>>& q_acceleration, bool with_velocity, LinkWork<S>& l) {
  const int d = body.num_modes;
  l.f_q = q_acceleration;
  add_transposed<S>(body.mode_momentum, field.A0, l.f_q);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      const S B = field.B(a, b), X = field.X(a, b);
      for (int k = 0; k < d; ++k)
        l.f_q(k) += B * body.position_mode_stack(3 * b + a, k) + X * l.mode_moments((3 * a + b) * d + k);
    }
  if (!with_velocity) return;
  for (int c = 0; c < 3; ++c) {
    const S w = omega(c) * 2.0;
    for (int k = 0; k < d; ++k) l.f_q(k) += w * l.coriolis_moments(c * d + k);
  }
}

// Inertia forces of one link: f_w = ∫ρ A, f_ω = ∫ρ r × A, f_ψ = ∫ρ s × A, f_q. docs/theory/erls_cms.md (13)-(15).
template <class S>
void link_inertia_force(const ErlsTree& tree, const ErlsFrame& frame, TreeWork<S>& work, FrameWork<S>& f,
                        bool with_velocity) {
  const ModalLink& body = tree.links[frame.link];
  const AccelerationField<S> field = acceleration_field(tree, frame, work, f, with_velocity);
  const Vec3<S> c0 = body.first_moment.template cast<S>();
  f.f_w = field.A0 * body.mass + field.B * c0;
  Mat3<S> Ys = field.A0 * c0.transpose() + field.B * body.second_moment.template cast<S>();  // ∫ρ A sᵀ
  Mat3<S> Yu = Mat3<S>::Constant(S(0.0));                                                    // ∫ρ A (Φq)ᵀ
  const int d = body.num_modes;
  if (d > 0) {
    LinkWork<S>& l = work.links[frame.link];
    const int first = tree.first_mode[frame.link];
    const auto q_acceleration = work.q_acceleration.segment(first, d);
    const auto q_rate = work.q_rate.segment(first, d);
    l.Cq_acceleration = multiply3<S>(body.mode_momentum, q_acceleration);
    l.Q_acceleration = unstack<S>(body.position_mode_stack, q_acceleration);
    f.f_w += field.X * l.Cq + l.Cq_acceleration;
    Ys += field.X * l.Q + l.Q_acceleration;
    Yu = field.A0 * l.Cq.transpose() + field.B * l.Q.transpose() + field.X * l.Nqq;
    Mat3<S> N_rate;  // ∫ρ Φq̇ (Φq)ᵀ, and the same with q̈ added to Yu directly
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        const auto moments = l.mode_moments.segment((3 * a + b) * d, d);
        Yu(a, b) += q_acceleration.dot(moments);
        if (with_velocity) N_rate(a, b) = q_rate.dot(moments);
      }
    if (with_velocity) {
      f.f_w += field.W2 * l.Cq_rate;
      Ys += field.W2 * l.Q_rate;
      Yu += field.W2 * N_rate;
    }
    modal_inertia_force<S>(body, field, f.omega, q_acceleration, with_velocity, l);
  }
  Mat3<S> Yr = Ys + Yu;  // ∫ρ A rᵀ
  if (frame.displaced) Yr += f.f_w * f.t.transpose() + Ys * cross_matrix<S>(f.psi).transpose();
  if (tree.bends(frame.link)) {
    LinkWork<S>& l = work.links[frame.link];
    Yr += f.f_w * l.a.transpose() + Ys * l.b.transpose();
    add_field_force<S>(tree.second_order[static_cast<std::size_t>(frame.link)].field, f.f_w, Ys, l);
  }
  f.f_psi = moment_of<S>(Ys);
  f.f_omega = tree.published_virtual_displacement ? f.f_psi : moment_of<S>(Yr);
}

template <class S>
void inertia_forces(const ErlsTree& tree, TreeWork<S>& work, bool with_velocity) {
  for (std::size_t i = 0; i < tree.frames.size(); ++i) {
    const ErlsFrame& frame = tree.frames[i];
    FrameWork<S>& f = work.frames[i];
    if (frame.link >= 0) {
      link_inertia_force(tree, frame, work, f, with_velocity);
    } else {
      f.f_w.setConstant(S(0.0));
      f.f_omega.setConstant(S(0.0));
      f.f_psi.setConstant(S(0.0));
    }
  }
}

template <class S>
void elastic_forces(const ErlsTree& tree, TreeWork<S>& work) {
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const ModalLink& body = tree.links[i];
    LinkWork<S>& l = work.links[i];
    const int first = tree.first_mode[i];
    for (int k = 0; k < body.num_modes; ++k) l.f_q(k) += work.q(first + k) * body.squared_frequencies(k);
    if (!body.damped) continue;
    for (int k = 0; k < body.num_modes; ++k)
      for (int m = 0; m < body.num_modes; ++m) l.f_q(k) += work.q_rate(first + m) * body.damping(k, m);
  }
  if (tree.coupled_damping.size() == 0) return;
  for (std::size_t i = 0; i < tree.links.size(); ++i)
    for (int k = 0; k < tree.links[i].num_modes; ++k)
      for (int m = 0; m < tree.num_modes; ++m)
        work.links[i].f_q(k) += work.q_rate(m) * tree.coupled_damping(m, tree.first_mode[i] + k);
}

template <class S>
Vec3<S> node_offset(const ErlsTree& tree, const TreeWork<S>& work, int link, int node) {
  const ModalLink& body = tree.links[link];
  const FrameWork<S>& f = work.frames[tree.frame_of_link[link]];
  const Vec3<S> s = body.node_positions[node].template cast<S>();
  Vec3<S> r = s + f.t + f.psi.cross(s);
  if (body.num_modes > 0) {
    const auto q = work.q.segment(tree.first_mode[link], body.num_modes);
    r += multiply3<S>(body.translation_shapes[node], q);
    if (tree.bends(link)) r += second_order_place(tree, work, link, node).template head<3>();
  }
  return r;
}

// ψ of a node's axes, in the link's.
template <class S>
Vec3<S> erls_node_turn(const ErlsTree& tree, const TreeWork<S>& work, int link, int node) {
  const ModalLink& body = tree.links[link];
  Vec3<S> psi = work.frames[tree.frame_of_link[link]].psi;
  if (body.num_modes > 0) {
    const auto q = work.q.segment(tree.first_mode[link], body.num_modes);
    psi += multiply3<S>(body.rotation_shapes[node], q);
    if (tree.bends(link)) psi += second_order_place(tree, work, link, node).template tail<3>();
  }
  return psi;
}

// Virtual power of a load on a node: f·(w + ω × r + ψ̇ × s + Φq̇) + τ·(ω + ψ̇ + Ψq̇).
template <class S>
void apply_nodal_load(const ErlsTree& tree, TreeWork<S>& work, int link, int node, const Vec3<S>& force,
                      const Vec3<S>& torque) {
  const ModalLink& body = tree.links[link];
  FrameWork<S>& f = work.frames[tree.frame_of_link[link]];
  const Vec3<S> s = body.node_positions[node].template cast<S>();
  f.f_w -= force;
  const Vec3<S> arm = tree.published_virtual_displacement ? s : node_offset(tree, work, link, node);
  f.f_omega -= arm.cross(force) + torque;
  f.f_psi -= s.cross(force) + torque;
  if (body.num_modes == 0) return;
  LinkWork<S>& l = work.links[link];
  const Vec3<S> moment = tree.carried ? spin_moment<S>(erls_node_turn(tree, work, link, node), torque) : torque;
  add_transposed<S>(body.translation_shapes[node], -force, l.f_q);
  add_transposed<S>(body.rotation_shapes[node], -moment, l.f_q);
  if (!tree.bends(link)) return;
  const QuadraticForms& forms = tree.second_order[static_cast<std::size_t>(link)].nodes[static_cast<std::size_t>(node)];
  const auto q = work.q.segment(tree.first_mode[link], body.num_modes);
  for (int i = 0; i < 3; ++i) {
    forms.template add_gradient<S>(i, q, S(-force(i)), l.f_q);
    forms.template add_gradient<S>(3 + i, q, S(-moment(i)), l.f_q);
  }
}

// Forces of spring, damper, friction and motor inertia on the real joint displacement β + ε.
template <class S>
S joint_element_force(const ErlsJoint& joint, const S& displacement, const S& rate, const S& acceleration) {
  using std::tanh;
  S force = acceleration * joint.inertia;
  if (joint.stiffness != 0) force += (displacement - S(joint.rest_value)) * joint.stiffness;
  if (joint.damping != 0) force += rate * joint.damping;
  if (joint.friction != 0) force += tanh(rate * (1.0 / joint.friction_speed)) * joint.friction;
  if (joint.law) {
    force += spring_excess<S>(*joint.law, displacement - S(joint.rest_value));
    force += friction_excess<S>(*joint.law, rate, joint.friction_speed);
  }
  return force;
}

// Sᵀ F and S_εᵀ F of the frame's own joint.
template <class S>
void project_on_joint(const ErlsFrame& frame, const FrameWork<S>& f, bool with_displacement, S& on_beta, S& on_eps) {
  const Vec3<S> axis = frame.axis_in_frame.template cast<S>();
  if (frame.motion == FrameMotion::revolute) {
    on_beta = axis.dot(f.f_omega);
    if (with_displacement) on_beta += f.t.cross(axis).dot(f.f_w) + f.psi.cross(axis).dot(f.f_psi);
    on_eps = axis.dot(f.f_psi);
  } else {
    on_beta = axis.dot(f.f_w);
    on_eps = on_beta;
    if (with_displacement) on_beta += f.psi_attach.cross(f.slide_axis).dot(Vec3<S>(f.R * f.f_w));
  }
}

template <class S>
void pass_force_to_parent(const ErlsTree& tree, const ErlsFrame& frame, TreeWork<S>& work, const FrameWork<S>& f) {
  if (frame.parent < 0) return;
  FrameWork<S>& p = work.frames[frame.parent];
  const Vec3<S> force = f.R * f.f_w;
  const Vec3<S> moment = f.offset.cross(force);
  p.f_w += force;
  p.f_omega += f.R * f.f_omega + moment;
  const Vec3<S> psi_moment = f.R * f.f_psi;
  p.f_psi += psi_moment + moment;
  if (!frame.parent_flexible) return;
  LinkWork<S>& l = work.links[tree.frames[frame.parent].link];
  if (frame.carrier >= 0) {
    const CarrierWork<S>& c = work.carriers[static_cast<std::size_t>(frame.carrier)];
    Vec3<S> moment_on_node = f.R * f.f_omega;
    if (frame.motion == FrameMotion::prismatic) moment_on_node += f.slide.cross(force);
    l.f_q += c.shift_jacobian.transpose().lazyProduct(force);
    l.f_q += c.spin_jacobian.transpose().lazyProduct(moment_on_node);
    return;
  }
  Vec3<S> rotation_dual = psi_moment;
  if (frame.motion == FrameMotion::prismatic) rotation_dual += f.slide.cross(force);
  add_transposed<S>(frame.attach_translation, force, l.f_q);
  add_transposed<S>(frame.attach_rotation, rotation_dual, l.f_q);
}

template <class S>
void add_ball_dampers(const ErlsTree& tree, TreeWork<S>& work) {
  for (const BallDamper& damper : tree.ball_dampers) {
    const Vec3<S> force = ball_damper_force<S>(damper, ball_motion<S>(damper.coordinates, work));
    for (int k = 0; k < 3; ++k) {
      work.f_beta(damper.coordinates[k]) += force[k];
      work.f_eps(damper.coordinates[k]) += force[k];
    }
  }
}

template <class S>
void collect_forces(const ErlsTree& tree, TreeWork<S>& work, bool with_joint_elements) {
  for (std::size_t i = tree.frames.size(); i-- > 0;) {
    const ErlsFrame& frame = tree.frames[i];
    const FrameWork<S>& f = work.frames[i];
    if (frame.coordinate >= 0) {
      const int c = frame.coordinate;
      const bool with_displacement = frame.displaced && !tree.published_virtual_displacement;
      project_on_joint(frame, f, with_displacement, work.f_beta(c), work.f_eps(c));
      const ErlsJoint& joint = tree.joints[c];
      const S acceleration = work.beta_acceleration(c) + work.eps_acceleration(c);
      const S force = with_joint_elements ? joint_element_force<S>(joint, work.beta(c) + work.eps(c),
                                                                   work.beta_rate(c) + work.eps_rate(c), acceleration)
                                          : S(acceleration * joint.inertia);
      work.f_beta(c) += force;
      work.f_eps(c) += force;
    }
    if (frame.link >= 0)
      work.f_q.segment(tree.first_mode[frame.link], tree.links[frame.link].num_modes) = work.links[frame.link].f_q;
    pass_force_to_parent(tree, frame, work, f);
  }
  if (with_joint_elements) add_ball_dampers(tree, work);
}

LITHE_ERLS_TREE(extern, double)
LITHE_ERLS_TREE(extern, ErlsDual)

}  // namespace lithe
