// What many processes compute is what one computes with other solvers: Eigen's factor and the engine's own iteration.
#include "lithe/reduce/distributed/distributed_reduction.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lithe/base/diagnostics.h"
#include "lithe/model/mesh/mesh.h"
#include "lithe/read/read_model.h"
#include "mpi/run_mpi.h"

namespace lithe {
namespace {

constexpr auto no_stage = [](const std::string&) {};

void expect_near(const VectorX& found, const VectorX& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (Eigen::Index k = 0; k < found.size(); ++k) EXPECT_NEAR(found(k), expected(k), tolerance * expected(k)) << k;
}

// Modes of both may differ by signs, and by turns among those of one frequency: what does not depend on that.
void expect_same_part(const PortableBody& found, const PortableBody& expected) {
  constexpr double tolerance = 1e-9;
  expect_near(held_frequencies(found), held_frequencies(expected), tolerance);
  expect_near(free_frequencies(found), free_frequencies(expected), tolerance);
  ASSERT_EQ(found.node_dofs, expected.node_dofs);
  EXPECT_EQ(found.num_unknowns, expected.num_unknowns);
  const Eigen::Index held = expected.num_node_coordinates();
  const auto expect_block = [&](const MatrixX& a, const MatrixX& b) {
    EXPECT_LE((a - b).norm(), tolerance * b.norm());  // a single node: both without stiffness
  };
  expect_block(found.stiffness.topLeftCorner(held, held), expected.stiffness.topLeftCorner(held, held));
  expect_block(found.mass.topLeftCorner(held, held), expected.mass.topLeftCorner(held, held));
  EXPECT_NEAR(found.inertia.mass, expected.inertia.mass, tolerance * expected.inertia.mass);
  expect_block(found.inertia.first_moment, expected.inertia.first_moment);
  expect_block(found.inertia.second_moment, expected.inertia.second_moment);
  expect_block(found.inertia.mode_momentum.leftCols(held), expected.inertia.mode_momentum.leftCols(held));
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) {
      const MatrixX &mine = found.inertia.mode_mode[a][b], &theirs = expected.inertia.mode_mode[a][b];
      EXPECT_LT((mine - theirs).topLeftCorner(held, held).norm(), tolerance * expected.mass.norm());
    }
  EXPECT_EQ(fault_of(found), "");
}

// A clamped bar of square section: every bending frequency is double.
Model square_bar() {
  constexpr int length = 20, side = 2;
  constexpr double step = 0.01;
  auto part = std::make_shared<MeshPart>();
  Mesh& mesh = part->mesh;
  for (int i = 0; i <= length; ++i)
    for (int j = 0; j <= side; ++j)
      for (int k = 0; k <= side; ++k) {
        mesh.positions.emplace_back(2 * step * i, step * j, step * k);
        mesh.node_labels.push_back(mesh.num_nodes());
      }
  const auto node = [](int i, int j, int k) { return (i * (side + 1) + j) * (side + 1) + k; };
  for (int i = 0; i < length; ++i)
    for (int j = 0; j < side; ++j)
      for (int k = 0; k < side; ++k) {
        mesh.elements.push_back({ElementShape::hex8, 0, mesh.connectivity.size(), mesh.num_elements() + 1});
        for (const int up : {0, 1})
          for (const auto& [a, b] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}})
            mesh.connectivity.push_back(node(i + a, j + b, k + up));
      }
  part->materials = {Material{.name = "steel", .density = 7850, .young_modulus = 210e9, .shear_modulus = 210e9 / 2.6}};
  part->element_materials.assign(mesh.elements.size(), 0);
  Link link;
  link.name = "bar";
  link.nodes = {{"root", Vector3(0, step, step)}};
  link.spiders.push_back({SpiderKind::rigid, {}, {}});
  for (int j = 0; j <= side; ++j)
    for (int k = 0; k <= side; ++k) link.spiders[0].nodes.push_back(node(0, j, k));
  link.mesh = part;
  Model model;
  model.links.push_back(link);
  return model;
}

TEST(DistributedReduction, IsThatOfOneProcess) {
  const Model model = read_model(LITHE_MODELS_DIR "/solids/bracket.toml");
  const DistributedReduction found = reduce_distributed(all_ranks(), model.links[0], 12, no_stage);
  expect_same_part(found.part, portable_body(model, 0, 12));
  ASSERT_EQ(found.ranks.size(), static_cast<std::size_t>(all_ranks().size()));
  int unknowns = 0, elements = 0;
  for (const RankUse& use : found.ranks) {
    unknowns += use.num_unknowns;
    elements += use.num_elements;
    EXPECT_GT(use.peak_memory, 1e6);
  }
  EXPECT_EQ(unknowns, found.part.num_unknowns - found.part.num_node_coordinates());
  const std::vector<int>& materials = model.links[0].mesh->element_materials;
  EXPECT_EQ(elements, std::count_if(materials.begin(), materials.end(), [](int m) { return m >= 0; }));
}

TEST(DistributedReduction, HoldsForAveragingSpidersAndTheChoiceOfTheLink) {
  Model model = read_model(LITHE_MODELS_DIR "/solids/bracket.toml");
  for (Spider& spider : model.links[0].spiders) spider.kind = SpiderKind::averaging;
  const PortableBody expected = portable_body(model, 0, {});
  EXPECT_EQ(expected.num_modes(), 6);  // of the model file
  expect_same_part(reduce_distributed(all_ranks(), model.links[0], {}, no_stage).part, expected);
}

TEST(DistributedReduction, CountsModesBelowAFrequency) {
  Model model = read_model(LITHE_MODELS_DIR "/solids/bracket.toml");
  model.links[0].reduction.num_internal_modes.reset();
  model.links[0].reduction.max_frequency = 6000;
  const PortableBody expected = portable_body(model, 0, {});
  EXPECT_EQ(expected.num_modes(), 4);
  expect_same_part(reduce_distributed(all_ranks(), model.links[0], {}, no_stage).part, expected);
}

TEST(DistributedReduction, FindsBothShapesOfDoubleFrequencies) {
  const Model model = square_bar();
  const PortableBody found = reduce_distributed(all_ranks(), model.links[0], 10, no_stage).part;
  expect_same_part(found, portable_body(model, 0, 10));
  const VectorX frequencies = held_frequencies(found);
  EXPECT_NEAR(frequencies(0), frequencies(1), 1e-9 * frequencies(0));
  EXPECT_NEAR(frequencies(2), frequencies(3), 1e-9 * frequencies(2));
}

TEST(DistributedReduction, RefusesANodeThatDoesNotHoldTheBody) {
  Model model = square_bar();
  Link& link = model.links[0];
  auto part = std::make_shared<MeshPart>(*link.mesh);
  part->named_nodes = {0};
  link.mesh = part;
  link.nodes = {{"corner", part->mesh.positions[0]}};
  link.spiders.clear();
  try {
    reduce_distributed(all_ranks(), link, 5, no_stage);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("do not hold the body"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lithe
