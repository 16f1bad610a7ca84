// Derivatives of the loop equations by hand against Dual numbers, at configurations where the loops are neither closed
// nor undeformed, so that no term vanishes.
#include <gtest/gtest.h>

#include <cmath>

#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/formulate/erls/loops/constraints_inl.h"
#include "lithe/formulate/erls/loops/coordinates_inl.h"
#include "support/flexible_models.h"

namespace lithe {
namespace {

using namespace testing;

// A crank drives a flexible rod whose other end slides on a flexible guide; every joint of the loop may be cut.
Model slider_on_a_flexible_guide(int cut) {
  FlexibleBuilder b;
  const int crank = b.beam("crank", {{0, 0, 0}, {0.15, 0, 0}}, 2, 4);
  const int rod = b.beam("rod", {{0, 0, 0}, {0.45, 0, 0}}, 2, 5);
  const int guide = b.beam("guide", {{0, 0, 0}, {0.4, 0, 0}}, 2, 4);
  const int slider = b.link("slider");
  b.model().links[slider].rigid_inertia = {0.2, {0.01, 0.02, 0}, Vector3(1e-3, 2e-3, 1.5e-3).asDiagonal()};
  b.hinge("crank_pin", JointType::revolute, -1, {0, 0, 0}, crank, {0, 0, 0}, Vector3::UnitZ(), {0.6}, {4.0});
  b.hinge("rod_pin", JointType::spherical, crank, {0.15, 0, 0}, rod, {0, 0, 0}, Vector3::UnitZ());
  b.hinge("root", JointType::fixed, -1, {0.3, 0, 0.02}, guide, {0, 0, 0}, Vector3::UnitX());
  b.hinge("slide", JointType::prismatic, guide, {0.4, 0, 0}, slider, {0, 0, 0}, Vector3::UnitX());
  b.hinge("slider_pin", JointType::universal, rod, {0.45, 0, 0}, slider, {0, 0, 0}, Vector3::UnitY());
  b.model().joints[cut].prefer_cut = true;
  b.model().joints[0].independent = true;
  return b.model();
}

// Entries of both Jacobians against derivatives of the residuals along one variable at a time.
void expect_exact(const Model& model) {
  const ErlsCms equations(reduce(model));
  const ErlsTree& tree = equations.tree();
  const int charts = equations.mechanism().num_charts(), n = tree.num_coordinates, size = tree.num_variables();
  const std::vector<LoopJoint> loops = loop_joints(model, equations.mechanism(), tree);
  int rows = 0;
  for (const LoopJoint& loop : loops) rows += static_cast<int>(loop.rows.size());
  ASSERT_GT(rows, 0);

  TreeWork<double> work(tree, charts);
  for (Matrix3& reference : work.references)
    reference = Eigen::AngleAxisd(0.4, Vector3(1, 2, -1).normalized()).toRotationMatrix();
  for (int v = 0; v < size; ++v) variable(work, v) = (v < n ? 0.4 : 0.05) * std::sin(1.0 + 2.3 * v);
  update_displacement(tree, work);
  MatX<double> closure(rows, n), elastic(rows, size);
  loop_jacobians(loops, tree, work, closure, elastic);

  using D = Dual<double, 1>;
  TreeWork<D> jacobians(tree, charts);
  VecX<D> closure_rows(rows), elastic_rows(rows);
  for (int v = 0; v < size; ++v) {
    copy_positions(work, jacobians);
    variable(jacobians, v).jacobian[0] = 1;
    update_displacement(tree, jacobians);
    loop_residuals(loops, tree, jacobians, closure_rows, elastic_rows);
    for (int r = 0; r < rows; ++r) {
      EXPECT_NEAR(v < n ? closure(r, v) : 0.0, closure_rows(r).jacobian[0], 1e-14) << "row " << r << ", variable " << v;
      EXPECT_NEAR(elastic(r, v), elastic_rows(r).jacobian[0], 1e-14 * (1 + elastic.cwiseAbs().maxCoeff()))
          << "row " << r << ", variable " << v;
    }
  }
}

// Second time derivatives against second-order Dual numbers, with all variables moving and accelerating.
void expect_exact_accelerations(const Model& model) {
  const ErlsCms equations(reduce(model));
  const ErlsTree& tree = equations.tree();
  const int charts = equations.mechanism().num_charts(), n = tree.num_coordinates;
  const std::vector<LoopJoint> loops = loop_joints(model, equations.mechanism(), tree);
  int rows = 0;
  for (const LoopJoint& loop : loops) rows += static_cast<int>(loop.rows.size());
  using D2 = Dual<Dual<double, 1>, 1>;
  TreeWork<double> work(tree, charts);
  TreeWork<D2> series(tree, charts);
  for (Matrix3& reference : work.references)
    reference = Eigen::AngleAxisd(0.4, Vector3(1, 2, -1).normalized()).toRotationMatrix();
  for (int v = 0; v < tree.num_variables(); ++v) {
    variable(work, v) = (v < n ? 0.4 : 0.05) * std::sin(1.0 + 2.3 * v);
    variable_rate(work, v) = (v < n ? 3 : 0.4) * std::cos(0.7 + 1.9 * v);
    variable_acceleration(work, v) = (v < n ? 5 : 0.9) * std::sin(0.2 + 1.1 * v);
  }
  copy_positions(work, series);
  update_displacement(tree, work);
  LoopMotion<double> motion;
  motion.frames.resize(tree.frames.size());
  VecX<double> closure(rows), elastic(rows);
  VecX<D2> closure_rows(rows), elastic_rows(rows);
  for (const bool accelerated : {false, true}) {
    for (int v = 0; v < tree.num_variables(); ++v) {
      D2& y = variable(series, v);
      y.value.jacobian[0] = y.jacobian[0].value = variable_rate(work, v);
      y.jacobian[0].jacobian[0] = accelerated ? variable_acceleration(work, v) : 0;
    }
    update_displacement(tree, series);
    loop_residuals(loops, tree, series, closure_rows, elastic_rows);
    loop_accelerations(loops, tree, work, accelerated, motion, closure, elastic);
    for (int r = 0; r < rows; ++r) {
      EXPECT_NEAR(closure(r), closure_rows(r).jacobian[0].jacobian[0], 1e-13 * (1 + closure.cwiseAbs().maxCoeff()))
          << r;
      EXPECT_NEAR(elastic(r), elastic_rows(r).jacobian[0].jacobian[0], 1e-13 * (1 + elastic.cwiseAbs().maxCoeff()))
          << r;
    }
  }
}

TEST(LoopAccelerations, AreExactWhereverALoopIsCut) {
  expect_exact_accelerations(flexible_four_bar(7e10, true));
  for (int cut = 1; cut < 4; ++cut) {
    expect_exact_accelerations(flexible_four_bar(7e10, false, cut));
    expect_exact_accelerations(active_four_bar(7e10, false, cut));
  }
  for (int cut : {1, 3, 4}) expect_exact_accelerations(slider_on_a_flexible_guide(cut));
}

TEST(LoopJacobians, OfAnOverconstrainedFourBarAreExact) { expect_exact(flexible_four_bar(7e10, true)); }

TEST(LoopJacobians, OfASpatialFourBarAreExactWhereverItIsCut) {
  for (int cut = 1; cut < 4; ++cut) {
    expect_exact(flexible_four_bar(7e10, false, cut));
    expect_exact(active_four_bar(7e10, false, cut));
  }
}

TEST(LoopJacobians, OfASliderOnAFlexibleGuideAreExactWhereverItIsCut) {
  for (int cut : {1, 3, 4}) expect_exact(slider_on_a_flexible_guide(cut));
}

}  // namespace
}  // namespace lithe
