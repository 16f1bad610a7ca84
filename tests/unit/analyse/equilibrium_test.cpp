#include "lithe/analyse/equilibrium.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/small_systems.h"

namespace lithe {
namespace {

using namespace lithe::testing;

TEST(Equilibrium, HangsAPendulum) {
  const Pendulum equations;
  const Equilibrium found = equilibrium(equations, state_of({1.0}, {3.0}));
  ASSERT_TRUE(found.converged) << found.message;
  EXPECT_TRUE(found.stable);
  EXPECT_NEAR(found.state.coordinates[0], 0, 1e-9);
  EXPECT_EQ(found.state.speeds[0], 0);
}

TEST(Equilibrium, KnowsAnUnstableOne) {
  const Pendulum equations;
  const Equilibrium found = equilibrium(equations, state_of({3.1}, {0}));
  ASSERT_TRUE(found.converged) << found.message;
  EXPECT_NEAR(found.state.coordinates[0], M_PI, 1e-9);
  EXPECT_FALSE(found.stable);
  EXPECT_NE(found.message.find("unstable"), std::string::npos);
}

// Held joint: q_k = -g cosθ ∫φ_k / ω_k², and the brake carries the weight's moment about the axis.
TEST(Equilibrium, BendsAHeldBeamByItsWeight) {
  const RotatingBeam equations(6, 8);
  const double angle = 0.7;
  State start = equations.initial_state();
  start.coordinates[0] = angle;
  EquilibriumOptions options;
  options.hold_joints = true;
  const Equilibrium found = equilibrium(equations, start, options);
  ASSERT_TRUE(found.converged) << found.message;
  EXPECT_EQ(found.state.coordinates[0], angle);
  const double beta = 1.8751040687, sigma = 0.7340955, omega = 2 * M_PI * 8;
  EXPECT_NEAR(found.state.coordinates[1], -9.81 * std::cos(angle) * 2 * sigma / beta / (omega * omega), 1e-9);
  ASSERT_EQ(found.holding_forces.size(), 1);
  // 0.5 cosθ of the straight beam, less the share of a beam that hangs lower: second order in the deflection
  EXPECT_NEAR(found.holding_forces[0], 9.81 * 0.5 * std::cos(angle), 0.02 * 9.81);
  Accelerations a;
  a.values.resize(7);
  NoWorkspace workspace;
  Inputs inputs;
  inputs.joint_forces = {{found.holding_forces[0]}};
  equations.evaluate(found.state, inputs, workspace, a);
  EXPECT_LT(a.values.cwiseAbs().maxCoeff(), 1e-6);  // with the brake's torque nothing moves
}

TEST(Equilibrium, SaysWhenThereIsNone) {
  // a constant torque on a free inertia
  class Spinning : public LinearSystem {
   public:
    Spinning() : LinearSystem(MatrixX::Ones(1, 1), MatrixX::Zero(1, 1), MatrixX::Zero(1, 1)) {}
    EvaluationStatus evaluate(const State&, const Inputs&, Workspace&, Accelerations& a) const override {
      a.values[0] = 1;
      return EvaluationStatus::ok;
    }
  };
  const Equilibrium found = equilibrium(Spinning(), state_of({0}, {0}));
  EXPECT_FALSE(found.converged);
  EXPECT_NE(found.message.find("no equilibrium"), std::string::npos);
}

}  // namespace
}  // namespace lithe
