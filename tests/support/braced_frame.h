// A link whose beams close a triangle: redundant deformations inside one link.
#pragma once

#include "support/flexible_models.h"

namespace lithe::testing {

Model braced_frame();

Model with_lumped_mass(Model model);

}  // namespace lithe::testing
