#include <gtest/gtest.h>

#include "lithe/base/diagnostics.h"
#include "lithe/fem/beam_element.h"
#include "support/beams.h"

namespace lithe {
namespace {

using namespace test;
constexpr double eps = std::numeric_limits<double>::epsilon();

double largest_difference(const MatrixX& a, const MatrixX& b) { return (a - b).cwiseAbs().maxCoeff(); }

// Przemieniecki, Theory of Matrix Structural Analysis (1968), section 11.3: consistent mass of a beam with rotary
// inertia.
Eigen::Matrix4d textbook_bending_mass(double mass, double l, double radius_squared) {
  const double r = radius_squared / (l * l);
  const double a = 13. / 35 + 6. / 5 * r, b = 11. / 210 + r / 10, c = 9. / 70 - 6. / 5 * r, d = -13. / 420 + r / 10;
  const double e = 1. / 105 + 2. / 15 * r, f = -1. / 140 - r / 30;
  Eigen::Matrix4d m;
  m << a, b * l, c, d * l,                  //
      b * l, e * l * l, -d * l, f * l * l,  //
      c, -d * l, a, -b * l,                 //
      d * l, f * l * l, -b * l, e * l * l;
  return mass * m;
}

TEST(ConsistentMass, IsTheTextbookMatrixWithRotaryInertiaInBothPlanes) {
  const Material material = steel();
  const Section section = rectangle(0.02, 0.05);
  const double length = 0.3;
  const MatrixX mass(straight_beam(length, 1, material, section).mass);
  const double m = material.density * section.area * length;
  const std::vector<int> xy{1, 5, 7, 11}, xz{2, 4, 8, 10};
  const Eigen::Matrix4d expected_xy = textbook_bending_mass(m, length, section.second_moment_z / section.area);
  Eigen::Matrix4d expected_xz = textbook_bending_mass(m, length, section.second_moment_y / section.area);
  const Eigen::Vector4d sign(1, -1, 1, -1);  // w' = -ψ_y
  expected_xz = sign.asDiagonal() * expected_xz * sign.asDiagonal();
  EXPECT_LT(largest_difference(mass(xy, xy), expected_xy), 20 * eps * m);
  EXPECT_LT(largest_difference(mass(xz, xz), expected_xz), 20 * eps * m);
  EXPECT_NEAR(mass(0, 0), m / 3, 20 * eps * m);
  EXPECT_NEAR(mass(0, 6), m / 6, 20 * eps * m);
  const double polar = (section.second_moment_y + section.second_moment_z) / section.area;
  EXPECT_NEAR(mass(3, 3), m / 3 * polar, 20 * eps * m * polar);
  EXPECT_NEAR(mass(3, 9), m / 6 * polar, 20 * eps * m * polar);
  EXPECT_LT(mass(xy, xz).cwiseAbs().maxCoeff(), eps * m);
}

TEST(LumpedMass, PutsHalfTheMassAndRotaryInertiaAtEachNode) {
  const Material material = aluminium();
  const Section section = rectangle(0.02, 0.05);
  const BeamKind kind{BeamTheory::euler_bernoulli, MassModel::lumped};
  const MatrixX mass(straight_beam(0.4, 1, material, section, kind).mass);
  const double half = material.density * 0.2;
  VectorX expected(6);
  expected << half * section.area * Vector3::Ones(), half * (section.second_moment_y + section.second_moment_z),
      half * section.second_moment_y, half * section.second_moment_z;
  MatrixX whole = MatrixX::Zero(12, 12);
  whole.diagonal() << expected, expected;
  EXPECT_LT(largest_difference(mass, whole), 10 * eps * mass.norm());
}

TEST(LumpedMass, TakesAnInertiaAboutOneAxisAlone) {
  Model model = polyline({Vector3::Zero(), Vector3(0.5, 0, 0)}, 2, steel(), rectangle(0.01, 0.01));
  const MatrixX without(assemble(model, model.links[0]).mass);
  const Matrix3 inertia = Vector3(0, 0.005569, 0).asDiagonal();
  model.links[0].lumped_masses.push_back({0, 0.25, inertia});
  const MatrixX added = MatrixX(assemble(model, model.links[0]).mass) - without;
  MatrixX expected = MatrixX::Zero(18, 18);
  expected.diagonal().head<3>().setConstant(0.25);
  expected(4, 4) = 0.005569;
  EXPECT_LT(largest_difference(added, expected), 1e-15);
}

struct Named {
  const char* name;
  BeamKind kind;
};
class EveryBeam : public ::testing::TestWithParam<Named> {};
INSTANTIATE_TEST_SUITE_P(
    Kinds, EveryBeam,
    ::testing::Values(Named{"EulerConsistent", {BeamTheory::euler_bernoulli, MassModel::consistent}},
                      Named{"EulerLumped", {BeamTheory::euler_bernoulli, MassModel::lumped}},
                      Named{"TimoshenkoConsistent", {BeamTheory::timoshenko, MassModel::consistent}},
                      Named{"TimoshenkoLumped", {BeamTheory::timoshenko, MassModel::lumped}},
                      Named{"LinearConsistent", {BeamTheory::linear_timoshenko, MassModel::consistent}},
                      Named{"LinearLumped", {BeamTheory::linear_timoshenko, MassModel::lumped}}),
    [](const auto& parameter) { return parameter.param.name; });

MatrixX rigid_motions(const FiniteElementBody& body) {
  MatrixX motions = MatrixX::Zero(body.num_dofs(), 6);
  for (int node = 0; node < body.num_nodes(); ++node) {
    motions.block<3, 3>(6 * node, 0).setIdentity();
    motions.block<3, 3>(6 * node, 3) = -skew(body.node_positions[node]);
    motions.block<3, 3>(6 * node + 3, 3).setIdentity();
  }
  return motions;
}

TEST_P(EveryBeam, IsFreeOfStressInRigidMotion) {
  const Model model = polyline(frame_points(), 3, steel(), rectangle(0.02, 0.05), GetParam().kind);
  const FiniteElementBody body = assemble(model, model.links[0]);
  const MatrixX forces = body.stiffness * rigid_motions(body);
  EXPECT_LT(forces.cwiseAbs().maxCoeff(), 50 * eps * MatrixX(body.stiffness).cwiseAbs().maxCoeff());
}

TEST_P(EveryBeam, InterpolatesRigidMotionExactly) {
  const Model model = polyline(frame_points(), 2, steel(), rectangle(0.02, 0.05), GetParam().kind);
  const FiniteElementBody body = assemble(model, model.links[0]);
  const MatrixX motions = rigid_motions(body);
  ASSERT_FALSE(body.mass_points.empty());
  for (const MassPoint& point : body.mass_points) {
    Eigen::Matrix<double, 3, 6> translation, rotation;
    translation << Matrix3::Identity(), -skew(point.position);
    rotation << Matrix3::Zero(), Matrix3::Identity();
    const MatrixX nodal = motions(point.dofs, Eigen::all);
    EXPECT_LT(largest_difference(point.translation_rows * nodal, translation), 100 * eps);
    EXPECT_LT(largest_difference(point.rotation_rows * nodal, rotation), 200 * eps);
  }
}

TEST_P(EveryBeam, HasSymmetricMatricesWithTheRightTotalMass) {
  const Model model = polyline(frame_points(), 2, aluminium(), rectangle(0.02, 0.05), GetParam().kind);
  const FiniteElementBody body = assemble(model, model.links[0]);
  const MatrixX mass(body.mass), stiffness(body.stiffness);
  EXPECT_LE(largest_difference(mass, mass.transpose()), eps * mass.norm());
  EXPECT_LE(largest_difference(stiffness, stiffness.transpose()), eps * stiffness.norm());
  double length = 0;
  for (std::size_t k = 1; k < frame_points().size(); ++k) length += (frame_points()[k] - frame_points()[k - 1]).norm();
  const MatrixX translations = rigid_motions(body).leftCols<3>();
  const MatrixX total = translations.transpose() * mass * translations;
  EXPECT_LT(largest_difference(total, 2700 * 0.001 * length * Matrix3::Identity()), 1e-13);
}

// Tip of a cantilever under a force across and a moment, from beam theory: the exact static interpolation has no error
// for end loads, whatever the number of elements.
TEST(Timoshenko, GivesExactTipDeflectionsInBothPlanes) {
  const Material material = steel();
  const Section section = rectangle(0.04, 0.09);  // stocky: shear is a fifth of the deflection
  const double length = 0.25, force = 1000, moment = 30;
  for (const int num_elements : {1, 3}) {
    const FiniteElementBody body =
        straight_beam(length, num_elements, material, section, {BeamTheory::timoshenko, MassModel::consistent});
    std::vector<int> free;
    for (int dof = 0; dof < body.num_dofs(); ++dof)
      if (dof >= 6) free.push_back(dof);  // node 0 is the root, node 1 the tip
    VectorX load = VectorX::Zero(body.num_dofs());
    load(6 + 1) = force;
    load(6 + 5) = moment;
    load(6 + 2) = force;
    const VectorX u = MatrixX(body.stiffness)(free, free).ldlt().solve(load(free));
    const double shear = force * length / (5. / 6 * material.shear_modulus * section.area);
    const double ei_z = material.young_modulus * section.second_moment_z;
    const double ei_y = material.young_modulus * section.second_moment_y;
    const double v = force * std::pow(length, 3) / (3 * ei_z) + moment * length * length / (2 * ei_z) + shear;
    const double w = force * std::pow(length, 3) / (3 * ei_y) + shear;
    EXPECT_NEAR(u(1) / v, 1, 1e-12);
    EXPECT_NEAR(u(2) / w, 1, 1e-12);
    EXPECT_NEAR(u(5) / (force * length * length / (2 * ei_z) + moment * length / ei_z), 1, 1e-12);
    EXPECT_NEAR(u(4) / (-force * length * length / (2 * ei_y)), 1, 1e-12);
  }
}

// n linear elements with one-point shear: bending is too stiff by 1/(4n²), shear softened as
// docs/theory/beam_elements.md (9) says.
TEST(LinearTimoshenko, DeflectsAsItsDefinitionSays) {
  const Material material = aluminium();
  const double length = 0.5, force = 100;
  for (const auto& [n, factor] : {std::pair(1, 0.0), {1, 0.25}, {2, 1.0 / 16}, {5, 1.0 / 16}}) {
    Section section = rectangle(0.03, 0.05);
    section.slenderness_factor = factor;
    const FiniteElementBody body =
        straight_beam(length, n, material, section, {BeamTheory::linear_timoshenko, MassModel::lumped});
    std::vector<int> free;
    for (int dof = 6; dof < body.num_dofs(); ++dof) free.push_back(dof);
    VectorX load = VectorX::Zero(body.num_dofs());
    load(6 + 1) = force;
    const double tip = MatrixX(body.stiffness)(free, free).ldlt().solve(load(free))(1);
    const double h = length / n;
    const double softening = 1 + factor * h * h * section.area / (12 * section.second_moment_z);
    const double expected =
        force * std::pow(length, 3) / (3 * material.young_modulus * section.second_moment_z) * (1 - 0.25 / (n * n)) +
        force * length * softening / (5. / 6 * material.shear_modulus * section.area);
    EXPECT_NEAR(tip / expected, 1, 1e-11) << n << " elements";
  }
}

TEST(Assembly, PutsNamedNodesFirstAndInnerNodesInOrder) {
  const Model model = polyline({Vector3::Zero(), Vector3(1, 0, 0), Vector3(1, 1, 0)}, 2, steel(), tube(0.02, 0.01));
  const FiniteElementBody body = assemble(model, model.links[0]);
  ASSERT_EQ(body.num_nodes(), 5);
  EXPECT_EQ(body.node_positions[1], Vector3(1, 0, 0));
  EXPECT_EQ(body.node_positions[3], Vector3(0.5, 0, 0));
  EXPECT_EQ(body.node_positions[4], Vector3(1, 0.5, 0));
  ASSERT_EQ(body.elements.size(), 4u);
  EXPECT_EQ(body.elements[2].node_a, 1);
  EXPECT_EQ(body.elements[2].node_b, 4);
  EXPECT_EQ(body.elements[3].segment, 1);
}

TEST(Assembly, TurnsTheSectionAsTold) {
  Model model = polyline({Vector3::Zero(), Vector3(1, 0, 0)}, 1, steel(), rectangle(0.02, 0.05));
  const MatrixX upright(assemble(model, model.links[0]).stiffness);
  model.links[0].segments[0].section_z = Vector3(3, 1, 0);  // only its part along y counts
  const FiniteElementBody turned = assemble(model, model.links[0]);
  EXPECT_TRUE(turned.elements[0].axes.col(2).isApprox(Vector3::UnitY()));
  EXPECT_NEAR(turned.elements[0].axes.determinant(), 1, 10 * eps);
  EXPECT_NEAR(turned.stiffness.coeff(7, 7), upright(8, 8), 1e-12 * upright(8, 8));
  EXPECT_NEAR(turned.stiffness.coeff(8, 8), upright(7, 7), 1e-12 * upright(7, 7));
}

TEST(Assembly, FindsASectionAxisForBeamsAlongLinkZ) {
  const Model model = polyline({Vector3::Zero(), Vector3(0, 0, 1)}, 1, steel(), rectangle(0.02, 0.05));
  const FiniteElementBody body = assemble(model, model.links[0]);
  EXPECT_TRUE(body.elements[0].axes.col(2).isApprox(Vector3::UnitY()));
}

// Frame indifference: turning the whole link turns the matrices and nothing else.
TEST_P(EveryBeam, TurnsWithItsLink) {
  const Model model = polyline(frame_points(), 2, steel(), rectangle(0.02, 0.05), GetParam().kind);
  const Pose pose = skew_pose();
  const Model other = moved(model, pose);
  const FiniteElementBody body = assemble(model, model.links[0]), turned = assemble(other, other.links[0]);
  MatrixX turn = MatrixX::Zero(body.num_dofs(), body.num_dofs());
  for (int k = 0; k < 2 * body.num_nodes(); ++k) turn.block<3, 3>(3 * k, 3 * k) = pose.rotation;
  const MatrixX stiffness(body.stiffness), mass(body.mass);
  EXPECT_LT(largest_difference(turn * stiffness * turn.transpose(), MatrixX(turned.stiffness)),
            100 * eps * stiffness.norm());
  EXPECT_LT(largest_difference(turn * mass * turn.transpose(), MatrixX(turned.mass)), 100 * eps * mass.norm());
}

std::string error_of(const Model& model) {
  try {
    assemble(model, model.links[0]);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Assembly, NamesTheErrorAndItsPlace) {
  const Model good = polyline({Vector3::Zero(), Vector3(1, 0, 0)}, 2, steel(), tube(0.02, 0.01));
  EXPECT_EQ(error_of(good), "no error");
  Model model = good;
  model.links[0].nodes[1].position.setZero();
  EXPECT_EQ(error_of(model), "test.toml:7:3: error: link 'arm': beam from 'n0' to 'n1' has no length");
  model = good;
  model.links[0].segments[0].section_z = Vector3(2, 0, 0);
  EXPECT_EQ(
      error_of(model),
      "test.toml:7:3: error: link 'arm': beam from 'n0' to 'n1': the section's z direction is parallel to the beam");
  model = good;
  model.links[0].nodes.push_back({"loose", Vector3(0, 1, 0)});
  EXPECT_EQ(error_of(model), "test.toml:7:3: error: link 'arm': node 'loose' is not connected by beams to node 'n0'");
  model = good;
  model.materials[0].young_modulus = -2e11;
  model.sections[0].area = 0;
  EXPECT_EQ(error_of(model),
            "test.toml:7:3: error: link 'arm': material 'steel': Young's modulus must be positive, got -2e+11 Pa\n"
            "test.toml:7:3: error: link 'arm': section 'tube': area must be positive, got 0");
  model = good;
  model.links[0].segments.clear();
  EXPECT_EQ(error_of(model), "test.toml:7:3: error: link 'arm': a flexible link needs at least one beam segment");
}

}  // namespace
}  // namespace lithe
