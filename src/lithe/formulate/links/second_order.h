// Second-order displacement of a link: what keeps the strains of a bent link as its modes have them, so that bending
// takes from its length and forces along it change its stiffness (docs/theory/modal_body.md, "Second order").
//   r = s + Φ q + u₂(q),   u₂ = ½ Σ q_k q_l u_kl(s)
// Inertia sees u₂ through its moments with 1 and s alone, so there it is the affine field a + b s with the same
// moments. Joints, loads and sensors see it at the nodes as it is.
#pragma once

#include <array>
#include <type_traits>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/formulate/links/modal_link.h"
#include "lithe/model/finite_element_body.h"

namespace lithe {

// f_i = ½ qᵀ G_i q with symmetric G_i, of which few entries are not zero.
class QuadraticForms {
 public:
  static constexpr int most_modes = 200;
  struct Entry {
    int k = 0, l = 0;  // k <= l
    double value = 0;
  };

  int size() const { return static_cast<int>(first_.size()) - 1; }
  bool empty() const { return entries_.empty(); }
  bool empty(int form) const { return first_[form] == first_[form + 1]; }
  // Appends a form; entries of which |G_kl| scale_k scale_l is below `least` are zero.
  void add(const MatrixX& G, const VectorX& scale, double least);
  // After the last one.
  void pack();
  // Makes gradients faster, for memory: of nodes that carry something. `size`: of q.
  void stack(int size);

  // G_i q as row i of P, which has the right size; rows of forms that vanish are zero, or stay as they are.
  template <class Q, class Rows>
  void gradients(const Q& q, Rows& P) const {
    using S = typename Rows::Scalar;
    if constexpr (std::is_same_v<S, double>) {
      if (stack_.size() > 0) {
        each_stacked(q, [&](int row, Eigen::Index k, double value) { P(row, k) = value; });
        return;
      }
    }
    for (int i = 0; i < size(); ++i) {
      if (empty(i)) continue;
      P.row(i).setConstant(S(0.0));
      for (int e = first_[i]; e < first_[i + 1]; ++e) {
        const Entry& entry = entries_[static_cast<std::size_t>(e)];
        P(i, entry.k) += q(entry.l) * entry.value;
        if (entry.k != entry.l) P(i, entry.l) += q(entry.k) * entry.value;
      }
    }
  }
  // The same of the six forms of a node, added to the Jacobians of its displacement and rotation.
  template <class Q, class Rows>
  void add_gradients(const Q& q, Rows& shift, Rows& turn) const {
    using S = typename Rows::Scalar;
    if constexpr (std::is_same_v<S, double>) {
      if (stack_.size() > 0) {
        each_stacked(
            q, [&](int row, Eigen::Index k, double value) { (row < 3 ? shift(row, k) : turn(row - 3, k)) += value; });
        return;
      }
      for (std::size_t p = 0; p < pairs_.size(); ++p) {
        const double* values = packed_.data() + 6 * p;
        const Eigen::Map<const Vector3> along(values), about(values + 3);
        const auto [k, l] = pairs_[p];
        shift.col(k) += q(l) * along;
        turn.col(k) += q(l) * about;
        if (k == l) continue;
        shift.col(l) += q(k) * along;
        turn.col(l) += q(k) * about;
      }
    } else {
      for (int i = 0; i < 3; ++i) {
        auto shift_row = shift.row(i), turn_row = turn.row(i);
        add_gradient(i, q, S(1.0), shift_row);
        add_gradient(3 + i, q, S(1.0), turn_row);
      }
    }
  }
  // result += Σ forces_i G_i.
  template <int count>
  void add_weighted(const Eigen::Matrix<double, count, 1>& forces, MatrixX& result) const {
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const auto [k, l] = pairs_[p];
      const double sum = forces.dot(Eigen::Map<const Eigen::Matrix<double, count, 1>>(packed_.data() + count * p));
      result(k, l) += sum;
      if (k != l) result(l, k) += sum;
    }
  }
  // qᵀ G_i q of the forms of a field, or of a node's six, from the pairs.
  template <int count, class Q>
  Eigen::Matrix<double, count, 1> squares(const Q& q) const {
    Eigen::Matrix<double, count, 1> sums = Eigen::Matrix<double, count, 1>::Zero();
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const auto [k, l] = pairs_[p];
      const double weight = k == l ? q(k) * q(l) : 2 * q(k) * q(l);
      sums += weight * Eigen::Map<const Eigen::Matrix<double, count, 1>>(packed_.data() + count * p);
    }
    return sums;
  }
  // ½ qᵀG q, qᵀG q̇ and qᵀG q̈ + q̇ᵀG q̇ of a node's six forms: what it moves by, with rate and acceleration.
  template <class Q>
  Eigen::Matrix<double, 6, 3> motion(const Q& q, const Q& rate, const Q& second) const {
    Eigen::Matrix<double, 6, 3> sums = Eigen::Matrix<double, 6, 3>::Zero();
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const auto [k, l] = pairs_[p];
      const double part = k == l ? 0.5 : 1;
      const Eigen::Map<const Vector6> values(packed_.data() + 6 * p);
      sums.col(0) += (part * q(k) * q(l)) * values;
      sums.col(1) += (part * (q(k) * rate(l) + q(l) * rate(k))) * values;
      sums.col(2) += (part * (q(k) * second(l) + q(l) * second(k) + 2 * rate(k) * rate(l))) * values;
    }
    return sums;
  }
  // qᵀ G_i q of one form.
  template <class S, class Q>
  S square(int i, const Q& q) const {
    S sum(0.0);
    for (int e = first_[i]; e < first_[i + 1]; ++e) {
      const Entry& entry = entries_[static_cast<std::size_t>(e)];
      sum += q(entry.k) * q(entry.l) * (entry.k == entry.l ? entry.value : 2 * entry.value);
    }
    return sum;
  }
  // aᵀ G_i b.
  template <class S, class A, class B>
  S product(int i, const A& a, const B& b) const {
    S sum(0.0);
    for (int e = first_[i]; e < first_[i + 1]; ++e) {
      const Entry& entry = entries_[static_cast<std::size_t>(e)];
      sum += a(entry.k) * b(entry.l) * entry.value;
      if (entry.k != entry.l) sum += a(entry.l) * b(entry.k) * entry.value;
    }
    return sum;
  }
  // result += factor G_i q.
  template <class S, class Q, class Result>
  void add_gradient(int i, const Q& q, const S& factor, Result& result) const {
    for (int e = first_[i]; e < first_[i + 1]; ++e) {
      const Entry& entry = entries_[static_cast<std::size_t>(e)];
      const S weight = factor * entry.value;
      result(entry.k) += weight * q(entry.l);
      if (entry.k != entry.l) result(entry.l) += weight * q(entry.k);
    }
  }
  // G_i.
  MatrixX matrix(int i, Eigen::Index size) const;

 private:
  template <class Q, class Enter>
  void each_stacked(const Q& q, const Enter& enter) const {
    std::array<double, 12 * most_modes> values;
    const Eigen::Index d = q.size(), rows = static_cast<Eigen::Index>(rows_.size());
    Eigen::Map<VectorX>(values.data(), rows * d).noalias() = stack_ * q;
    for (Eigen::Index k = 0; k < d; ++k)
      for (Eigen::Index r = 0; r < rows; ++r)
        enter(rows_[static_cast<std::size_t>(r)], k, values[static_cast<std::size_t>(k * rows + r)]);
  }

  std::vector<Entry> entries_;
  std::vector<int> first_ = {0};
  // The same entries pair by pair, with a number for each form.
  std::vector<std::array<int, 2>> pairs_;
  std::vector<double> packed_;
  // All G one below the other without those that vanish: row k rows + r is row k of G_rows[r].
  std::vector<int> rows_;
  MatrixX stack_;
};

struct SecondOrder {
  QuadraticForms field;               // a, then b row by row: 12 forms
  std::vector<QuadraticForms> nodes;  // per node of the link: displacement, then rotation vector, 6 forms

  bool empty() const { return nodes.empty(); }
};

// Row of b_ij among the forms of the field.
constexpr int affine_row(int i, int j) { return 3 + 3 * i + j; }

// All of them, or forces on them.
using AffineValues = Eigen::Matrix<double, 12, 1>;
inline void unpack(const AffineValues& values, Vector3& a, Matrix3& b) {
  a = values.head<3>();
  b = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(values.data() + 3);
}
inline AffineValues packed(const Vector3& a, const Matrix3& b) {
  AffineValues values;
  values.head<3>() = a;
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(values.data() + 3) = b;
  return values;
}
// The 12 rows of a field's P.
using AffineRows = Eigen::Map<const Eigen::Matrix<double, 12, Eigen::Dynamic>>;
inline AffineRows affine_rows(const MatrixX& P) { return AffineRows(P.data(), 12, P.cols()); }

// X = E + ½ W P with E of the affine fields with the modes and W with each other, so that 𝓜_qq = 1 + PᵀX + XᵀP. Rows of
// X where P has none are not zero. `product` is as large as P.
void bent_products(const ModalLink& link, const MatrixX& P, MatrixX& product);

// 𝓜_qq = ∫ρ χᵀ χ of the velocity fields χ_k = φ_k + P_a,k + P_b,k s, with P = G q of the field's forms. `product` is
// as large as P.
void bent_modal_mass(const ModalLink& link, const QuadraticForms& field, const MatrixX& P, MatrixX& product,
                     MatrixX& mass);

// Moments of u₂ with 1 and s: row 4b + i is that of component b with (1, s)_i.
using FieldMoments = std::array<MatrixX, 12>;

// The symmetric d x d matrices of all forms, as they are found.
struct SecondOrderParts {
  FieldMoments moments;
  std::vector<std::array<MatrixX, 6>> nodes;  // of the first nodes of the link; others have none
};

// Whether a link's elasticity is that of beams, solids or shells, and it has not too many modes to be worth it.
bool can_bend(const Link& of, const FiniteElementBody& mesh, int num_modes);

// Empty where it cannot, or where its inboard node does not hold it. The displacement and rotation of the inboard node
// have no second-order part.
SecondOrder second_order(const Link& of, const FiniteElementBody& mesh, const ModalLink& link, int inboard_node,
                         Space space);

}  // namespace lithe
