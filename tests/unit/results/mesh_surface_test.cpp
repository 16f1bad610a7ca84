#include "lithe/results/scene/mesh_surface.h"

#include <gtest/gtest.h>

#include "support/solid_bar.h"

namespace lithe {
namespace {

// Spiders of the model file and of the mesh file, from the node that holds to each node that is held.
TEST(DrawnSurface, HasTheLegsOfItsSpiders) {
  Link link = test::link_of({.count = {4, 2, 2}});
  auto part = std::make_shared<MeshPart>(*link.mesh);
  part->mesh.positions.push_back(Vector3(0.25, 0, 0.1));
  part->mesh.node_labels.push_back(1000);
  MeshSpider motor;
  motor.reference = part->mesh.num_nodes() - 1;
  for (int node = 0; node < motor.reference; ++node)
    if (std::abs(part->mesh.positions[static_cast<std::size_t>(node)].x() - 0.25) < 1e-9) motor.nodes.push_back(node);
  part->mesh.spiders = {motor};
  link.mesh = part;
  SceneLink drawn;
  for (const Node& node : link.nodes) drawn.nodes.push_back({node.name, node.position});
  add_surface(link, drawn);
  ASSERT_EQ(drawn.legs.size(), 27u);
  ASSERT_EQ(drawn.body_nodes.size(), drawn.nodes.size());
  for (std::size_t k = 0; k < 27; ++k) {
    const Vector3 from = drawn.nodes[static_cast<std::size_t>(drawn.legs[k][0])].position,
                  to = drawn.nodes[static_cast<std::size_t>(drawn.legs[k][1])].position;
    const Vector3 wanted = k < 9 ? Vector3(0, 0, 0) : k < 18 ? Vector3(0.5, 0, 0) : Vector3(0.25, 0, 0.1);
    EXPECT_LT((from - wanted).norm(), 1e-12) << k;
    EXPECT_NEAR(to.x(), wanted.x(), 1e-12) << k;
  }
}

}  // namespace
}  // namespace lithe
