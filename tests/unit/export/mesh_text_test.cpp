#include "lithe/export/mesh_text.h"

#include <gtest/gtest.h>

#include "lithe/read/mesh/mesh_file.h"
#include "support/solid_bar.h"

namespace lithe {
namespace {

Mesh read_back(const std::string& text, MeshFormat format) {
  Diagnostics diagnostics;
  std::optional<Mesh> mesh = read_mesh(text, "written", format, diagnostics);
  EXPECT_TRUE(mesh) << (diagnostics.any() ? diagnostics.errors().front().message : "");
  return mesh ? *std::move(mesh) : Mesh();
}

// Solid elements by their corners' numbers, in order.
std::vector<std::vector<std::int64_t>> solids(const Mesh& mesh) {
  std::vector<std::vector<std::int64_t>> result;
  for (const MeshElement& element : mesh.elements) {
    if (info(element.shape).dimension < 3) continue;
    result.push_back({element.label, static_cast<std::int64_t>(element.shape)});
    for (int k = 0; k < info(element.shape).num_nodes; ++k)
      result.back().push_back(mesh.node_labels[static_cast<std::size_t>(mesh.nodes_of(element)[k])]);
  }
  return result;
}

class WrittenMeshes : public testing::TestWithParam<ElementShape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, WrittenMeshes,
                         testing::Values(ElementShape::tet4, ElementShape::tet10, ElementShape::wedge6,
                                         ElementShape::wedge15, ElementShape::hex8, ElementShape::hex20),
                         [](const testing::TestParamInfo<ElementShape>& of) {
                           return std::to_string(lithe::info(of.param).num_nodes) + "Nodes";
                         });

TEST_P(WrittenMeshes, AreReadBackAsTheyWere) {
  const Mesh mesh = test::mesh_of({.shape = GetParam(), .count = {3, 2, 2}, .skew = 0.1});
  for (const MeshFormat format : {MeshFormat::abaqus, MeshFormat::gmsh}) {
    const Mesh again = read_back(format == MeshFormat::abaqus ? abaqus_text(mesh) : gmsh_text(mesh), format);
    EXPECT_EQ(solids(again), solids(mesh));
    ASSERT_EQ(again.num_nodes(), mesh.num_nodes());
    for (int node = 0; node < mesh.num_nodes(); ++node)  // 15 digits of a part of half a metre
      EXPECT_LT(
          (again.positions[static_cast<std::size_t>(node)] - mesh.positions[static_cast<std::size_t>(node)]).norm(),
          1e-14);
  }
}

TEST(WrittenMesh, KeepsMaterialsSpidersAndMasses) {
  Mesh mesh = test::mesh_of({.shape = ElementShape::hex8, .count = {2, 1, 1}});
  mesh.materials = {Material{"light steel", 7000, 2e11, 8e10}};
  for (MeshElement& element : mesh.elements) element.material = 0;
  mesh.spiders = {{SpiderKind::rigid, 0, {1, 2, 3}, {}, 1},
                  {SpiderKind::averaging, 4, {5, 6, 7}, {0.2, -0.1, 0.9}, 2},
                  {SpiderKind::rigid, 11, {8, 9, 10}, {}, 3, false}};
  Matrix3 inertia;
  inertia << 3, 0.1, 0.2, 0.1, 4, 0.3, 0.2, 0.3, 5;
  mesh.masses = {{0, 1.5, inertia, Vector3::Zero()}};
  const Mesh again = read_back(abaqus_text(mesh), MeshFormat::abaqus);
  ASSERT_EQ(again.materials.size(), 1u);
  EXPECT_EQ(again.materials[0].name, "LIGHT_STEEL");
  EXPECT_NEAR(again.materials[0].young_modulus, 2e11, 1e-3);
  EXPECT_NEAR(again.materials[0].shear_modulus, 8e10, 1e-3);
  EXPECT_EQ(again.materials[0].density, 7000);
  for (const MeshElement& element : again.elements) EXPECT_EQ(element.material, 0);
  ASSERT_EQ(again.spiders.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(again.spiders[k].kind, mesh.spiders[k].kind);
    EXPECT_EQ(again.spiders[k].reference, mesh.spiders[k].reference);
    EXPECT_EQ(again.spiders[k].turns_nodes, mesh.spiders[k].turns_nodes);
    EXPECT_EQ(again.spiders[k].weights, mesh.spiders[k].weights);
    EXPECT_EQ(again.spiders[k].nodes, mesh.spiders[k].nodes);
  }
  double mass = 0;
  Matrix3 sum = Matrix3::Zero();
  for (const MeshMass& lumped : again.masses) {
    EXPECT_EQ(lumped.node, 0);
    mass += lumped.mass;
    sum += lumped.inertia;
  }
  EXPECT_EQ(mass, 1.5);
  EXPECT_EQ(sum, inertia);
}

}  // namespace
}  // namespace lithe
