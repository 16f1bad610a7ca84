#include "lithe/analyse/stability/stiffening.h"

#include "lithe/base/text.h"
#include "lithe/formulate/contract/automatic_stiffening.h"

namespace lithe {

std::string stiffening_note(const LinkDeformation& link) {
  return cat("with geometric stiffening, which matters here (", axial_force_text(link), ")");
}

StiffenedEquations stiffened_about(const Equations& equations, const State& start, const Inputs& inputs,
                                   const std::optional<SteadyFreedom>& freedom, double speed) {
  if (!can_stiffen(equations)) return {};
  const SteadyMotion motion = steady_motion(equations, start, inputs, freedom, speed);
  if (!motion.found) {
    // Small deflections at rest do not fail for want of it: something else is wrong.
    if (!freedom) return {};
    return {stiffened(equations), cat("with geometric stiffening: without it there is ", motion.message)};
  }
  const std::optional<LinkDeformation> link = stiffened_link(equations, motion.state, motion.inputs);
  if (!link) return {};
  return {stiffened(equations), stiffening_note(*link)};
}

StiffenedEquations stiffened_at_rest(const Equations& equations) {
  if (!can_stiffen(equations)) return {};
  Inputs inputs = make_inputs(equations.model());
  evaluate_inputs(equations.model(), 0, inputs);
  return stiffened_about(equations, equations.initial_state(), inputs);
}

}  // namespace lithe
