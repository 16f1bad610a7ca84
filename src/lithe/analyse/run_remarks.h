// What a run says of itself at its end: where it failed, and what may not be meant.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/simulate.h"

namespace lithe {

// Whether anything in the model takes energy away.
bool loses_energy(const Model& model);

// Joints, loops and chosen coordinates that a failure may be about: "; loop closed by joint 'pin'".
std::string named_places(const Model& model, EvaluationStatus cause);

// Sentences on an open energy balance and on damping that the formulation does not have as the model says.
std::vector<std::string> run_warnings(const Equations& equations, const EnergyBalance& energy);

}  // namespace lithe
