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

// An arm of steel that is brought to 100 rad/s in 0.65 s: forces and moments in its sections. The axial force reaches
// Euler's load.
TEST(Stiffening, SectionLoadsAtSpeedAreThoseOfCorotationalBeams) {
  FlexibleBuilder b(2e11, 7800, 0.02, 0.015);
  const int arm = b.beam("arm", {{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0}}, 5);
  b.hinge("axle", JointType::revolute, -1, {0, 0, 0}, arm, {0, 0, 0}, Vector3::UnitY());
  b.model().gravity.setZero();
  constexpr double rate = 167, start = 0.1, end = 0.65;
  std::vector<double> times, values;
  for (int i = 0; i <= 70; ++i) {  // a constant acceleration after a smooth start
    const double t = 0.01 * i;
    times.push_back(t);
    values.push_back(t < start ? rate * t * t * t / (6 * start)
                               : rate * (0.5 * t * t - 0.5 * start * t + start * start / 6));
  }
  b.model().drives.push_back({"spin", {}, 0, 0, true, smooth_table(times, values)});
  Model model = b.model();
  model.sensors.clear();
  for (const int node : {0, 1})
    for (const Quantity quantity : {Quantity::section_force, Quantity::section_moment}) {
      Sensor sensor;
      sensor.name = (quantity == Quantity::section_force ? "force " : "moment ") + std::to_string(node);
      sensor.quantity = quantity;
      sensor.link = arm;
      sensor.node = node;
      model.sensors.push_back(sensor);
    }
  const RunSettings settings{.integrator = "generalised_alpha", .step = 2e-4};
  const Trajectory exact = run(model, {.formulation = "corotational"}, end, settings);
  for (const char* formulation : {"erls-cms", "floating-frame"}) {
    const Trajectory found = run(model, stiffened(formulation), end, settings);
    for (std::size_t group = 0; group < model.sensors.size(); ++group) {
      double largest = 0, difference = 0;
      for (std::size_t c = 3 * group; c < 3 * group + 3; ++c)
        for (std::size_t i = 0; i < exact.times.size(); ++i) {
          largest = std::max(largest, std::abs(exact.columns[c].values[i]));
          difference = std::max(difference, std::abs(exact.columns[c].values[i] - found.columns[c].values[i]));
        }
      EXPECT_LT(difference, 0.03 * largest) << formulation << " " << model.sensors[group].name;
    }
  }
}

}  // namespace
}  // namespace lithe
