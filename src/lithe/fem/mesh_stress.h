// Stress of links of solid elements from the displacements of their nodes (docs/theory/solid_elements.md).
#pragma once

#include <vector>

#include "lithe/model/finite_element_body.h"
#include "lithe/model/mesh/mesh.h"

namespace lithe {

// The body of assemble_mesh(link) without mass and stiffness, which take most of the time: nodes, dofs and how nodes
// move with them.
FiniteElementBody mesh_nodes_of(const Link& link);

// Stress at nodes of the mesh from the body's dofs: six rows (xx, yy, zz, xy, yz, zx, link axes, Pa) per node, the mean
// over the elements at it. `body`: of mesh_nodes_of(link). `nodes`: of the body.
SparseMatrix nodal_stress(const Link& link, const FiniteElementBody& body, const std::vector<int>& nodes);

}  // namespace lithe
