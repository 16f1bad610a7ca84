// A link held at its joints: how slowly it vibrates there, and which way it is long. With them an estimate of what fast
// rotation does to the stiffness of a link that has no geometric stiffening (docs/theory/erls_cms.md, section 9).
#pragma once

#include <vector>

#include "lithe/base/math.h"
#include "lithe/formulate/links/modal_link.h"

namespace lithe {

// A mass that moves with a node.
struct CarriedMass {
  int node = 0;
  double mass = 0;
};

// ω² of the slowest mode, rad²/s²: `inboard` clamped; or, with an `outboard` node (>= 0), both at rest and the link
// free to turn across the line between them. Infinite for a rigid link.
double held_squared_frequency(const ModalLink& link, int inboard, int outboard,
                              const std::vector<CarriedMass>& carried = {});

// Unit vector along which the link's mass reaches farthest from its centre, link axes.
Vector3 long_axis(const ModalLink& link);

}  // namespace lithe
