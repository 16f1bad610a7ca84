// Meshes as files of other programs: solid elements with their sets, materials, spiders and masses, in SI units.
#pragma once

#include <string>
#include <vector>

#include "lithe/model/mesh/mesh.h"

namespace lithe {

// Input file of CalculiX and Abaqus. Groups of faces and lines become node sets; blanks in names underscores. A mesh
// that is read from it has the same solid elements and numbers. Bricks of 8 nodes are written as C3D8I.
std::string abaqus_text(const Mesh& mesh);

// Gmsh 2.2: nodes, elements and groups. The format has no materials, spiders and masses.
std::string gmsh_text(const Mesh& mesh);

}  // namespace lithe
