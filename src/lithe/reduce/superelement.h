// A flexible body condensed to the nodes at which others see it.
#pragma once

#include <vector>

#include "lithe/model/finite_element_body.h"
#include "lithe/model/model.h"

namespace lithe {

// Mass and stiffness of a flexible body at its interface nodes.
struct Superelement {
  std::vector<int> nodes;
  std::vector<int> rows;    // 6 i + component (ux uy uz ψx ψy ψz) of the i-th of these nodes, ascending
  MatrixX stiffness, mass;  // of the nodes' displacements (and rotations), link axes
  VectorX level;  // stiffness against each with all other freedoms of the mesh at rest: what rounding is relative to
};

// Throws InputError where part of the body is not held by its stiffness.
Superelement superelement(const FiniteElementBody& body, const std::vector<int>& nodes);

// The link with a single element wherever that condenses to the same superelement: on a straight uniform run with the
// exact interpolation and consistent mass, the static shape of many elements is that of one.
Link statically_coarse(Link link);

}  // namespace lithe
