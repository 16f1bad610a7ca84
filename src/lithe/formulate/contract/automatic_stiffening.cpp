#include "lithe/formulate/contract/automatic_stiffening.h"

namespace lithe {

std::shared_ptr<const Equations> AutomaticStiffening::stiffened() const {
  if (make_) std::call_once(once_, [this] { made_ = make_(); });
  return made_;
}

bool can_stiffen(const Equations& equations) {
  const auto* automatic = dynamic_cast<const AutomaticStiffening*>(&equations);
  return automatic && automatic->can_stiffen();
}

std::shared_ptr<const Equations> stiffened(const Equations& equations) {
  const auto* automatic = dynamic_cast<const AutomaticStiffening*>(&equations);
  return automatic ? automatic->stiffened() : nullptr;
}

}  // namespace lithe
