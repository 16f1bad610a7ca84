// Springs of a mesh file.
#pragma once

#include <string>

#include "lithe/model/finite_element_body.h"
#include "lithe/model/mesh/mesh.h"

namespace lithe {

// What hangs on an averaging element fills a part of a matrix over all its nodes. Throws where `squares`, the sum over
// such parts of the square of their freedoms, needs more memory than machines have.
void demand_room_for_full_parts(double squares, const std::string& link, const std::string& what);

// Adds k e² / 2 of each spring with the elongation e, (13) of the theory of solids. `place`: the node of the body, per
// node of the mesh.
void add_mesh_springs(const Mesh& mesh, const std::vector<int>& place, FiniteElementBody& body);

}  // namespace lithe
