#include "lithe/analyse/observe/rigid_model.h"

#include "lithe/model/coordinate_choice.h"

namespace lithe {

Model without_elasticity(Model model) {
  model = with_all_modes(std::move(model));
  for (Link& link : model.links) link.reduction.num_kept_modes = 0;
  return model;
}

}  // namespace lithe
