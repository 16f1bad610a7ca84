// Motions and modes as binary glTF 2.0, for slides, web pages and 3-D programs. Links are nodes that move, their
// deformation is morph targets with animated weights: exact for what is linear in the displacements.
#pragma once

#include <filesystem>
#include <string>

#include "lithe/results/scene/scene.h"
#include "lithe/results/scene/scene_motion.h"

namespace lithe {

// `scale` magnifies displacements.
std::string gltf_binary(const Scene& scene, const SceneMotion& motion, double scale = 1);
// One mode swinging for one period of a second; the node that moves most goes by a tenth of the mechanism's size.
std::string gltf_binary(const Scene& scene, const ModeSet& modes, int mode);

// <directory>/<name>. Throws InputError when the file cannot be written.
std::filesystem::path write_gltf(const std::string& binary, const std::filesystem::path& directory,
                                 const std::string& name);

}  // namespace lithe
