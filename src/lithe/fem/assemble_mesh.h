// From a link of solid and shell elements, or imported matrices with spiders, to its finite-element body.
#pragma once

#include "lithe/model/finite_element_body.h"
#include "lithe/model/mesh/mesh.h"

namespace lithe {

// Throws InputError for a mesh that is no body: elements turned inside out, pieces that do not hang together, no
// material. Lumped masses included.
FiniteElementBody assemble_mesh(const Link& link);

// What some of its elements give, for processes that share a mesh: shares that hold every element once add up to the
// whole body. Nodes, dofs and their motions are those of the whole. `element_materials`: as in MeshPart, -1 of elements
// of other shares. Throws as `assemble_mesh` does, whatever is wrong and wherever in the mesh.
FiniteElementBody assemble_share(const Link& link, const std::vector<int>& element_materials, bool with_masses);

// The imported body with the link's spiders and lumped masses.
FiniteElementBody assemble_imported(const Link& link);

// Motions (u, ψ) of all nodes, 3 rows each, from displacements of the dofs, one case per column.
struct NodeShapes {
  MatrixX translations, rotations;
};
NodeShapes node_shapes(const FiniteElementBody& body, const MatrixX& dofs);

}  // namespace lithe
