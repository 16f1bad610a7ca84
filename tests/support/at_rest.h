// Linear equations of a mechanism that stands still in its configuration.
#pragma once

#include "support/formulations.h"

namespace lithe::testing {

LinearBlocks blocks_at_rest(const Model& model, const FormulationChoice& choice);

}  // namespace lithe::testing
