// What couplings of joints must keep to.
#pragma once

#include "lithe/model/model.h"

namespace lithe {

// Freedoms that exist, each once, not those of ball joints; factors that are numbers; a joint that follows once.
void check_couplings(const Model& model, Diagnostics& diagnostics);

}  // namespace lithe
