// What the modes that were left out carry in a section at rest (docs/theory/reduction.md, "Static correction"):
//   u = Φ q + (K⁻¹ - Φ Ω⁻¹ Φᵀ) f,   f: loads, forces of joints, inertia and weight of the link
// The section's load is A u, so that each of its six components needs one field g = (K⁻¹ - Φ Ω⁻¹ Φᵀ) Aᵀ of the link
// held at its inboard node, and the part that was left out is gᵀ f.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "lithe/formulate/links/beam_section.h"
#include "lithe/reduce/bases.h"

namespace lithe {

// Fields g of one section, and their integrals with the link's points and modes (as InertiaInvariants has them).
struct SectionResidual {
  MatrixX fields;                        // 6 per node x 6: force, then moment; of solids the named nodes alone
  Eigen::Matrix<double, 3, 6> momentum;  // ∫ρ g
  Eigen::Matrix<double, 9, 6> position;  // row 3a+b: ∫ρ s_a g_b
  MatrixX mode_mode;                     // row 6(3a+b)+j: ∫ρ g_j,a φ_b, columns: modes; empty for solids
  MatrixX modes = MatrixX(6, 0);         // of solids: row j: ∫ρ g_j · φ
};

template <class S>
using SectionLoad = Eigen::Matrix<S, 6, 1>;

// gᵀ f of a force and a torque at a node, link axes.
template <class S>
void add_nodal_part(const SectionResidual& residual, int node, const Eigen::Matrix<S, 3, 1>& force,
                    const Eigen::Matrix<S, 3, 1>& torque, SectionLoad<S>& load) {
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i < 3; ++i)
      load(j) += force(i) * residual.fields(6 * node + i, j) + torque(i) * residual.fields(6 * node + 3 + i, j);
}

// -∫ρ g · A(s), weight included. Of solids without what A(s) owes to the displacements and their rates, X Φq + 2ω × Φq̇:
// second order in the deformation, of a part that is small itself.
template <class S, class Coordinates, class Rates, class Seconds>
void add_inertia_part(const SectionResidual& residual, const AccelerationField<S>& field, const Coordinates& q,
                      const Rates& q_rate, const Seconds& q_second, SectionLoad<S>& load) {
  const Eigen::Index d = residual.mode_mode.cols();
  for (Eigen::Index k = 0; k < residual.modes.cols(); ++k)
    for (int j = 0; j < 6; ++j) load(j) -= q_second(k) * residual.modes(j, k);
  for (int a = 0; a < 3; ++a) {
    for (int j = 0; j < 6; ++j) load(j) -= field.A0(a) * residual.momentum(a, j);
    for (int b = 0; b < 3; ++b) {
      for (int j = 0; j < 6; ++j) load(j) -= field.B(a, b) * residual.position(3 * b + a, j);
      for (Eigen::Index k = 0; k < d; ++k) {
        S moved = field.X(a, b) * q(k) + field.W2(a, b) * q_rate(k);
        if (a == b) moved += q_second(k);
        for (int j = 0; j < 6; ++j) load(j) -= moved * residual.mode_mode(6 * (3 * a + b) + j, k);
      }
    }
  }
}

// The residuals of all sections of a link, each made when it is first asked for, those of solids all together. Threads
// may share it.
class SectionResiduals {
 public:
  SectionResiduals(std::shared_ptr<const FiniteElementBody> mesh, int held_node, Space space);
  // Of a link of solid elements: rows that give the stress at its points, and the modes of the reduced body at all
  // dofs.
  SectionResiduals(std::shared_ptr<const FiniteElementBody> mesh, int held_node, int num_named_nodes,
                   SparseMatrix stress, MatrixX nodal_shapes);

  // None where the link has parts that move without stress. `link` is always the same.
  const SectionResidual* at(int node, const BeamSection& section, const ModalLink& link) const;

 private:
  std::unique_ptr<SectionResidual> make(const BeamSection& section, const ModalLink& link) const;
  void make_all(const ModalLink& link) const;

  std::shared_ptr<const FiniteElementBody> mesh_;
  int held_node_;
  Space space_ = Space::spatial;
  int num_named_nodes_ = 0;
  SparseMatrix stress_;  // none: beams
  MatrixX nodal_shapes_;
  mutable std::mutex mutex_;
  mutable bool failed_ = false;
  mutable std::unique_ptr<HeldBody> held_;
  mutable std::vector<std::unique_ptr<SectionResidual>> made_;  // per node
};

// None where all modes of the link are kept, or where it has no beams and no points of stress.
std::shared_ptr<const SectionResiduals> section_residuals(const Model& model, int link, const FiniteElementBody& mesh,
                                                          const ReducedBody& body, int held_node);

}  // namespace lithe
