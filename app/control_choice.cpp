#include "app/control_choice.h"

#include <algorithm>

#include "app/motion.h"
#include "lithe/analyse/make_control.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/nearest_name.h"
#include "lithe/base/text.h"
#include "lithe/control/external_process.h"
#include "lithe/formulate/constrained_equations.h"
#include "lithe/model/control_setup.h"

namespace lithe::app {

std::vector<int> chosen_controllers(const Model& model, const std::vector<std::string>& names) {
  std::vector<int> chosen;
  std::vector<std::string> known;
  if (model.control)
    for (const ControllerSetup& controller : model.control->controllers) known.push_back(controller.name);
  for (const std::string& name : names) {
    const auto at = std::find(known.begin(), known.end(), name);
    if (at == known.end()) {
      const std::string near = nearest_name(name, known);
      throw InputError(cat(model.file, ": there is no controller '", name, "'",
                           near.empty() ? cat("; there are: ", known.empty() ? "none" : joined(known))
                                        : cat("; did you mean '", near, "'?")));
    }
    chosen.push_back(static_cast<int>(at - known.begin()));
  }
  return chosen;
}

std::shared_ptr<ControlLoop> active_control(const Equations& equations, const std::vector<std::string>& names) {
  const Model& model = equations.model();
  if (names == std::vector<std::string>{"none"}) return nullptr;
  const std::vector<int> which = !names.empty()  ? chosen_controllers(model, names)
                                 : model.control ? model.control->active
                                                 : std::vector<int>{};
  if (which.empty()) return nullptr;
  if (!dynamic_cast<const ConstrainedEquations*>(&equations))
    return make_control_loop(equations, start_state(equations), which, nullptr, make_external_controller);
  const std::unique_ptr<Equations> independent = make_equations(model, {});
  return make_control_loop(*independent, start_state(*independent), which, nullptr, make_external_controller);
}

}  // namespace lithe::app
