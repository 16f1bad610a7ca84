#include "lithe/formulate/erls/link_damping.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "lithe/base/computation_error.h"
#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"
#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/model/mechanism_damping.h"

namespace lithe {
namespace {

// Blocks of Q, the change from the tangent coordinates of ERLS to those of the reduced bodies, are inverted on both
// sides: C_reduced = Q⁻ᵀ C Q⁻¹.
void to_reduced_coordinates(const ReducedModel& reduced, const Mechanism& mechanism, MatrixX& damping) {
  Eigen::Index first = 0;
  for (std::size_t k = 0; k < reduced.bodies.size(); ++k) {
    const ReducedBody& body = reduced.bodies[k];
    const Eigen::Index d = body.num_modes();
    if (d == 0) continue;
    const TreeFrame& frame = mechanism.frames()[mechanism.frame_of_link(static_cast<int>(k))];
    const ModalLink link = modal_link(body, frame.child_node, frame.after.inverse().position);
    const Eigen::PartialPivLU<MatrixX> change(link.from_reduced.transpose());
    damping.middleRows(first, d) = change.solve(damping.middleRows(first, d)).eval();
    damping.middleCols(first, d) = change.solve(damping.middleCols(first, d).transpose()).transpose().eval();
    first += d;
  }
}

}  // namespace

LinkMount link_mount(const Model& model, const Mechanism& mechanism, int link) {
  const TreeFrame& frame = mechanism.frames()[mechanism.frame_of_link(link)];
  const bool held = frame.joint < 0 || model.joints[frame.joint].type != JointType::free;
  return {held, frame.child_node, frame.after.inverse().position};
}

bool is_damped(const Damping& damping) {
  return damping.mass_factor != 0 || damping.stiffness_factor != 0 ||
         std::any_of(damping.modal_ratios.begin(), damping.modal_ratios.end(), [](double ratio) { return ratio != 0; });
}

VectorX modal_damping(const Damping& damping, const VectorX& squared_frequencies) {
  VectorX result = damping.mass_factor + damping.stiffness_factor * squared_frequencies.array();
  if (damping.modal_ratios.empty()) return result;
  for (Eigen::Index k = 0; k < result.size(); ++k) {
    const std::size_t index = std::min<std::size_t>(static_cast<std::size_t>(k), damping.modal_ratios.size() - 1);
    result(k) += 2 * damping.modal_ratios[index] * std::sqrt(std::max(0.0, squared_frequencies(k)));
  }
  return result;
}

MatrixX mounted_damping(const ReducedBody& body, const Damping& damping, const LinkMount& mount) {
  if (!mount.held) return modal_damping(damping, body.squared_frequencies).asDiagonal();
  const ModalLink link = modal_link(body, mount.node, mount.origin);
  const VectorX own = modal_damping(damping, link.squared_frequencies);
  const MatrixX inverse = Eigen::PartialPivLU<MatrixX>(link.from_reduced).inverse();
  return inverse.transpose() * own.asDiagonal() * inverse;
}

// With the modes Φ of the mechanism, Φᵀ M Φ = 1, from the stiffness of links and joint springs alone:
// C = M Φ diag(c) Φᵀ M. Rows of coordinates without stiffness vanish, M φ = K φ / ω²; of joint springs only links'
// share is kept. In loops it acts on the modes that are independent: the others follow.
MatrixX assembled_damping(const ReducedModel& reduced) {
  const Damping& damping = mechanism_damping(reduced.model);
  Eigen::Index num_modes = 0;
  for (const ReducedBody& body : reduced.bodies) num_modes += body.num_modes();
  if (!is_damped(damping) || num_modes == 0) return {};
  ReducedModel bare = reduced;
  set_mechanism_damping(bare.model, {});
  const ErlsCms equations(bare);
  State state = equations.initial_state();
  state.speeds.setZero();
  Inputs inputs = make_inputs(bare.model);
  evaluate_inputs(bare.model, 0, inputs);
  LinearBlocks blocks;
  const EvaluationStatus status = equations.linearise_elastic(state, inputs, *equations.make_workspace(), blocks);
  if (status != EvaluationStatus::ok)
    throw ComputationError(cat("the damping of the mechanism's modes cannot be found: ", describe(status)));
  const SymmetricPairs pairs = symmetric_pairs(0.5 * (blocks.stiffness + blocks.stiffness.transpose()),
                                               0.5 * (blocks.mass + blocks.mass.transpose()));
  if (!pairs.converged)
    throw InputError("the damping of the mechanism's modes cannot be found: its mass matrix is not positive definite");
  VectorX factors = modal_damping(damping, pairs.values);
  const double rigid = 1e-12 * pairs.values.cwiseAbs().maxCoeff();
  for (Eigen::Index k = 0; k < factors.size(); ++k)
    if (pairs.values(k) <= rigid) factors(k) = 0;
  const MatrixX all = blocks.mass * pairs.vectors;
  MatrixX momenta = MatrixX::Zero(num_modes, all.cols());
  const std::vector<int>& independent = equations.split().independent;
  for (std::size_t i = static_cast<std::size_t>(equations.num_joint_coordinates()); i < independent.size(); ++i)
    if (const int mode = independent[i] - 2 * equations.tree().num_coordinates; mode >= 0)
      momenta.row(mode) = all.row(static_cast<Eigen::Index>(i));
  MatrixX result = momenta * factors.asDiagonal() * momenta.transpose();
  to_reduced_coordinates(reduced, Mechanism(reduced.model), result);
  return 0.5 * (result + result.transpose());
}

}  // namespace lithe
