// Dynamic output feedback between H2 and H∞ against closed forms, searches over all controllers of an order, and norms
// of loops that are put together here.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "lithe/base/decompositions.h"
#include "lithe/control/design/mixed_norm.h"
#include "lithe/control/design/optimise.h"
#include "lithe/control/linear/discretise.h"
#include "lithe/control/linear/infinite.h"
#include "lithe/control/linear/linear_analysis.h"
#include "lithe/control/linear/matrix_equations.h"
#include "lithe/control/linear/riccati.h"

namespace lithe {
namespace {

// A motor of inertia 0.02 and a load of 0.03 kg m² on a shaft of 2 N m/rad; outputs: motor angle, twist.
StateSpace elastic_drive() {
  const double motor = 0.02, load = 0.03, stiffness = 2, damping = 0.002;
  StateSpace s;
  s.a = MatrixX::Zero(4, 4);
  s.a.topRightCorner(2, 2).setIdentity();
  s.a.bottomLeftCorner(2, 2) << -stiffness / motor, stiffness / motor, stiffness / load, -stiffness / load;
  s.a.bottomRightCorner(2, 2) << -damping / motor, damping / motor, damping / load, -damping / load;
  s.b = MatrixX::Zero(4, 1);
  s.b(2, 0) = 1 / motor;
  s.c = MatrixX::Zero(2, 4);
  s.c.row(0) << 1, 0, 0, 0;
  s.c.row(1) << -1, 1, 0, 0;
  s.d = MatrixX::Zero(2, 1);
  return s;
}

RegulatorWeights drive_weights(bool rejects) {
  RegulatorWeights w;
  w.allowed_errors = (VectorX(2) << 0.05, 0.02).finished();
  w.allowed_efforts = VectorX::Constant(1, 1.0);
  w.disturbances = VectorX::Constant(1, 0.1);
  w.measurement_noise = (VectorX(2) << 1e-3, 1e-3).finished();
  w.rejects_disturbance = rejects;
  return w;
}

// ẋ = u + w, y = x + v, z = (x, u).
StateSpace integrator() {
  StateSpace s;
  s.a = MatrixX::Zero(1, 1);
  s.b = s.c = MatrixX::Ones(1, 1);
  s.d = MatrixX::Zero(1, 1);
  return s;
}

RegulatorWeights unit_weights() {
  RegulatorWeights w;
  w.allowed_errors = w.allowed_efforts = w.disturbances = w.measurement_noise = VectorX::Ones(1);
  w.rejects_disturbance = false;
  return w;
}

// The loop of a controller from measurements to -u around the design's own model, from disturbance and noise to errors
// and efforts, without constant disturbances.
StateSpace loop_with(const RegulatorDesign& base, const StateSpace& k, const RegulatorWeights& w) {
  const Eigen::Index n = base.model.num_states(), r = k.num_states(), m = base.model.num_inputs();
  const Eigen::Index p = base.model.num_outputs();
  MatrixX entry = MatrixX::Zero(n, m);  // disturbances act at once, inputs after their delay
  entry.topRows(base.num_plant_states) =
      base.delay_steps == 0 ? base.model.b
                            : MatrixX(base.model.a.block(0, base.num_plant_states, base.num_plant_states, m));
  const MatrixX noise = w.measurement_noise.asDiagonal(), effort = w.allowed_efforts.cwiseInverse().asDiagonal();
  const MatrixX& b = base.model.b;
  const MatrixX& c = base.model.c;
  StateSpace loop;
  loop.sample_time = base.model.sample_time;
  loop.a.resize(n + r, n + r);
  loop.a << base.model.a - b * k.d * c, -b * k.c, k.b * c, k.a;
  loop.b.resize(n + r, m + p);
  loop.b << entry * w.disturbances.asDiagonal(), -b * k.d * noise, MatrixX::Zero(r, m), k.b * noise;
  loop.c.resize(p + m, n + r);
  loop.c << w.allowed_errors.cwiseInverse().asDiagonal() * c, MatrixX::Zero(p, r), -effort * k.d * c, -effort * k.c;
  loop.d = MatrixX::Zero(p + m, m + p);
  loop.d.bottomRightCorner(m, p) = -effort * k.d * noise;
  return loop;
}

// The largest gain over a fine grid of frequencies, without the machinery of hinf_norm().
double swept_peak(const StateSpace& loop) {
  double peak = 0;
  for (int i = 0; i <= 4000; ++i) {
    const double w = 3.14159265358979 / loop.sample_time * std::pow(10, -5 + 5.0 * i / 4000);
    const ComplexMatrix h = frequency_response(loop, w);
    const Eigen::MatrixXcd square = h.adjoint() * h;
    MatrixX real(2 * square.rows(), 2 * square.cols());
    real << square.real(), -square.imag(), square.imag(), square.real();
    peak = std::max(peak, std::sqrt(symmetric_values(real).values.maxCoeff()));
  }
  return peak;
}

// The minimum of the scalar problem in continuous time is γ = √2: X = Y = 1/√(1 - 1/γ²), X Y < γ² (Doyle, Glover,
// Khargonekar, Francis 1989).
TEST(MixedNorm, SmallestPeakGainOfTheIntegratorIsTheRootOfTwo) {
  double last = 1;
  for (const double step : {0.1, 0.05, 0.025}) {
    const MixedNormDesign found = design_mixed_norm(integrator(), {0}, unit_weights(), step, 0, {0, 1.01, 0});
    ASSERT_TRUE(found.found) << found.message;
    const double error = std::abs(found.least_peak - std::sqrt(2.0));
    EXPECT_LT(error, 0.7 * step);
    EXPECT_LT(error, 0.6 * last);  // of first order in the step
    last = error;
  }
}

// No controller of first order does better, and one does nearly as well: by search over its four numbers.
TEST(MixedNorm, SmallestPeakGainIsThatOfASearchOverAllControllers) {
  const RegulatorWeights w = unit_weights();
  const MixedNormDesign found = design_mixed_norm(integrator(), {0}, w, 0.5, 0, {0, 1.01, 0});
  ASSERT_TRUE(found.found) << found.message;
  const auto peak_of = [&](const VectorX& v) {
    StateSpace k;
    k.sample_time = 0.5;
    k.a = MatrixX::Constant(1, 1, v[0]);
    k.b = MatrixX::Constant(1, 1, v[1]);
    k.c = MatrixX::Ones(1, 1);
    k.d = MatrixX::Constant(1, 1, v[2]);
    const StateSpace loop = loop_with(found.base, k, w);
    return is_stable(loop) ? hinf_norm(loop).value : infinite;
  };
  double best = infinite;
  for (const double d : {0.3, 0.6, 0.9}) {
    const VectorX start = (VectorX(3) << 0.2, 0.1, d).finished();
    best = std::min(best, minimise(peak_of, start, VectorX::Constant(3, 0.3), 600, 1e-9).value);
  }
  EXPECT_GE(best, (1 - 2e-4) * found.least_peak);
  EXPECT_LE(best, (1 + 5e-3) * found.least_peak);
  EXPECT_LE(found.norms.peak, 1.01 * found.least_peak * (1 + 1e-6));
}

TEST(MixedNorm, WithoutABoundItIsTheRegulatorWithItsObserver) {
  for (const int delay : {0, 2}) {
    const MixedNormDesign found = design_mixed_norm(elastic_drive(), {0}, drive_weights(true), 1e-3, delay, {});
    ASSERT_TRUE(found.found) << found.message;
    const StateSpace k = feedback_form(found), lqg = regulator_system(found.base);
    for (const double w : {0.3, 5.0, 40.0, 300.0, 2500.0}) {
      const ComplexMatrix one = frequency_response(k, w), two = frequency_response(lqg, w);
      EXPECT_LT((one - two).norm(), 1e-6 * two.norm()) << w << " " << delay;
    }
  }
}

// The cost of LQG in closed form: tr(M W) + tr((R + BᵀMB) K Σ_f Kᵀ).
TEST(MixedNorm, H2NormIsTheClosedFormOfLqg) {
  const RegulatorWeights w = drive_weights(false);
  const MixedNormDesign found = design_mixed_norm(elastic_drive(), {0}, w, 1e-3, 1, {});
  ASSERT_TRUE(found.found) << found.message;
  const RegulatorDesign& d = found.base;
  const MatrixX m = solve_discrete_riccati(d.model.a, d.model.b, d.state_weight, d.input_weight).x;
  const MatrixX s =
      solve_discrete_riccati(d.model.a.transpose(), d.model.c.transpose(), d.process_covariance, d.noise_covariance).x;
  const MatrixX sc = s * d.model.c.transpose();
  const MatrixX filtered = s - sc * (d.noise_covariance + d.model.c * sc).inverse() * sc.transpose();
  const MatrixX inner = d.input_weight + d.model.b.transpose() * m * d.model.b;
  const double cost = (m * d.process_covariance).trace() + (inner * d.gain * filtered * d.gain.transpose()).trace();
  EXPECT_NEAR(found.norms.h2, std::sqrt(cost), 1e-6 * std::sqrt(cost));
}

TEST(MixedNorm, KeepsTheBoundAtTheLeastCost) {
  const RegulatorWeights w = drive_weights(false);
  const MixedNormDesign lqg = design_mixed_norm(elastic_drive(), {0}, w, 1e-3, 1, {0, 1e6, 0});
  ASSERT_TRUE(lqg.found) << lqg.message;
  EXPECT_LT(lqg.least_peak, 0.95 * lqg.norms.peak);  // there is something to trade
  double last = lqg.norms.h2;
  for (const double part : {0.7, 0.4, 0.1}) {
    const double bound = lqg.least_peak + part * (lqg.norms.peak - lqg.least_peak);
    const MixedNormDesign found = design_mixed_norm(elastic_drive(), {0}, w, 1e-3, 1, {bound, 0, 0});
    ASSERT_TRUE(found.found) << found.message;
    const StateSpace loop = loop_with(found.base, feedback_form(found), w);
    const double peak = swept_peak(loop);
    EXPECT_LE(peak, bound * (1 + 1e-6));
    EXPECT_GT(peak, 0.98 * bound);  // the bound is made use of
    EXPECT_NEAR(found.norms.peak, peak, 2e-3 * peak);
    EXPECT_NEAR(h2_norm(loop), found.norms.h2, 1e-4 * found.norms.h2);
    EXPECT_GT(found.norms.h2, last);  // and costs
    last = found.norms.h2;
  }
  const MixedNormDesign none = design_mixed_norm(elastic_drive(), {0}, w, 1e-3, 1, {0.99 * lqg.least_peak, 0, 0});
  EXPECT_FALSE(none.found);
  EXPECT_NE(none.message.find("no controller has a peak gain below"), std::string::npos) << none.message;
}

// The sampled plant with a disturbance that is switched on, and the controller: where the motor comes to rest.
double rest_angle(const RegulatorDesign& base, const StateSpace& k, int delay) {
  const StateSpace plant = zero_order_hold(elastic_drive(), base.model.sample_time);
  VectorX x = VectorX::Zero(4), state = VectorX::Zero(k.num_states());
  std::vector<double> waiting(static_cast<std::size_t>(delay) + 1, 0.0);
  for (int i = 0; i < 40000; ++i) {
    const VectorX y = plant.c * x;
    waiting.push_back(-(k.c * state + k.d * y)[0]);
    state = (k.a * state + k.b * y).eval();
    x = (plant.a * x + plant.b * (waiting[waiting.size() - 1 - static_cast<std::size_t>(delay)] + 0.3)).eval();
  }
  return x[0];
}

TEST(MixedNorm, ConstantDisturbancesAreCancelledWhateverTheDelayAndTheOrder) {
  for (const int delay : {0, 3}) {
    const MixedNormDesign whole =
        design_mixed_norm(elastic_drive(), {0}, drive_weights(true), 1e-3, delay, {0, 1.5, 0});
    ASSERT_TRUE(whole.found) << whole.message;
    EXPECT_LE(whole.norms.peak, whole.bound * (1 + 1e-6));
    EXPECT_NEAR(rest_angle(whole.base, feedback_form(whole), delay), 0, 1e-9);
    EXPECT_NEAR(rest_angle(whole.base, regulator_system(whole.base), delay), 0, 1e-9);  // LQG as well
    const MixedNormDesign less = design_mixed_norm(elastic_drive(), {0}, drive_weights(true), 1e-3, delay, {0, 2, 5});
    ASSERT_TRUE(less.found) << less.message;
    EXPECT_EQ(less.observer.num_states(), 5);
    EXPECT_EQ(less.whole_order, 5 + delay);
    EXPECT_NEAR(rest_angle(less.base, feedback_form(less), delay), 0, 1e-9);
    EXPECT_LE(less.norms.peak, less.bound * (1 + 1e-6));
  }
}

TEST(MixedNorm, ReducedOrdersAreJudgedAgain) {
  const RegulatorWeights w = drive_weights(false);
  const MixedNormDesign found = design_mixed_norm(elastic_drive(), {0}, w, 1e-3, 4, {0, 0, 5});
  ASSERT_TRUE(found.found) << found.message;
  EXPECT_EQ(found.observer.num_states(), 5);
  EXPECT_EQ(found.whole_order, 8);
  const StateSpace loop = loop_with(found.base, feedback_form(found), w);
  EXPECT_NEAR(h2_norm(loop), found.norms.h2, 1e-4 * found.norms.h2);
  EXPECT_NEAR(swept_peak(loop), found.norms.peak, 2e-3 * found.norms.peak);
  EXPECT_GE(found.norms.h2, found.whole.h2 * (1 - 1e-9));  // LQG is the least of all
  const MixedNormDesign tiny = design_mixed_norm(elastic_drive(), {0}, w, 1e-3, 4, {0, 1.05, 1});
  EXPECT_FALSE(tiny.found);
  EXPECT_NE(tiny.message.find("with 1 states of 8"), std::string::npos) << tiny.message;
}

// X of a game against the fixed point of its equation.
TEST(GameRiccati, IsTheFixedPointAndNeedsALevelThatCanBeReached) {
  const MatrixX a = (MatrixX(2, 2) << 1.1, 0.3, 0, 0.8).finished(), b = (MatrixX(2, 1) << 0, 1).finished();
  const MatrixX d = (MatrixX(2, 1) << 0.5, 0.1).finished(), q = MatrixX::Identity(2, 2);
  const auto game = [&](double level) { return MatrixX(b * b.transpose() - d * d.transpose() / (level * level)); };
  const auto x = solve_game_riccati(a, game(30), q);
  ASSERT_TRUE(x);
  MatrixX iterated = MatrixX::Zero(2, 2);
  for (int i = 0; i < 2000; ++i)
    iterated = q + a.transpose() * iterated * (MatrixX::Identity(2, 2) + game(30) * iterated).inverse() * a;
  EXPECT_LT((*x - iterated).norm(), 1e-8 * iterated.norm());
  EXPECT_FALSE(solve_game_riccati(a, game(0.3), q));
}

}  // namespace
}  // namespace lithe
