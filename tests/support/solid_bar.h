// A bar of solid elements with spiders on both end faces, made in code.
#pragma once

#include "lithe/model/mesh/mesh.h"
#include "lithe/model/model.h"

namespace lithe::test {

struct SolidBar {
  ElementShape shape = ElementShape::hex8;  // hex8, hex20, wedge6, wedge15, tet4 or tet10
  Vector3 size{0.5, 0.01, 0.02};            // along x, y, z; from x = 0, centred in y and z
  std::array<int, 3> count{25, 1, 2};       // bricks, which wedges halve and tetrahedra cut into six
  double skew = 0;                          // inner nodes are shifted by so much of an element
  Material material{"steel", 7850, 2.1e11, 2.1e11 / 2.6};
  SpiderKind spider = SpiderKind::rigid;
};

Mesh mesh_of(const SolidBar& bar);
// A link of type mesh with the nodes 'root' and 'tip' at the middles of the end faces.
Link link_of(const SolidBar& bar);

}  // namespace lithe::test
