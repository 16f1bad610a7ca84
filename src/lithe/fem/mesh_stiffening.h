// What stress in solids and shells does to their bending (docs/theory/solid_elements.md, "Second order").
#pragma once

#include <vector>

#include "lithe/fem/assemble_mesh.h"
#include "lithe/model/finite_element_body.h"

namespace lithe {

// Loads on a body, one per column: on the translations and rotations of all nodes (6 per node, those of nodes that
// follow others included), and what the body does under them at rest, from the same support.
struct StaticLoads {
  MatrixX forces, motions;
};

// Per load the symmetric G with which it works ½ qᵀ G q on the second-order displacement of the shapes `modes` q.
std::vector<MatrixX> second_order_work(const Link& link, const FiniteElementBody& body, const StaticLoads& loads,
                                       const NodeShapes& modes);

}  // namespace lithe
