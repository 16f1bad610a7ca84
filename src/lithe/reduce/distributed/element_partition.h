// Which process works on which elements of a mesh.
#pragma once

#include <vector>

#include "lithe/model/mesh/mesh.h"

namespace lithe {

// The process, 0 to `num_parts` - 1, of every element; -1 of elements that are not part of the structure. The mesh is
// cut across its longest side again and again, so that all get alike many nodes of elements. Equal on all processes.
std::vector<int> partition_elements(const MeshPart& part, int num_parts);

}  // namespace lithe
