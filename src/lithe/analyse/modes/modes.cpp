#include "lithe/analyse/modes/modes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/base/decompositions.h"
#include "lithe/formulate/contract/capabilities.h"

namespace lithe {
namespace {

// Displacement of the nodes per unit modal amplitude: velocities are linear in the speeds, so the shape is the velocity
// that speeds equal to the mode would give. Mode by mode, so that the equations pass along the mechanism once for each.
void node_shapes(const Equations& equations, State state, const Inputs& inputs, Workspace& workspace, int count,
                 MechanismModes& modes) {
  const int num_links = static_cast<int>(equations.model().links.size());
  Accelerations still;
  still.values = VectorX::Zero(equations.num_coordinates());
  std::vector<NodeMotion> motions;
  for (int link = 0; link < num_links; ++link) {
    const int nodes = equations.num_nodes(link);
    equations.node_motions(state, inputs, still, link, motions, workspace);
    modes.translations.emplace_back(3 * nodes, count);
    modes.rotations.emplace_back(3 * nodes, count);
    std::vector<Vector3>& positions = modes.node_positions.emplace_back();
    for (const NodeMotion& motion : motions) positions.push_back(motion.position);
  }
  for (int k = 0; k < count; ++k) {
    state.speeds = modes.shapes.col(k);
    for (int link = 0; link < num_links; ++link) {
      equations.node_motions(state, inputs, still, link, motions, workspace);
      for (std::size_t node = 0; node < motions.size(); ++node) {
        const Eigen::Index row = 3 * static_cast<Eigen::Index>(node);
        modes.translations[static_cast<std::size_t>(link)].block<3, 1>(row, k) = motions[node].velocity;
        modes.rotations[static_cast<std::size_t>(link)].block<3, 1>(row, k) = motions[node].angular_velocity;
      }
    }
  }
}

// The largest component is positive, so that shapes do not flip from run to run.
void fix_signs(MatrixX& shapes) {
  for (Eigen::Index k = 0; k < shapes.cols(); ++k) {
    Eigen::Index largest = 0;
    shapes.col(k).cwiseAbs().maxCoeff(&largest);
    if (shapes(largest, k) < 0) shapes.col(k) = -shapes.col(k);
  }
}

}  // namespace

ModesResult mechanism_modes(const Equations& equations, State state, const std::optional<int>& count) {
  ModesResult result;
  MechanismModes& modes = result.modes;
  const std::unique_ptr<Workspace> workspace = equations.make_workspace();
  Inputs inputs = make_inputs(equations.model());
  evaluate_inputs(equations.model(), state.time, inputs);
  for (auto& joint : inputs.prescribed_motion)
    for (SignalValue& motion : joint) motion.rate = motion.acceleration = 0;
  state.speeds.setZero();
  const auto* constrained = as_constrained(equations);
  if (constrained) constrained->recentre(state);
  Accelerations accelerations;
  LinearBlocks blocks;
  MatrixX allowed;  // of coordinates that obey constraints only the motions that these allow
  result.status = equations.evaluate(state, inputs, *workspace, accelerations);
  if (result.status == EvaluationStatus::ok && constrained) {
    ConstrainedLinearisation linear;
    const VectorX none = VectorX::Zero(equations.num_coordinates());
    result.status = constrained->linearise_constrained(state, inputs, none, *workspace, linear);
    blocks = {linear.mass, linear.damping, linear.stiffness, linear.input};
    allowed = linear.directions;
  } else if (result.status == EvaluationStatus::ok) {
    Accelerations none;
    none.values = VectorX::Zero(equations.num_coordinates());
    result.status = equations.linearise_about(state, inputs, none, *workspace, blocks);
  }
  if (result.status != EvaluationStatus::ok) return result;
  if (equations.num_coordinates() == 0) {
    node_shapes(equations, state, inputs, *workspace, 0, modes);
    return result;
  }
  modes.imbalance = accelerations.values.cwiseAbs().maxCoeff();
  modes.at_rest = modes.imbalance < 1e-6;
  if (blocks.mass.rows() == 0) {  // nothing can move
    node_shapes(equations, state, inputs, *workspace, 0, modes);
    return result;
  }
  const MatrixX stiffness = 0.5 * (blocks.stiffness + blocks.stiffness.transpose());
  const SymmetricPairs pairs = symmetric_pairs(stiffness, 0.5 * (blocks.mass + blocks.mass.transpose()));
  if (!pairs.converged) {
    result.status = EvaluationStatus::singular_mass;
    return result;
  }
  const VectorX& squared = pairs.values;
  modes.shapes = pairs.vectors;
  fix_signs(modes.shapes);
  const double rounding = 1e-12 * squared.cwiseAbs().maxCoeff();
  modes.frequencies.resize(squared.size());
  modes.damping_ratios.resize(squared.size());
  const MatrixX damped = blocks.damping * modes.shapes;
  for (Eigen::Index k = 0; k < squared.size(); ++k) {
    const double omega = std::copysign(std::sqrt(std::abs(squared(k))), squared(k));
    const bool rigid = std::abs(squared(k)) <= rounding;
    modes.num_rigid += rigid;
    modes.frequencies(k) = rigid ? 0.0 : omega / (2 * std::numbers::pi);
    const double modal_damping = modes.shapes.col(k).dot(damped.col(k));
    modes.damping_ratios(k) = rigid ? 0.0 : modal_damping / (2 * std::abs(omega));
  }
  if (constrained) modes.shapes = (allowed * modes.shapes).eval();
  const int shown = std::min(count.value_or(static_cast<int>(squared.size())), static_cast<int>(squared.size()));
  node_shapes(equations, state, inputs, *workspace, shown, modes);
  return result;
}

}  // namespace lithe
