// What the section of a beam beside a node carries (docs/theory/modal_body.md, "Section loads"): the forces of the
// first element at the node, its own mass and weight included. Or the stress at a node of solid elements. Scalars may
// carry derivatives.
#pragma once

#include <vector>

#include "lithe/base/math.h"
#include "lithe/formulate/links/modal_link.h"
#include "lithe/model/finite_element_body.h"
#include "lithe/model/model.h"

namespace lithe {

// Acceleration field of a link's points, A(s) = A0 + B s + X Φq + 2 ω × Φq̇ + Φq̈ with X = α× + ω×ω×, in the axes of
// the link's frame. Gravity is part of A0: a frame that is held accelerates upwards.
template <class S>
struct AccelerationField {
  Eigen::Matrix<S, 3, 1> A0;
  Eigen::Matrix<S, 3, 3> X, B, W2;  // W2 = 2 ω×
};

// The first beam element at a node, and which of its ends lies there. Mass points as in the finite-element body, with
// positions from the link's origin and the columns of both nodes, (u_a, ψ_a, u_b, ψ_b).
struct BeamSection {
  struct Point {
    double mass = 0;
    Vector3 position = Vector3::Zero();
    Matrix3 section_moment = Matrix3::Zero();
    Eigen::Matrix<double, 3, 12> translation = Eigen::Matrix<double, 3, 12>::Zero(), rotation = translation;
  };
  int node_a = -1, node_b = -1;  // none: no beam ends at the node
  bool at_b = false;
  Matrix3 axes = Matrix3::Identity();
  Eigen::Matrix<double, 12, 12> stiffness = Eigen::Matrix<double, 12, 12>::Zero();
  std::vector<Point> points;
  // Of solid elements instead of a beam: stress at a node of the mesh, xx yy zz xy yz zx in link axes, of the link's
  // modes, 6 x d. Force and moment are then its two halves.
  MatrixX stress;

  bool exists() const { return node_a >= 0 || stress.size() > 0; }
};

// One for each node of the mesh of a link of beams; of one of solid elements, one for each of its stress points.
std::vector<BeamSection> link_sections(const Model& model, int link, const FiniteElementBody& mesh,
                                       const ReducedBody& body, const ModalLink& modal);
// Stress at the points of a link of solid elements from the dofs of its mesh: six rows each; empty where there are
// none.
SparseMatrix stress_rows(const Model& model, int link, const FiniteElementBody& mesh);

namespace beam_section {

template <class S>
using End12 = Eigen::Matrix<S, 12, 1>;

// Displacements of the element's nodes.
template <class S, class Coordinates>
End12<S> of_ends(const BeamSection& section, const ModalLink& link, const Coordinates& q) {
  End12<S> result = End12<S>::Constant(S(0.0));
  const Matrix3X* rows[] = {&link.translation_shapes[section.node_a], &link.rotation_shapes[section.node_a],
                            &link.translation_shapes[section.node_b], &link.rotation_shapes[section.node_b]};
  for (int block = 0; block < 4; ++block)
    for (int k = 0; k < link.num_modes; ++k)
      for (int i = 0; i < 3; ++i) result(3 * block + i) += q(k) * (*rows[block])(i, k);
  return result;
}

// q + Ω⁻¹ D q̇ times the stress of the modes: as strained_ends().
template <class S, class Coordinates, class Rates>
Eigen::Matrix<S, 6, 1> strained_solid(const BeamSection& section, const ModalLink& link, const Coordinates& q,
                                      const Rates& q_rate) {
  Eigen::Matrix<S, 6, 1> result = Eigen::Matrix<S, 6, 1>::Constant(S(0.0));
  for (int k = 0; k < link.num_modes; ++k) {
    S strained = q(k);
    for (int m = 0; link.damped && m < link.num_modes; ++m)
      strained += q_rate(m) * (link.damping(k, m) / link.squared_frequencies(k));
    for (int i = 0; i < 6; ++i) result(i) += strained * section.stress(i, k);
  }
  return result;
}

// K (u + Φ Ω⁻¹ D q̇) = K u + M Φ D q̇ summed over the elements at a node: damping as a stress of the element.
template <class S, class Coordinates, class Rates>
End12<S> strained_ends(const BeamSection& section, const ModalLink& link, const Coordinates& q, const Rates& q_rate) {
  End12<S> result = of_ends<S>(section, link, q);
  if (!link.damped) return result;
  const Matrix3X* rows[] = {&link.translation_shapes[section.node_a], &link.rotation_shapes[section.node_a],
                            &link.translation_shapes[section.node_b], &link.rotation_shapes[section.node_b]};
  for (int k = 0; k < link.num_modes; ++k) {
    S damped(0.0);
    for (int m = 0; m < link.num_modes; ++m) damped += q_rate(m) * link.damping(k, m);
    damped *= S(1.0 / link.squared_frequencies(k));
    for (int block = 0; block < 4; ++block)
      for (int i = 0; i < 3; ++i) result(3 * block + i) += damped * (*rows[block])(i, k);
  }
  return result;
}

template <class S>
Eigen::Matrix<S, 3, 3> skewed(const Eigen::Matrix<S, 3, 1>& a) {
  Eigen::Matrix<S, 3, 3> m;
  m << S(0.0), -a(2), a(1), a(2), S(0.0), -a(0), -a(1), a(0), S(0.0);
  return m;
}

}  // namespace beam_section

// The wrench that the part beyond the section (towards the element's x axis) exerts on the part before it, in the
// beam's axes at rest: the rows of K u + ∫ρ Nᵀ A of the element at this end.
template <class S, class Coordinates, class Rates, class Seconds>
void section_wrench(const BeamSection& section, const ModalLink& link, const AccelerationField<S>& field,
                    const Coordinates& q, const Rates& q_rate, const Seconds& q_second, Eigen::Matrix<S, 3, 1>& force,
                    Eigen::Matrix<S, 3, 1>& moment) {
  using namespace beam_section;
  using Vec = Eigen::Matrix<S, 3, 1>;
  using Mat = Eigen::Matrix<S, 3, 3>;
  if (section.stress.size() > 0) {
    const Eigen::Matrix<S, 6, 1> stress = strained_solid<S>(section, link, q, q_rate);
    force = stress.template head<3>();
    moment = stress.template tail<3>();
    return;
  }
  const int end = section.at_b ? 6 : 0;
  const End12<S> strained = strained_ends<S>(section, link, q, q_rate);
  const Eigen::Matrix<S, 6, 1> elastic = section.stiffness.middleRows<6>(end).template cast<S>() * strained;
  Vec f = elastic.template head<3>(), m = elastic.template tail<3>();
  const End12<S> place = of_ends<S>(section, link, q), rate = of_ends<S>(section, link, q_rate),
                 second = of_ends<S>(section, link, q_second);
  for (const BeamSection::Point& point : section.points) {
    const Eigen::Matrix<S, 3, 12> T = point.translation.template cast<S>(), R = point.rotation.template cast<S>();
    const Vec u = T * place, u_rate = T * rate, u_second = T * second;
    const Vec A = field.A0 + field.B * point.position.template cast<S>() + field.X * u + field.W2 * u_rate + u_second;
    const Vec psi = R * place, psi_rate = R * rate, psi_second = R * second;
    const Mat turning = field.B + field.X * skewed<S>(psi) + field.W2 * skewed<S>(psi_rate) + skewed<S>(psi_second);
    const Mat Y = turning * point.section_moment.template cast<S>();  // ∫ρ A yᵀ
    const Vec turn(Y(2, 1) - Y(1, 2), Y(0, 2) - Y(2, 0), Y(1, 0) - Y(0, 1));
    const Vec carried = A * S(point.mass);
    f += point.translation.middleCols<3>(end).transpose().template cast<S>() * carried +
         point.rotation.middleCols<3>(end).transpose().template cast<S>() * turn;
    m += point.translation.middleCols<3>(end + 3).transpose().template cast<S>() * carried +
         point.rotation.middleCols<3>(end + 3).transpose().template cast<S>() * turn;
  }
  const Mat to_beam = section.axes.transpose().template cast<S>();
  force = to_beam * f;
  moment = to_beam * m;
  if (section.at_b) return;
  force = -force;
  moment = -moment;
}

}  // namespace lithe
