#include "lithe/control/design/regulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lithe/control/design/tuning.h"
#include "lithe/control/linear/discretise.h"
#include "lithe/control/linear/linear_analysis.h"
#include "lithe/control/model_controllers.h"
#include "lithe/control/pid.h"

namespace lithe {
namespace {

// A motor of inertia 0.02 and a load of 0.03 kg m² on a shaft of 2 N m/rad; outputs: motor angle and speed, load angle.
StateSpace elastic_axis(double damping = 0.002) {
  const double motor = 0.02, load = 0.03, stiffness = 2;
  StateSpace s;
  s.a = MatrixX::Zero(4, 4);
  s.a.topRightCorner(2, 2).setIdentity();
  s.a.bottomLeftCorner(2, 2) << -stiffness / motor, stiffness / motor, stiffness / load, -stiffness / load;
  s.a.bottomRightCorner(2, 2) << -damping / motor, damping / motor, damping / load, -damping / load;
  s.b = MatrixX::Zero(4, 1);
  s.b(2, 0) = 1 / motor;
  s.c = MatrixX::Zero(3, 4);
  s.c(0, 0) = s.c(1, 2) = s.c(2, 1) = 1;
  s.d = MatrixX::Zero(3, 1);
  return s;
}

RegulatorWeights simple_weights(bool rejects = false) {
  RegulatorWeights w;
  w.allowed_errors = VectorX(3);
  w.allowed_errors << 0.1, 1e300, 0.01;
  w.allowed_errors[1] = std::numeric_limits<double>::infinity();
  w.allowed_efforts = VectorX::Constant(1, 1.0);
  w.disturbances = VectorX::Constant(1, 0.1);
  w.measurement_noise = VectorX::Constant(3, 1e-3);
  w.rejects_disturbance = rejects;
  return w;
}

TEST(TargetMaps, CarryTheInertiaAndTheQuasiStaticTwist) {
  const TargetMaps maps = target_maps(elastic_axis(0), {2});  // the load follows
  ASSERT_TRUE(maps.found);
  EXPECT_NEAR(maps.u0(0, 0), 0, 1e-12);
  EXPECT_NEAR(maps.u1(0, 0), 0, 1e-12);
  EXPECT_NEAR(maps.u2(0, 0), 0.05, 1e-12);      // both inertias
  EXPECT_NEAR(maps.x2(0, 0), 0.03 / 2, 1e-12);  // the shaft twists by J r̈ / k
  EXPECT_NEAR(maps.x0(0, 0), 1, 1e-12);
  EXPECT_NEAR(maps.x1(2, 0), 1, 1e-12);
  EXPECT_FALSE(target_maps(elastic_axis(0), {1}).found);     // a speed at rest is no position
  EXPECT_FALSE(target_maps(elastic_axis(0), {0, 2}).found);  // two references, one input
}

std::vector<double> sorted_moduli(const ComplexVector& values) {
  std::vector<double> result;
  for (const std::complex<double>& value : values) result.push_back(std::abs(value));
  std::sort(result.begin(), result.end());
  return result;
}

// Separation: the poles of the loop are those of the regulator and those of the observer.
TEST(Regulator, ClosedLoopPolesAreThoseOfTheDesign) {
  for (const int delay : {0, 2}) {
    const RegulatorDesign design = design_regulator(elastic_axis(), {2}, simple_weights(), 0.005, delay);
    ASSERT_TRUE(design.found) << design.message;
    const StateSpace plant = with_input_delay(zero_order_hold(elastic_axis(), 0.005), delay);
    const ComplexVector loop = poles(feedback(plant, regulator_system(design)));
    const Eigen::Index n = design.model.num_states();
    StateSpace regulated, observed;
    regulated.a = design.model.a - design.model.b * design.gain;
    const MatrixX kept = MatrixX::Identity(n, n) - design.observer_gain * design.observer_c;
    observed.a = design.observer_a * kept;
    ComplexVector wanted(2 * n);
    wanted << poles(regulated), poles(observed);
    const auto a = sorted_moduli(loop), b = sorted_moduli(wanted);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], b[i], b[i] > 0.1 ? 1e-9 : 1e-3);  // a delay has defective poles at zero
    EXPECT_LT(a.back(), 1);
  }
}

TEST(Regulator, ADecayRateIsKept) {
  RegulatorWeights w = simple_weights();
  w.decay_rate = 8;
  const RegulatorDesign design = design_regulator(elastic_axis(), {2}, w, 0.005);
  ASSERT_TRUE(design.found) << design.message;
  StateSpace regulated;
  regulated.a = design.model.a - design.model.b * design.gain;
  EXPECT_LT(sorted_moduli(poles(regulated)).back(), std::exp(-8 * 0.005));
}

// Runs a controller on the sampled linear plant and returns the load angle at the end.
double run_linear(Controller& controller, int steps, double disturbance, const ReferenceFunction& reference,
                  double* largest_late = nullptr) {
  const StateSpace plant = zero_order_hold(elastic_axis(), 0.005);
  VectorX x = VectorX::Zero(4);
  std::vector<double> y(3), u(1);
  for (int k = 0; k < steps; ++k) {
    const double time = 0.005 * k;
    const VectorX measured = plant.c * x;
    y.assign(measured.data(), measured.data() + 3);
    const SignalValue r = reference.at(time);
    if (k == 0) controller.start(time, y, {&r, 1});
    controller.update(time, y, {&r, 1}, u);
    x = (plant.a * x + plant.b * (u[0] + disturbance)).eval();
    if (largest_late && k > steps / 2) *largest_late = std::max(*largest_late, std::abs(x[1] - r.value));
  }
  return x[1];
}

OperatingPoint origin() { return {VectorX::Zero(3), VectorX::Zero(1), VectorX::Constant(1, 5.0), {2}}; }

ReferenceFunction quick_move() {
  Reference reference;
  reference.signal = SignalSmoothMove{0, 0.8, 0, 1};
  return ReferenceFunction(reference);
}

PredictiveOptions looking_ahead(int horizon) {
  PredictiveOptions options;
  options.horizon = horizon;
  return options;
}

TEST(LqgController, FollowsAMoveAndRejectsAConstantDisturbance) {
  const RegulatorDesign design = design_regulator(elastic_axis(), {2}, simple_weights(true), 0.005);
  ASSERT_TRUE(design.found) << design.message;
  LqgController controller(design, origin());
  double late = 0;
  EXPECT_NEAR(run_linear(controller, 1000, 0, quick_move(), &late), 1, 1e-6);
  EXPECT_LT(late, 1e-4);
  LqgController other(design, origin());
  EXPECT_NEAR(run_linear(other, 2000, 0.3, quick_move()), 1, 1e-4);
  const RegulatorDesign naive = design_regulator(elastic_axis(), {2}, simple_weights(false), 0.005);
  LqgController third(naive, origin());
  EXPECT_GT(std::abs(run_linear(third, 2000, 0.3, quick_move()) - 1), 1e-3);
}

TEST(LqgController, AMemoryRestoredContinuesBitByBit) {
  const RegulatorDesign design = design_regulator(elastic_axis(), {2}, simple_weights(true), 0.005, 1);
  LqgController one(design, origin()), two(design, origin());
  const SignalValue r{0.5, 0.1, 0.2};
  std::vector<double> y{0.1, 0.2, 0.3}, u(1), v(1);
  for (int k = 0; k < 7; ++k) one.update(0.005 * k, y, {&r, 1}, u);
  two.restore(one.memory());
  for (int k = 7; k < 12; ++k) {
    one.update(0.005 * k, y, {&r, 1}, u);
    two.update(0.005 * k, y, {&r, 1}, v);
    EXPECT_EQ(u[0], v[0]);
  }
}

TEST(MpcController, IsTheRegulatorWhileNoLimitIsReachedAndKeepsLimits) {
  const RegulatorDesign design = design_regulator(elastic_axis(), {2}, simple_weights(true), 0.005);
  ASSERT_TRUE(design.found);
  MpcController controller(design, origin(), looking_ahead(25), {quick_move()});
  EXPECT_NEAR(run_linear(controller, 1500, 0.05, quick_move()), 1, 1e-4);
  EXPECT_EQ(controller.note(), "");
  OperatingPoint weak = origin();
  weak.limits = VectorX::Constant(1, 0.3);
  PredictiveOptions options = looking_ahead(25);
  options.lower_input = VectorX::Constant(1, -0.3);
  options.upper_input = VectorX::Constant(1, 0.3);
  MpcController limited(design, weak, options, {quick_move()});
  EXPECT_NEAR(run_linear(limited, 3000, 0, quick_move()), 1, 1e-3);
  EXPECT_EQ(limited.note(), "");
}

TEST(MpcController, AMemoryRestoredContinuesBitByBit) {
  const RegulatorDesign design = design_regulator(elastic_axis(), {2}, simple_weights(true), 0.005);
  PredictiveOptions options = looking_ahead(10);
  options.lower_input = VectorX::Constant(1, -0.1);
  options.upper_input = VectorX::Constant(1, 0.1);
  OperatingPoint point = origin();
  point.limits = VectorX::Constant(1, 0.1);
  MpcController one(design, point, options, {quick_move()}), two(design, point, options, {quick_move()});
  std::vector<double> y{0.1, 0.2, 0.3}, u(1), v(1);
  for (int k = 0; k < 7; ++k) one.update(0.005 * k, y, {}, u);
  two.restore(one.memory());
  for (int k = 7; k < 12; ++k) {
    one.update(0.005 * k, y, {}, u);
    two.update(0.005 * k, y, {}, v);
    EXPECT_EQ(u[0], v[0]);
  }
}

TEST(OutputFeedback, IsStationaryAndNoWorseThanItsNeighbours) {
  const OutputFeedback found = design_output_feedback(elastic_axis(), simple_weights(), 0.005);
  ASSERT_TRUE(found.found) << found.message;
  // cost by its own definition: rms of weighted errors and efforts of the loop under unit white disturbances
  const StateSpace plant = zero_order_hold(elastic_axis(), 0.005);
  const auto cost = [&](const MatrixX& gain) {
    StateSpace loop;
    loop.sample_time = 0.005;
    loop.a = plant.a - plant.b * gain * plant.c;
    loop.b = 0.1 * plant.b;
    loop.c.resize(3, 4);
    loop.c << plant.c.row(0) / 0.1, plant.c.row(2) / 0.01, gain * plant.c;
    loop.d = MatrixX::Zero(3, 1);
    return h2_norm(loop);
  };
  const double best = cost(found.gain);
  EXPECT_NEAR(best, found.cost, 1e-3 * best);
  for (Eigen::Index i = 0; i < 3; ++i)
    for (const double change : {-0.02, 0.02}) {
      MatrixX other = found.gain;
      other(0, i) *= 1 + change;
      EXPECT_GT(cost(other), best * (1 - 1e-6));
    }
}

TEST(OutputFeedback, KeepsABoundOfThePeakGainOrSaysThatItCannot) {
  const OutputFeedback free = design_output_feedback(elastic_axis(), simple_weights(), 0.005);
  const OutputFeedback bound = design_output_feedback(elastic_axis(), simple_weights(), 0.005, 0, 0.8 * free.peak_gain);
  ASSERT_TRUE(bound.found) << bound.message;
  EXPECT_LT(bound.peak_gain, 0.8 * free.peak_gain);
  EXPECT_GT(bound.cost, free.cost);
  const OutputFeedback never = design_output_feedback(elastic_axis(), simple_weights(), 0.005, 0, 1e-9);
  EXPECT_FALSE(never.found);
  EXPECT_NE(never.message.find("peak gain below"), std::string::npos);
}

TEST(PidTuning, PlacesThePolesOfARigidAxis) {
  StateSpace rigid;
  rigid.a = MatrixX::Zero(2, 2);
  rigid.a(0, 1) = 1;
  rigid.b = MatrixX::Zero(2, 1);
  rigid.b(1, 0) = 1 / 0.05;
  rigid.c = MatrixX::Zero(1, 2);
  rigid.c(0, 0) = 1;
  rigid.d = MatrixX::Zero(1, 1);
  // as good as continuous; the derivative filter is far away
  const StateSpace loop = feedback(zero_order_hold(rigid, 1e-5), pid_system({place_poles(0.05, 10)}, 1e-5, 1e-5));
  int near = 0;
  for (const std::complex<double>& z : poles(loop)) {
    const std::complex<double> s = std::log(z) / 1e-5;
    if (std::abs(s - std::complex<double>(-7, std::sqrt(51.0))) < 0.05) ++near;  // 0.7 and 10 rad/s
    if (std::abs(s + 10.0 / 3) < 0.05) ++near;
  }
  EXPECT_EQ(near, 2);
}

TEST(PidTuning, ReachesASettlingTimeWithAFlexibleMode) {
  const PidGoal goal{.settling_time = 1.5, .filter_time = 0.005, .sample_time = 0.002};
  const PidTuning tuned = tune_pid(elastic_axis(0.01), {0}, goal);
  ASSERT_TRUE(tuned.found) << tuned.message;
  EXPECT_LE(tuned.settling_time, 1.575);
  EXPECT_EQ(tuned.message, "");
  StateSpace plant = elastic_axis(0.01);
  plant.c = plant.c.topRows(1).eval();
  plant.d = MatrixX::Zero(1, 1);
  const StateSpace loop = feedback(zero_order_hold(plant, 0.002), pid_system(tuned.gains, 0.005, 0.002));
  EXPECT_TRUE(is_stable(loop));
  VectorX x = loop.b;  // the state after an impulse of torque
  double peak = 0, late = 0;
  for (int k = 0; k < 2000; ++k) {
    const double y = std::abs((loop.c * x)(0));
    peak = std::max(peak, y);
    if (0.002 * k >= tuned.settling_time) late = std::max(late, y);
    x = (loop.a * x).eval();
  }
  EXPECT_LE(late, 0.02 * peak);
  const PidTuning hopeless = tune_pid(elastic_axis(0.01), {0}, {.settling_time = 1e-3, .sample_time = 0.002});
  EXPECT_NE(hopeless.message, "");
}

TEST(PidController, AgreesWithItsLinearSystemAndDoesNotWindUp) {
  const PidGains gains{2, 3, 0.4};
  const StateSpace system = pid_system({gains}, 0.01, 0.005);
  PidAxis axis;
  axis.proportional = 2;
  axis.integral = 3;
  axis.derivative = 0.4;
  axis.filter_time = 0.01;
  PidController controller({axis}, 0.005);
  VectorX x = VectorX::Zero(3);
  std::vector<double> u(1);
  for (int k = 0; k < 50; ++k) {
    const double y = std::sin(0.3 * k);
    const SignalValue r{};
    controller.update(0, {&y, 1}, {&r, 1}, u);
    EXPECT_NEAR(u[0], -(system.c * x)(0) - system.d(0, 0) * y, 1e-12);
    x = (system.a * x + system.b * y).eval();
  }
  // held at its limit for long: back within a fraction of the time that the plain integral (3/s) would need
  axis.limit = 1;
  PidController limited({axis}, 0.005);
  const SignalValue r{1, 0, 0};
  double y = 0;
  for (int k = 0; k < 2000; ++k) limited.update(0, {&y, 1}, {&r, 1}, u);
  EXPECT_EQ(u[0], 1);
  y = 1.2;
  int steps = 0;
  while (u[0] > 0 && steps < 2000) {
    limited.update(0, {&y, 1}, {&r, 1}, u);
    ++steps;
  }
  EXPECT_LT(steps, 200);
  PidController copy({axis}, 0.005);
  copy.restore(limited.memory());
  std::vector<double> v(1);
  copy.update(0, {&y, 1}, {&r, 1}, v);
  limited.update(0, {&y, 1}, {&r, 1}, u);
  EXPECT_EQ(u[0], v[0]);
}

}  // namespace
}  // namespace lithe
