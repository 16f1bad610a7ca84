#include "lithe/formulate/contract/automatic_stiffening.h"

#include "lithe/formulate/contract/capabilities.h"

namespace lithe {

std::shared_ptr<const Equations> AutomaticStiffening::stiffened() const {
  if (make_) std::call_once(once_, [this] { made_ = make_(); });
  return made_;
}

bool can_stiffen(const Equations& equations) {
  const AutomaticStiffening* automatic = automatic_stiffening(equations);
  return automatic && automatic->can_stiffen();
}

std::shared_ptr<const Equations> stiffened(const Equations& equations) {
  const AutomaticStiffening* automatic = automatic_stiffening(equations);
  return automatic ? automatic->stiffened() : nullptr;
}

}  // namespace lithe
