// Damping of the modes of a mechanism as assembled, `[damping]` of a model file.
#pragma once

#include "lithe/model/model.h"

namespace lithe {

// mass_factor, stiffness_factor and one ratio for all modes. All zero where the model has none.
const Damping& mechanism_damping(const Model& model);
void set_mechanism_damping(Model& model, Damping damping);

}  // namespace lithe
