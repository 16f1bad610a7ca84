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

// Stress from the body's dofs: six rows (xx, yy, zz, xy, yz, zx, link axes, Pa) per place, the mean over the elements
// of one material there. `body`: of mesh_nodes_of(link). `places`: as below.
SparseMatrix nodal_stress(const Link& link, const FiniteElementBody& body, const std::vector<int>& places);

// Where the stress of nodes of the mesh is, numbered as in StressReading: solids have it at the node itself, shells at
// all bottoms and tops there. On the border of several materials of solids it jumps: each has a place of its own there.
std::vector<int> stress_places(const MeshPart& part, const std::vector<int>& mesh_nodes);
// Those on the surface of the whole mesh.
std::vector<int> stress_places_on_surface(const MeshPart& part);
// The nodes of the body at such places.
std::vector<int> body_nodes_at(const MeshPart& part, const FiniteElementBody& body, const std::vector<int>& places);

// Triangles of nodes of the body on its surface, seen from outside counterclockwise: faces of solids, bottoms and tops
// of shells.
std::vector<std::array<int, 3>> surface_of(const Link& link, const FiniteElementBody& body);

}  // namespace lithe
