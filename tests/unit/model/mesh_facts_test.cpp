#include "lithe/model/mesh/mesh_facts.h"

#include <gtest/gtest.h>

#include "support/solid_bar.h"

namespace lithe {
namespace {

const Material steel{"steel", 7850, 2.1e11, 2.1e11 / 2.6};

class FactsOfShape : public ::testing::TestWithParam<ElementShape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, FactsOfShape,
                         ::testing::Values(ElementShape::tet4, ElementShape::tet10, ElementShape::wedge6,
                                           ElementShape::wedge15, ElementShape::hex8, ElementShape::hex20));

TEST_P(FactsOfShape, AreThoseOfTheBox) {
  const Mesh mesh = test::mesh_of({.shape = GetParam(), .size = {0.3, 0.02, 0.04}, .count = {3, 2, 2}});
  const MeshFacts facts = mesh_facts(mesh);
  EXPECT_NEAR(facts.volume, 0.3 * 0.02 * 0.04, 1e-15);
  EXPECT_NEAR(facts.size(), Vector3(0.3, 0.02, 0.04).norm(), 1e-14);
  EXPECT_EQ(facts.num_pieces, 1);
  EXPECT_TRUE(facts.hinges.empty());
  EXPECT_TRUE(facts.inside_out.empty());
}

TEST_P(FactsOfShape, NameElementsThatAreInsideOut) {
  Mesh mesh = test::mesh_of({.shape = GetParam(), .count = {2, 1, 1}});
  for (Vector3& position : mesh.positions) position.z() *= -1;
  const MeshFacts facts = mesh_facts(mesh);
  EXPECT_LT(facts.volume, 0);
  EXPECT_EQ(static_cast<int>(facts.inside_out.size()), facts.num_solids);
}

// Two cubes that share the nodes of `shared` corners of a face.
Mesh two_cubes(int shared) {
  Mesh mesh;
  const auto add = [&](double shift, int first_shared) {
    MeshElement element;
    element.shape = ElementShape::hex8;
    element.first = mesh.connectivity.size();
    element.label = static_cast<std::int64_t>(mesh.elements.size()) + 1;
    const Vector3 corners[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const int of_first[] = {1, -1, -1, 2, 5, -1, -1, 6}, order[] = {0, -1, -1, 1, 3, -1, -1, 2};
    for (int k = 0; k < 8; ++k) {
      if (of_first[k] >= 0 && order[k] < first_shared) {
        mesh.connectivity.push_back(of_first[k]);
        continue;
      }
      mesh.connectivity.push_back(mesh.num_nodes());
      mesh.positions.push_back(0.1 * (corners[k] + Vector3(shift, 0, 0)));
      mesh.node_labels.push_back(mesh.num_nodes());
    }
    mesh.elements.push_back(element);
  };
  add(0, 0);
  add(1, shared);
  return mesh;
}

TEST(MeshFacts, TellPiecesFromHinges) {
  EXPECT_EQ(mesh_facts(two_cubes(0)).num_pieces, 2);
  EXPECT_EQ(mesh_facts(two_cubes(1)).num_pieces, 1);
  EXPECT_EQ(mesh_facts(two_cubes(1)).hinges, (std::vector<std::int64_t>{2}));
  EXPECT_EQ(mesh_facts(two_cubes(2)).hinges, (std::vector<std::int64_t>{2, 3}));  // an edge
  EXPECT_TRUE(mesh_facts(two_cubes(3)).hinges.empty());                           // three corners fix a body
  EXPECT_TRUE(mesh_facts(two_cubes(4)).hinges.empty());
}

TEST(MeshFacts, CountWhatASpiderHoldsAsOneBody) {
  const Mesh mesh = two_cubes(2);
  const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  EXPECT_TRUE(mesh_facts(mesh, {&all}).hinges.empty());
  const Mesh apart = two_cubes(0);
  EXPECT_EQ(mesh_facts(apart, {&all}).num_pieces, 1);
}

std::vector<std::string> warnings_of(double length_scale, const Material& material, bool of_file, bool has_units) {
  Mesh mesh = test::mesh_of({.size = length_scale * Vector3(0.3, 0.02, 0.04), .count = {3, 1, 1}});
  if (of_file) mesh.materials = {material};
  const std::vector<int> materials(mesh.elements.size(), 0);
  return implausible_numbers(mesh, mesh_facts(mesh), mesh_mass(mesh, materials, {material}), {material}, has_units);
}

TEST(ImplausibleNumbers, AreNotSeenInPartsOfMachines) {
  EXPECT_TRUE(warnings_of(1, steel, true, false).empty());
  EXPECT_TRUE(warnings_of(0.02, {"foam", 30, 2e6, 1e6}, false, true).empty());
  EXPECT_TRUE(warnings_of(20, {"tungsten", 19'300, 4e11, 1.6e11}, false, true).empty());
}

TEST(ImplausibleNumbers, OfMillimetresAreToldWithUnitsThatFit) {
  const std::vector<std::string> size = warnings_of(1000, steel, false, false);
  ASSERT_EQ(size.size(), 1u);
  EXPECT_EQ(
      size[0],
      "the part is 303 m across and weighs 1.88e+09 kg; is the mesh file in other units? units = \"mm t s\" would "
      "fit");
  const Material tonnes{"steel", 7.85e-9, 2.1e5, 8.1e4};
  ASSERT_EQ(warnings_of(1000, tonnes, true, false).size(), 2u);
  EXPECT_NE(warnings_of(1000, tonnes, true, false)[1].find("units = \"mm t s\" would fit"), std::string::npos);
  const Material milliseconds{"steel", 7.85e-6, 210, 81};  // kg, mm, ms: GPa
  EXPECT_NE(warnings_of(1000, milliseconds, true, false)[1].find("units = \"mm kg ms\" would fit"), std::string::npos);
}

TEST(ImplausibleNumbers, AreToldWithUnitsAsWell) {
  EXPECT_NE(warnings_of(1e-3, steel, false, true)[0].find("check 'units'"), std::string::npos);
}

}  // namespace
}  // namespace lithe
