// From a link of solid and shell elements, or imported matrices with spiders, to its finite-element body.
#pragma once

#include "lithe/model/finite_element_body.h"
#include "lithe/model/mesh/mesh.h"

namespace lithe {

// Throws InputError for a mesh that is no body: elements turned inside out, pieces that do not hang together, no
// material. Lumped masses included.
FiniteElementBody assemble_mesh(const Link& link);

// The imported body with the link's spiders and lumped masses.
FiniteElementBody assemble_imported(const Link& link);

// Motions (u, ψ) of all nodes, 3 rows each, from displacements of the dofs, one case per column.
struct NodeShapes {
  MatrixX translations, rotations;
};
NodeShapes node_shapes(const FiniteElementBody& body, const MatrixX& dofs);

}  // namespace lithe
