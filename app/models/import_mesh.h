// `lithe import` of a mesh: what is in it, what is wrong with it, the same mesh or a model file to begin with.
#pragma once

#include <string>

#include "app/terminal/output.h"

namespace lithe::app {

struct MeshImport {
  std::string file, output, units;
};

// Whether the file's name is that of a mesh.
bool is_mesh_file(const std::string& file);

// The text of a model file of one link, as `lithe import` writes it, of a mesh that says everything: materials, and
// groups that may be interfaces. Throws InputError for others.
std::string model_of_mesh(const std::string& file, const std::string& units);

int import_mesh(const MeshImport& options, const Output& output);

}  // namespace lithe::app
