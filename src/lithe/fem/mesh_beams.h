// Beams of mesh files, between nodes of solids, shells and spiders.
#pragma once

#include "lithe/model/finite_element_body.h"
#include "lithe/model/mesh/mesh.h"

namespace lithe {

// Adds their stiffness, and their mass as mass points, to a body whose nodes and dofs are set. `place`: the node of the
// body, per node of the mesh. Throws InputError for beams without length or direction.
void add_mesh_beams(const Link& link, const std::vector<int>& place, FiniteElementBody& body);

}  // namespace lithe
