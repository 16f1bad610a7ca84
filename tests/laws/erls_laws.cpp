// Laws that the ERLS equations obey whatever the mechanism: symmetry, power balance, agreement of the recursive and the
// assembled mass, exact derivatives.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <random>

#include "lithe/formulate/erls/erls_cms.h"
#include "support/flexible_models.h"

namespace lithe {
namespace {

using namespace testing;

struct Case {
  std::string name;
  Model model;
  Gauge gauge = Gauge::encoder;
  bool geometric_stiffening = false;
};

std::vector<Case> cases() {
  return {{"l_shape", l_shape()},
          {"l_shape_minimum_norm", l_shape(), Gauge::minimum_norm},
          {"spatial_2r", spatial_2r()},
          {"spatial_2r_minimum_norm", spatial_2r(), Gauge::minimum_norm},
          {"mixed_tree", mixed_tree()},
          {"mixed_tree_minimum_norm", mixed_tree(), Gauge::minimum_norm},
          {"four_bar_overconstrained", flexible_four_bar()},
          {"four_bar", flexible_four_bar(7e10, false)},
          {"four_bar_with_springs", active_four_bar(7e10, false, 2, false)},
          {"four_bar_minimum_norm", flexible_four_bar(7e10, false), Gauge::minimum_norm},
          {"free_frame", free_frame(7e10, 1, 6)},
          {"l_shape_stiffening", l_shape(7e10, 2, 8), Gauge::encoder, true},
          {"spatial_2r_stiffening", spatial_2r(), Gauge::encoder, true},
          {"mixed_tree_stiffening", mixed_tree(), Gauge::encoder, true},
          {"four_bar_overconstrained_stiffening", flexible_four_bar(), Gauge::encoder, true},
          {"four_bar_stiffening", flexible_four_bar(7e10, false), Gauge::encoder, true},
          {"four_bar_with_springs_stiffening", active_four_bar(7e10, false, 2, false), Gauge::encoder, true},
          {"free_frame_stiffening", free_frame(7e10, 1, 6), Gauge::encoder, true}};
}

// A state with motion and vibration of visible size everywhere.
State shaken(const ErlsCms& equations, unsigned seed, double deflection) {
  State state = equations.initial_state();
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = equations.num_joint_coordinates(); i < equations.num_coordinates(); ++i) {
    state.coordinates(i) = deflection * uniform(random);
    state.speeds(i) = 20 * deflection * uniform(random);
  }
  return state;
}

class ErlsLaws : public ::testing::TestWithParam<int> {
 protected:
  ErlsLaws()
      : test_case(cases()[GetParam()]),
        equations(reduce(test_case.model),
                  {.gauge = test_case.gauge, .geometric_stiffening = test_case.geometric_stiffening}) {
    workspace = equations.make_workspace();
    inputs = make_inputs(equations.model());
  }
  Case test_case;
  ErlsCms equations;
  std::unique_ptr<Workspace> workspace;
  Inputs inputs;
};

TEST_P(ErlsLaws, MassMatrixIsSymmetricPositiveDefinite) {
  MatrixX mass;
  ASSERT_EQ(equations.mass_matrix(shaken(equations, 1, 1e-3), inputs, *workspace, mass), EvaluationStatus::ok);
  EXPECT_LT((mass - mass.transpose()).cwiseAbs().maxCoeff(), 1e-13 * mass.cwiseAbs().maxCoeff());
  EXPECT_EQ(Eigen::LLT<MatrixX>(mass).info(), Eigen::Success);
}

// dE/dt = 0 without dissipation and drives: E(x + ẋ dt, ẋ + ẍ dt), differentiated by central differences of fourth
// order.
TEST_P(ErlsLaws, EnergyRateVanishes) {
  const State state = shaken(equations, 2, 1e-3);
  Accelerations accelerations;
  ASSERT_EQ(equations.evaluate(state, inputs, *workspace, accelerations), EvaluationStatus::ok);
  const auto energy = [&](double dt) {
    State moved = state;
    moved.coordinates += dt * state.speeds + 0.5 * dt * dt * accelerations.values;
    moved.speeds += dt * accelerations.values;
    return equations.energies(moved, inputs, *workspace).total();
  };
  const double h = 1e-6;
  const double rate = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h);
  const Energies now = equations.energies(state, inputs, *workspace);
  const double scale = std::abs(now.kinetic) + std::abs(now.elastic);
  EXPECT_LT(std::abs(rate), 1e-5 * scale * state.speeds.norm() + 1e-7);
}

TEST_P(ErlsLaws, LinearisationEqualsCentralDifferences) {
  const State state = shaken(equations, 3, 5e-4);
  LinearBlocks blocks;
  ASSERT_EQ(equations.linearise(state, inputs, *workspace, blocks), EvaluationStatus::ok);
  Accelerations accelerations;
  equations.evaluate(state, inputs, *workspace, accelerations);
  const int n = equations.num_coordinates();
  // r(x, v, a) = M a - f = M (a - ẍ(x, v)), so dr = -M dẍ at a = ẍ.
  MatrixX mass;
  equations.mass_matrix(state, inputs, *workspace, mass);
  EXPECT_LT((blocks.mass - mass).norm(), 1e-12 * mass.norm());
  for (int speed = 0; speed < 2; ++speed) {
    MatrixX differences(n, n);
    for (int j = 0; j < n; ++j) {
      const double h = speed ? 1e-4 : (j < equations.num_joint_coordinates() ? 1e-5 : 1e-6);
      const auto at = [&](double step) {
        State moved = state;
        (speed ? moved.speeds : moved.coordinates)(j) += step;
        Accelerations result;
        equations.evaluate(moved, inputs, *workspace, result);
        return result.values;
      };
      differences.col(j) = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    }
    const MatrixX& block = speed ? blocks.damping : blocks.stiffness;
    const MatrixX expected = -mass * differences;
    EXPECT_LT((block - expected).norm(), 2e-6 * block.norm()) << (speed ? "damping" : "stiffness");
  }
}

TEST_P(ErlsLaws, EvaluateSolvesTheAssembledEquations) {
  const State state = shaken(equations, 4, 1e-3);
  Accelerations accelerations;
  ASSERT_EQ(equations.evaluate(state, inputs, *workspace, accelerations), EvaluationStatus::ok);
  // Another way to the same accelerations: force at zero acceleration is -M ẍ, so two evaluations with a joint torque
  // must differ by M⁻¹ B.
  LinearBlocks blocks;
  ASSERT_EQ(equations.linearise(state, inputs, *workspace, blocks), EvaluationStatus::ok);
  for (std::size_t joint = 0, column = 0; joint < equations.model().joints.size(); ++joint)
    for (std::size_t k = 0; k < inputs.joint_forces[joint].size(); ++k, ++column) {
      Inputs pushed = inputs;
      pushed.joint_forces[joint][k] = 1;
      Accelerations answer;
      ASSERT_EQ(equations.evaluate(state, pushed, *workspace, answer), EvaluationStatus::ok);
      const VectorX expected = blocks.mass.ldlt().solve(blocks.input.col(column));
      EXPECT_LT((answer.values - accelerations.values - expected).norm(),
                1e-7 * (1 + expected.norm() + 1e-3 * accelerations.values.norm()));
    }
}

INSTANTIATE_TEST_SUITE_P(AllMechanisms, ErlsLaws, ::testing::Range(0, static_cast<int>(cases().size())),
                         [](const auto& chosen) { return cases()[chosen.param].name; });

}  // namespace
}  // namespace lithe
