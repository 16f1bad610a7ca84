#include "lithe/formulate/contract/capabilities.h"

namespace lithe {

const ConstrainedEquations* as_constrained(const Equations& equations) {
  return dynamic_cast<const ConstrainedEquations*>(&equations);
}

const ObservedJacobians* observed_jacobians(const Equations& equations) {
  return dynamic_cast<const ObservedJacobians*>(&equations);
}

const RecursiveSolves* recursive_solves(const Equations& equations) {
  const auto* recursive = dynamic_cast<const RecursiveSolves*>(&equations);
  return recursive && recursive->solves_recursively() ? recursive : nullptr;
}

const StageProjection* stage_projection(const Equations& equations) {
  return dynamic_cast<const StageProjection*>(&equations);
}

}  // namespace lithe
