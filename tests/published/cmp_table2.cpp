// [CMP] Table II: natural frequencies of the free L-shape, 48 printed values. The beam behind the table is not the
// Euler-Bernoulli element that the paper's text names, but a two-node linear Timoshenko element with one-point shear
// integration and lumped mass; shear factor 16/19, torsion constant 0.142628 a⁴ and the slenderness factor 1/16 of
// docs/theory/beam_elements.md (9) are fitted to this table, the structure is not. The link carries the elbow's mass
// and, on the root's rotation about y, the inertias of motor and shrink disc.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "lithe/reduce/reduce.h"
#include "support/beams.h"

namespace lithe {
namespace {

using namespace test;

Model l_shape(int elements_per_rod, BeamKind kind) {
  const double side = 0.008;
  Section section = test::rectangle(side, side);
  section.torsion_constant = 0.142628 * std::pow(side, 4);
  section.shear_factor_y = section.shear_factor_z = 16.0 / 19.0;
  section.slenderness_factor = 1.0 / 16;
  const std::vector<Vector3> points{Vector3::Zero(), Vector3(0.5, 0, 0), Vector3(0.5, 0.5, 0)};
  Model model = polyline(points, elements_per_rod, aluminium(), section, kind);
  model.links[0].lumped_masses = {{1, 0.017, Matrix3::Zero()}, {0, 0.0, Vector3(0, 0.0043 + 0.001269, 0).asDiagonal()}};
  return model;
}

// The printed values of one column.
std::vector<double> printed(int column) {
  std::ifstream file(LITHE_TESTS_DIR "/published/cmp_table2_natural_frequencies.csv");
  EXPECT_TRUE(file.good());
  std::vector<double> values;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#' || line[0] == 'm') continue;
    std::istringstream cells(line);
    std::string cell;
    for (int k = 0; k <= column; ++k)
      if (!std::getline(cells, cell, ',')) cell.clear();
    if (!cell.empty()) values.push_back(std::stod(cell));
  }
  return values;
}

VectorX computed(int elements_per_rod, BeamKind kind, const ReductionChoice& choice) {
  const ReducedModel reduced = reduce(l_shape(elements_per_rod, kind), choice);
  return reduced.bodies[0].squared_frequencies.cwiseSqrt() / (2 * pi);
}

constexpr BeamKind commercial{BeamTheory::linear_timoshenko, MassModel::lumped};

// "18 of 30 modes" counts the 6 rigid ones: 12 static shapes of the two end nodes and 6 fixed-interface modes.
ReductionChoice eighteen_of_thirty() {
  ReductionChoice choice;
  choice.method = ReductionMethod::craig_bampton;
  choice.interface_nodes = {0, 2};
  choice.num_internal_modes = 6;
  return choice;
}

void expect_column(int column, const VectorX& frequencies) {
  const std::vector<double> values = printed(column);
  ASSERT_EQ(frequencies.size(), static_cast<Eigen::Index>(values.size()));
  // Half the last printed digit. Wider for mode 9 with 18 modes (computed 103.248, printed 103.24, though 103.25 with
  // 30 modes and a reduction cannot lower it) and above 20 kHz, where the fit of the three numbers shows.
  for (std::size_t k = 0; k < values.size(); ++k) {
    const bool mode_9 = column == 2 && k == 2;
    const double tolerance = values[k] > 20e3 ? 0.02 : mode_9 ? 0.009 : 0.005;
    EXPECT_NEAR(frequencies(static_cast<Eigen::Index>(k)), values[k], tolerance) << "mode " << k + 7;
  }
}

TEST(CmpTable2, TwoElementsWithAllModes) { expect_column(1, computed(1, commercial, {})); }

TEST(CmpTable2, FourElementsWithEighteenModes) { expect_column(2, computed(2, commercial, eighteen_of_thirty())); }

TEST(CmpTable2, FourElementsWithAllModes) { expect_column(3, computed(2, commercial, {})); }

// The table tells the elements apart: with the element that the text names, no fit of the numbers would help.
TEST(CmpTable2, IsNotReachedByEulerBernoulliBeams) {
  const std::vector<double> values = printed(3);
  for (const MassModel mass : {MassModel::lumped, MassModel::consistent}) {
    const VectorX frequencies = computed(2, {BeamTheory::euler_bernoulli, mass}, {});
    double worst = 0;
    for (std::size_t k = 0; k < values.size(); ++k)
      worst = std::max(worst, std::abs(frequencies(static_cast<Eigen::Index>(k)) / values[k] - 1));
    EXPECT_GT(worst, 0.5);
    RecordProperty(mass == MassModel::lumped ? "lumped_percent" : "consistent_percent", static_cast<int>(100 * worst));
  }
}

}  // namespace
}  // namespace lithe
