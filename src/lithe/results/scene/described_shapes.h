// The shapes of links as the model file and its robots' descriptions have them.
#pragma once

#include "lithe/read/read_model.h"
#include "lithe/results/scene/scene.h"

namespace lithe {

// Adds them to the scene of a model that was read from a file. Returns sentences about meshes that are missing.
std::vector<std::string> add_described_shapes(Scene& scene, const ReadOptions& options);

}  // namespace lithe
