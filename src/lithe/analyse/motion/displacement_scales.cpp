#include <algorithm>
#include <cmath>

#include "lithe/analyse/motion/simulate.h"
#include "lithe/formulate/contract/capabilities.h"

namespace lithe {
namespace {

// Of any equations: the velocities of all nodes at unit speed of one coordinate after the other.
VectorX probed_node_speeds(const Equations& equations, const State& state, const Inputs& inputs, Workspace& workspace) {
  const int n = equations.num_coordinates();
  const std::vector<Link>& links = equations.model().links;
  Accelerations zero;
  zero.values.setZero(n);
  State probe = state;
  const auto velocities = [&] {
    std::vector<Vector3> all;
    for (std::size_t l = 0; l < links.size(); ++l)
      for (std::size_t k = 0; k < links[l].nodes.size(); ++k)
        all.push_back(
            equations.node_motion(probe, inputs, zero, static_cast<int>(l), static_cast<int>(k), workspace).velocity);
    return all;
  };
  probe.speeds.setZero();
  const std::vector<Vector3> carried = velocities();  // prescribed motions move nodes at zero speeds
  VectorX speeds = VectorX::Zero(n);
  for (int i = 0; i < n; ++i) {
    probe.speeds.setZero();
    probe.speeds[i] = 1;
    const std::vector<Vector3> moved = velocities();
    for (std::size_t k = 0; k < moved.size(); ++k) speeds[i] = std::max(speeds[i], (moved[k] - carried[k]).norm());
  }
  return speeds;
}

// A link may have no named node that moves: at least as much as its material does. A joint coordinate that moves no
// named node is not seen but in itself, and counts as it is.
void count_material(const VectorX& material, int num_joint_coordinates, VectorX& scales) {
  constexpr double rounding = 1e-9;
  for (Eigen::Index i = 0; i < material.size(); ++i) {
    const bool no_node_moves = !(scales[i] > rounding * material[i]);
    scales[i] = no_node_moves && i < num_joint_coordinates ? 0 : std::max(scales[i], material[i]);
  }
}

}  // namespace

VectorX displacement_scales(const Equations& equations, const State& state, const Inputs& inputs) {
  if (const auto* constrained = as_constrained(equations)) return constrained->coordinate_scales(state);
  const int n = equations.num_coordinates();
  const auto workspace = equations.make_workspace();
  VectorX scales;
  if (const NodeSpeeds* known = node_speeds(equations)) {
    scales = known->node_speeds(state, inputs, *workspace);
    count_material(known->material_speeds(state, inputs, *workspace), equations.num_joint_coordinates(), scales);
  } else {
    scales = probed_node_speeds(equations, state, inputs, *workspace);
  }
  for (int i = 0; i < n; ++i)
    if (!(scales[i] > 0) || !std::isfinite(scales[i])) scales[i] = 1;
  return scales;
}

}  // namespace lithe
