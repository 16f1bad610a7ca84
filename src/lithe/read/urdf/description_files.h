// Files that a description names: what it includes, and meshes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lithe/read/tables/input_file.h"
#include "lithe/read/urdf/robot_description.h"

namespace lithe {

class TableReader;

// Where a mesh may lie, as seen from the file that names it: "package://name/path" below its folder or below one of
// those above, one of which may be the package itself.
std::vector<std::string> places_of_mesh(const std::string& name);

// The choices of [robot], with what reads files beside its description under the rules of the model file. `outside`,
// which outlives them, becomes true with the first file outside its folder.
DescriptionChoices choices_of(const TableReader& robot, const NamedFile& description, bool& outside);

// Files below the folder of a description that is no model file's, or anywhere.
void read_files_beside(const std::filesystem::path& description, bool anywhere, DescriptionChoices& choices);

}  // namespace lithe
