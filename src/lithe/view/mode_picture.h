// Mode shapes of a mechanism as one SVG picture: a panel per mode, the configuration in grey, the shape in colour.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/modes/modes.h"
#include "lithe/view/wires.h"

namespace lithe {

struct ModePictureOptions {
  int num_panels = 6;  // the first modes after the rigid ones
  int num_columns = 3;
  double amplitude = 0.14;  // largest displacement drawn, as a part of the mechanism's size
};

// `modes` must have shapes (translations, rotations) for the panels; fewer panels are drawn when there are fewer.
std::string mode_picture(const MechanismModes& modes, const std::vector<Wire>& wires, const std::string& title,
                         const ModePictureOptions& options = {});

}  // namespace lithe
