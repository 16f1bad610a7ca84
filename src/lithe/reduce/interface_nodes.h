// Nodes of a link at which the rest of the model acts on it or looks at it.
#pragma once

#include <vector>

#include "lithe/model/model.h"
#include "lithe/reduce/reduced_body.h"

namespace lithe {

// Ascending, each once: nodes with joints, loads, lumped masses, sensors, and those that an analysis holds.
std::vector<int> interface_nodes(const Model& model, int link);
// Of these, nodes with joints.
std::vector<int> joint_nodes(const Model& model, int link);

// Reduces a link of a model with these nodes, unless the choice names others.
ReducedBody reduce_link(const Model& model, int link, const FiniteElementBody& mesh, ReductionChoice choice);

}  // namespace lithe
