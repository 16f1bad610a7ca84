// From a link made of beams to its finite-element body.
#pragma once

#include "lithe/model/finite_element_body.h"
#include "lithe/model/model.h"

namespace lithe {

// Nodes, sparse mass and stiffness, mass points and elements of a flexible link. Throws InputError with the link's
// place for a link that is no body: no segments, segments without length or orientation, unconnected nodes or parts.
// A link with imported matrices: those, with its lumped masses added. Truss segments are refused unless asked for: they
// need a formulation that leaves their ends free to turn.
FiniteElementBody assemble(const Model& model, const Link& link, bool trusses_allowed = false);

}  // namespace lithe
