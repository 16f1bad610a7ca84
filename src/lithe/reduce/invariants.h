// Inertia invariants of a body with given shapes, as sums over its mass points (docs/theory/modal_body.md).
#pragma once

#include "lithe/model/finite_element_body.h"
#include "lithe/reduce/reduced_body.h"

namespace lithe {

// `shapes`: all finite-element dofs x modes.
InertiaInvariants inertia_invariants(const FiniteElementBody& body, const MatrixX& shapes);

// Without modes: mass, centre and inertia from a list of rigidly moving points.
InertiaInvariants rigid_invariants(const std::vector<MassPoint>& points);

}  // namespace lithe
