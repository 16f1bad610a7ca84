// Damping of a link in proportion to its mass and to its modes, in the deformations of its beams.
#include "lithe/formulate/transfer/modes.h"

namespace lithe {
namespace {

// D of [LIN] (49) to first order at rest, by (u, ψ) of the first node and of the second, beam axes.
Eigen::Matrix<double, 6, 12> rest_jacobians(double length) {
  Eigen::Matrix<double, 6, 12> D = Eigen::Matrix<double, 6, 12>::Zero();
  const auto ends = [&D](int row, int direction, double second) {
    D(row, direction) = -second;
    D(row, 6 + direction) = second;
  };
  ends(0, 0, 1);
  ends(1, 3, length);
  ends(2, 2, -1);
  ends(3, 2, 1);
  ends(4, 1, 1);
  ends(5, 1, -1);
  D(2, 4) = -length;
  D(3, 10) = length;
  D(4, 5) = -length;
  D(5, 11) = length;
  return D;
}

// Free deformations of one beam for each of the link's modes.
MatrixX mode_deformations(const TransferBeam& beam, const ReducedBody& body) {
  MatrixX ends(12, body.num_modes());
  const Matrix3 to_beam = beam.axes.transpose();
  ends.middleRows(0, 3) = to_beam * body.translation_shapes.middleRows(3 * beam.node_a, 3);
  ends.middleRows(3, 3) = to_beam * body.rotation_shapes.middleRows(3 * beam.node_a, 3);
  ends.middleRows(6, 3) = to_beam * body.translation_shapes.middleRows(3 * beam.node_b, 3);
  ends.middleRows(9, 3) = to_beam * body.rotation_shapes.middleRows(3 * beam.node_b, 3);
  const MatrixX all = rest_jacobians(beam.form.length) * ends;
  MatrixX free(beam.form.num_free, body.num_modes());
  for (int l = 0; l < beam.form.num_free; ++l) free.row(l) = all.row(beam.form.order[l]);
  return free;
}

}  // namespace

// With the link's free modes Φ (Φᵀ M Φ = 1) and their deformations T = ∂e/∂q, stresses S e of a motion e = T q give
// back q = ω⁻² Tᵀ S e, whether or not the deformations are redundant. Damping C of the modes' rates is then G C Gᵀ as
// for the reduced links of the other formulations; a rigid motion is not damped. Modes without stiffness (a chain of
// trusses) have no deformations.
MatrixX modes_from_deformations(const ReducedBody& body, const std::vector<const TransferBeam*>& beams) {
  int rows = 0;
  for (const TransferBeam* beam : beams) rows += beam->form.num_free;
  MatrixX stresses(rows, body.num_modes());
  int first = 0;
  for (const TransferBeam* beam : beams) {
    const int n = beam->form.num_free;
    stresses.middleRows(first, n) = beam->form.stiffness.topLeftCorner(n, n) * mode_deformations(*beam, body);
    first += n;
  }
  constexpr double none = 1e-9;
  const double least = none * body.squared_frequencies.maxCoeff();
  for (int k = 0; k < body.num_modes(); ++k) {
    const double squared = body.squared_frequencies(k);
    stresses.col(k) *= squared > least ? 1 / squared : 0.0;
  }
  return stresses;
}

}  // namespace lithe
