// Beams that are round tubes of layers (docs/theory/shell_elements.md, "Tubes of layers").
#pragma once

#include "lithe/model/sections/laminate.h"

namespace lithe {

// A section and a material whose products are the tube's stiffnesses and mass.
struct LaminatedTube {
  Section section;
  Material material;
  double coupling = 0;  // share of twist in a pull: zero where every angle has its opposite
};
// `plies`: from the inside outwards, angles from the axis; together thinner than the radius.
LaminatedTube laminated_tube(double outer_radius, const std::vector<Ply>& plies);

}  // namespace lithe
