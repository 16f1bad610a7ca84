#include "lithe/reduce/invariants.h"

#include <gtest/gtest.h>

#include <random>

#include "lithe/reduce/reduce.h"
#include "support/beams.h"

namespace lithe {
namespace {

using namespace test;
constexpr double eps = std::numeric_limits<double>::epsilon();

Model frame(int elements, BeamKind kind = {}) {
  Model model = polyline(frame_points(), elements, steel(), rectangle(0.02, 0.05), kind);
  model.links[0].lumped_masses.push_back({2, 0.4, Vector3(1e-3, 2e-3, 2.5e-3).asDiagonal()});
  return model;
}

ReducedBody reduced(const Model& model, int num_modes = 8) {
  ReductionChoice choice;
  choice.num_kept_modes = num_modes;
  return reduce(assemble(model, model.links[0]), choice, {}, {});
}

// ∫ρ s sᵀ of straight prismatic beams, by hand: a rod's mass at its centre, m d dᵀ/12 along it, and the section's
// second moments across it.
Matrix3 continuum_second_moment(const Model& model) {
  const Link& link = model.links[0];
  const double density = model.materials[0].density;
  const Section& section = model.sections[0];
  Matrix3 sum = Matrix3::Zero();
  for (const BeamSegment& segment : link.segments) {
    const Vector3 a = link.nodes[segment.from].position, b = link.nodes[segment.to].position;
    const Vector3 centre = (a + b) / 2, along = b - a, x = along.normalized();
    const Vector3 z = (Vector3::UnitZ() - x * x.z()).normalized(), y = z.cross(x);
    const double mass = density * section.area * along.norm();
    sum += mass * (centre * centre.transpose() + along * along.transpose() / 12) +
           density * along.norm() *
               (section.second_moment_z * y * y.transpose() + section.second_moment_y * z * z.transpose());
  }
  for (const LumpedMass& lumped : link.lumped_masses) {
    const Vector3 s = link.nodes[lumped.node].position;
    sum += lumped.mass * s * s.transpose() + 0.5 * lumped.inertia.trace() * Matrix3::Identity() - lumped.inertia;
  }
  return sum;
}

TEST(Invariants, GiveTheContinuumsInertiaWithOneElementPerBeam) {
  for (const BeamTheory theory : {BeamTheory::euler_bernoulli, BeamTheory::timoshenko, BeamTheory::linear_timoshenko})
    for (const int elements : {1, 3}) {
      const Model model = frame(elements, {theory, MassModel::consistent});
      const InertiaInvariants found = reduced(model).invariants;
      const Matrix3 expected = continuum_second_moment(model);
      EXPECT_LT((found.second_moment - expected).norm(), 50 * eps * expected.norm());
      double mass = 0.4;
      Vector3 first = 0.4 * frame_points()[2];
      for (int k = 0; k < 3; ++k) {
        const Vector3 a = frame_points()[k], b = frame_points()[k + 1];
        mass += 7850 * 0.001 * (b - a).norm();
        first += 7850 * 0.001 * (b - a).norm() * (a + b) / 2;
      }
      EXPECT_NEAR(found.mass, mass, 20 * eps * mass);
      EXPECT_LT((found.first_moment - first).norm(), 20 * eps * first.norm());
    }
}

// Mass, centre and inertia also follow from the mass matrix and the rigid motions.
TEST(Invariants, AgreeWithTheMassMatrixInRigidMotion) {
  for (const MassModel mass_model : {MassModel::consistent, MassModel::lumped}) {
    const Model model = frame(2, {BeamTheory::timoshenko, mass_model});
    const FiniteElementBody body = assemble(model, model.links[0]);
    const InertiaInvariants found = reduced(model).invariants;
    MatrixX motions = MatrixX::Zero(body.num_dofs(), 6);
    for (int node = 0; node < body.num_nodes(); ++node) {
      motions.block<3, 3>(6 * node, 0).setIdentity();
      motions.block<3, 3>(6 * node, 3) = -skew(body.node_positions[node]);
      motions.block<3, 3>(6 * node + 3, 3).setIdentity();
    }
    Matrix6 expected;
    expected << found.mass * Matrix3::Identity(), -skew(found.first_moment), skew(found.first_moment),
        found.second_moment.trace() * Matrix3::Identity() - found.second_moment;
    EXPECT_LT((motions.transpose() * (body.mass * motions) - expected).norm(), 200 * eps * expected.norm());
  }
}

class InvariantsOf : public ::testing::TestWithParam<BeamKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, InvariantsOf,
                         ::testing::Values(BeamKind{BeamTheory::euler_bernoulli, MassModel::consistent},
                                           BeamKind{BeamTheory::timoshenko, MassModel::consistent},
                                           BeamKind{BeamTheory::linear_timoshenko, MassModel::lumped}));

TEST_P(InvariantsOf, FreeModesCarryNoMomentumAndHaveUnitMass) {
  const InertiaInvariants i = reduced(frame(3, GetParam()), 12).invariants;
  const int d = i.num_modes();
  ASSERT_EQ(d, 12);
  const double scale = std::sqrt(i.mass);  // of ∫ρ φ for a mode with unit mass
  EXPECT_LT(i.mode_momentum.cwiseAbs().maxCoeff(), 1e-11 * scale);
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3;  // ∫ρ s × φ = 0
    EXPECT_LT((i.position_mode[a][b] - i.position_mode[b][a]).cwiseAbs().maxCoeff(), 1e-11 * scale);
    EXPECT_LT((i.mode_mode[a][b] - i.mode_mode[b][a].transpose()).norm(), 10 * eps * d);
  }
  const MatrixX modal_mass = i.mode_mode[0][0] + i.mode_mode[1][1] + i.mode_mode[2][2];
  EXPECT_LT((modal_mass - MatrixX::Identity(d, d)).cwiseAbs().maxCoeff(), 100 * d * eps);
}

// Moved and turned as a whole: s' = R s + p, φ' = R φ, so that every invariant follows from the old ones.
TEST_P(InvariantsOf, TransformAsTheyMust) {
  const Model model = frame(2, GetParam());
  const Pose pose = skew_pose();
  const ReducedBody here = reduced(model), there = reduced(moved(model, pose));
  const InertiaInvariants &old = here.invariants, &now = there.invariants;
  const Matrix3& r = pose.rotation;
  const Vector3& p = pose.position;
  const Vector3 turned = r * old.first_moment;
  EXPECT_LT((now.first_moment - turned - old.mass * p).norm(), 1e-13);
  const Matrix3 second = r * old.second_moment * r.transpose() + turned * p.transpose() + p * turned.transpose() +
                         old.mass * p * p.transpose();
  EXPECT_LT((now.second_moment - second).norm(), 1e-13 * second.norm());
  // The sign of a mode is fixed by its largest component, which may be another one after turning.
  VectorX sign(old.num_modes());
  for (int k = 0; k < old.num_modes(); ++k)
    sign(k) =
        (r * here.translation_shapes.block<3, 1>(0, k)).dot(there.translation_shapes.block<3, 1>(0, k)) > 0 ? 1 : -1;
  const auto entry = [](const auto& table, int k) {
    Matrix3 result;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) result(a, b) = table[a][b](k);
    return result;
  };
  const auto pair = [](const auto& table, int k, int l) {
    Matrix3 result;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) result(a, b) = table[a][b](k, l);
    return result;
  };
  for (int k = 0; k < old.num_modes(); ++k) {
    // ∫ρ s' φ'ᵀ = R S Rᵀ + p (R C)ᵀ, and free modes carry no momentum C
    const Matrix3 expected = sign(k) * (r * entry(old.position_mode, k) * r.transpose());
    EXPECT_LT((entry(now.position_mode, k) - expected).norm(), 1e-8);
    for (int l = 0; l < old.num_modes(); ++l) {
      const Matrix3 product = sign(k) * sign(l) * (r * pair(old.mode_mode, k, l) * r.transpose());
      EXPECT_LT((pair(now.mode_mode, k, l) - product).norm(), 1e-8);
    }
  }
}

// A tetrahedron of four equal point masses and six equal springs (the molecule P4): ω² = k/m twice, 2k/m three times,
// 4k/m once.
FiniteElementBody tetrahedron(double mass, double stiffness) {
  FiniteElementBody body;
  body.name = "tetrahedron";
  body.nodes_have_rotations = false;
  body.node_positions = {Vector3(1, 1, 1), Vector3(1, -1, -1), Vector3(-1, 1, -1), Vector3(-1, -1, 1)};
  MatrixX k = MatrixX::Zero(12, 12);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j) {
      VectorX stretch = VectorX::Zero(12);
      const Vector3 along = (body.node_positions[i] - body.node_positions[j]).normalized();
      stretch.segment<3>(3 * i) = along;
      stretch.segment<3>(3 * j) = -along;
      k += stiffness * stretch * stretch.transpose();
    }
  body.stiffness = k.sparseView();
  body.mass = MatrixX(mass * MatrixX::Identity(12, 12)).sparseView();
  return body;
}

TEST(BodyWithoutRotations, VibratesAsTheTetrahedralMoleculeDoes) {
  const ReducedBody body = reduce(tetrahedron(0.5, 200), {}, {}, {});
  ASSERT_EQ(body.num_modes(), 6);
  VectorX expected(6);
  expected << 1, 1, 2, 2, 2, 4;
  EXPECT_LT((body.squared_frequencies / 400 - expected).norm(), 1e-12);
  EXPECT_EQ(body.rotation_shapes.norm(), 0);
  EXPECT_EQ(body.translation_shapes, body.nodal_shapes);
  const InertiaInvariants& i = body.invariants;
  EXPECT_NEAR(i.mass, 2, 1e-15);
  EXPECT_LT((i.second_moment - 2 * Matrix3::Identity()).norm(), 1e-14);
  EXPECT_LT((i.mode_mode[0][0] + i.mode_mode[1][1] + i.mode_mode[2][2] - MatrixX::Identity(6, 6)).norm(), 1e-13);
  EXPECT_LT(i.mode_momentum.norm(), 1e-13);
}

TEST(BodyWithoutRotations, CanBeReducedToAnInterface) {
  ReductionChoice choice;
  choice.method = ReductionMethod::guyan;
  choice.interface_nodes = {0, 1, 2};
  const ReducedBody body = reduce(tetrahedron(0.5, 200), choice, {}, {});
  EXPECT_EQ(body.num_modes(), 3);
  EXPECT_GE(body.squared_frequencies(0), 400 * (1 - 1e-12));
}

TEST(BodyWithoutRotations, TakesResidualFlexibilityAtANode) {
  ReductionChoice choice;
  choice.method = ReductionMethod::rubin;
  choice.interface_nodes = {0};
  choice.num_internal_modes = 2;
  const ReducedBody body = reduce(tetrahedron(0.5, 200), choice, {}, {});
  const ReducedBody full = reduce(tetrahedron(0.5, 200), {}, {}, {});
  ASSERT_EQ(body.num_modes(), 2 + 3);
  const auto compliance = [](const ReducedBody& b) -> MatrixX {  // to balanced loads at node 0
    const MatrixX rows = b.nodal_shapes.topRows(3);
    return rows * b.squared_frequencies.cwiseInverse().asDiagonal() * rows.transpose();
  };
  EXPECT_LT((compliance(body) - compliance(full)).norm(), 1e-12 * compliance(full).norm());
}

// A mass matrix knows all of the linear motion, whatever elements it came from: rounding, no lumping.
TEST(BodyWithRotationsAndWithoutMassPoints, HasMassInertiaAndMomentaOfItsMatrix) {
  Model model = frame(3);
  FiniteElementBody body = assemble(model, model.links[0]);
  std::mt19937 random(3);
  MatrixX shapes(body.num_dofs(), 2);
  for (double& value : shapes.reshaped()) value = random() / 4294967296.0 - 0.5;
  const InertiaInvariants exact = inertia_invariants(body, shapes);
  body.mass_points.clear();
  const InertiaInvariants found = inertia_invariants(body, shapes);
  EXPECT_NEAR(found.mass, exact.mass, 1e-12 * exact.mass);
  EXPECT_LT((found.first_moment - exact.first_moment).norm(), 1e-12 * exact.first_moment.norm());
  EXPECT_LT((found.second_moment - exact.second_moment).norm(), 1e-12 * exact.second_moment.norm());
  EXPECT_LT((found.mode_momentum - exact.mode_momentum).norm(), 1e-12 * exact.mode_momentum.norm());
  MatrixX energy = -exact.mode_mode[0][0] - exact.mode_mode[1][1] - exact.mode_mode[2][2];
  const double size = energy.norm();
  for (int c = 0; c < 3; ++c) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    const VectorX wanted = exact.position_mode[a][b] - exact.position_mode[b][a];
    EXPECT_LT((found.position_mode[a][b] - found.position_mode[b][a] - wanted).norm(), 1e-12 * wanted.norm()) << c;
    energy += found.mode_mode[c][c];
  }
  EXPECT_LT(energy.norm(), 1e-12 * size);
}

}  // namespace
}  // namespace lithe
