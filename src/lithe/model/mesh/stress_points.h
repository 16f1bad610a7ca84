// Where the stress of a link of solid elements is read.
#pragma once

#include <string_view>
#include <vector>

#include "lithe/model/mesh/mesh.h"

namespace lithe {

// Nodes of the mesh that any sensor reads: ascending, each once. A place in this list is a point of the link.
std::vector<int> stress_points(const MeshPart& part);

// What a sensor reads; null: none of that name.
const StressReading* stress_reading(const MeshPart& part, std::string_view sensor);
// Its points.
std::vector<int> points_of(const StressReading& reading, const std::vector<int>& points);

// Whether a node of the mesh belongs to an element of the structure: others have no stress.
std::vector<bool> nodes_with_stress(const MeshPart& part);
// Those of the surface.
std::vector<int> surface_nodes(const MeshPart& part);

}  // namespace lithe
