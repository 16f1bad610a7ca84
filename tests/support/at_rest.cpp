#include "support/at_rest.h"

namespace lithe::testing {

LinearBlocks blocks_at_rest(const Model& model, const FormulationChoice& choice) {
  Formulated system(model, choice);
  system.state.speeds.setZero();
  Accelerations rest;
  rest.values = VectorX::Zero(system.equations->num_coordinates());
  LinearBlocks blocks;
  EXPECT_EQ(system.equations->linearise_about(system.state, system.inputs, rest, *system.workspace, blocks),
            EvaluationStatus::ok);
  return blocks;
}

}  // namespace lithe::testing
