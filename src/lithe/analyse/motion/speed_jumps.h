// Prescribed motions whose speed jumps (ramps, straight pieces between points): an impact on the mechanism.
#pragma once

#include <string>
#include <vector>

#include "lithe/formulate/contract/equations.h"

namespace lithe {

// Names of what prescribes a motion whose speed jumps at `time`.
std::vector<std::string> speed_jumps(const Model& model, double time);

// Changes the state's speeds as the impact does, which acts along the prescribed freedoms alone: M Δẋ = -M' Δu̇, with M'
// the coupling of the prescribed speeds u̇ to the coordinates. False where the accelerations cannot be computed.
bool speeds_after_jump(const Equations& equations, const Inputs& before, const Inputs& after, Workspace& workspace,
                       State& state);

}  // namespace lithe
