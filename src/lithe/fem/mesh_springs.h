// Springs of a mesh file.
#pragma once

#include "lithe/model/finite_element_body.h"
#include "lithe/model/mesh/mesh.h"

namespace lithe {

// Adds k e² / 2 of each spring with the elongation e, (13) of the theory of solids. `place`: the node of the body, per
// node of the mesh.
void add_mesh_springs(const Mesh& mesh, const std::vector<int>& place, FiniteElementBody& body);

}  // namespace lithe
