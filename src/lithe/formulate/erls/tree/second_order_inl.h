// Second-order terms of the recursions (docs/theory/erls_cms.md, section 9): deformed nodes that carry frames, and the
// affine field by which inertia sees the second-order displacement of a link. Included by tree_inl.h.
#pragma once

#include "lithe/formulate/erls/tree/tree.h"

namespace lithe {

// The angular velocity L ψ̇ of the quaternion (1, ψ/2) made a unit one, in the axes before the turn.
template <class S>
Vec3<S> spin_of(const Vec3<S>& psi, const Vec3<S>& rate) {
  const S scale = S(1.0) / (S(1.0) + S(0.25) * psi.dot(psi));
  return Vec3<S>(rate + psi.cross(rate) * S(0.5)) * scale;
}
// L̇ ψ̇.
template <class S>
Vec3<S> spin_bias_of(const Vec3<S>& psi, const Vec3<S>& rate) {
  const S scale = S(1.0) / (S(1.0) + S(0.25) * psi.dot(psi));
  return spin_of<S>(psi, rate) * S(scale * S(-0.5) * psi.dot(rate));
}
// Lᵀ τ.
template <class S>
Vec3<S> spin_moment(const Vec3<S>& psi, const Vec3<S>& torque) {
  const S scale = S(1.0) / (S(1.0) + S(0.25) * psi.dot(psi));
  return Vec3<S>(torque - psi.cross(torque) * S(0.5)) * scale;
}
// L.
template <class S>
Mat3<S> spin_map(const Vec3<S>& psi) {
  const S scale = S(1.0) / (S(1.0) + S(0.25) * psi.dot(psi)), half = scale * S(0.5);
  Mat3<S> L;
  L << scale, -half * psi(2), half * psi(1), half * psi(2), scale, -half * psi(0), -half * psi(1), half * psi(0), scale;
  return L;
}
// The rotation itself.
template <class S>
Mat3<S> turn_of(const Vec3<S>& psi) {
  Mat3<S> X;
  X << S(0.0), -psi(2), psi(1), psi(2), S(0.0), -psi(0), -psi(1), psi(0), S(0.0);
  const S scale = S(1.0) / (S(1.0) + S(0.25) * psi.dot(psi));
  return Mat3<S>::Identity() + scale * Mat3<S>(X + S(0.5) * Mat3<S>(X * X));
}

// A node's second-order displacement over its rotation vector, ½ qᵀG q, then the rate and the acceleration of both.
template <class S>
Eigen::Matrix<S, 6, 3> second_order_motion(const ErlsTree& tree, const TreeWork<S>& work, int link, int node) {
  Eigen::Matrix<S, 6, 3> result = Eigen::Matrix<S, 6, 3>::Constant(S(0.0));
  if (!tree.bends(link)) return result;
  const QuadraticForms& forms = tree.second_order[static_cast<std::size_t>(link)].nodes[static_cast<std::size_t>(node)];
  const int first = tree.first_mode[link], d = tree.links[static_cast<std::size_t>(link)].num_modes;
  const auto q = work.q.segment(first, d), rate = work.q_rate.segment(first, d),
             second = work.q_acceleration.segment(first, d);
  if constexpr (std::is_same_v<S, double>) return forms.motion(q, rate, second);
  for (int i = 0; i < 6; ++i) {
    if (forms.empty(i)) continue;
    result(i, 0) = forms.template square<S>(i, q) * S(0.5);
    result(i, 1) = forms.template product<S>(i, q, rate);
    result(i, 2) = forms.template product<S>(i, q, second) + forms.template square<S>(i, rate);
  }
  return result;
}

// The displacement and the rotation vector alone.
template <class S>
Eigen::Matrix<S, 6, 1> second_order_place(const ErlsTree& tree, const TreeWork<S>& work, int link, int node) {
  Eigen::Matrix<S, 6, 1> result = Eigen::Matrix<S, 6, 1>::Constant(S(0.0));
  if (!tree.bends(link)) return result;
  const QuadraticForms& forms = tree.second_order[static_cast<std::size_t>(link)].nodes[static_cast<std::size_t>(node)];
  const auto q = work.q.segment(tree.first_mode[link], tree.links[static_cast<std::size_t>(link)].num_modes);
  if constexpr (std::is_same_v<S, double>) return 0.5 * forms.squares<6>(q);
  for (int i = 0; i < 6; ++i)
    if (!forms.empty(i)) result(i) = forms.template square<S>(i, q) * S(0.5);
  return result;
}

// q̇ᵀ G q̇ of the forms of a carrier's node.
template <class S, class Q>
void node_squares(const ErlsTree& tree, const ErlsCarrier& carrier, const Q& q_rate, Vec3<S>& shift, Vec3<S>& psi) {
  if (!tree.bends(carrier.link)) return;
  if constexpr (std::is_same_v<S, double>) {
    const Vector6 both = tree.second_order[static_cast<std::size_t>(carrier.link)]
                             .nodes[static_cast<std::size_t>(carrier.node)]
                             .squares<6>(q_rate);
    shift = both.head<3>();
    psi = both.tail<3>();
  } else {
    const QuadraticForms& forms =
        tree.second_order[static_cast<std::size_t>(carrier.link)].nodes[static_cast<std::size_t>(carrier.node)];
    for (int i = 0; i < 3; ++i) {
      if (!forms.empty(i)) shift(i) += forms.template square<S>(i, q_rate);
      if (!forms.empty(3 + i)) psi(i) += forms.template square<S>(3 + i, q_rate);
    }
  }
}

template <class S>
void place_carrier(const ErlsTree& tree, int index, TreeWork<S>& work) {
  const ErlsCarrier& carrier = tree.carriers[static_cast<std::size_t>(index)];
  CarrierWork<S>& c = work.carriers[static_cast<std::size_t>(index)];
  const ModalLink& body = tree.links[static_cast<std::size_t>(carrier.link)];
  const auto node = static_cast<std::size_t>(carrier.node);
  const auto q = work.q.segment(tree.first_mode[carrier.link], body.num_modes);
  c.shift_jacobian = body.translation_shapes[node].template cast<S>();
  c.psi_jacobian = body.rotation_shapes[node].template cast<S>();
  c.shift = c.shift_jacobian.lazyProduct(q);
  c.psi = c.psi_jacobian.lazyProduct(q);
  if (tree.bends(carrier.link)) {
    const QuadraticForms& forms = tree.second_order[static_cast<std::size_t>(carrier.link)].nodes[node];
    forms.add_gradients(q, c.shift_jacobian, c.psi_jacobian);
    c.shift = (c.shift + Vec3<S>(c.shift_jacobian.lazyProduct(q))) * S(0.5);
    c.psi = (c.psi + Vec3<S>(c.psi_jacobian.lazyProduct(q))) * S(0.5);
  }
  c.turn = turn_of<S>(c.psi);
  c.spin_jacobian = spin_map<S>(c.psi).lazyProduct(c.psi_jacobian);
}

template <class S>
void place_carriers(const ErlsTree& tree, TreeWork<S>& work) {
  for (std::size_t i = 0; i < tree.carriers.size(); ++i) place_carrier(tree, static_cast<int>(i), work);
}

template <class S>
void move_carriers(const ErlsTree& tree, TreeWork<S>& work) {
  for (std::size_t i = 0; i < tree.carriers.size(); ++i) {
    const ErlsCarrier& carrier = tree.carriers[i];
    CarrierWork<S>& c = work.carriers[i];
    const auto q_rate = work.q_rate.segment(tree.first_mode[carrier.link],
                                            tree.links[static_cast<std::size_t>(carrier.link)].num_modes);
    c.shift_rate = c.shift_jacobian.lazyProduct(q_rate);
    c.spin = c.spin_jacobian.lazyProduct(q_rate);
    Vec3<S> psi_bias = Vec3<S>::Constant(S(0.0));
    c.shift_bias = psi_bias;
    node_squares<S>(tree, carrier, q_rate, c.shift_bias, psi_bias);
    c.spin_bias = spin_of<S>(c.psi, psi_bias) + spin_bias_of<S>(c.psi, Vec3<S>(c.psi_jacobian.lazyProduct(q_rate)));
  }
}

// Values from G q: a and b.
template <class S, class Rows, class Q>
void affine_values(const QuadraticForms& forms, const Rows& jacobian, const Q& q, const S& factor, Vec3<S>& a,
                   Mat3<S>& b) {
  if constexpr (std::is_same_v<S, double>) return unpack(factor * affine_rows(jacobian).lazyProduct(q), a, b);
  a.setConstant(S(0.0));
  b.setConstant(S(0.0));
  for (int i = 0; i < 3; ++i) {
    if (!forms.empty(i)) a(i) = jacobian.row(i).dot(q) * factor;
    for (int j = 0; j < 3; ++j)
      if (const int row = affine_row(i, j); !forms.empty(row)) b(i, j) = jacobian.row(row).dot(q) * factor;
  }
}

template <class S>
void place_field(const ErlsTree& tree, int link, TreeWork<S>& work) {
  if (!tree.bends(link)) return;
  const QuadraticForms& forms = tree.second_order[static_cast<std::size_t>(link)].field;
  LinkWork<S>& l = work.links[static_cast<std::size_t>(link)];
  const auto q = work.q.segment(tree.first_mode[link], tree.links[static_cast<std::size_t>(link)].num_modes);
  forms.gradients(q, l.field_jacobian);
  affine_values<S>(forms, l.field_jacobian, q, S(0.5), l.a, l.b);
}

template <class S>
void move_field(const ErlsTree& tree, int link, TreeWork<S>& work) {
  if (!tree.bends(link)) return;
  const QuadraticForms& forms = tree.second_order[static_cast<std::size_t>(link)].field;
  LinkWork<S>& l = work.links[static_cast<std::size_t>(link)];
  const auto q_rate = work.q_rate.segment(tree.first_mode[link], tree.links[static_cast<std::size_t>(link)].num_modes);
  affine_values<S>(forms, l.field_jacobian, q_rate, S(1.0), l.a_rate, l.b_rate);
  if constexpr (std::is_same_v<S, double>) return unpack(forms.squares<12>(q_rate), l.a_bias, l.b_bias);
  for (int i = 0; i < 3; ++i) {
    l.a_bias(i) = forms.template square<S>(i, q_rate);
    for (int j = 0; j < 3; ++j) l.b_bias(i, j) = forms.template square<S>(affine_row(i, j), q_rate);
  }
}

template <class S>
void accelerate_field(const ErlsTree& tree, int link, bool with_velocity, TreeWork<S>& work) {
  if (!tree.bends(link)) return;
  const QuadraticForms& forms = tree.second_order[static_cast<std::size_t>(link)].field;
  LinkWork<S>& l = work.links[static_cast<std::size_t>(link)];
  const auto second =
      work.q_acceleration.segment(tree.first_mode[link], tree.links[static_cast<std::size_t>(link)].num_modes);
  affine_values<S>(forms, l.field_jacobian, second, S(1.0), l.a_acceleration, l.b_acceleration);
  if (!with_velocity) return;
  l.a_acceleration += l.a_bias;
  l.b_acceleration += l.b_bias;
}

// Forces f on a and Y on b become forces on q.
template <class S>
void add_field_force(const QuadraticForms& forms, const Vec3<S>& f, const Mat3<S>& Y, LinkWork<S>& l) {
  if constexpr (std::is_same_v<S, double>) {
    l.field_force = packed(f, Y);
    l.f_q += affine_rows(l.field_jacobian).transpose().lazyProduct(l.field_force);
    return;
  }
  const auto add = [&](int row, const S& force) {
    if (forms.empty(row)) return;
    for (Eigen::Index k = 0; k < l.f_q.size(); ++k) l.f_q(k) += l.field_jacobian(row, k) * force;
  };
  for (int i = 0; i < 3; ++i) {
    add(i, f(i));
    for (int j = 0; j < 3; ++j) add(affine_row(i, j), Y(i, j));
  }
}

}  // namespace lithe
