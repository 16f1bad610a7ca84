// No heap calls inside evaluate() of ERLS-CMS on open chains, nor inside the steps of an integrator on it.
#include <gtest/gtest.h>

#include "allocation/heap_calls.h"
#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/integrate/integrator.h"
#include "support/flexible_models.h"

namespace lithe {
namespace {

using testing::heap_calls;

void expect_no_allocation_in_evaluation(const Model& model) {
  const ErlsCms equations(reduce(model));
  const auto workspace = equations.make_workspace();
  const Inputs inputs = make_inputs(model);
  const State state = equations.initial_state();
  Accelerations accelerations;
  accelerations.values.setZero(equations.num_coordinates());
  const long before = heap_calls;
  EvaluationStatus status = EvaluationStatus::ok;
  for (int i = 0; i < 3 && status == EvaluationStatus::ok; ++i)
    status = equations.evaluate(state, inputs, *workspace, accelerations);
  const long after = heap_calls;
  EXPECT_EQ(status, EvaluationStatus::ok);
  EXPECT_EQ(after - before, 0);
}

TEST(ErlsAllocation, DoesNotHappenInEvaluationsOfOpenChains) {
  expect_no_allocation_in_evaluation(testing::l_shape());
  expect_no_allocation_in_evaluation(testing::spatial_2r());
  expect_no_allocation_in_evaluation(testing::mixed_tree());
}

void expect_no_allocation_in_steps(const Model& model, const char* name) {
  const ErlsCms equations(reduce(model));
  System system;
  system.equations = &equations;
  system.prototype = make_inputs(model);
  IntegratorOptions options;
  options.tolerance = 1e-5;
  const auto integrator = make_integrator(name, system, options);
  ASSERT_TRUE(integrator->start(equations.initial_state()).ok());
  State inside = integrator->state();
  long calls = 0;
  int plain_steps = 0;
  bool ok = true;
  for (int i = 0; ok && i < 400; ++i) {
    const long before = heap_calls, linearised = integrator->counters().linearisations;
    ok = integrator->step(10).ok();
    integrator->interpolate(0.5 * (integrator->previous().time + integrator->state().time), inside);
    if (integrator->counters().linearisations != linearised) continue;  // linearise() sizes its blocks
    calls += heap_calls - before;
    ++plain_steps;
  }
  EXPECT_TRUE(ok);
  EXPECT_GT(plain_steps, 100) << name;
  EXPECT_EQ(calls, 0) << name;
}

TEST(ErlsAllocation, DoesNotHappenInStepsOnOpenChains) {
  for (const char* name : {"exponential", "dormand_prince"}) {
    expect_no_allocation_in_steps(testing::l_shape(), name);
    expect_no_allocation_in_steps(testing::spatial_2r(), name);
  }
}

}  // namespace
}  // namespace lithe
