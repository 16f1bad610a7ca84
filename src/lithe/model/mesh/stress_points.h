// Where the stress of a link of solid elements is read.
#pragma once

#include <string_view>
#include <vector>

#include "lithe/model/mesh/mesh.h"

namespace lithe {

// Nodes that any sensor reads, numbered as in StressReading: ascending, each once. A place in this list is a point of
// the link.
std::vector<int> stress_points(const MeshPart& part);

// What a sensor reads; null: none of that name.
const StressReading* stress_reading(const MeshPart& part, std::string_view sensor);
// Its points.
std::vector<int> points_of(const StressReading& reading, const std::vector<int>& points);

// Whether a node of the mesh belongs to a solid element of the structure. Those of shells have their stress at bottom
// and top, others have none.
std::vector<bool> nodes_of_solids(const MeshPart& part);
// Those on the surface of solids.
std::vector<int> surface_nodes(const MeshPart& part);

}  // namespace lithe
