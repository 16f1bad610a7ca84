// Joints with prescribed motion start where their drives put them.
#pragma once

#include "lithe/model/model.h"

namespace lithe {

Model with_prescribed_start(Model model);

}  // namespace lithe
