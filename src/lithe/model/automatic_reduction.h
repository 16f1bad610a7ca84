// Links whose number of modes is left to the program: `reduction = "auto"`.
#pragma once

#include <vector>

#include "lithe/model/model.h"

namespace lithe {

struct AutomaticReduction {
  int link = 0;             // index into Model::links
  double tolerance = 1e-3;  // of what the file asks for
};

// Until somebody chooses (analyse/reduction/choose_modes.h), these links keep the modes of their Link::reduction: all.
const std::vector<AutomaticReduction>& automatic_reductions(const Model& model);
void set_automatic_reductions(Model& model, std::vector<AutomaticReduction> links);

}  // namespace lithe
