// Stress of links of solids and shells from the displacements of their nodes (docs/theory/solid_elements.md,
// docs/theory/shell_elements.md).
#pragma once

#include <array>
#include <vector>

#include "lithe/model/finite_element_body.h"
#include "lithe/model/mesh/mesh.h"

namespace lithe {

// The body of assemble_mesh(link) without mass and stiffness, which take most of the time: nodes, dofs and how nodes
// move with them.
FiniteElementBody mesh_nodes_of(const Link& link);

// Stress at nodes from the body's dofs: six rows (xx, yy, zz, xy, yz, zx, link axes, Pa) per node, the mean over the
// elements at it. `body`: of mesh_nodes_of(link). `nodes`: of the body; shells have their stress at the nodes of their
// bottom and top, which are the last of the body.
SparseMatrix nodal_stress(const Link& link, const FiniteElementBody& body, const std::vector<int>& nodes);

// Triangles of nodes of the body on its surface, seen from outside counterclockwise: faces of solids, bottoms and tops
// of shells.
std::vector<std::array<int, 3>> surface_of(const Link& link, const FiniteElementBody& body);

}  // namespace lithe
