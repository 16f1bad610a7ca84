// Where sensors ask for the stress of a link of solid elements.
#pragma once

#include <vector>

#include "lithe/model/model.h"

namespace lithe {

// Nodes of the mesh at which any sensor reads the stress of this link: ascending, each once. None of other links.
std::vector<int> stress_points(const Model& model, int link);

// Places in that list of what one sensor reads: a single one, or all those over which it is the largest.
std::vector<int> stress_points_of(const Model& model, const Sensor& sensor, const std::vector<int>& points);

// Whether a node of the mesh belongs to an element of the structure: others have no stress.
std::vector<bool> nodes_with_stress(const MeshPart& part);

}  // namespace lithe
