// Craig-Bampton reduction of one mesh by all processes together (docs/theory/reduction.md, docs/howto/cluster.md).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lithe/model/finite_element_body.h"
#include "lithe/reduce/distributed/ranks.h"
#include "lithe/reduce/reduced_body.h"

namespace lithe {

// What a process did.
struct RankUse {
  int num_elements = 0;
  int num_unknowns = 0;                     // rows of the matrices
  double factor_size = 0, peak_memory = 0;  // bytes
};

// The body in the space of its basis: motions of the interface nodes, then modes with the interface held. The same on
// all processes.
struct DistributedReduction {
  std::vector<int> interface_nodes;  // of the link
  int num_interface_dofs = 0, num_unknowns = 0, num_elements = 0;
  VectorX squared_frequencies;       // of the modes with the interface held, (rad/s)²
  MatrixX stiffness, mass;           // VᵀKV and VᵀMV of the basis V = [static shapes, modes]
  InertiaInvariants inertia;         // of the fields V
  VectorX free_squared_frequencies;  // elastic ones of the reduced body without any support
  std::vector<RankUse> ranks;
};

// Called on every process when a stage begins.
using ReductionStage = std::function<void(const std::string& name)>;

// All processes call it with equal links. `interface_nodes`: of the model, unless the choice names others. Throws
// InputError, then on all processes alike.
DistributedReduction reduce_distributed(const Ranks& ranks, const Link& link, const ReductionChoice& choice,
                                        const std::vector<int>& interface_nodes, const ReductionStage& stage);

// Largest memory of this process so far, bytes.
double peak_memory();

}  // namespace lithe
