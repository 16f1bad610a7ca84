#include "lithe/analyse/equilibrium/equilibrium.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lithe/formulate/formulation.h"
#include "support/flexible_models.h"
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
  options.hold_all_joints = true;
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

// Springs that pull an arm far from where it stands; its links are stiff, so that a step of the joints strains them
// much before they follow. Both formulations find the same place, to second order in the deflection.
TEST(Equilibrium, OfSpringsIsFoundFromFarAway) {
  for (const double young_modulus : {7e10, 7e12}) {
    Model model = spatial_2r(young_modulus, 4);
    for (Joint& joint : model.joints) {
      joint.stiffness = {20};
      joint.rest_value = {joint.initial_value[0] + 1.3};
    }
    std::vector<Vector3> tips;
    for (const std::string formulation : {"erls-cms", "floating-frame"}) {
      const auto equations = make_equations(model, {.formulation = formulation});
      const Equilibrium found = equilibrium(*equations, equations->initial_state());
      ASSERT_TRUE(found.converged) << formulation << ": " << found.message;
      EXPECT_TRUE(found.stable);
      Accelerations none;
      none.values.setZero(equations->num_coordinates());
      const auto workspace = equations->make_workspace();
      const int last = static_cast<int>(model.links[1].nodes.size()) - 1;
      const Inputs inputs = make_inputs(model);
      tips.push_back(equations->node_motion(found.state, inputs, none, 1, last, *workspace).position);
    }
    EXPECT_LT((tips[1] - tips[0]).norm(), young_modulus > 1e12 ? 1e-7 : 1e-4);
  }
}

// A long cantilever of rigid links and springs that hangs down by its weight. A smaller residual lies on the way up,
// too.
TEST(Equilibrium, OfALongChainOfSpringsIsFound) {
  Model model = chain(60);
  model.gravity = {0, 0, -9.81};
  for (Joint& joint : model.joints) joint.stiffness = {4000};
  const auto equations = make_equations(model);
  const State start = equations->initial_state();
  const Equilibrium found = equilibrium(*equations, start);
  ASSERT_TRUE(found.converged) << found.message;
  EXPECT_TRUE(found.stable) << found.message;
  const auto workspace = equations->make_workspace();
  const Inputs inputs = make_inputs(model);
  const auto potential = [&](const State& state) {
    const Energies energies = equations->energies(state, inputs, *workspace);
    return energies.gravity + energies.elastic;
  };
  EXPECT_LT(potential(found.state), potential(start));
}

// A motion that moves at the start stands still here: no centrifugal force.
TEST(Equilibrium, StopsPrescribedMotions) {
  Model model = spatial_2r(7e10, 4);
  Drive drive;
  drive.joint = 0;
  drive.prescribes_motion = true;
  const auto deflection = [&](const Signal& signal) {
    model.drives = {drive};
    model.drives[0].signal = signal;
    const auto equations = make_equations(model);
    EquilibriumOptions options;
    options.hold_all_joints = true;
    return equilibrium(*equations, equations->initial_state(), options).state.coordinates;
  };
  const double start = model.joints[0].initial_value[0];
  const VectorX resting = deflection(SignalConstant{start}), moving = deflection(SignalSine{0.5, 3, 0, start, 0});
  EXPECT_EQ(resting, moving);
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
