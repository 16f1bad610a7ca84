// What a mesh is like as a body: how large, how heavy, of which elements, and what is wrong with it.
#pragma once

#include <utility>
#include <vector>

#include "lithe/model/mesh/mesh.h"

namespace lithe {

struct MeshFacts {
  Vector3 low = Vector3::Zero(), high = Vector3::Zero();  // corners of the box around the elements
  double volume = 0;                                      // of solids, and of shells with their thickness
  std::vector<std::pair<ElementShape, int>> shapes;       // how many elements there are of each, solid or not
  std::vector<std::int64_t> inside_out;                   // solid elements with negative or zero volume, by number
  int num_solids = 0, num_shells = 0;
  int num_pieces = 0;                // of elements that share nodes
  std::vector<std::int64_t> hinges;  // nodes by which alone parts of one piece hang together: they can turn about them

  double size() const { return (high - low).norm(); }
};
MeshFacts mesh_facts(const Mesh& mesh);
// Nodes that spiders hold together count as one body.
MeshFacts mesh_facts(const Mesh& mesh, const std::vector<const std::vector<int>*>& held_together);

// Of a solid element with its faces cut into triangles: negative where it is turned inside out. Of a shell its area,
// cut likewise, times its thickness; others have none.
double element_volume(const Mesh& mesh, const MeshElement& element);

// The mass of solids, shells and beams; elements without a material count as nothing.
double mesh_mass(const Mesh& mesh, const std::vector<int>& element_materials,
                 const std::vector<ElementMaterial>& materials);

// Numbers that no part of a machine has, one sentence each, with a guess at the units of the file where one explains
// them. `has_units`: they were given. `materials`: those of the elements.
std::vector<std::string> implausible_numbers(const Mesh& mesh, const MeshFacts& facts, double mass,
                                             const std::vector<ElementMaterial>& materials, bool has_units);

}  // namespace lithe
