#include "lithe/analyse/modal_form.h"

#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"

namespace lithe {

StateSpace modal_state_space(const LinearModel& model) {
  const Eigen::Index n = model.size();
  const MatrixX mass = 0.5 * (model.mass + model.mass.transpose());
  const SymmetricPairs modes = symmetric_pairs(0.5 * (model.stiffness + model.stiffness.transpose()), mass);
  const MatrixX& shapes = modes.vectors;
  const VectorX scale = modes.values.cwiseAbs().cwiseSqrt().cwiseMax(1.0), inverse = scale.cwiseInverse();
  StateSpace s;
  s.a = MatrixX::Zero(2 * n, 2 * n);
  s.a.topRightCorner(n, n) = scale.asDiagonal();
  s.a.bottomLeftCorner(n, n) = -shapes.transpose() * model.stiffness * shapes * inverse.asDiagonal();
  s.a.bottomRightCorner(n, n) = -shapes.transpose() * model.damping * shapes;
  s.b = MatrixX::Zero(2 * n, model.input.cols());
  s.b.bottomRows(n) = shapes.transpose() * model.input;
  s.c.resize(model.position_output.rows(), 2 * n);
  s.c << model.position_output * shapes * inverse.asDiagonal(), model.speed_output * shapes;
  s.d = model.feedthrough;
  for (Eigen::Index k = 0; k < 2 * n; ++k)
    s.states.push_back({cat(k < n ? "" : "rate of ", "mode ", (k < n ? k : k - n) + 1), ""});
  s.inputs = model.inputs;
  s.outputs = model.outputs;
  return s;
}

}  // namespace lithe
