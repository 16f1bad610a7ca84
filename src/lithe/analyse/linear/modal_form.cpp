#include "lithe/analyse/linear/modal_form.h"

#include "lithe/base/text.h"

namespace lithe {

StateSpace modal_state_space_of(const LinearModel& modal, Eigen::Index num_plain) {
  const Eigen::Index n = modal.size();
  VectorX scale = modal.stiffness.diagonal().cwiseAbs().cwiseSqrt().cwiseMax(1.0);
  scale.head(num_plain).setOnes();
  const VectorX inverse = scale.cwiseInverse();
  StateSpace s;
  s.a = MatrixX::Zero(2 * n, 2 * n);
  s.a.topRightCorner(n, n) = scale.asDiagonal();
  s.a.bottomLeftCorner(n, n) = -modal.stiffness * inverse.asDiagonal();
  s.a.bottomRightCorner(n, n) = -modal.damping;
  s.b = MatrixX::Zero(2 * n, modal.input.cols());
  s.b.bottomRows(n) = modal.input;
  s.c.resize(modal.position_output.rows(), 2 * n);
  s.c << modal.position_output * inverse.asDiagonal(), modal.speed_output;
  s.d = modal.feedthrough;
  for (Eigen::Index k = 0; k < 2 * n; ++k)
    s.states.push_back({cat(k < n ? "" : "rate of ", "mode ", (k < n ? k : k - n) + 1), ""});
  s.inputs = modal.inputs;
  s.outputs = modal.outputs;
  return s;
}

}  // namespace lithe
