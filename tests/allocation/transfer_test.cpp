// No heap calls inside evaluate() of transfer-functions.
#include <gtest/gtest.h>

#include "allocation/heap_calls.h"
#include "lithe/formulate/transfer_functions.h"
#include "support/flexible_models.h"

namespace lithe {
namespace {

using testing::heap_calls;

TEST(TransferAllocation, DoesNotHappenInEvaluations) {
  for (Model model : {testing::l_shape(), testing::spatial_2r(), testing::mixed_tree(),
                      testing::flexible_four_bar(7e10, false), testing::flexible_four_bar()}) {
    model.links[0].damping = {1, 0, {0.01}};
    const TransferFunctions equations(model);
    const auto workspace = equations.make_workspace();
    const Inputs inputs = make_inputs(model);
    const State state = equations.initial_state();
    Accelerations accelerations;
    ASSERT_EQ(equations.evaluate(state, inputs, *workspace, accelerations), EvaluationStatus::ok);
    const long before = heap_calls;
    EvaluationStatus status = EvaluationStatus::ok;
    for (int i = 0; i < 3 && status == EvaluationStatus::ok; ++i)
      status = equations.evaluate(state, inputs, *workspace, accelerations);
    const long after = heap_calls;
    EXPECT_EQ(status, EvaluationStatus::ok);
    EXPECT_EQ(after - before, 0);
  }
}

}  // namespace
}  // namespace lithe
