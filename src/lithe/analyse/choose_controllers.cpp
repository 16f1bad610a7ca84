#include "lithe/analyse/choose_controllers.h"

#include <algorithm>
#include <numeric>

#include "lithe/analyse/control/make_control.h"
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/stability/stiffening.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/nearest_name.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/capabilities.h"
#include "lithe/formulate/formulation.h"
#include "lithe/model/control_setup.h"

namespace lithe {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace

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
                           near.empty() ? cat("; there are: ", known.empty() ? "none" : listed(known))
                                        : cat("; did you mean '", near, "'?")));
    }
    chosen.push_back(static_cast<int>(at - known.begin()));
  }
  return chosen;
}

std::vector<int> acting_controllers(const Model& model, const std::vector<std::string>& names) {
  if (names == std::vector<std::string>{"none"}) return {};
  if (!names.empty()) return chosen_controllers(model, names);
  return model.control ? model.control->active : std::vector<int>{};
}

std::vector<int> studied_controllers(const Model& model, std::vector<int> chosen) {
  if (!chosen.empty() || !model.control) return chosen;
  chosen.resize(model.control->controllers.size());
  std::iota(chosen.begin(), chosen.end(), 0);
  return chosen;
}

std::shared_ptr<ControlLoop> acting_control(const Equations& equations, const std::vector<std::string>& names,
                                            const ExternalFactory& external) {
  const Model& model = equations.model();
  const std::vector<int> which = acting_controllers(model, names);
  if (which.empty()) return nullptr;
  const std::unique_ptr<Equations> independent = as_constrained(equations) ? make_equations(model, {}) : nullptr;
  const Equations& own = independent ? *independent : equations;
  const StiffenedEquations stiff = stiffened_for_design(own, start_state(own), which);
  const Equations& design = stiff.equations ? *stiff.equations : own;
  return make_control_loop(design, start_state(design), which, nullptr, external);
}

}  // namespace lithe
