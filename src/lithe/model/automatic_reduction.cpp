#include "lithe/model/automatic_reduction.h"

#include "lithe/model/coordinate_choice.h"

namespace lithe {

const std::vector<AutomaticReduction>& automatic_reductions(const Model& model) {
  static const std::vector<AutomaticReduction> none;
  return model.coordinates ? model.coordinates->automatic : none;
}

void set_automatic_reductions(Model& model, std::vector<AutomaticReduction> links) {
  auto choice =
      model.coordinates ? std::make_shared<CoordinateChoice>(*model.coordinates) : std::make_shared<CoordinateChoice>();
  choice->automatic = std::move(links);
  model.coordinates = std::move(choice);
}

}  // namespace lithe
