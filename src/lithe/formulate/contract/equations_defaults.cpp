// What a formulation that overrides nothing tells: nothing about forces, all nodes of a link one by one, and what
// follows from motions of nodes and from linearise_elastic().
#include <algorithm>
#include <limits>

#include "lithe/formulate/contract/equations.h"
#include "lithe/formulate/numerics/rotation_vector.h"

namespace lithe {

Energies unknown_energies(EvaluationStatus status) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  return {unknown, unknown, unknown, status};
}

NodeMotion unknown_motion(EvaluationStatus status) {
  NodeMotion motion;
  for (Vector3* v : {&motion.position, &motion.velocity, &motion.acceleration, &motion.angular_velocity,
                     &motion.angular_acceleration, &motion.displacement, &motion.rotation})
    v->setConstant(std::numeric_limits<double>::quiet_NaN());
  motion.orientation.setConstant(std::numeric_limits<double>::quiet_NaN());
  motion.status = status;
  return motion;
}

SignalValue unknown_value() {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  return {unknown, unknown, unknown};
}

double Equations::prescribed_force(const State&, const Inputs&, const Accelerations&, int, int, Workspace&) const {
  return std::numeric_limits<double>::quiet_NaN();
}

bool Equations::reaction(const State&, const Inputs&, const Accelerations&, int, Vector3&, Vector3&, Workspace&) const {
  return false;
}

bool Equations::section_load(const State&, const Inputs&, const Accelerations&, int, int, Vector3&, Vector3&,
                             Workspace&) const {
  return false;
}

bool Equations::strained_shape(const State&, const Inputs&, int, VectorX&, Workspace&) const { return false; }

void Equations::node_motions(const State& state, const Inputs& inputs, const Accelerations& accelerations, int link,
                             std::vector<NodeMotion>& motions, Workspace& workspace) const {
  motions.resize(static_cast<std::size_t>(num_nodes(link)));
  for (std::size_t node = 0; node < motions.size(); ++node)
    motions[node] = node_motion(state, inputs, accelerations, link, static_cast<int>(node), workspace);
}

double Equations::dissipated_power(const State&, const Inputs&, Workspace&) const {
  return std::numeric_limits<double>::quiet_NaN();
}

// The node's axes turned back by its elastic rotation, its place by its displacement.
Pose Equations::link_pose(const State& state, const Inputs& inputs, int link, Workspace& workspace) const {
  const Accelerations still{VectorX::Zero(num_coordinates())};
  const NodeMotion node = node_motion(state, inputs, still, link, 0, workspace);
  Pose pose;
  pose.rotation = rotation_of(node.rotation).transpose() * node.orientation;
  pose.position = node.position - node.displacement -
                  pose.rotation * model().links[static_cast<std::size_t>(link)].nodes[0].position;
  return pose;
}

EvaluationStatus Equations::mass_matrix(const State& state, const Inputs& inputs, Workspace& workspace,
                                        MatrixX& mass) const {
  LinearBlocks blocks;
  const EvaluationStatus status = linearise_elastic(state, inputs, workspace, blocks);
  if (status == EvaluationStatus::ok) mass = std::move(blocks.mass);
  return status;
}

namespace {

// Velocities at speeds zero but for one coordinate. They are linear in the speeds; what prescribed joints carry at zero
// speeds is taken off.
class UnitMotions {
 public:
  UnitMotions(const Equations& equations, const State& state, const Inputs& inputs, Workspace& workspace)
      : equations_(equations),
        inputs_(inputs),
        workspace_(workspace),
        probe_(state),
        still_{VectorX::Zero(equations.num_coordinates())} {
    probe_.speeds.setZero();
  }
  // -1: all at rest.
  void choose(int coordinate) {
    probe_.speeds.setZero();
    if (coordinate >= 0) probe_.speeds[coordinate] = 1;
  }
  NodeMotion node(int link, int node) const {
    return equations_.node_motion(probe_, inputs_, still_, link, node, workspace_);
  }
  // Of all named nodes.
  std::vector<Vector3> velocities() const {
    const std::vector<Link>& links = equations_.model().links;
    std::vector<Vector3> all;
    for (std::size_t l = 0; l < links.size(); ++l)
      for (std::size_t k = 0; k < links[l].nodes.size(); ++k)
        all.push_back(node(static_cast<int>(l), static_cast<int>(k)).velocity);
    return all;
  }

 private:
  const Equations& equations_;
  const Inputs& inputs_;
  Workspace& workspace_;
  State probe_;
  Accelerations still_;
};

}  // namespace

EvaluationStatus Equations::node_jacobian(const State& state, const Inputs& inputs, int link, int node,
                                          Workspace& workspace, MatrixX& jacobian) const {
  UnitMotions motions(*this, state, inputs, workspace);
  const NodeMotion carried = motions.node(link, node);
  if (!carried.velocity.allFinite())
    return carried.status == EvaluationStatus::ok ? EvaluationStatus::not_finite : carried.status;
  jacobian.resize(6, num_coordinates());
  for (int i = 0; i < num_coordinates(); ++i) {
    motions.choose(i);
    const NodeMotion moved = motions.node(link, node);
    jacobian.col(i) << moved.velocity - carried.velocity, moved.angular_velocity - carried.angular_velocity;
  }
  return EvaluationStatus::ok;
}

VectorX Equations::coordinate_scales(const State& state, const Inputs& inputs, Workspace& workspace) const {
  UnitMotions motions(*this, state, inputs, workspace);
  const std::vector<Vector3> carried = motions.velocities();
  VectorX scales = VectorX::Zero(num_coordinates());
  for (int i = 0; i < num_coordinates(); ++i) {
    motions.choose(i);
    const std::vector<Vector3> moved = motions.velocities();
    for (std::size_t k = 0; k < moved.size(); ++k) scales[i] = std::max(scales[i], (moved[k] - carried[k]).norm());
  }
  return scales;
}

EvaluationStatus Equations::inverse_dynamics(const State& state, const Inputs& inputs, const Accelerations& wanted,
                                             Workspace& workspace, VectorX& forces) const {
  Accelerations own{VectorX::Zero(num_coordinates())};
  if (const auto status = evaluate(state, inputs, workspace, own); status != EvaluationStatus::ok) return status;
  MatrixX mass;
  if (const auto status = mass_matrix(state, inputs, workspace, mass); status != EvaluationStatus::ok) return status;
  forces.noalias() = mass * (wanted.values - own.values);
  return EvaluationStatus::ok;
}

}  // namespace lithe
