// The surface of a link of solids and shells, as a page draws it.
#pragma once

#include "lithe/model/finite_element_body.h"
#include "lithe/results/scene/scene.h"

namespace lithe {

// A surface with more nodes is drawn by a choice of them.
inline constexpr std::size_t most_surface_nodes = 12'000;

// Adds the surface of a mesh to a link whose named nodes are there.
void add_surface(const Link& link, SceneLink& drawn);

}  // namespace lithe
