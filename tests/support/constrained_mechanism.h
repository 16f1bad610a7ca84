// A mechanism on its joints by brute force, to compare condensation with: every node has six unknowns, joints and rigid
// links are constraint rows, and everything follows from the null space of those rows. Shares the meshes with the
// program and nothing else: no subsystems, no paths, no freedoms.
#pragma once

#include <vector>

#include "lithe/analyse/condense/topology.h"
#include "lithe/kinematics/position.h"

namespace lithe::test {

struct ConstrainedMechanism {
  MatrixX stiffness, mass;  // all unknowns, world axes
  MatrixX rows;             // constraints
  VectorX weight;           // force of gravity
  std::vector<int> first;   // unknown of each link's first node
  std::vector<int> named;   // nodes of each link

  int unknown(const NodeOfLink& node) const { return first[node.link] + 6 * node.node; }
};

// Of a model in a configuration.
ConstrainedMechanism constrained_mechanism(const Model& model, const Mechanism& mechanism,
                                           const Configuration& configuration);

// Stiffness, mass and weight over some nodes, the rest following statically: from the compliance of the constrained
// model, which must be held.
struct BruteCondensation {
  MatrixX stiffness, mass;
  VectorX weight;
};

BruteCondensation condense_by_force(const ConstrainedMechanism& m, const std::vector<NodeOfLink>& nodes);

}  // namespace lithe::test
