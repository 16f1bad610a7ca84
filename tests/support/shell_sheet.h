// A sheet of shell elements over a map of the unit square, made in code.
#pragma once

#include <functional>

#include "lithe/model/finite_element_body.h"
#include "lithe/model/mesh/mesh.h"

namespace lithe::test {

struct ShellSheet {
  ElementShape shape = ElementShape::quad4;  // tri3, tri6, quad4 or quad8
  int nx = 4, ny = 4;                        // quadrilaterals, which triangles halve
  std::function<Vector3(double, double)> map = [](double u, double v) { return Vector3(u, v, 0); };
  double skew = 0;  // inner corners are shifted by so much of an element
  double thickness = 0.01;
  ElementMaterial material{Material{"steel", 7850, 2.1e11, 2.1e11 / 2.6}};
  double offset = 0;
};

Mesh mesh_of_sheet(const ShellSheet& sheet);
// A link of type mesh without named nodes: its nodes are those of the mesh, in order, then bottoms and tops.
Link link_of_sheet(const ShellSheet& sheet);

int nearest_node(const FiniteElementBody& body, const Vector3& point);

// Displacements of the dofs under loads, with some dofs at given values.
VectorX displacements(const FiniteElementBody& body, const VectorX& loads, const std::vector<bool>& held,
                      const VectorX& values);

}  // namespace lithe::test
