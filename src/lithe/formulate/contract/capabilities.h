// What only some formulations can say: a pointer, or nothing. Nobody else casts equations or asks for their name.
#pragma once

#include "lithe/formulate/contract/constrained_equations.h"
#include "lithe/formulate/contract/equations.h"
#include "lithe/formulate/contract/observed_jacobians.h"
#include "lithe/formulate/contract/recursive_solves.h"
#include "lithe/formulate/contract/stage_projection.h"

namespace lithe {

// Coordinates obey constraints between them, whose multipliers are unknowns; null: they are independent.
const ConstrainedEquations* as_constrained(const Equations& equations);
// Derivatives of what sensors read.
const ObservedJacobians* observed_jacobians(const Equations& equations);
// Linear systems solved link by link, where the mechanism at hand is one of those.
const RecursiveSolves* recursive_solves(const Equations& equations);
// Projections between the stages of a step.
const StageProjection* stage_projection(const Equations& equations);

}  // namespace lithe
