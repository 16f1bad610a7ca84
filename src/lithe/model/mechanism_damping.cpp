#include "lithe/model/mechanism_damping.h"

#include "lithe/model/coordinate_choice.h"

namespace lithe {

const Damping& mechanism_damping(const Model& model) {
  static const Damping none;
  return model.coordinates ? model.coordinates->damping : none;
}

void set_mechanism_damping(Model& model, Damping damping) {
  auto choice =
      model.coordinates ? std::make_shared<CoordinateChoice>(*model.coordinates) : std::make_shared<CoordinateChoice>();
  choice->damping = std::move(damping);
  model.coordinates = std::move(choice);
}

}  // namespace lithe
