// Motions and modes for ParaView and other programs that read VTK files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lithe/results/scene/scene.h"
#include "lithe/results/scene/scene_motion.h"

namespace lithe {

// <directory>/<stem>.pvd, a series over time, and one <stem>_<frame>.vtp per instant: all nodes, with displacement,
// rotation and number of the link, and lines between them with the section's radius (for a tube filter), normal force,
// torque and largest bending moment. At most `max_frames` instants, evenly chosen. Throws InputError when that fails.
std::vector<std::filesystem::path> write_vtk(const Scene& scene, const SceneMotion& motion,
                                             const std::filesystem::path& directory, const std::string& stem,
                                             int max_frames = 200);

// <directory>/<stem>.vtp: the configuration with every mode as a vector to warp by.
std::vector<std::filesystem::path> write_vtk(const Scene& scene, const ModeSet& modes,
                                             const std::filesystem::path& directory, const std::string& stem);

}  // namespace lithe
