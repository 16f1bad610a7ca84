#include <gtest/gtest.h>

#include <cmath>

#include "support/small_systems.h"

namespace lithe {
namespace {

using namespace lithe::testing;

IntegratorOptions fixed(double step) {
  IntegratorOptions options;
  options.fixed_step = step;
  options.tolerance = 1e-12;  // of Newton's iteration
  return options;
}

State run(Integrator& integrator, const State& start, double end) {
  EXPECT_TRUE(integrator.start(start).ok());
  while (integrator.state().time < end) {
    const StepReport report = integrator.step(end);
    if (!report.ok()) {
      ADD_FAILURE() << integrator.name() << ": " << report.text();
      break;
    }
  }
  return integrator.state();
}

double distance(const State& a, const State& b) {
  return (a.coordinates - b.coordinates).norm() + (a.speeds - b.speeds).norm();
}

double observed_order(const std::string& name, const Equations& equations, const State& start, double end, int steps) {
  State states[3];
  for (int level = 0; level < 3; ++level) {
    const auto integrator = make_integrator(name, system_of(equations), fixed(end / (steps << level)));
    states[level] = run(*integrator, start, end);
  }
  return std::log2(distance(states[0], states[1]) / distance(states[1], states[2]));
}

struct Case {
  const char* name;
  double order;
};
class EveryIntegrator : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Core, EveryIntegrator,
                         ::testing::Values(Case{"dormand_prince", 5}, Case{"generalised_alpha", 2},
                                           Case{"exponential", 4}),
                         [](const auto& instance) { return std::string(instance.param.name); });

// Not below the order; above it a little where the leading error happens to be small.
void expect_order(double observed, double order) {
  EXPECT_GT(observed, order - 0.25);
  EXPECT_LT(observed, order + 0.75);
}

TEST_P(EveryIntegrator, HasItsOrderOnADoublePendulum) {
  const DoublePendulum equations;
  const State start = state_of({1.0, 0.3}, {-0.5, 0.2});
  expect_order(observed_order(GetParam().name, equations, start, 1.0, 100), GetParam().order);
}

TEST_P(EveryIntegrator, HasItsOrderOnACoupledArm) {
  const StiffArm equations(30);
  const State start = state_of({0.5, 0.02, 0.4, -0.03}, {0.2, 0, 1.0, 0});
  expect_order(observed_order(GetParam().name, equations, start, 0.5, 400), GetParam().order);
}

// A damped oscillator driven by a sine: closed form as the oracle.
TEST_P(EveryIntegrator, ConvergesToTheClosedFormOfADrivenOscillator) {
  const double omega = 3, d = 0.4, drive = 5, end = 2;
  const LinearSystem equations = oscillator(omega, d);
  System system = system_of(equations);
  system.prototype.joint_forces = {{0.0}};
  system.inputs = [=](double time, const State&, Inputs& inputs) {
    inputs.joint_forces[0][0] = std::sin(drive * time);
  };
  // x = A sin(ct) + B cos(ct) + e^{-dt/2}(C cos(rt) + D sin(rt)), at rest at the start
  const double p = omega * omega - drive * drive, q = d * drive, scale = 1 / (p * p + q * q), a = p * scale,
               b = -q * scale, r = std::sqrt(omega * omega - d * d / 4), c = -b, e = (-a * drive + 0.5 * d * c) / r;
  const double exact = a * std::sin(drive * end) + b * std::cos(drive * end) +
                       std::exp(-d * end / 2) * (c * std::cos(r * end) + e * std::sin(r * end));
  double errors[2];
  for (int level = 0; level < 2; ++level) {
    const auto integrator = make_integrator(GetParam().name, system, fixed(end / (100 << level)));
    errors[level] = std::abs(run(*integrator, state_of({0}, {0}), end).coordinates[0] - exact);
  }
  expect_order(std::log2(errors[0] / errors[1]), GetParam().order);
}

// Error inside the step falls as h^4 (h^5 for Dormand-Prince) against a step that ends there.
TEST_P(EveryIntegrator, HasDenseOutputOfItsOrder) {
  const DoublePendulum equations;
  const State start = state_of({1.0, 0.3}, {-0.5, 0.2});
  const std::string name = GetParam().name;
  double errors[2];
  for (int level = 0; level < 2; ++level) {
    const double h = level == 0 ? 0.02 : 0.01;
    const auto coarse = make_integrator(name, system_of(equations), fixed(h));
    ASSERT_TRUE(coarse->start(start).ok());
    ASSERT_TRUE(coarse->step(1.0).ok());
    errors[level] = 0;
    for (const double s : {0.2, 0.5, 0.7}) {
      State inside = start;
      coarse->interpolate(s * h, inside);
      const auto fine = make_integrator("dormand_prince", system_of(equations), fixed(s * h / 20));
      errors[level] = std::max(errors[level], (run(*fine, start, s * h).coordinates - inside.coordinates).norm());
    }
  }
  const double local_order = name == "generalised_alpha" ? 3 : name == "exponential" ? 4 : 5;
  EXPECT_GT(std::log2(errors[0] / errors[1]), local_order - 0.3);
}

TEST_P(EveryIntegrator, EndsDenseOutputAtTheState) {
  const RotatingBeam equations(6, 8);
  State start = equations.initial_state();
  start.coordinates[0] = 1;
  const auto integrator = make_integrator(GetParam().name, system_of(equations), fixed(1e-4));
  ASSERT_TRUE(integrator->start(start).ok());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(integrator->step(1).ok());
  State inside = start;
  integrator->interpolate(integrator->state().time, inside);
  EXPECT_LT((inside.coordinates - integrator->state().coordinates).norm(), 1e-13);
  EXPECT_LT((inside.speeds - integrator->state().speeds).norm(), 1e-10);
}

// The step's error per period of an undamped oscillator, against its known order: no energy beyond that.
TEST_P(EveryIntegrator, KeepsEnergyToItsOrderOverManySteps) {
  const DoublePendulum equations;
  const State start = state_of({0.3, 0.2}, {0, 0});
  NoWorkspace workspace;
  const double before = equations.energies(start, {}, workspace).total();
  const auto integrator = make_integrator(GetParam().name, system_of(equations), fixed(1e-3));
  const State end = run(*integrator, start, 100.0);  // 1e5 steps
  EXPECT_EQ(integrator->counters().steps, 100000);
  const double drift = std::abs(equations.energies(end, {}, workspace).total() - before);
  // ω = 2.4 and 5.8 rad/s, so (ωh)² = 3.4e-5: the dissipation of order 3 of generalised-alpha, and rounding for the
  // others.
  EXPECT_LT(drift, GetParam().order < 3 ? 1e-3 : 1e-9);
}

TEST_P(EveryIntegrator, MeetsTheToleranceOnADoublePendulum) {
  const DoublePendulum equations;
  const State start = state_of({1.0, 0.3}, {-0.5, 0.2});
  const auto reference = make_integrator("dormand_prince", system_of(equations), fixed(1e-3));
  const State exact = run(*reference, start, 3.0);
  for (const double tolerance : {1e-4, 1e-6}) {
    IntegratorOptions options;
    options.tolerance = tolerance;
    const auto integrator = make_integrator(GetParam().name, system_of(equations), options);
    const State end = run(*integrator, start, 3.0);
    EXPECT_LT((end.coordinates - exact.coordinates).cwiseAbs().maxCoeff(), 3 * tolerance);
    EXPECT_LT(integrator->counters().rejected, 0.2 * integrator->counters().steps + 5);
  }
}

TEST_P(EveryIntegrator, RepeatsBitByBitFromASavedStateAndStep) {
  const RotatingBeam equations(8, 8);
  State start = equations.initial_state();
  start.coordinates[0] = 1;
  IntegratorOptions options;
  options.tolerance = 1e-5;
  const auto first = make_integrator(GetParam().name, system_of(equations), options);
  run(*first, start, 0.05);
  const State saved = first->state();
  const double step = first->next_step();
  ASSERT_TRUE(first->start(saved, step).ok());
  const auto second = make_integrator(GetParam().name, system_of(equations), options);
  ASSERT_TRUE(second->start(saved, step).ok());
  while (first->state().time < 0.1) ASSERT_TRUE(first->step(0.1).ok());
  while (second->state().time < 0.1) ASSERT_TRUE(second->step(0.1).ok());
  EXPECT_EQ(first->state().coordinates, second->state().coordinates);
  EXPECT_EQ(first->state().speeds, second->state().speeds);
  EXPECT_EQ(first->next_step(), second->next_step());
}

TEST_P(EveryIntegrator, LandsExactlyOnTheLimitAndSeesTheInputBeforeAJump) {
  const LinearSystem equations(MatrixX::Ones(1, 1), MatrixX::Zero(1, 1), MatrixX::Zero(1, 1));
  System system = system_of(equations);
  system.prototype.joint_forces = {{0.0}};
  system.inputs = [](double time, const State&, Inputs& inputs) {
    inputs.joint_forces[0][0] = time < 0.3 ? 1.0 : -1e6;
  };
  const auto integrator = make_integrator(GetParam().name, system, {});
  run(*integrator, state_of({0}, {0}), 0.3);
  EXPECT_EQ(integrator->state().time, 0.3);
  EXPECT_NEAR(integrator->state().coordinates[0], 0.5 * 0.09, 1e-12);
  EXPECT_NEAR(integrator->state().speeds[0], 0.3, 1e-12);
}

// Fails past an angle, as a mechanism whose loop cannot be closed there does.
class Wall : public Pendulum {
 public:
  explicit Wall(EvaluationStatus status) : status_(status) {}
  EvaluationStatus evaluate(const State& s, const Inputs& i, Workspace& w, Accelerations& a) const override {
    const EvaluationStatus good = Pendulum::evaluate(s, i, w, a);
    if (s.coordinates[0] > 0.5) return good;
    if (status_ == EvaluationStatus::ok) a.values[0] = std::nan("");
    return status_;
  }

 private:
  EvaluationStatus status_;
};

TEST_P(EveryIntegrator, ReportsWhereAndWhyItStopped) {
  // From 1 rad at rest the pendulum passes 0.5 rad at t where K(k), the elliptic integral, says; Runge-Kutta with small
  // steps on the free pendulum finds the same time.
  const Pendulum free;
  const auto reference = make_integrator("dormand_prince", system_of(free), fixed(1e-5));
  ASSERT_TRUE(reference->start(state_of({1}, {0})).ok());
  while (reference->state().coordinates[0] > 0.5) ASSERT_TRUE(reference->step(10).ok());
  const double expected = reference->state().time;
  for (const EvaluationStatus status : {EvaluationStatus::loop_not_closed, EvaluationStatus::ok}) {
    const Wall equations(status);
    const auto integrator = make_integrator(GetParam().name, system_of(equations), {});
    ASSERT_TRUE(integrator->start(state_of({1}, {0})).ok());
    StepReport report;
    while (report.ok() && integrator->state().time < 10) report = integrator->step(10);
    EXPECT_EQ(report.status, StepStatus::evaluation_failed);
    EXPECT_EQ(report.cause, status == EvaluationStatus::ok ? EvaluationStatus::not_finite : status);
    EXPECT_NEAR(report.time, expected, 1e-4);
    EXPECT_GT(integrator->state().coordinates[0], 0.499);  // the last good state is kept
    EXPECT_NE(report.text().find("stopped at"), std::string::npos);
  }
}

}  // namespace
}  // namespace lithe
