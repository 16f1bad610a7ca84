// Rigid-body motions of linear models become integrators, exactly.
#include "lithe/analyse/linear/separate_integrators.h"

#include <gtest/gtest.h>

#include "lithe/control/linear/linear_analysis.h"

namespace lithe {
namespace {

// A motor turning a beam's modes: q0 the joint, the others stiff over six decades. The first output is the joint, the
// second a deflection, the third the joint's speed.
LinearModel axis_with_modes(double joint_damping, double joint_stiffness) {
  LinearModel model;
  model.mass = (MatrixX(4, 4) << 2, 0.3, 0.1, 0.02, 0.3, 1, 0, 0, 0.1, 0, 1, 0, 0.02, 0, 0, 1).finished();
  model.stiffness = MatrixX::Zero(4, 4);
  model.stiffness.diagonal() << joint_stiffness, 1e3, 1e7, 1e12;
  model.damping = MatrixX::Zero(4, 4);
  model.damping.diagonal() << joint_damping, 0.5, 50, 1e4;
  model.input = (MatrixX(4, 1) << 1, 0, 0, 0).finished();
  model.position_output = (MatrixX(3, 4) << 1, 0, 0, 0, 0, 0.2, -0.1, 0.01, 0, 0, 0, 0).finished();
  model.speed_output = (MatrixX(3, 4) << 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0).finished();
  model.feedthrough = MatrixX::Zero(3, 1);
  return model;
}

TEST(SeparateIntegrators, AFreeJointIsOneDoubleIntegrator) {
  const LinearModel model = axis_with_modes(0, 0);
  for (const Eigen::Index joints : {1, 0}) {
    const SeparatedSystem system = separate_integrators(model, joints);
    ASSERT_EQ(system.num_double, 1) << joints;
    EXPECT_EQ(system.num_single, 0);
    EXPECT_EQ(system.rest.num_states(), 6);
    EXPECT_EQ(system.integrators.c(1, 0), 0);  // the deflection does not see it
    // Rigid inertia 2: 1/(2 s²)
    EXPECT_NEAR(system.integrators.c(0, 0) * system.integrators.b(1, 0), 0.5, 1e-9);
    for (const double w : {0.1, 5.0, 40.0, 4000.0}) {
      const ComplexMatrix wanted = frequency_response(state_space(model), w);
      const ComplexMatrix found = frequency_response(system.integrators, w) + frequency_response(system.rest, w);
      EXPECT_LT((found - wanted).cwiseAbs().maxCoeff(), 1e-8 * wanted.cwiseAbs().maxCoeff()) << joints << " " << w;
    }
  }
}

// m ẍ + c ẋ = u beside the modes: one integrator 1/(c s), and a stable pole.
TEST(SeparateIntegrators, ADampedJointIsASingleIntegrator) {
  const LinearModel model = axis_with_modes(0.7, 0);
  const SeparatedSystem system = separate_integrators(model, 1);
  EXPECT_EQ(system.num_double, 0);
  ASSERT_EQ(system.num_single, 1);
  EXPECT_EQ(system.rest.num_states(), 7);
  EXPECT_TRUE(is_stable(system.rest));
  EXPECT_NEAR(system.integrators.c(0, 0) * system.integrators.b(0, 0), 1 / 0.7, 1e-9);
  for (const double w : {0.1, 5.0, 40.0, 4000.0}) {
    const ComplexMatrix wanted = frequency_response(state_space(model), w);
    const ComplexMatrix found = frequency_response(system.integrators, w) + frequency_response(system.rest, w);
    EXPECT_LT((found - wanted).cwiseAbs().maxCoeff(), 1e-8 * wanted.cwiseAbs().maxCoeff()) << w;
  }
}

// A thruster that turns with a node: its moment about the joint depends on how the links bend, and nothing on where the
// joint is. K v = 0, vᵀ K ≠ 0.
TEST(SeparateIntegrators, AFollowerLoadOnADampedJointLeavesAnIntegrator) {
  LinearModel model = axis_with_modes(0.7, 0);
  model.stiffness(0, 1) = 40;
  model.stiffness(0, 2) = -15;
  const SeparatedSystem system = separate_integrators(model, 1);
  EXPECT_EQ(system.num_double, 0);
  ASSERT_EQ(system.num_single, 1);
  EXPECT_EQ(system.rest.num_states(), 7);
  for (const double w : {0.1, 5.0, 40.0, 4000.0}) {
    const ComplexMatrix wanted = frequency_response(state_space(model), w);
    const ComplexMatrix found = frequency_response(system.integrators, w) + frequency_response(system.rest, w);
    EXPECT_LT((found - wanted).cwiseAbs().maxCoeff(), 1e-8 * wanted.cwiseAbs().maxCoeff()) << w;
  }
}

// What does not see a damped joint does not integrate, although rounding says so.
TEST(SeparateIntegrators, RoundingIsNoIntegrator) {
  LinearModel model = axis_with_modes(0.7, 0);
  model.position_output(1, 0) = 1e-17;
  EXPECT_EQ(separate_integrators(model, 1).integrators.c(1, 0), 0);
}

// A slow pendulum is not an integrator, although its stiffness is 1e-12 of the stiffest.
TEST(SeparateIntegrators, AWeakSpringIsNone) {
  const SeparatedSystem system = separate_integrators(axis_with_modes(0, 0.5), 1);
  EXPECT_EQ(system.num_double + system.num_single, 0);
  EXPECT_EQ(system.rest.num_states(), 8);
}

}  // namespace
}  // namespace lithe
