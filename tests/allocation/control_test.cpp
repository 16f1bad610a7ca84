// No heap calls inside a sample of predictive control and inside an update of the controllers with a model.
#include <gtest/gtest.h>

#include "allocation/heap_calls.h"
#include "lithe/control/model_controllers.h"
#include "support/random_matrices.h"

namespace lithe {
namespace {

using namespace lithe::testing;

TEST(PredictiveController, SolvesWithoutTheHeap) {
  RandomMatrices random(21);
  StateSpace s;
  s.a = 0.2 * random.matrix(6, 6) + 0.7 * MatrixX::Identity(6, 6);
  s.b = random.matrix(6, 2);
  s.c = random.matrix(2, 6);
  s.d = MatrixX::Zero(2, 2);
  s.sample_time = 0.01;
  PredictiveOptions options;
  options.horizon = 15;
  options.state_weight = MatrixX::Identity(6, 6);
  options.input_weight = 0.1 * MatrixX::Identity(2, 2);
  options.upper_input = VectorX::Constant(2, 0.1);
  options.lower_input = -options.upper_input;
  options.upper_output = VectorX::Constant(2, 0.5);
  options.lower_output = -options.upper_output;
  PredictiveController controller(s, options);
  VectorX x = 20 * random.vector(6), u = VectorX::Zero(2), last = u;
  bool limited = false, infeasible = false;
  const long before = heap_calls;
  for (int k = 0; k < 50; ++k) {
    const PredictiveReport report = controller.solve(x, last, u);
    limited = limited || report.active > 2;
    infeasible = infeasible || report.status == QpStatus::infeasible;
    x *= k % 10 == 9 ? 150.0 : 0.6;
    last = u;
  }
  EXPECT_EQ(heap_calls, before);
  EXPECT_TRUE(limited);
  EXPECT_TRUE(infeasible);  // that way, too
}

}  // namespace
}  // namespace lithe
