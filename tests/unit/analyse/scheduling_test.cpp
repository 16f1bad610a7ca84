// Gain scheduling along a large move.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/analyse/control/configurations.h"
#include "lithe/analyse/control/make_control.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/analyse/observe/sensors.h"
#include "lithe/control/scheduled.h"
#include "lithe/formulate/formulation.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

Model example(const std::string& name) { return read_model(std::string(LITHE_MODELS_DIR "/") + name + ".toml"); }

int index_of(const Model& model, const std::string& controller) {
  for (std::size_t i = 0; i < model.control->controllers.size(); ++i)
    if (model.control->controllers[i].name == controller) return static_cast<int>(i);
  return -1;
}

// The model with other settings of one controller.
template <class Change>
Model changed(const Model& model, int controller, const Change& change) {
  Model result = model;
  auto control = std::make_shared<ControlSetup>(*model.control);
  change(control->controllers[static_cast<std::size_t>(controller)]);
  result.control = control;
  return result;
}

Trajectory move(const Model& model, int controller, double end) {
  const auto equations = make_equations(model);
  SimulateOptions options;
  options.end_time = end;
  options.output_step = 0.002;
  options.energy_balance = options.keep_states = false;
  options.control = make_control_loop(*equations, equations->initial_state(), {controller});
  return simulate(*equations, equations->initial_state(), options);
}

TEST(PathWeights, AreHatsAlongThePath) {
  MatrixX points(2, 3);
  points << 0, 1, 1, 0, 0, 3;  // a corner; the second coordinate counts a third
  const PathWeights path(points);
  VectorX weights(3);
  for (Eigen::Index k = 0; k < 3; ++k) {
    path.find(points.col(k), weights);
    EXPECT_EQ(weights, VectorX(VectorX::Unit(3, k)));
  }
  path.find(Vector3(0.25, 0, 0).head<2>(), weights);
  EXPECT_NEAR((weights - Vector3(0.75, 0.25, 0)).norm(), 0, 1e-15);
  path.find(Vector3(5, 1.5, 0).head<2>(), weights);  // beside the second part
  EXPECT_NEAR((weights - Vector3(0, 0.5, 0.5)).norm(), 0, 1e-15);
  path.find(Vector3(-4, 0, 0).head<2>(), weights);  // before the start
  EXPECT_EQ(weights, VectorX(VectorX::Unit(3, 0)));
}

TEST(Configurations, ClosedLoopsFollowTheReferences) {
  for (const char* name : {"control_four_bar", "control_five_bar"}) {
    const Model model = example(name);
    const auto equations = make_equations(model);
    const ControllerSetup& setup = model.control->controllers.front();
    std::vector<ReferenceFunction> references;
    std::vector<int> sensors;
    for (const int r : setup.references) {
      references.emplace_back(model.control->references[static_cast<std::size_t>(r)]);
      sensors.push_back(model.control->references[static_cast<std::size_t>(r)].sensor);
    }
    const MatrixX points = path_points(references, 4);
    ASSERT_EQ(points.cols(), 4);
    for (std::size_t i = 0; i < references.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      EXPECT_NEAR(points(row, 0), references[i].at(0).value, 1e-12);
      EXPECT_NEAR(points(row, 3), references[i].at(10).value, 1e-12);
      EXPECT_NEAR(points(row, 1), points(row, 0) + (points(row, 3) - points(row, 0)) / 3, 1e-4);
    }
    const ConfigurationPath path = configurations_along(*equations, equations->initial_state(), sensors, points);
    ASSERT_TRUE(path.found) << path.message;
    const auto workspace = equations->make_workspace();
    Inputs inputs = make_inputs(model);
    evaluate_inputs(model, 0, inputs);
    for (Eigen::Index k = 0; k < 4; ++k) {
      Accelerations accelerations;
      const State& state = path.states[static_cast<std::size_t>(k)];
      ASSERT_EQ(equations->evaluate(state, inputs, *workspace, accelerations), EvaluationStatus::ok);
      std::vector<double> readings;
      std::vector<Sensor> read;
      for (const int sensor : sensors) read.push_back(model.sensors[static_cast<std::size_t>(sensor)]);
      SensorReader(*equations, read).read(state, inputs, accelerations, *workspace, readings);
      for (std::size_t i = 0; i < readings.size(); ++i)
        EXPECT_NEAR(readings[i], points(static_cast<Eigen::Index>(i), k), 1e-8);
    }
  }
}

TEST(Configurations, OutOfReachAreReported) {
  const Model model = example("control_four_bar");
  const auto equations = make_equations(model);
  MatrixX values(1, 1);
  values << 3;  // m, of a sensor that cannot get there
  const ConfigurationPath path = configurations_along(*equations, equations->initial_state(), {3}, values);
  EXPECT_FALSE(path.found);
  EXPECT_NE(path.message.find("cannot follow"), std::string::npos) << path.message;
}

// An arm of one joint without gravity is the same in every configuration, so blending its designs must change nothing.
TEST(ScheduledController, OfEqualDesignsIsTheSingleOne) {
  const Model model = example("control_arm");
  for (const char* name : {"lqg", "predictive"}) {
    const int which = index_of(model, name);
    const Trajectory one = move(model, which, 0.8);
    const Trajectory four = move(changed(model, which, [](ControllerSetup& c) { c.configurations = 4; }), which, 0.8);
    ASSERT_EQ(four.end, RunEnd::finished);
    const auto& a = one.column("tip y")->values;
    const auto& b = four.column("tip y")->values;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-5) << name << " " << one.times[i];
  }
}

// Every design plans within the limits from the torque that really acts, so the blend is within them, too.
TEST(ScheduledController, OfPredictiveDesignsKeepsTheLimits) {
  const Model model = example("control_four_bar");
  const int which = index_of(model, "predictive");
  const Trajectory motion = move(changed(model, which,
                                         [](ControllerSetup& c) {
                                           c.configurations = 5;
                                           c.model_based.rate_limits = {60};
                                         }),
                                 which, 0.6);
  ASSERT_EQ(motion.end, RunEnd::finished);
  const auto& torque = motion.column("predictive: crank bearing")->values;
  double largest = 0;
  for (const double value : torque) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 3; i < torque.size(); ++i)
    EXPECT_LE(std::abs(torque[i] - torque[i - 1]), 60 * 0.004 + 1e-9) << motion.times[i];
  EXPECT_LE(largest, 1 + 1e-12);
  const auto& angle = motion.column("crank angle")->values;
  EXPECT_NEAR(angle.back(), 110 * std::numbers::pi / 180, 0.01);
}

// With the same weights a design at the start alone rings at the end of the four-bar's move.
TEST(ScheduledController, StandsWeightsThatOneDesignDoesNot) {
  const Model model = example("control_four_bar");
  const int scheduled = index_of(model, "lqg scheduled");
  const Trajectory good = move(model, scheduled, 1);
  const Trajectory bad =
      move(changed(model, scheduled, [](ControllerSetup& c) { c.configurations = 1; }), scheduled, 1);
  const auto ringing = [](const Trajectory& motion) {  // of the moment, after the move
    double low = 1e9, high = -1e9;
    const auto& values = motion.column("rocker moment")->values;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (motion.times[i] > 0.8) low = std::min(low, values[i]), high = std::max(high, values[i]);
    return high - low;
  };
  ASSERT_EQ(good.end, RunEnd::finished);
  EXPECT_LT(ringing(good), 0.01);
  EXPECT_GT(ringing(bad), 0.1);
}

TEST(ScheduledController, NeedsReferencesThatEnd) {
  Model model = example("control_arm");
  auto control = std::make_shared<ControlSetup>(*model.control);
  control->references.front().signal = SignalSine{};
  control->controllers.front().configurations = 3;
  model.control = control;
  const auto equations = make_equations(model);
  try {
    make_control_loop(*equations, equations->initial_state(), {0});
    FAIL() << "a sine has no end";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("never does"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lithe
