#include "lithe/analyse/equilibrium/settled_start.h"

#include <algorithm>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/base/text.h"
#include "lithe/model/control_setup.h"

namespace lithe {
namespace {

// Motions of drives do not count: their joints start as these say.
bool starts_by_itself(const Model& model) {
  const auto driven = [&](std::size_t joint) {
    return std::any_of(model.drives.begin(), model.drives.end(), [&](const Drive& drive) {
      return drive.prescribes_motion && drive.joint == static_cast<int>(joint);
    });
  };
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (const double speed : model.joints[j].initial_speed)
      if (speed != 0 && !driven(j)) return true;
  return model.control && !model.control->controllers.empty();
}

Equilibrium found_at_rest(const Equations& equations) {
  Inputs inputs = make_inputs(equations.model());
  evaluate_inputs(equations.model(), 0, inputs);
  bring_to_rest(inputs);
  State start = equations.initial_state();
  start.speeds.setZero();
  EquilibriumOptions options;
  options.hold_unsprung = true;
  options.inputs = &inputs;
  return equilibrium(equations, start, options);
}

}  // namespace

State settled_start(const Equations& equations) {
  if (starts_by_itself(equations.model())) return start_state(equations);
  Equilibrium found = found_at_rest(equations);
  return found.converged ? std::move(found.state) : start_state(equations);
}

std::string why_not_settled(const Equations& equations) {
  if (starts_by_itself(equations.model())) return {};
  const Equilibrium found = found_at_rest(equations);
  if (found.converged) return {};
  return cat("the motion starts with relaxed springs and links, and what swings then is in the result: ",
             found.message);
}

}  // namespace lithe
