// The matrices of [LIN] (22) one by one, and the geometric transfer functions of the nodes, at a state of a model with
// the formulation transfer-functions. docs/theory/transfer_functions.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lithe/analyse/linear/linear_results.h"

namespace lithe {

// Nothing for other formulations. `accelerations`: about which M0 to G0 are taken.
std::optional<TransferMatrices> transfer_matrices(const Equations& equations, const State& state, const Inputs& inputs,
                                                  const VectorX& accelerations);

}  // namespace lithe
