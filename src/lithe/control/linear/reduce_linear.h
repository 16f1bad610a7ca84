// Fewer states with a known error. docs/theory/control.md.
#pragma once

#include <optional>
#include <string>

#include "lithe/control/linear/state_space.h"

namespace lithe {

// A P + P Aᵀ + B Bᵀ = 0 and Aᵀ Q + Q A + Cᵀ C = 0 (or their sampled forms). Nothing for an unstable system.
struct Gramians {
  MatrixX controllability, observability;
};
std::optional<Gramians> gramians(const StateSpace& system);

struct ReducedSystem {
  StateSpace system;
  VectorX hankel;                  // singular values of the (stable part of the) full system, falling
  double error_bound = 0;          // of the largest gain of the difference over all frequencies
  Eigen::Index kept_unstable = 0;  // states that are not stable and were all kept
  std::string message;             // why nothing was done, when `system` is the full one
};

// Balanced truncation of the stable part to `order` states in all; states on or right of the imaginary axis are split
// off and kept. Error bound: twice the sum of the Hankel singular values left out.
ReducedSystem balanced_truncation(const StateSpace& system, Eigen::Index order);
// As many states as a bound of the error allows.
ReducedSystem balanced_truncation_to(const StateSpace& system, double error_bound);

// Without what no input reaches or no output sees: staircase reductions of both, with a relative threshold.
StateSpace minimal_realisation(const StateSpace& system, double threshold = 1e-10);

enum class ModeOrder {
  slowest,  // by |λ|
  gain,  // by ‖C v‖ ‖wᴴ B‖ / |λ|: what Hankel singular values become, but for a common factor, where all modes have
         // the same light damping (Gregory 1984); undamped modes have no Gramians, but this order
};
// Keeps the first `order` poles (a complex pair is kept whole; all unstable ones are). Bound: the sum over the modes
// left out of ‖C v‖ ‖wᴴ B‖ / |Re λ|, or of their static gains where `keep_static_gain` adds those to D; infinite where
// one of them is undamped. Needs independent eigenvectors. Continuous systems.
ReducedSystem modal_truncation(const StateSpace& system, Eigen::Index order, bool keep_static_gain = false,
                               ModeOrder by = ModeOrder::slowest);

}  // namespace lithe
