// A linear model in coordinates of its modes, which numbers of all sizes do not spoil.
#pragma once

#include "lithe/analyse/linear/linearise.h"

namespace lithe {

// The state space of the model with z = (σ η, η̇), δx = Φ η: modes of the symmetric parts of mass and stiffness, mass
// normalised, σ = max(1, √|ω²|). Nothing is left out: what the modes do not make diagonal stays where it is. A is
// nearly skew-symmetric, unlike state_space(), whose entries may span ten decades and more.
StateSpace modal_state_space(const LinearModel& model);
// The same of a model that is in such coordinates already; the first `num_plain` of them keep σ = 1.
StateSpace modal_state_space_of(const LinearModel& modal, Eigen::Index num_plain);

}  // namespace lithe
