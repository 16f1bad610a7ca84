// Damping of links in transfer-functions: mass-proportional and modal damping as the other formulations have it.

#include "lithe/base/decompositions.h"
#include "support/at_rest.h"
#include "support/braced_frame.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

const FormulationChoice transfer{.formulation = "transfer-functions"};

Model damped(Model model, const Damping& damping) {
  model.gravity.setZero();
  for (Link& link : model.links) link.damping = damping;
  return with_lumped_mass(model);
}

// ω² and the decay φᵀ C φ of each mode at rest.
std::pair<VectorX, VectorX> decays(const Model& model, const FormulationChoice& choice) {
  const LinearBlocks blocks = blocks_at_rest(model, choice);
  const SymmetricPairs modes = symmetric_pairs(blocks.stiffness, blocks.mass);
  const MatrixX& shapes = modes.vectors;
  return {modes.values, (shapes.transpose() * blocks.damping * shapes).diagonal()};
}

const Damping kinds[] = {{3, 0, {}}, {0, 0, {0.03, 0.01}}, {2, 1e-5, {0.005}}};

TEST(TransferDamping, IsThatOfErlsAtRest) {
  for (const Damping& damping : kinds)
    for (const Model& model : {damped(l_shape(7e10, 2), damping), damped(spatial_2r(7e10, -1), damping),
                               damped(flexible_four_bar(7e10, false), damping), damped(braced_frame(), damping)}) {
      const auto [squares, ours] = decays(model, transfer);
      const auto [their_squares, theirs] = decays(model, {.formulation = "erls-fem"});
      ASSERT_EQ(squares.size(), their_squares.size());
      for (Eigen::Index k = 0; k < std::min<Eigen::Index>(squares.size(), 10); ++k) {
        if (their_squares(k) < 1) continue;  // rigid motions, which nothing damps
        EXPECT_NEAR(squares(k) / their_squares(k), 1, 1e-7) << k;
        EXPECT_NEAR(ours(k) / theirs(k), 1, 1e-6) << model.links[0].name << " mode " << k;
      }
    }
}

// dE/dt is minus what the dampers take, by fourth-order differences along the motion.
TEST(TransferDamping, TakesTheEnergyThatIsReported) {
  for (const Model& model :
       {damped(spatial_2r(), kinds[2]), damped(flexible_four_bar(), kinds[2]), damped(braced_frame(), kinds[2])}) {
    Formulated system(model, transfer);
    for (int i = system.equations->num_joint_coordinates(); i < system.equations->num_coordinates(); ++i) {
      system.state.coordinates(i) += 1e-4 * std::sin(3.0 * i);
      system.state.speeds(i) += 0.2 * std::cos(2.0 * i);
    }
    system.evaluate();
    const double h = 1e-8;
    const auto at = [&](double step) {
      State state = system.state;
      state.coordinates += step * state.speeds + 0.5 * step * step * system.accelerations.values;
      state.speeds += step * system.accelerations.values;
      return system.equations->energies(state, system.inputs, *system.workspace).total();
    };
    const double power = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    const double taken = system.equations->dissipated_power(system.state, system.inputs, *system.workspace);
    EXPECT_GT(taken, 0);
    EXPECT_NEAR(power, -taken, 1e-4 * taken);
  }
}

// The equations are linear in the rates of damping: a difference of any step is exact for it, and twice linearising
// about the same state must not add up.
TEST(TransferDamping, IsInTheLinearisation) {
  for (const Model& model :
       {damped(spatial_2r(), kinds[1]), damped(flexible_four_bar(), kinds[0]), damped(braced_frame(), kinds[2])}) {
    Formulated system(model, transfer);
    LinearBlocks blocks, again;
    ASSERT_EQ(system.equations->linearise(system.state, system.inputs, *system.workspace, blocks),
              EvaluationStatus::ok);
    ASSERT_EQ(system.equations->linearise(system.state, system.inputs, *system.workspace, again), EvaluationStatus::ok);
    EXPECT_EQ((blocks.damping - again.damping).norm(), 0);
    const int n = system.equations->num_coordinates();
    MatrixX damping(n, n);
    for (int k = 0; k < n; ++k) {
      Accelerations up, down;
      State state = system.state;
      state.speeds(k) += 1;
      ASSERT_EQ(system.equations->evaluate(state, system.inputs, *system.workspace, up), EvaluationStatus::ok);
      state.speeds(k) -= 2;
      ASSERT_EQ(system.equations->evaluate(state, system.inputs, *system.workspace, down), EvaluationStatus::ok);
      damping.col(k) = -blocks.mass * (up.values - down.values) / 2;
    }
    EXPECT_LT((damping - blocks.damping).norm(), 1e-8 * blocks.damping.norm());
  }
}

}  // namespace
}  // namespace lithe
