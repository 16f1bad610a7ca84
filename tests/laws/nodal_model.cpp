// All modes kept equals the nodal finite-element model: natural frequencies against dense matrices assembled here, with
// the joints' constraints eliminated.

#include "lithe/analyse/modes/modes.h"
#include "lithe/base/decompositions.h"
#include "lithe/fem/assemble.h"
#include "support/flexible_models.h"
#include "support/motion.h"

namespace lithe {
namespace {

using namespace testing;

struct Dense {
  MatrixX mass, stiffness;
};

// In world axes, with the link turned by R.
Dense nodal_matrices(const Model& model, int link, const Matrix3& R) {
  const FiniteElementBody body = assemble(model, model.links[link]);
  MatrixX turn = MatrixX::Zero(body.num_dofs(), body.num_dofs());
  for (int k = 0; k < 2 * body.num_nodes(); ++k) turn.block<3, 3>(3 * k, 3 * k) = R;
  return {turn * MatrixX(body.mass) * turn.transpose(), turn * MatrixX(body.stiffness) * turn.transpose()};
}

// ω² of the motions U = T z, without those at zero, ascending.
VectorX squared_frequencies(const Dense& model, const MatrixX& T, int num_rigid) {
  const MatrixX mass = T.transpose() * model.mass * T, stiffness = T.transpose() * model.stiffness * T;
  const VectorX squared =
      symmetric_values(0.5 * (stiffness + stiffness.transpose()), 0.5 * (mass + mass.transpose())).values;
  return squared.tail(squared.size() - num_rigid);
}

VectorX found_frequencies(const Model& model, int num_rigid, Gauge gauge = Gauge::encoder) {
  const Watched system(model, gauge);
  State state = system.equations.initial_state();
  state.speeds.setZero();
  const ModesResult result = mechanism_modes(system.equations, state);
  EXPECT_EQ(result.status, EvaluationStatus::ok);
  const VectorX& all = result.modes.frequencies;
  return all.tail(all.size() - num_rigid);
}

// A dense eigenproblem is exact to eps ω²_max: the tolerance is 1e-6, or that rounding where it is larger.
void expect_equal(const VectorX& found_hz, const VectorX& squared) {
  ASSERT_EQ(found_hz.size(), squared.size());
  const double rounding = 1e-14 * squared(squared.size() - 1);
  for (Eigen::Index k = 0; k < found_hz.size(); ++k) {
    const double found = std::pow(2 * M_PI * found_hz(k), 2);
    EXPECT_NEAR(found, squared(k), 2e-7 * squared(k) + rounding) << "mode " << k + 1;
  }
}

Model without_gravity(Model model) {
  model.gravity.setZero();
  for (Joint& joint : model.joints) joint.inertia.assign(joint.inertia.size(), 0.0);
  return model;
}

TEST(AllModesKept, AClampedLinkHasTheFrequenciesOfItsNodalMatrices) {
  Model model = without_gravity(l_shape(7e10, 2));
  model.joints[0].set_type(JointType::fixed);
  const Dense nodal = nodal_matrices(model, 0, Matrix3::Identity());
  const int n = static_cast<int>(nodal.mass.rows());
  MatrixX T = MatrixX::Zero(n, n - 6);  // node 0 comes first
  T.bottomRows(n - 6).setIdentity();
  expect_equal(found_frequencies(model, 0), squared_frequencies(nodal, T, 0));
}

TEST(AllModesKept, AHingedLinkHasTheFrequenciesOfItsNodalMatrices) {
  const Model model = without_gravity(l_shape(7e10, 2));
  const Dense nodal = nodal_matrices(model, 0, rotation(Vector3::UnitY(), 0.7));
  const int n = static_cast<int>(nodal.mass.rows());
  MatrixX T = MatrixX::Zero(n, n - 5);
  T.bottomRightCorner(n - 6, n - 6).setIdentity();
  T.block<3, 1>(3, 0) = Vector3::UnitY();
  expect_equal(found_frequencies(model, 1), squared_frequencies(nodal, T, 1));
}

class TwoLinkArm : public ::testing::TestWithParam<Gauge> {};

TEST_P(TwoLinkArm, HasTheFrequenciesOfItsNodalMatrices) {
  const Model model = without_gravity(spatial_2r(7e10, -1));
  const Vector3 shoulder_axis = Vector3(0, 1, 0.2).normalized(), elbow_axis = Vector3(0.3, 0, 1).normalized();
  const Matrix3 upper_R = rotation(shoulder_axis, 0.4), fore_R = upper_R * rotation(elbow_axis, -0.9);
  const Dense upper = nodal_matrices(model, 0, upper_R), fore = nodal_matrices(model, 1, fore_R);
  const int n = static_cast<int>(upper.mass.rows()), m = static_cast<int>(fore.mass.rows());
  Dense nodal{MatrixX::Zero(n + m, n + m), MatrixX::Zero(n + m, n + m)};
  nodal.mass.topLeftCorner(n, n) = upper.mass;
  nodal.mass.bottomRightCorner(m, m) = fore.mass;
  nodal.stiffness.topLeftCorner(n, n) = upper.stiffness;
  nodal.stiffness.bottomRightCorner(m, m) = fore.stiffness;
  // Unknowns: shoulder, elbow, all nodes of the upper arm but the first, all of the forearm but the first.
  MatrixX T = MatrixX::Zero(n + m, 2 + n - 6 + m - 6);
  T.block<3, 1>(3, 0) = shoulder_axis;
  T.block(6, 2, n - 6, n - 6).setIdentity();
  T.block<6, 6>(n, 2).setIdentity();               // the upper arm's node 1 carries the forearm's node 0 ...
  T.block<3, 1>(n + 3, 1) = upper_R * elbow_axis;  // ... but for the elbow's turn
  T.block(n + 6, 2 + n - 6, m - 6, m - 6).setIdentity();
  expect_equal(found_frequencies(model, 2, GetParam()), squared_frequencies(nodal, T, 2));
}
INSTANTIATE_TEST_SUITE_P(Gauges, TwoLinkArm, ::testing::Values(Gauge::encoder, Gauge::minimum_norm),
                         [](const auto& chosen) {
                           return chosen.param == Gauge::encoder ? "encoder" : "minimum_norm";
                         });

}  // namespace
}  // namespace lithe
