// No heap calls inside evaluate() of transfer-functions.
#include <gtest/gtest.h>

#include "allocation/heap_calls.h"
#include "lithe/formulate/transfer/transfer_functions.h"
#include "lithe/model/coordinate_choice.h"
#include "support/flexible_models.h"

namespace lithe {
namespace {

using testing::heap_calls;

// A node's place as a degree of freedom, and a link that does not stretch.
Model with_chosen_coordinates(Model model) {
  ChosenCoordinate place, stretch;
  place.link = stretch.link = 1;
  place.node = 1;
  stretch.role = CoordinateRole::fixed;
  stretch.deformations = {0};
  model.coordinates = std::make_shared<const CoordinateChoice>(CoordinateChoice{{place, stretch}});
  return model;
}

TEST(TransferAllocation, DoesNotHappenInEvaluations) {
  for (Model model :
       {testing::l_shape(), testing::spatial_2r(), testing::mixed_tree(), testing::flexible_four_bar(7e10, false),
        testing::flexible_four_bar(), with_chosen_coordinates(testing::flexible_four_bar())}) {
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
