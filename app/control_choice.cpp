#include "app/control_choice.h"

#include "app/consent.h"

namespace lithe::app {

std::shared_ptr<ControlLoop> active_control(const Equations& equations, const std::vector<std::string>& names) {
  require_consent(equations.model(), acting_controllers(equations.model(), names));
  return acting_control(equations, names, make_allowed_controller);
}

}  // namespace lithe::app
