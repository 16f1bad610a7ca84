// The spatial beam of [LIN] Appendix I: six deformations e = D(x) of two nodes with position and orientation, and its
// inverse, the second node from the first and e. docs/theory/transfer_functions.md, whose equation numbers in brackets
// the comments cite; numbers with [LIN] are of the paper.
#pragma once

#include <array>
#include <cmath>

#include "lithe/base/math.h"
#include "lithe/fem/beam_element.h"

namespace lithe {

// Deformations in the order of [LIN] (49), all in metres: elongation, torsion times length, bending about y at the
// first and second node, about z at the first and second node.
constexpr int num_deformations = 6;

// Vectors that describe an element in the axes of its first node: all its points move with them (5).
enum BeamVector {
  chord,         // ρ, from the first node to the second
  bend_y_first,  // L θ_p along y, and so on: deflections of the chord's normals
  bend_z_first,
  bend_y_second,
  bend_z_second,
  short_first,  // ρ |θ_p|², ρ θ_p·θ_q, ρ |θ_q|²: shortening along the chord
  short_mixed,
  short_second,
  second_x,  // axes of the second node
  second_y,
  second_z,
  num_beam_vectors
};

// The field of inertia: (a, ρ ... short_second, y and z of the first node, y and z of the second).
constexpr int num_field_vectors = 13;
using FieldMatrix = Eigen::Matrix<double, num_field_vectors, num_field_vectors>;

// What an element needs to know; constant.
struct BeamForm {
  double length = 0;
  bool shortens = true;    // [LIN] (49a) with its quadratic term
  bool has_field = false;  // consistent mass; otherwise its mass sits in the nodes
  bool truss = false;
  // Which deformations are free, first; the others stay zero. Variables, stresses and stiffness have this order.
  std::array<int, num_deformations> order = {0, 1, 2, 3, 4, 5};
  int num_free = num_deformations;
  Matrix6 stiffness = Matrix6::Zero();     // S of [LIN] (50)
  FieldMatrix mass = FieldMatrix::Zero();  // ∫ρA g_b g_c of the field
};

// Planar: elongation and the bending about z alone.
BeamForm beam_form(const BeamProperties& beam, MassModel mass_model, bool shortens, bool planar = false);

// Forces and moments at the second node, beam axes, for stresses σ = S e in the form's order; to first order.
Vector6 end_forces(const BeamForm& form, const Vector6& stress);

template <class S>
using BeamVectors = std::array<S, 3 * num_beam_vectors>;

// The inverse of D (3): chord and second node from the deformations, with no iteration. S may be a plain number, a Dual
// or a Jet.
template <class S>
void beam_vectors(const BeamForm& form, const S* e, BeamVectors<S>& out);

// D itself, [LIN] (48) and (49): from positions and axes of the nodes (columns n_x, n_y, n_z of R_p, R_q as given).
template <class S>
void beam_deformations(double length, bool shortens, const S* chord, const S* first_axes, const S* second_axes, S* e);

}  // namespace lithe
