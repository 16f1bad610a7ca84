#include "lithe/analyse/observe/rigid_model.h"

namespace lithe {

Model without_elasticity(Model model) {
  for (Link& link : model.links) link.reduction.num_kept_modes = 0;
  return model;
}

}  // namespace lithe
