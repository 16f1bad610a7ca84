// Second-order displacements of beams: formulations that have nothing else in common agree at speed.
#include <gtest/gtest.h>

#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

FormulationChoice stiffened(const char* formulation, const char* reference = "tangent") {
  FormulationChoice choice;
  choice.formulation = formulation;
  choice.reference = reference;
  choice.geometric_stiffening = Stiffening::on;
  return choice;
}

const RunSettings stepped{.integrator = "generalised_alpha", .step = 2e-5};

// A crank of a four-bar at about 1,000 rpm: both leave out terms of third order, and the same ones of second order.
TEST(Stiffening, LoopsOfErlsAndOfFloatingFramesMoveAlike) {
  Model model = with_tips(flexible_four_bar(7e10, false));
  model.joints[0].initial_speed = {100};
  const Trajectory erls = run(model, stiffened("erls-cms"), 0.003, stepped);
  const Trajectory floating = run(model, stiffened("floating-frame"), 0.003, stepped);
  const Trajectory soft = run(model, {.formulation = "erls-cms"}, 0.003, stepped);
  EXPECT_LT(largest_difference(erls, floating), 0.02 * largest_difference(erls, soft));
}

// The reference condition does not change the answer.
TEST(Stiffening, FloatingFramesMoveTheSameWithEveryReference) {
  Model model = with_tips(spatial_2r());
  model.joints[0].initial_speed = {20};
  const Trajectory tangent = run(model, stiffened("floating-frame"), 0.02, stepped);
  const Trajectory soft = run(model, {.formulation = "floating-frame"}, 0.02, stepped);
  for (const char* reference : {"chord", "free"})
    EXPECT_LT(largest_difference(tangent, run(model, stiffened("floating-frame", reference), 0.02, stepped)),
              0.02 * largest_difference(tangent, soft))
        << reference;
}

// Where a loop is cut decides from which node a link's second-order displacement is counted: terms of third order.
TEST(Stiffening, LoopsMoveTheSameWhereverTheyAreCut) {
  const auto at_speed = [](int cut) {
    Model model = with_tips(flexible_four_bar(7e10, false, cut));
    model.joints[0].initial_speed = {100};
    return model;
  };
  const Trajectory first = run(at_speed(1), stiffened("erls-cms"), 0.003, stepped);
  const Trajectory soft = run(at_speed(1), {.formulation = "erls-cms"}, 0.003, stepped);
  for (const int cut : {2, 3})
    EXPECT_LT(largest_difference(first, run(at_speed(cut), stiffened("erls-cms"), 0.003, stepped)),
              0.02 * largest_difference(first, soft))
        << cut;
}

// Newton's iteration link by link, without the stiffness of the forces, ends at the same motion.
TEST(Stiffening, ImplicitStepsLinkByLinkFollowTheSameMotion) {
  Model loop = with_tips(flexible_four_bar(7e10, false));
  loop.joints[0].initial_speed = {100};
  Model arm = with_tips(spatial_2r());
  arm.joints[0].initial_speed = {20};
  for (const Model& model : {loop, arm}) {
    constexpr double end = 0.005, tolerance = 1e-5;
    const Trajectory exact = run(model, stiffened("erls-cms"), end);
    EXPECT_LT(largest_difference(exact, run(model, stiffened("erls-cms"), end, {"radau", tolerance})), tolerance * end);
  }
}

}  // namespace
}  // namespace lithe
