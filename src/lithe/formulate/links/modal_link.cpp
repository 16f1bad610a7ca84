#include "lithe/formulate/links/modal_link.h"

#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

// The rigid motion that each mode is given so that the frame lies as wanted: added field τ_k + θ_k × s.
struct RigidShift {
  Matrix3X translation;           // τ
  Matrix3X turn;                  // θ
  std::vector<Matrix3> rotation;  // A = skew(θ)
};

RigidShift shift_by(const Matrix3X& translation, const Matrix3X& turn) {
  RigidShift shift{translation, turn, {}};
  for (Eigen::Index k = 0; k < turn.cols(); ++k) shift.rotation.push_back(skew(Vector3(turn.col(k))));
  return shift;
}

RigidShift shift_to_rest(const ReducedBody& body, int node) {
  return shift_by(-body.translation_shapes.middleRows(3 * node, 3), -body.rotation_shapes.middleRows(3 * node, 3));
}

// θ = -e × (φ_B - φ_A)/L keeps B on the line, the part along e keeps A from turning about it.
RigidShift shift_to_chord(const ReducedBody& body, int node, int other) {
  const Vector3 chord = body.node_positions[other] - body.node_positions[node];
  const double length = chord.norm();
  if (!(length > 0)) return shift_to_rest(body, node);
  const Vector3 e = chord / length;
  const Matrix3X start = body.translation_shapes.middleRows(3 * node, 3);
  const Matrix3X apart = body.translation_shapes.middleRows(3 * other, 3) - start;
  const Matrix3X twist = e * (e.transpose() * body.rotation_shapes.middleRows(3 * node, 3));
  return shift_by(-start, -skew(e) * apart / length - twist);
}

RigidShift shift_for(const ReducedBody& body, ReferenceCondition condition, int inboard_node, int outboard_node) {
  const Matrix3X zero = Matrix3X::Zero(3, body.num_modes());
  if (body.num_modes() == 0 || condition == ReferenceCondition::free) return shift_by(zero, zero);
  if (condition == ReferenceCondition::chord && outboard_node >= 0 && outboard_node != inboard_node)
    return shift_to_chord(body, inboard_node, outboard_node);
  return shift_to_rest(body, inboard_node);
}

Matrix3 gather(const std::array<std::array<VectorX, 3>, 3>& table, int k) {
  Matrix3 m;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) m(a, b) = table[a][b](k);
  return m;
}

Matrix3 gather(const std::array<std::array<MatrixX, 3>, 3>& table, int k, int l) {
  Matrix3 m;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) m(a, b) = table[a][b](k, l);
  return m;
}

// Invariants of the shifted fields φ + τ + A s, with s counted from the inboard node (docs/theory/erls_cms.md (7)).
InertiaInvariants shifted(const InertiaInvariants& in, const Vector3& origin, const RigidShift& shift) {
  const int d = in.num_modes();
  InertiaInvariants out = in;
  out.first_moment = in.first_moment - in.mass * origin;
  out.second_moment = in.second_moment - origin * in.first_moment.transpose() - in.first_moment * origin.transpose() +
                      in.mass * origin * origin.transpose();
  const Vector3& c0 = out.first_moment;
  const Matrix3& P0 = out.second_moment;
  std::vector<Matrix3> S(d);  // ∫ρ s φᵀ of the unshifted field, s from the new origin
  for (int k = 0; k < d; ++k) S[k] = gather(in.position_mode, k) - origin * in.mode_momentum.col(k).transpose();
  for (int k = 0; k < d; ++k) {
    const Vector3 tau = shift.translation.col(k);
    const Matrix3& A = shift.rotation[k];
    out.mode_momentum.col(k) = in.mode_momentum.col(k) + in.mass * tau + A * c0;
    const Matrix3 Sk = S[k] + c0 * tau.transpose() + P0 * A.transpose();
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) out.position_mode[a][b](k) = Sk(a, b);
  }
  for (int k = 0; k < d; ++k)
    for (int l = 0; l < d; ++l) {
      const Vector3 tk = shift.translation.col(k), tl = shift.translation.col(l);
      const Matrix3 &Ak = shift.rotation[k], &Al = shift.rotation[l];
      const Vector3 Ck = in.mode_momentum.col(k), Cl = in.mode_momentum.col(l);
      const Matrix3 Nkl = gather(in.mode_mode, k, l) + Ck * tl.transpose() + S[k].transpose() * Al.transpose() +
                          tk * (Cl + in.mass * tl + Al * c0).transpose() + Ak * S[l] + Ak * c0 * tl.transpose() +
                          Ak * P0 * Al.transpose();
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) out.mode_mode[a][b](k, l) = Nkl(a, b);
    }
  return out;
}

// Coordinates in which the shifted modes are mass-orthonormal and the stiffness diagonal.
MatrixX orthonormal_coordinates(const std::string& name, const InertiaInvariants& in,
                                const VectorX& squared_frequencies, VectorX& new_frequencies) {
  const MatrixX mass = in.mode_mode[0][0] + in.mode_mode[1][1] + in.mode_mode[2][2];
  const MatrixX stiffness = squared_frequencies.asDiagonal();
  // Solved for 1/ω² so that the low modes, which matter most, are the accurate ones.
  const SymmetricPairs pairs = symmetric_pairs(0.5 * (mass + mass.transpose()), stiffness);
  const int d = static_cast<int>(mass.rows());
  if (!pairs.converged || pairs.vectors.cols() != d || !(pairs.values.array() > 0).all())
    throw InputError(cat("link '", name, "': its modes are too different for numbers of double precision: squared ",
                         "frequencies from ", squared_frequencies.minCoeff(), " to ", squared_frequencies.maxCoeff(),
                         " 1/s^2"));
  MatrixX coordinates(d, d);
  new_frequencies.resize(d);
  for (int k = 0; k < d; ++k) {
    const double compliance = pairs.values(d - 1 - k);  // 1/ω², with vᵀ K v = 1
    coordinates.col(k) = pairs.vectors.col(d - 1 - k) / std::sqrt(compliance);
    new_frequencies(k) = 1.0 / compliance;
  }
  return coordinates;
}

void stack_mode_moments(const InertiaInvariants& in, const MatrixX& Q, ModalLink& link) {
  const int d = link.num_modes;
  link.mode_mode_stack.resize(9 * d, d);
  link.position_mode_stack.resize(9, d);
  link.coriolis_stack.resize(3 * d, d);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      link.mode_mode_stack.middleRows((3 * a + b) * d, d) = Q.transpose() * in.mode_mode[a][b] * Q;
      link.position_mode[a][b] = Q.transpose() * in.position_mode[a][b];
      link.position_mode_stack.row(3 * a + b) = link.position_mode[a][b].transpose();
    }
  const auto N = [&](int a, int b) { return link.mode_mode_stack.middleRows((3 * a + b) * d, d); };
  for (int c = 0; c < 3; ++c) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    link.coriolis_stack.middleRows(c * d, d) = N(b, a) - N(a, b);
    link.mode_angular_momentum.row(c) = (link.position_mode[a][b] - link.position_mode[b][a]).transpose();
  }
}

}  // namespace

ModalLink modal_link(const ReducedBody& body, int inboard_node, const Vector3& origin) {
  return modal_link(body, ReferenceCondition::tangent, inboard_node, -1, origin);
}

ModalLink modal_link(const ReducedBody& body, ReferenceCondition condition, int inboard_node, int outboard_node,
                     const Vector3& origin) {
  ModalLink link;
  const int d = body.num_modes();
  link.num_modes = d;
  link.origin = origin;
  const RigidShift shift = shift_for(body, condition, inboard_node, outboard_node);
  const InertiaInvariants in = shifted(body.invariants, link.origin, shift);
  MatrixX Q(0, 0);
  if (d > 0) Q = orthonormal_coordinates(body.name, in, body.squared_frequencies, link.squared_frequencies);
  link.mass = in.mass;
  link.first_moment = in.first_moment;
  link.second_moment = in.second_moment;
  link.inertia = in.second_moment.trace() * Matrix3::Identity() - in.second_moment;
  link.mode_momentum = d > 0 ? Matrix3X(in.mode_momentum * Q) : Matrix3X(3, 0);
  link.mode_angular_momentum.resize(3, d);
  if (d > 0) {
    stack_mode_moments(in, Q, link);
    link.damping = Q.transpose() * body.damping * Q;
    link.damped = body.damping.size() > 0 && body.damping.cwiseAbs().maxCoeff() > 0;
  }
  link.from_reduced = Q;
  for (int n = 0; n < body.num_nodes(); ++n) {
    const Vector3 s = body.node_positions[n] - link.origin;
    Matrix3X translation(3, d), rotation(3, d);
    for (int k = 0; k < d; ++k) {
      translation.col(k) =
          body.translation_shapes.block<3, 1>(3 * n, k) + shift.translation.col(k) + shift.rotation[k] * s;
      rotation.col(k) = body.rotation_shapes.block<3, 1>(3 * n, k) + shift.turn.col(k);
    }
    link.node_positions.push_back(s);
    link.translation_shapes.push_back(d > 0 ? Matrix3X(translation * Q) : translation);
    link.rotation_shapes.push_back(d > 0 ? Matrix3X(rotation * Q) : rotation);
  }
  return link;
}

}  // namespace lithe
