// Units of a mesh file as a user writes them.
#pragma once

#include <optional>
#include <string_view>

#include "lithe/model/mesh/mesh.h"

namespace lithe {

// "mm t s": a length, a mass and a time, in any order; what is left out is m, kg or s.
std::optional<MeshUnits> parse_mesh_units(std::string_view text);

}  // namespace lithe
