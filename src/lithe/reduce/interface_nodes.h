// Nodes of a link at which the rest of the model acts on it or looks at it.
#pragma once

#include <vector>

#include "lithe/model/model.h"
#include "lithe/reduce/reduced_body.h"

namespace lithe {

struct InterfaceNodes {
  std::vector<int> joints;  // nodes with joints; ascending, each once
  std::vector<int> all;     // and with loads, lumped masses, sensors, and those that an analysis holds
};
// Of every link. One walk for all of them: models may have 10^5 links.
std::vector<InterfaceNodes> interface_nodes(const Model& model);

std::vector<int> interface_nodes(const Model& model, int link);
std::vector<int> joint_nodes(const Model& model, int link);

// Reduces a link of a model with these nodes, unless the choice names others.
ReducedBody reduce_link(const Model& model, int link, const FiniteElementBody& mesh, ReductionChoice choice,
                        const InterfaceNodes& nodes);
ReducedBody reduce_link(const Model& model, int link, const FiniteElementBody& mesh, const ReductionChoice& choice);

}  // namespace lithe
