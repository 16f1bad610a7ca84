// A linear model in coordinates of its modes, which numbers of all sizes do not spoil.
#pragma once

#include "lithe/analyse/linear/linearise.h"

namespace lithe {

// The state space of a model in coordinates η of modes, δx = Φ η, mass normalised, with z = (σ η, η̇), σ = max(1,
// √|ω²|); the first `num_plain` of them keep σ = 1. Nothing is left out: what the modes do not make diagonal stays
// where it is. A is nearly skew-symmetric, unlike state_space(), whose entries may span ten decades and more.
StateSpace modal_state_space_of(const LinearModel& modal, Eigen::Index num_plain);

}  // namespace lithe
