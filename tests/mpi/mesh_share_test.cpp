// Shares of a mesh add up to the whole, however many there are.
#include "lithe/reduce/distributed/mesh_share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "lithe/fem/assemble_mesh.h"
#include "lithe/fem/mesh_stress.h"
#include "lithe/model/mesh/mesh.h"
#include "lithe/read/read_model.h"
#include "lithe/reduce/distributed/dof_layout.h"
#include "lithe/reduce/distributed/element_partition.h"
#include "lithe/reduce/invariants.h"

namespace lithe {
namespace {

// Rigid and averaging spiders, a point mass with inertia.
Link bracket() {
  Model model = read_model(LITHE_MODELS_DIR "/solids/bracket.toml");
  model.links[0].spiders[1].kind = SpiderKind::averaging;
  return model.links[0];
}

// Folded shells with rigid spiders.
Link sheet() { return read_model(LITHE_MODELS_DIR "/shells/sheet_arm.toml").links[0]; }

SparseMatrix placed(const SparseMatrix& own, const std::vector<int>& dofs, Eigen::Index size) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < own.outerSize(); ++j)
    for (SparseMatrix::InnerIterator entry(own, j); entry; ++entry)
      entries.emplace_back(dofs[static_cast<std::size_t>(entry.row())], dofs[static_cast<std::size_t>(j)],
                           entry.value());
  SparseMatrix result(size, size);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

TEST(ElementPartition, GivesEveryElementToOneOfEquallyBusyProcesses) {
  const Link link = bracket();
  for (const int num_parts : {1, 2, 3, 7}) {
    const std::vector<int> part_of_element = partition_elements(*link.mesh, num_parts);
    std::vector<int> counts(static_cast<std::size_t>(num_parts), 0);
    int solids = 0;
    for (std::size_t e = 0; e < part_of_element.size(); ++e) {
      const bool solid = link.mesh->element_materials[e] >= 0;
      ASSERT_EQ(part_of_element[e] >= 0, solid);
      if (!solid) continue;
      ++solids;
      ++counts.at(static_cast<std::size_t>(part_of_element[e]));
    }
    for (const int count : counts) EXPECT_LE(std::abs(count - solids / num_parts), 2 + num_parts);
  }
}

void expect_shares_add_up(const Link& link) {
  const FiniteElementBody whole = assemble_mesh(link);
  const Eigen::Index size = whole.num_dofs();
  MatrixX fields(size, 3);
  for (Eigen::Index i = 0; i < size; ++i)
    fields.row(i) << std::sin(0.3 * static_cast<double>(i)), std::cos(0.7 * static_cast<double>(i)), 1;
  const InertiaInvariants inertia = inertia_invariants(whole, fields);
  for (const int num_parts : {1, 2, 5}) {
    const std::vector<int> part_of_element = partition_elements(*link.mesh, num_parts);
    SparseMatrix stiffness(size, size), mass(size, size);
    double total_mass = 0;
    MatrixX products = MatrixX::Zero(3, 3), momentum = MatrixX::Zero(3, 3);
    for (int part = 0; part < num_parts; ++part) {
      const MeshShare share = mesh_share(link, part_of_element, part);
      if (num_parts > 1) {
        EXPECT_LT(share.dofs.size(), 0.9 * static_cast<double>(size));
        EXPECT_LT(share.body.stiffness.nonZeros(), 0.7 * static_cast<double>(whole.stiffness.nonZeros()));
      }
      stiffness += placed(share.body.stiffness, share.dofs, size);
      mass += placed(share.body.mass, share.dofs, size);
      const InertiaInvariants own = inertia_invariants(share.body, fields(share.dofs, Eigen::all));
      total_mass += own.mass;
      products += own.mode_mode[0][1];
      momentum += own.mode_momentum;
    }
    constexpr double rounding = 1e-12;
    EXPECT_LT((stiffness - whole.stiffness).norm(), rounding * whole.stiffness.norm());
    EXPECT_LT((mass - whole.mass).norm(), rounding * whole.mass.norm());
    EXPECT_NEAR(total_mass, inertia.mass, rounding * inertia.mass);
    EXPECT_LT((products - inertia.mode_mode[0][1]).norm(), rounding * inertia.mode_mode[0][0].norm());
    EXPECT_LT((momentum - inertia.mode_momentum).norm(), rounding * inertia.mode_momentum.norm());
  }
}

TEST(MeshShare, SharesAddUpToTheMatricesAndInertiaOfTheWhole) { expect_shares_add_up(bracket()); }
TEST(MeshShare, SharesOfShellsAddUpToTheMatricesAndInertiaOfTheWhole) { expect_shares_add_up(sheet()); }

TEST(DofLayout, NumbersInnerDofsOnceProcessByProcess) {
  const Link link = bracket();
  const FiniteElementBody nodes = mesh_nodes_of(link);
  const std::vector<int> interface { 0, 1 };
  constexpr int num_parts = 3;
  const DofLayout layout =
      lay_out_dofs(nodes, *link.mesh, partition_elements(*link.mesh, num_parts), num_parts, interface);
  EXPECT_EQ(layout.num_interface(), 12);
  EXPECT_EQ(layout.num_inner() + layout.num_interface(), nodes.num_dofs());
  std::vector<int> rows = layout.row;
  std::sort(rows.begin(), rows.end());
  std::vector<int> expected(rows.size());
  std::iota(expected.begin(), expected.end(), -layout.num_interface());
  EXPECT_EQ(rows, expected);
  for (int process = 0; process < num_parts; ++process) {
    EXPECT_EQ(layout.process_of(layout.starts[static_cast<std::size_t>(process)]), process);
    EXPECT_EQ(layout.process_of(layout.starts[static_cast<std::size_t>(process) + 1] - 1), process);
  }
}

}  // namespace
}  // namespace lithe
