// The same mechanism with rigid links.
#pragma once

#include "lithe/model/model.h"

namespace lithe {

// For erls-cms: all links rigid.
Model without_elasticity(Model model);

}  // namespace lithe
