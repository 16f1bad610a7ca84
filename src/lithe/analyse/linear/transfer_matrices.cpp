#include "lithe/analyse/linear/transfer_matrices.h"

#include "lithe/base/text.h"
#include "lithe/formulate/contract/capabilities.h"

namespace lithe {
namespace {

// Joint coordinates and rotations of nodes are angles; displacements, slides and all deformations are lengths.
std::vector<Channel> with_units(const Equations& equations) {
  std::vector<Channel> result;
  const Mechanism mechanism(equations.model());
  for (const std::string& name : equations.coordinate_names()) {
    std::string unit = name.ends_with("rotation") ? "rad" : "m";
    for (int c = 0; c < mechanism.num_coordinates(); ++c) {
      if (mechanism.coordinate_name(c) != name) continue;
      const TreeFrame& frame = mechanism.frames()[mechanism.frame_of_coordinate(c)];
      unit = is_rotation(equations.model().joints[frame.joint].type, frame.freedom) ? "rad" : "m";
    }
    result.push_back({name, unit});
  }
  return result;
}

std::vector<Sensor> of_all_nodes(const Model& model, Quantity quantity) {
  std::vector<Sensor> sensors;
  for (std::size_t link = 0; link < model.links.size(); ++link)
    for (std::size_t node = 0; node < model.links[link].nodes.size(); ++node) {
      Sensor sensor;
      sensor.quantity = quantity;
      sensor.link = static_cast<int>(link);
      sensor.node = static_cast<int>(node);
      sensors.push_back(sensor);
    }
  return sensors;
}

MatrixX stacked(const std::vector<MatrixX>& parts, Eigen::Index columns) {
  MatrixX result(3 * static_cast<Eigen::Index>(parts.size()), columns);
  for (std::size_t i = 0; i < parts.size(); ++i) result.middleRows<3>(3 * static_cast<Eigen::Index>(i)) = parts[i];
  return result;
}

}  // namespace

// With q̇ and q̈ held, a change of q alone changes a position by DF, its velocity DF q̇ by D²F q̇, and, where q̈ = 0, its
// acceleration (D²F q̇) q̇ by (D³F q̇) q̇.
std::optional<TransferMatrices> transfer_matrices(const Equations& equations, const State& state, const Inputs& inputs,
                                                  const VectorX& accelerations) {
  const ObservedJacobians* transfer = transfer_functions(equations);
  if (!transfer) return std::nullopt;
  const int n = equations.num_coordinates();
  const auto workspace = equations.make_workspace();
  TransferMatrices result;
  result.coordinates = with_units(equations);
  result.velocities = state.speeds;
  LinearBlocks blocks, elastic;
  if (equations.linearise_about(state, inputs, Accelerations{accelerations}, *workspace, blocks) !=
          EvaluationStatus::ok ||
      equations.linearise_elastic(state, inputs, *workspace, elastic) != EvaluationStatus::ok)
    return std::nullopt;
  result.M0 = blocks.mass;
  result.C0 = blocks.damping;
  result.K0 = elastic.stiffness;
  result.G0 = blocks.stiffness - elastic.stiffness;
  const Model& model = equations.model();
  for (const Sensor& sensor : of_all_nodes(model, Quantity::position))
    for (const char* axis : {"x", "y", "z"})
      result.rows.push_back(
          cat(model.links[sensor.link].name, ":", model.links[sensor.link].nodes[sensor.node].name, ".", axis));
  const NearbyMotions along{MatrixX::Identity(n, n), MatrixX::Zero(n, n), MatrixX::Zero(n, n)};
  const Accelerations still{VectorX::Zero(n)};
  for (const auto& [quantity, matrix] : {std::pair{Quantity::position, &result.DF},
                                         {Quantity::velocity, &result.D2F},
                                         {Quantity::acceleration, &result.D3F}}) {
    std::vector<MatrixX> jacobians;
    if (transfer->sensor_jacobians(state, inputs, still, along, of_all_nodes(model, quantity), *workspace, jacobians) !=
        EvaluationStatus::ok)
      return std::nullopt;
    *matrix = stacked(jacobians, n);
  }
  return result;
}

}  // namespace lithe
