// No heap calls inside evaluate() of floating frames and corotational beams, nor inside the steps of integrators on
// them.
#include <gtest/gtest.h>

#include "allocation/heap_calls.h"
#include "lithe/formulate/formulation.h"
#include "lithe/integrate/integrator.h"
#include "support/flexible_models.h"

namespace lithe {
namespace {

using testing::heap_calls;

void expect_no_allocation_in_evaluation(const Model& model, const char* formulation) {
  const auto equations = make_equations(model, {.formulation = formulation});
  const auto workspace = equations->make_workspace();
  const Inputs inputs = make_inputs(model);
  const State state = equations->initial_state();
  Accelerations accelerations;
  accelerations.values.setZero(equations->num_coordinates());
  EvaluationStatus status = equations->evaluate(state, inputs, *workspace, accelerations);  // sizes what it keeps
  const long before = heap_calls;
  for (int i = 0; i < 3 && status == EvaluationStatus::ok; ++i)
    status = equations->evaluate(state, inputs, *workspace, accelerations);
  const long after = heap_calls;
  EXPECT_EQ(status, EvaluationStatus::ok);
  EXPECT_EQ(after - before, 0) << formulation;
}

TEST(FloatingAllocation, DoesNotHappenInEvaluations) {
  for (const char* formulation : {"floating-frame", "corotational"}) {
    expect_no_allocation_in_evaluation(testing::l_shape(), formulation);
    expect_no_allocation_in_evaluation(testing::spatial_2r(), formulation);
    expect_no_allocation_in_evaluation(testing::mixed_tree(), formulation);
    expect_no_allocation_in_evaluation(testing::flexible_four_bar(), formulation);
  }
}

void expect_no_allocation_in_steps(const Model& model, const char* formulation, const char* name) {
  const auto equations = make_equations(model, {.formulation = formulation});
  System system;
  system.equations = equations.get();
  system.prototype = make_inputs(model);
  IntegratorOptions options;
  options.tolerance = 1e-5;
  const auto integrator = make_integrator(name, system, options);
  ASSERT_TRUE(integrator->start(equations->initial_state()).ok());
  State inside = integrator->state();
  long calls = 0;
  int plain_steps = 0;
  bool ok = true;
  for (int i = 0; ok && i < 200; ++i) {
    const long before = heap_calls, linearised = integrator->counters().linearisations;
    ok = integrator->step(10).ok();
    integrator->interpolate(0.5 * (integrator->previous().time + integrator->state().time), inside);
    if (i < 5 || integrator->counters().linearisations != linearised) continue;  // sizes what it keeps
    calls += heap_calls - before;
    ++plain_steps;
  }
  EXPECT_TRUE(ok);
  EXPECT_GT(plain_steps, 20) << name;
  EXPECT_EQ(calls, 0) << formulation << ", " << name;
}

TEST(FloatingAllocation, DoesNotHappenInSteps) {
  expect_no_allocation_in_steps(testing::spatial_2r(), "floating-frame", "dormand_prince");
  expect_no_allocation_in_steps(testing::spatial_2r(), "floating-frame", "generalised_alpha");
  expect_no_allocation_in_steps(testing::spatial_2r(), "floating-frame", "exponential");
  expect_no_allocation_in_steps(testing::flexible_four_bar(), "floating-frame", "dormand_prince");
  expect_no_allocation_in_steps(testing::spatial_2r(), "corotational", "generalised_alpha");
}

}  // namespace
}  // namespace lithe
