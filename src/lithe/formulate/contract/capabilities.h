// What only some formulations can say: a pointer, or nothing. Nobody else casts equations or asks for their name.
#pragma once

#include "lithe/formulate/contract/automatic_stiffening.h"
#include "lithe/formulate/contract/constrained_equations.h"
#include "lithe/formulate/contract/equations.h"
#include "lithe/formulate/contract/link_stiffening.h"
#include "lithe/formulate/contract/named_coordinates.h"
#include "lithe/formulate/contract/observed_jacobians.h"
#include "lithe/formulate/contract/recursive_solves.h"
#include "lithe/formulate/contract/solid_stress.h"
#include "lithe/formulate/contract/stage_projection.h"

namespace lithe {

// Coordinates obey constraints between them, whose multipliers are unknowns; null: they are independent.
const ConstrainedEquations* as_constrained(const Equations& equations);
// Derivatives of what sensors read.
const ObservedJacobians* observed_jacobians(const Equations& equations);
// The same of formulations whose node positions are explicit functions of the coordinates.
const ObservedJacobians* transfer_functions(const Equations& equations);
// Linear systems solved link by link, where the mechanism at hand is one of those.
const RecursiveSolves* recursive_solves(const Equations& equations);
// The same with loops, from factors of the tangent.
const RecursiveSolves* structured_solves(const Equations& equations);
// The highest angular frequency of a link on its own, rad/s; 0: rigid links, or not known.
double fastest_vibration(const Equations& equations);
// Projections between the stages of a step.
const StageProjection* stage_projection(const Equations& equations);
// Coordinates by their names, where states may choose others.
const NamedCoordinates* named_coordinates(const Equations& equations);
// Stress at all points of a link at once.
const SolidStress* solid_stress(const Equations& equations);
// The same equations with second-order displacements.
const AutomaticStiffening* automatic_stiffening(const Equations& equations);
// Which links are stiffened by the forces along them.
const LinkStiffening* link_stiffening(const Equations& equations);

}  // namespace lithe
