// Craig-Bampton reduction of one mesh by all processes together (docs/theory/reduction.md, docs/howto/cluster.md).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lithe/model/model.h"
#include "lithe/reduce/distributed/ranks.h"
#include "lithe/reduce/portable_body.h"

namespace lithe {

// What a process did.
struct RankUse {
  int num_elements = 0;
  int num_unknowns = 0;                     // rows of the matrices
  double factor_size = 0, peak_memory = 0;  // bytes
};

struct DistributedReduction {
  PortableBody part;  // the same on all processes
  std::vector<RankUse> ranks;
};

// Called on every process when a stage begins.
using ReductionStage = std::function<void(const std::string& name)>;

// What portable_body(model, link, num_modes) gives, of a link of type mesh. All processes call it with equal links.
// Throws InputError, then on all processes alike.
DistributedReduction reduce_distributed(const Ranks& ranks, const Link& link, std::optional<int> wanted_modes,
                                        const ReductionStage& stage);

// Largest memory of this process so far, bytes.
double peak_memory();

}  // namespace lithe
