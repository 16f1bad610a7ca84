#include "lithe/formulate/contract/capabilities.h"

namespace lithe {

const ConstrainedEquations* as_constrained(const Equations& equations) {
  return dynamic_cast<const ConstrainedEquations*>(&equations);
}

const ObservedJacobians* observed_jacobians(const Equations& equations) {
  return dynamic_cast<const ObservedJacobians*>(&equations);
}

const ObservedJacobians* transfer_functions(const Equations& equations) {
  const ObservedJacobians* observed = observed_jacobians(equations);
  return observed && observed->has_transfer_functions() ? observed : nullptr;
}

const RecursiveSolves* recursive_solves(const Equations& equations) {
  const auto* recursive = dynamic_cast<const RecursiveSolves*>(&equations);
  return recursive && recursive->solves_recursively() ? recursive : nullptr;
}

const RecursiveSolves* structured_solves(const Equations& equations) {
  const auto* structured = dynamic_cast<const RecursiveSolves*>(&equations);
  return structured && structured->solves_structured() ? structured : nullptr;
}

double fastest_vibration(const Equations& equations) {
  const auto* solves = dynamic_cast<const RecursiveSolves*>(&equations);
  return solves ? solves->fastest_vibration() : 0;
}

const StageProjection* stage_projection(const Equations& equations) {
  return dynamic_cast<const StageProjection*>(&equations);
}

const NamedCoordinates* named_coordinates(const Equations& equations) {
  return dynamic_cast<const NamedCoordinates*>(&equations);
}

const SolidStress* solid_stress(const Equations& equations) { return dynamic_cast<const SolidStress*>(&equations); }

const AutomaticStiffening* automatic_stiffening(const Equations& equations) {
  return dynamic_cast<const AutomaticStiffening*>(&equations);
}

const LinkStiffening* link_stiffening(const Equations& equations) {
  return dynamic_cast<const LinkStiffening*>(&equations);
}

}  // namespace lithe
