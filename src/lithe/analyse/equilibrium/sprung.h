// Springs of joints in an equilibrium: they settle where brakes hold what has none.
#pragma once

#include "lithe/model/model.h"

namespace lithe {

// Whether a spring acts on a degree of freedom of a joint.
inline bool is_sprung(const Joint& joint, int freedom) {
  return freedom < static_cast<int>(joint.stiffness.size()) && joint.stiffness[static_cast<std::size_t>(freedom)] > 0;
}

}  // namespace lithe
