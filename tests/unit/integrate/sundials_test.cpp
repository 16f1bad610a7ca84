#include "lithe/integrate/sundials.h"

#include <gtest/gtest.h>

#include "support/small_systems.h"

namespace lithe {
namespace {

using namespace lithe::testing;

class EverySundials : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Adaptor, EverySundials, ::testing::ValuesIn(sundials_integrator_names()),
                         [](const auto& instance) { return instance.param; });

State run(Integrator& integrator, const State& start, double end) {
  StepReport report = integrator.start(start);
  while (report.ok() && integrator.state().time < end) report = integrator.step(end);
  EXPECT_TRUE(report.ok()) << report.text();
  return integrator.state();
}

TEST_P(EverySundials, AgreesWithDormandPrince) {
  const RotatingBeam equations(4, 8, 0.02);
  State start = equations.initial_state();
  start.coordinates[0] = 1;
  IntegratorOptions tight;
  tight.fixed_step = 2e-5;
  const auto reference = make_integrator("dormand_prince", system_of(equations), tight);
  const Eigen::Vector2d exact = equations.tip(run(*reference, start, 0.5));
  IntegratorOptions options;
  options.tolerance = 1e-9;
  const auto integrator = make_any_integrator(GetParam(), system_of(equations), options);
  const State end = run(*integrator, start, 0.5);
  EXPECT_EQ(end.time, 0.5);
  EXPECT_LT((equations.tip(end) - exact).norm(), 1e-5);
  EXPECT_GT(integrator->counters().steps, 10);
  State inside = start;
  integrator->interpolate(end.time, inside);
  EXPECT_LT((inside.coordinates - end.coordinates).norm(), 1e-9);
}

TEST_P(EverySundials, RepeatsBitByBitFromASavedState) {
  const RotatingBeam equations(4, 8, 0.02);
  State start = equations.initial_state();
  start.coordinates[0] = 1;
  IntegratorOptions options;
  const auto first = make_any_integrator(GetParam(), system_of(equations), options);
  const State saved = run(*first, start, 0.05);
  const auto second = make_any_integrator(GetParam(), system_of(equations), options);
  const State a = run(*first, saved, 0.1), b = run(*second, saved, 0.1);
  EXPECT_EQ(a.coordinates, b.coordinates);
  EXPECT_EQ(a.speeds, b.speeds);
}

TEST_P(EverySundials, ReportsAFailedEvaluation) {
  class Broken : public Pendulum {
   public:
    EvaluationStatus evaluate(const State& s, const Inputs& i, Workspace& w, Accelerations& a) const override {
      Pendulum::evaluate(s, i, w, a);
      return s.time > 0.3 ? EvaluationStatus::loop_not_closed : EvaluationStatus::ok;
    }
  };
  const Broken equations;
  const auto integrator = make_any_integrator(GetParam(), system_of(equations), {});
  StepReport report = integrator->start(state_of({1}, {0}));
  while (report.ok() && integrator->state().time < 1) report = integrator->step(1);
  EXPECT_EQ(report.status, StepStatus::evaluation_failed);
  EXPECT_EQ(report.cause, EvaluationStatus::loop_not_closed);
  EXPECT_LT(integrator->state().time, 0.31);
}

}  // namespace
}  // namespace lithe
