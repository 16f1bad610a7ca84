// Linear systems of implicit integrators, solved link by link, against the matrices of all coordinates.
#include <Eigen/LU>

#include "lithe/formulate/contract/recursive_solves.h"
#include "support/formulations.h"
#include "support/random_mechanisms.h"

namespace lithe::testing {
namespace {

using Complex = std::complex<double>;

// At a deformed state that moves, so that no term vanishes.
State moved_state(const Formulated& f) {
  State state = f.state;
  const int joints = f.equations->num_joint_coordinates();
  for (Eigen::Index i = 0; i < state.coordinates.size(); ++i) {
    state.coordinates[i] += (i < joints ? 0.02 : 1e-4) * std::sin(1.0 + 2.3 * static_cast<double>(i));
    state.speeds[i] = (i < joints ? 0.5 : 1e-2) * std::cos(2.0 + 1.7 * static_cast<double>(i));
  }
  return state;
}

void expect_same_solutions(const Model& model, const std::string& what, const FormulationChoice& choice = {}) {
  Formulated f(model, choice);
  const auto* solves = dynamic_cast<const RecursiveSolves*>(f.equations.get());
  ASSERT_TRUE(solves && solves->solves_structured()) << what;
  const State state = moved_state(f);
  const Eigen::Index n = state.coordinates.size();
  LinearBlocks blocks;
  ASSERT_EQ(f.equations->linearise_elastic(state, f.inputs, *f.workspace, blocks), EvaluationStatus::ok);
  const double d = 3e-4, k = 2e-7;
  const Complex dc(1e-4, 3e-4), kc = dc * dc;
  ASSERT_EQ(solves->factorise_tangent(state, f.inputs, d, k, dc, kc, *f.workspace), EvaluationStatus::ok);
  const VectorX right = VectorX::LinSpaced(n, -1, 2);

  const MatrixX real = blocks.mass + d * blocks.damping + k * blocks.stiffness;
  const VectorX expected = real.partialPivLu().solve(right);
  VectorX found = right;
  solves->solve_tangent(*f.workspace, found);
  EXPECT_LT((found - expected).norm(), 1e-9 * expected.norm()) << what;

  const Eigen::MatrixXcd complex = blocks.mass.cast<Complex>() + dc * blocks.damping + kc * blocks.stiffness;
  const Eigen::VectorXcd complex_expected = complex.partialPivLu().solve(right.cast<Complex>());
  Eigen::VectorXcd complex_found = right.cast<Complex>();
  solves->solve_tangent(*f.workspace, complex_found);
  EXPECT_LT((complex_found - complex_expected).norm(), 1e-9 * complex_expected.norm()) << what;

  const VectorX filtered_expected = real.partialPivLu().solve(blocks.mass * right);
  VectorX filtered = right;
  solves->filter_tangent(*f.workspace, filtered);
  EXPECT_LT((filtered - filtered_expected).norm(), 1e-9 * filtered_expected.norm()) << what;

  // M a - f vanishes at the state's own accelerations and grows by M δ.
  f.state = state;
  f.evaluate();
  VectorX at_rest(n), beside(n);
  const VectorX own = f.accelerations.values, more = own + right;
  ASSERT_EQ(solves->residual(state, f.inputs, own, *f.workspace, at_rest), EvaluationStatus::ok);
  ASSERT_EQ(solves->residual(state, f.inputs, more, *f.workspace, beside), EvaluationStatus::ok);
  const VectorX force = blocks.mass * own;
  // rounding of the elastic forces, which nearly cancel: 6e-9 was found
  EXPECT_LT(at_rest.norm(), 1e-8 * force.norm()) << what;
  EXPECT_LT((beside - at_rest - blocks.mass * right).norm(), 1e-9 * (blocks.mass * right).norm()) << what;
}

TEST(LoopFactor, SolvesOpenChainsAndTrees) {
  expect_same_solutions(spatial_2r(), "serial");
  expect_same_solutions(mixed_tree(), "every kind of joint");
  expect_same_solutions(random_mechanism({MechanismKind::geared, 3, 4, 2, 1.0, 0.01}), "gearboxes");
  expect_same_solutions(random_mechanism({MechanismKind::branched, 5, 5, 1}), "branched");
}

TEST(LoopFactor, SolvesClosedChainsWhereverTheyAreCut) {
  for (int cut = 0; cut < 4; ++cut) {
    expect_same_solutions(flexible_four_bar(7e10, true, cut), "overconstrained, cut " + std::to_string(cut));
    expect_same_solutions(flexible_four_bar(7e10, false, cut), "in space, cut " + std::to_string(cut));
    expect_same_solutions(active_four_bar(7e10, true, cut, false), "with springs, cut " + std::to_string(cut));
  }
  for (int legs = 2; legs < 5; ++legs)
    expect_same_solutions(random_mechanism({MechanismKind::closed, 7, legs, 2}), std::to_string(legs) + " legs");
}

// Deformed nodes carry what hangs on them, and bent links have another modal mass.
TEST(LoopFactor, SolvesWithGeometricStiffening) {
  const FormulationChoice stiffened{.geometric_stiffening = Stiffening::on};
  expect_same_solutions(spatial_2r(), "serial", stiffened);
  expect_same_solutions(mixed_tree(), "every kind of joint", stiffened);
  expect_same_solutions(random_mechanism({MechanismKind::geared, 3, 4, 2, 1.0, 0.01}), "gearboxes", stiffened);
  for (int cut = 0; cut < 4; ++cut) {
    expect_same_solutions(flexible_four_bar(7e10, true, cut), "overconstrained, cut " + std::to_string(cut), stiffened);
    expect_same_solutions(active_four_bar(7e10, true, cut, false), "with springs, cut " + std::to_string(cut),
                          stiffened);
  }
  expect_same_solutions(random_mechanism({MechanismKind::closed, 7, 3, 2}), "three legs", stiffened);
}

}  // namespace
}  // namespace lithe::testing
