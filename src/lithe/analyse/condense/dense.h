// Static condensation of small dense systems, with the motion that nothing holds where there is one.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "lithe/base/math.h"

namespace lithe {

struct DenseSystem {
  MatrixX stiffness, mass, loads;
  VectorX level{};  // stiffness against each coordinate before anything cancelled; empty: the diagonal
};

// Decides whether a motion that takes hardly any energy takes none: rounding, or a soft spring?
using IsUnconstrained = std::function<bool(const VectorX& motion)>;

// K, M, f over `kept` with the `eliminated` following statically, (12)-(14). Where some motion of the eliminated ones
// has no stiffness, nothing is returned and `unconstrained` holds that motion, over all coordinates. Coordinates in
// neither list are at rest. `shape`, when given, becomes Ψ: all coordinates x kept. `energy`, when given, is the
// stiffness that the reduced one is made of instead of K: [SC] (43).
std::optional<DenseSystem> condense_dense(const DenseSystem& system, const std::vector<int>& kept,
                                          const std::vector<int>& eliminated, const IsUnconstrained& is_unconstrained,
                                          VectorX& unconstrained, const MatrixX* energy = nullptr,
                                          MatrixX* shape = nullptr);

}  // namespace lithe
