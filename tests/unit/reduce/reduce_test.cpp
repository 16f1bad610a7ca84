#include "lithe/reduce/reduce.h"

#include <gtest/gtest.h>

#include "lithe/base/diagnostics.h"
#include "lithe/reduce/bases.h"
#include "support/beams.h"

namespace lithe {
namespace {

using namespace test;
constexpr double eps = std::numeric_limits<double>::epsilon();

FiniteElementBody frame(int elements_per_segment = 4) {
  Model model = polyline(frame_points(), elements_per_segment, steel(), rectangle(0.02, 0.05));
  model.links[0].lumped_masses.push_back({2, 0.4, Vector3(1e-3, 2e-3, 2.5e-3).asDiagonal()});
  return assemble(model, model.links[0]);
}
const std::vector<int> ends{0, 3};

ReductionChoice choose(ReductionMethod method, std::optional<int> num_internal = {}) {
  ReductionChoice choice;
  choice.method = method;
  choice.num_internal_modes = num_internal;
  return choice;
}

VectorX full_frequencies(const FiniteElementBody& body) {
  return reduce(body, {}, {}, {}).squared_frequencies.cwiseSqrt();
}

std::string name_of(const ::testing::TestParamInfo<ReductionMethod>& info) {
  if (info.param == ReductionMethod::guyan) return "Guyan";
  return info.param == ReductionMethod::craig_bampton ? "CraigBampton" : "Rubin";
}

class Reduction : public ::testing::TestWithParam<ReductionMethod> {};
INSTANTIATE_TEST_SUITE_P(Methods, Reduction,
                         ::testing::Values(ReductionMethod::guyan, ReductionMethod::craig_bampton,
                                           ReductionMethod::rubin),
                         name_of);

class ReductionWithInternalModes : public Reduction {};
INSTANTIATE_TEST_SUITE_P(Methods, ReductionWithInternalModes,
                         ::testing::Values(ReductionMethod::craig_bampton, ReductionMethod::rubin), name_of);

TEST_P(Reduction, NeverLowersAFrequency) {
  const FiniteElementBody body = frame();
  const VectorX full = full_frequencies(body);
  for (const int num_internal : {0, 3, 10}) {
    const VectorX reduced = reduce(body, choose(GetParam(), num_internal), {}, ends).squared_frequencies.cwiseSqrt();
    ASSERT_GT(reduced.size(), 5);
    ASSERT_LT(reduced.size(), full.size());
    for (Eigen::Index k = 0; k < reduced.size(); ++k) EXPECT_GT(reduced(k) / full(k), 1 - 1e-9) << "mode " << k;
  }
}

// A round rod held at its ends and in its middle bends alike in two spans and two planes: four modes of one frequency.
TEST(CraigBampton, ModesOfOneFrequencyStayTogether) {
  Section round = rectangle(0.01, 0.01);
  round.torsion_constant = 1e-9;
  const Model model = polyline({{0, 0, 0}, {0.15, 0, 0}, {0.3, 0, 0}}, 3, steel(), round);
  const FiniteElementBody body = assemble(model, model.links[0]);
  const auto modes = [&](int wanted) {
    return reduce(body, choose(ReductionMethod::craig_bampton, wanted), {}, {0, 1, 2}).num_modes();
  };
  const int statics = modes(0);
  for (const int wanted : {1, 2, 3, 4}) EXPECT_EQ(modes(wanted), statics + 4) << wanted;
  EXPECT_GT(modes(5), statics + 4);
}

TEST_P(ReductionWithInternalModes, ComesCloserWithEveryInternalMode) {
  const FiniteElementBody body = frame();
  const VectorX full = full_frequencies(body);
  VectorX last = VectorX::Constant(6, std::numeric_limits<double>::infinity());
  for (int num_internal = 0; num_internal <= 24; num_internal += 4) {
    const VectorX now =
        reduce(body, choose(GetParam(), num_internal), {}, ends).squared_frequencies.head(6).cwiseSqrt();
    EXPECT_TRUE((now.array() <= last.array() * (1 + 1e-9)).all());
    last = now;
  }
  EXPECT_LT(((last - full.head(6)).array() / full.head(6).array()).maxCoeff(), 2e-3);
}

TEST_P(ReductionWithInternalModes, WithAllInternalModesIsTheFullModel) {
  const FiniteElementBody body = frame(2);
  const VectorX full = full_frequencies(body);
  const VectorX reduced = reduce(body, choose(GetParam()), {}, ends).squared_frequencies.cwiseSqrt();
  ASSERT_EQ(reduced.size(), full.size());
  EXPECT_EQ(full.size(), body.num_dofs() - 6);
  EXPECT_LT(((reduced - full).array() / full.array()).abs().maxCoeff(), 1e-8);
}

// Held at one interface node and loaded at the other, a reduced body must deflect exactly as the full one.
TEST_P(Reduction, IsStaticallyExactAtTheInterface) {
  const FiniteElementBody body = frame(2);
  const ReducedBody reduced = reduce(body, choose(GetParam(), 2), {}, ends);
  const Vector3 arm = body.node_positions[3] - body.node_positions[0];
  std::vector<int> free, tip;
  for (int dof = 6; dof < body.num_dofs(); ++dof) free.push_back(dof);
  for (int k = 0; k < 6; ++k) tip.push_back(6 * 3 + k);
  const MatrixX flexibility = MatrixX(body.stiffness)(free, free).inverse();
  for (int k = 0; k < 6; ++k) {
    VectorX load = VectorX::Zero(body.num_dofs());
    load(tip[k]) = 1;
    load.segment<3>(0) = -load.segment<3>(18);  // reactions at the root
    load.segment<3>(3) = -load.segment<3>(21) - arm.cross(load.segment<3>(18));
    const VectorX modal = (reduced.nodal_shapes.transpose() * load).cwiseQuotient(reduced.squared_frequencies);
    const VectorX u = reduced.nodal_shapes * modal;
    Vector6 relative = u.segment<6>(18);  // minus the rigid motion that brings the root back
    relative.head<3>() -= u.segment<3>(0) + Vector3(u.segment<3>(3)).cross(arm);
    relative.tail<3>() -= u.segment<3>(3);
    const Vector6 exact = flexibility.block(12, 12 + k, 6, 1);
    EXPECT_LT((relative - exact).norm(), 1e-8 * exact.norm()) << "unit load " << k;
  }
}

std::vector<ReductionChoice> all_choices() {
  return {choose(ReductionMethod::none), choose(ReductionMethod::guyan), choose(ReductionMethod::craig_bampton, 6),
          choose(ReductionMethod::rubin, 6)};
}

TEST(ReducedBody, HasOrthonormalModesOrthogonalToRigidMotion) {
  const FiniteElementBody body = frame();
  const MatrixX rigid = rigid_modes(body);
  ASSERT_EQ(rigid.cols(), 6);
  EXPECT_LT((rigid.transpose() * (body.mass * rigid) - MatrixX::Identity(6, 6)).norm(), 1e-12);
  EXPECT_LT((body.stiffness * rigid).norm(), 1e3 * eps * body.stiffness.norm() * rigid.norm());
  for (const ReductionChoice& choice : all_choices()) {
    const ReducedBody reduced = reduce(body, choice, {}, ends);
    const MatrixX& shapes = reduced.nodal_shapes;
    const int d = reduced.num_modes();
    const double rounding = 10 * d * eps;
    EXPECT_LT((shapes.transpose() * (body.mass * shapes) - MatrixX::Identity(d, d)).cwiseAbs().maxCoeff(), rounding);
    EXPECT_LT((rigid.transpose() * (body.mass * shapes)).cwiseAbs().maxCoeff(), 100 * rounding);
    const MatrixX modal_stiffness = shapes.transpose() * (body.stiffness * shapes);
    const MatrixX expected = reduced.squared_frequencies.asDiagonal();
    EXPECT_LT((modal_stiffness - expected).cwiseAbs().maxCoeff(), 1e-9 * reduced.squared_frequencies.maxCoeff());
    EXPECT_GT(reduced.squared_frequencies.minCoeff(), 1);
  }
}

TEST(ReducedBody, SplitsNodalShapesIntoTranslationsAndRotations) {
  const FiniteElementBody body = frame(2);
  const ReducedBody reduced = reduce(body, choose(ReductionMethod::craig_bampton, 3), {}, ends);
  EXPECT_EQ(reduced.num_nodes(), body.num_nodes());
  EXPECT_EQ(reduced.num_finite_element_dofs, body.num_dofs());
  for (int node = 0; node < body.num_nodes(); ++node) {
    EXPECT_EQ(reduced.translation_shapes.middleRows(3 * node, 3), reduced.nodal_shapes.middleRows(6 * node, 3));
    EXPECT_EQ(reduced.rotation_shapes.middleRows(3 * node, 3), reduced.nodal_shapes.middleRows(6 * node + 3, 3));
  }
}

TEST(ReducedBody, HasALargestComponentThatIsPositive) {
  const ReducedBody reduced = reduce(frame(2), {}, {}, {});
  for (const auto& shape : reduced.nodal_shapes.colwise())
    EXPECT_GE(shape.maxCoeff(), (1 - 1e-6) * shape.cwiseAbs().maxCoeff());
}

TEST(Selection, KeepsTheLowestModesByCountAndByFrequency) {
  const FiniteElementBody body = frame(2);
  const ReducedBody all = reduce(body, {}, {}, {});
  ReductionChoice by_count;
  by_count.num_kept_modes = 5;
  const ReducedBody five = reduce(body, by_count, {}, {});
  ASSERT_EQ(five.num_modes(), 5);
  EXPECT_EQ(five.num_available_modes, all.num_modes());
  EXPECT_EQ(five.squared_frequencies, all.squared_frequencies.head(5));
  ReductionChoice by_frequency;
  by_frequency.max_frequency = std::sqrt(all.squared_frequencies(7)) / (2 * pi) * 1.0001;
  EXPECT_EQ(reduce(body, by_frequency, {}, {}).num_modes(), 8);
  by_frequency.num_kept_modes = 5;
  EXPECT_EQ(reduce(body, by_frequency, {}, {}).num_modes(), 5);
}

// The ranking keeps the modes that store most of the strain energy of unit loads at the interface: for every number of
// modes the mean share of the compliance is at least that of the lowest modes, and for some it is larger.
TEST(Selection, ByInterfaceEnergyKeepsMoreOfTheInterfaceCompliance) {
  Model model = polyline(frame_points(), 2, steel(), rectangle(0.02, 0.05));
  const FiniteElementBody body = assemble(model, model.links[0]);
  const auto compliance = [](const ReducedBody& reduced) {
    VectorX result(6);
    for (int k = 0; k < 6; ++k)
      result(k) = reduced.nodal_shapes.row(k).transpose().array().square().matrix().dot(
          reduced.squared_frequencies.cwiseInverse());
    return result;
  };
  const VectorX whole = compliance(reduce(body, {}, {}, {}));
  int better = 0;
  for (int count = 1; count <= 20; ++count) {
    ReductionChoice choice;
    choice.num_kept_modes = count;
    choice.interface_nodes = {0};
    const double lowest = compliance(reduce(body, choice, {}, {})).cwiseQuotient(whole).mean();
    choice.ranking = ModeRanking::interface_energy;
    const ReducedBody ranked_body = reduce(body, choice, {}, {});
    const double ranked = compliance(ranked_body).cwiseQuotient(whole).mean();
    EXPECT_GE(ranked, lowest * (1 - 1e-9));
    EXPECT_LE(ranked, 1 + 1e-9);
    if (ranked > lowest * (1 + 1e-6)) ++better;
    EXPECT_TRUE(std::is_sorted(ranked_body.squared_frequencies.begin(), ranked_body.squared_frequencies.end()));
  }
  EXPECT_GT(better, 5);
}

TEST(Damping, OfRayleighIsTheProjectionOfTheNodalMatrix) {
  const FiniteElementBody body = frame(2);
  const ReducedBody reduced = reduce(body, choose(ReductionMethod::craig_bampton, 4), {1.5, 2e-5, {}}, ends);
  const MatrixX nodal = 1.5 * MatrixX(body.mass) + 2e-5 * MatrixX(body.stiffness);
  const MatrixX expected = reduced.nodal_shapes.transpose() * nodal * reduced.nodal_shapes;
  EXPECT_LT((reduced.damping - expected).norm(), 1e-9 * expected.norm());
}

TEST(Damping, ByRatiosUsesTheLastOneForFurtherModes) {
  const ReducedBody reduced = reduce(frame(2), {}, {0, 0, {0.01, 0.02}}, {});
  const VectorX omega = reduced.squared_frequencies.cwiseSqrt();
  EXPECT_NEAR(reduced.damping(0, 0), 2 * 0.01 * omega(0), 1e-12 * omega(0));
  for (int k = 1; k < reduced.num_modes(); ++k)
    EXPECT_NEAR(reduced.damping(k, k), 2 * 0.02 * omega(k), 1e-12 * omega(k));
  EXPECT_EQ(reduced.damping(0, 1), 0);
}

std::string error_of(const FiniteElementBody& body, const ReductionChoice& choice, const std::vector<int>& nodes) {
  try {
    reduce(body, choice, {}, nodes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ReductionChoice, NamesImpossibleChoicesWithTheLinksPlace) {
  const FiniteElementBody body = frame(1);  // 24 dofs
  ReductionChoice choice;
  choice.num_kept_modes = 19;
  EXPECT_EQ(error_of(body, choice, {}),
            "test.toml:7:3: error: link 'arm': 19 elastic modes wanted, but the reduction has 18");
  EXPECT_EQ(error_of(body, choose(ReductionMethod::craig_bampton, 13), ends),
            "test.toml:7:3: error: link 'arm': Craig-Bampton: 13 fixed-interface modes wanted, but there are only 12");
  EXPECT_EQ(error_of(body, choose(ReductionMethod::guyan), {}),
            "test.toml:7:3: error: link 'arm': this reduction needs interface nodes, but no joint is attached");
  EXPECT_EQ(error_of(body, choose(ReductionMethod::guyan), {0, 17}),
            "test.toml:7:3: error: link 'arm': unknown interface node number 17");
  FiniteElementBody massless = body;
  massless.mass *= 0;
  EXPECT_EQ(error_of(massless, {}, {}), "test.toml:7:3: error: link 'arm': the body has no mass");
}

TEST(RigidBody, AddsLumpedMassesToItsOwnInertia) {
  Link link;
  link.name = "block";
  link.rigid = true;
  link.nodes = {{"a", Vector3(1, 0, 0)}, {"b", Vector3(0, 2, 0)}};
  link.rigid_inertia = {3.0, Vector3(0.1, 0.2, 0.3), Vector3(0.5, 0.6, 0.7).asDiagonal()};
  link.lumped_masses = {{1, 2.0, Vector3(0.01, 0.02, 0.03).asDiagonal()}};
  const ReducedBody body = rigid_body(link);
  EXPECT_TRUE(body.rigid());
  EXPECT_EQ(body.num_nodes(), 2);
  const InertiaInvariants& i = body.invariants;
  EXPECT_DOUBLE_EQ(i.mass, 5);
  EXPECT_TRUE(i.first_moment.isApprox(Vector3(0.3, 4.6, 0.9)));
  const auto steiner = [](double mass, const Vector3& s) -> Matrix3 { return mass * skew(s).transpose() * skew(s); };
  const Matrix3 expected = Matrix3(Vector3(0.51, 0.62, 0.73).asDiagonal()) + steiner(3, Vector3(0.1, 0.2, 0.3)) +
                           steiner(2, Vector3(0, 2, 0));
  const Matrix3 inertia = i.second_moment.trace() * Matrix3::Identity() - i.second_moment;
  EXPECT_LT((inertia - expected).norm(), 20 * eps * expected.norm());
}

TEST(ReducedModel, TakesJointNodesAsInterfaceAndKeepsRigidLinksRigid) {
  Model model = polyline(frame_points(), 2, steel(), rectangle(0.02, 0.05));
  model.links[0].reduction = choose(ReductionMethod::craig_bampton, 3);
  Link block;
  block.name = "block";
  block.rigid = true;
  block.rigid_inertia.mass = 1;
  block.nodes = {{"o", Vector3::Zero()}};
  model.links.push_back(block);
  Joint base, wrist;
  base.child = 0;
  base.child_node = 0;
  wrist.parent = 0;
  wrist.parent_node = 3;
  wrist.child = 1;
  wrist.child_node = 0;
  model.joints = {base, wrist};
  const ReducedModel reduced = reduce(model);
  ASSERT_EQ(reduced.bodies.size(), 2u);
  EXPECT_EQ(reduced.bodies[0].num_modes(), 12 + 3 - 6);
  const FiniteElementBody body = assemble(model, model.links[0]);
  EXPECT_EQ(reduced.bodies[0].squared_frequencies,
            reduce(body, model.links[0].reduction, {}, ends).squared_frequencies);
  EXPECT_TRUE(reduced.bodies[1].rigid());
  EXPECT_EQ(reduced.meshes[1].num_nodes(), 0);
  EXPECT_EQ(reduce(model, choose(ReductionMethod::guyan)).bodies[0].num_modes(), 6);
}

}  // namespace
}  // namespace lithe
