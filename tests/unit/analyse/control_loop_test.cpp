#include "lithe/analyse/motion/control_loop.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lithe/analyse/control/make_control.h"
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/base/diagnostics.h"
#include "lithe/control/linear/discretise.h"
#include "lithe/control/linear/linear_analysis.h"
#include "lithe/control/model_controllers.h"
#include "lithe/formulate/formulation.h"
#include "support/flexible_models.h"

namespace lithe {
namespace {

using namespace lithe::testing;

Sensor joint_sensor(const std::string& name, Quantity quantity) {
  Sensor sensor;
  sensor.name = name;
  sensor.quantity = quantity;
  sensor.joint = 0;
  return sensor;
}

Sensor rotation_sensor(int node) {
  Sensor sensor;
  sensor.name = "tip rotation";
  sensor.quantity = Quantity::rotation;
  sensor.link = 0;
  sensor.node = node;
  sensor.component = 1;
  return sensor;
}

// The L-shape at rest in gravity with an LQG controller about its equilibrium.
Model controlled_l_shape(double end_value = 0.7) {
  Model model = l_shape(7e10, 2, 6);
  model.joints[0].initial_speed = {0};
  model.links[0].damping.modal_ratios = {0.01};
  model.sensors = {joint_sensor("angle", Quantity::joint_value), joint_sensor("speed", Quantity::joint_speed),
                   rotation_sensor(2)};
  auto control = std::make_shared<ControlSetup>();
  Reference reference;
  reference.name = "turn";
  reference.sensor = 0;
  reference.signal = SignalSmoothMove{0, 0.3, 0.7, end_value};
  control->references.push_back(reference);
  ControllerSetup lqg;
  lqg.name = "lqg";
  lqg.kind = ControllerKind::lqg;
  lqg.sample_time = 0.002;
  lqg.actuators = {{0, 0}};
  lqg.measurements = {0, 2};
  lqg.references = {0};
  lqg.model_based.design_modes = -1;
  lqg.model_based.allowed_errors = {0.02, 0.01};
  lqg.model_based.allowed_efforts = {2};
  lqg.model_based.measurement_noise = {1e-4, 1e-3};
  control->controllers.push_back(lqg);
  control->active = {0};
  model.control = control;
  return model;
}

struct Setting {
  explicit Setting(Model described) : model(std::move(described)), equations(make_equations(model)) {
    plant = control_model(*equations, equations->initial_state(), {{0, 0}}, {0, 2}, -1);
  }
  Model model;
  std::unique_ptr<Equations> equations;
  ControlModel plant;
};

// Notes when it was called and sets a torque that tells the call.
class Counting : public Controller {
 public:
  explicit Counting(std::vector<double>& times, int fail_after = -1) : times_(times), fail_after_(fail_after) {}
  void update(double time, std::span<const double>, std::span<const SignalValue>, std::span<double> outputs) override {
    times_.push_back(time);
    outputs[0] = static_cast<double>(times_.size());
  }
  std::string failure() const override {
    return fail_after_ >= 0 && static_cast<int>(times_.size()) > fail_after_ ? "has had enough" : "";
  }

 private:
  std::vector<double>& times_;
  int fail_after_;
};

ControllerSetup simple_setup(double sample_time, double delay) {
  ControllerSetup setup;
  setup.name = "counter";
  setup.sample_time = sample_time;
  setup.delay = delay;
  setup.actuators = {{0, 0}};
  setup.measurements = {0};
  return setup;
}

TEST(ControlLoop, SamplesAtItsRateAndActsAfterItsDelay) {
  const Setting s(controlled_l_shape());
  for (const double delay : {0.0, 0.004, 0.01, 0.025}) {
    std::vector<double> times;
    SimulateOptions options;
    options.end_time = 0.1;
    options.output_step = 0.001;
    options.control = std::make_shared<ControlLoop>();
    options.control->add(simple_setup(0.01, delay), std::make_unique<Counting>(times), {});
    const Trajectory motion = simulate(*s.equations, s.plant.equilibrium, options);
    ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
    ASSERT_EQ(times.size(), 11u);  // both ends
    for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(times[k], 0.01 * static_cast<double>(k), 1e-12);
    const Column* torque = motion.column("counter: shoulder");
    ASSERT_NE(torque, nullptr);
    EXPECT_EQ(torque->unit, "N m");
    for (std::size_t i = 1; i < motion.times.size(); ++i) {
      // what was set at the last sample that is at least the delay ago; at the very instant the old one is recorded
      const double wanted = std::max(0.0, std::floor((motion.times[i] - delay) / 0.01 - 1e-6) + 1);
      EXPECT_EQ(torque->values[i], wanted) << motion.times[i] << " " << delay;
    }
  }
}

TEST(ControlLoop, AControllerThatGivesUpEndsTheRunWithItsMessageAndWhatItHas) {
  const Setting s(controlled_l_shape());
  std::vector<double> times;
  SimulateOptions options;
  options.end_time = 0.1;
  options.control = std::make_shared<ControlLoop>();
  options.control->add(simple_setup(0.01, 0), std::make_unique<Counting>(times, 4), {});
  const Trajectory motion = simulate(*s.equations, s.plant.equilibrium, options);
  EXPECT_EQ(motion.end, RunEnd::failed);
  EXPECT_EQ(motion.message, "stopped at 0.04 s: controller 'counter': has had enough");
  EXPECT_NEAR(motion.times.back(), 0.04, 1e-12);
  EXPECT_EQ(motion.times.size(), 41u);
}

TEST(ControlLoop, TheEquilibriumIsHeld) {
  const Setting s(controlled_l_shape());
  ASSERT_TRUE(s.plant.found) << s.plant.message;
  SimulateOptions options;
  options.end_time = 0.3;
  options.control = make_control_loop(*s.equations, s.equations->initial_state(), {0});
  const Trajectory motion = simulate(*s.equations, s.plant.equilibrium, options);
  for (const double angle : motion.column("angle")->values) EXPECT_NEAR(angle, 0.7, 1e-7);
  EXPECT_NEAR(motion.column("lqg: shoulder")->values.back(), s.plant.inputs[0], 1e-6);
  EXPECT_GT(std::abs(s.plant.inputs[0]), 0.5);  // gravity
}

// Hands on what a controller does and keeps what it measured.
class Recording : public Controller {
 public:
  Recording(std::unique_ptr<Controller> inner, std::vector<VectorX>& measured)
      : inner_(std::move(inner)), measured_(measured) {}
  void update(double time, std::span<const double> y, std::span<const SignalValue> r, std::span<double> u) override {
    measured_.push_back(Eigen::Map<const VectorX>(y.data(), static_cast<Eigen::Index>(y.size())));
    inner_->update(time, y, r, u);
  }

 private:
  std::unique_ptr<Controller> inner_;
  std::vector<VectorX>& measured_;
};

struct LoopParts {
  explicit LoopParts(const Setting& s) {
    RegulatorWeights weights;
    weights.allowed_errors = VectorX(2);
    weights.allowed_errors << 0.02, 0.01;
    weights.allowed_efforts = VectorX::Constant(1, 2.0);
    weights.disturbances = VectorX::Constant(1, 0.2);
    weights.measurement_noise = VectorX(2);
    weights.measurement_noise << 1e-4, 1e-3;
    design = design_regulator(s.plant.plant, {0}, weights, 0.002);
    point = {s.plant.measurements, s.plant.inputs, {}, {0}};
  }
  RegulatorDesign design;
  OperatingPoint point;
};

Reference move_by(double amplitude) {
  Reference reference;
  reference.signal = SignalSmoothMove{0, 0.3, 0.7, 0.7 + amplitude};
  return reference;
}

std::vector<VectorX> linear_loop(const Setting& s, const LoopParts& parts, double amplitude, int samples) {
  const StateSpace plant = zero_order_hold(s.plant.plant, 0.002);
  LqgController controller(parts.design, parts.point);
  const ReferenceFunction reference(move_by(amplitude));
  VectorX x = VectorX::Zero(plant.num_states()), u = VectorX::Zero(1);
  std::vector<VectorX> result;
  std::vector<double> y(2), torque(1);
  for (int k = 0; k < samples; ++k) {
    result.push_back(plant.c * x + plant.d * u + s.plant.measurements);
    y.assign(result.back().data(), result.back().data() + 2);
    const SignalValue r = reference.at(0.002 * k);
    controller.update(0.002 * k, y, {&r, 1}, torque);
    u[0] = torque[0] - s.plant.inputs[0];
    x = (plant.a * x + plant.b * u).eval();
  }
  return result;
}

std::vector<VectorX> nonlinear_loop(const Setting& s, const LoopParts& parts, double amplitude) {
  std::vector<VectorX> measured;
  ControllerSetup setup = simple_setup(0.002, 0);
  setup.measurements = {0, 2};
  SimulateOptions options;
  options.end_time = 0.5;
  options.output_step = 0.1;
  options.integration.tolerance = 1e-9;
  options.control = std::make_shared<ControlLoop>();
  options.control->add(
      setup, std::make_unique<Recording>(std::make_unique<LqgController>(parts.design, parts.point), measured),
      {ReferenceFunction(move_by(amplitude))});
  EXPECT_EQ(simulate(*s.equations, s.plant.equilibrium, options).end, RunEnd::finished);
  return measured;
}

// The loop of the simulation is that of the design, to first order: what differs falls with the square of the move.
TEST(ControlLoop, IsTheLinearLoopForSmallMoves) {
  const Setting s(controlled_l_shape());
  const LoopParts parts(s);
  ASSERT_TRUE(parts.design.found) << parts.design.message;
  double errors[2] = {0, 0}, largest[2] = {0, 0};
  const double amplitudes[2] = {0.02, 0.005};
  for (int i = 0; i < 2; ++i) {
    const auto full = nonlinear_loop(s, parts, amplitudes[i]);
    const auto linear = linear_loop(s, parts, amplitudes[i], static_cast<int>(full.size()));
    for (std::size_t k = 0; k < full.size(); ++k) {
      errors[i] = std::max(errors[i], (full[k] - linear[k]).cwiseAbs().maxCoeff());
      largest[i] = std::max(largest[i], (linear[k] - s.plant.measurements).cwiseAbs().maxCoeff());
    }
  }
  EXPECT_GT(largest[1], 0.005);
  EXPECT_LT(errors[1], 0.01 * amplitudes[1]);
  EXPECT_GT(errors[0] / errors[1], 11);
  EXPECT_LT(errors[0] / errors[1], 22);
}

TEST(ControlLoop, ARunRestartedFromACheckpointGoesOnBitByBit) {
  Model model = controlled_l_shape(1.0);
  auto control = std::make_shared<ControlSetup>(*model.control);
  ControllerSetup& lqg = control->controllers[0];
  lqg.noise = {1e-4, 1e-3};
  lqg.quantisation = {1e-4, 0};
  lqg.delay = 0.003;
  lqg.delayed_reference = {2, 2.0, 0.01};
  model.control = control;
  const Setting s(model);
  std::vector<Checkpoint> saved;
  SimulateOptions options;
  options.end_time = 0.3;
  options.checkpoint_interval = 0.1;
  options.control = make_control_loop(*s.equations, s.equations->initial_state(), {0});
  options.checkpoint = [&](const Checkpoint& checkpoint) { saved.push_back(checkpoint); };
  const Trajectory whole = simulate(*s.equations, s.plant.equilibrium, options);
  ASSERT_EQ(saved.size(), 2u);
  EXPECT_GT(saved[0].state.controller_memory.size(), 0);
  options.control = make_control_loop(*s.equations, s.equations->initial_state(), {0});
  const Checkpoint first = saved[0];
  const Trajectory rest = simulate(*s.equations, first, options);
  EXPECT_EQ(rest.last.state.coordinates, whole.last.state.coordinates);
  EXPECT_EQ(rest.last.state.controller_memory, whole.last.state.controller_memory);
}

TEST(ControlLoop, ALoopUsedAgainBeginsAnew) {
  const Setting s(controlled_l_shape(1.0));
  SimulateOptions options;
  options.end_time = 0.2;
  options.control = make_control_loop(*s.equations, s.equations->initial_state(), {0});
  const Trajectory one = simulate(*s.equations, s.plant.equilibrium, options);
  const Trajectory two = simulate(*s.equations, s.plant.equilibrium, options);
  EXPECT_EQ(one.last.state.coordinates, two.last.state.coordinates);
}

TEST(ControlLoop, NoiseIsTheSameInEveryRunAndNormal) {
  double sum = 0, square = 0, cross = 0;
  const int count = 20000;
  for (int k = 0; k < count; ++k) {
    const double x = seeded_normal(7, static_cast<std::uint64_t>(k), 0);
    EXPECT_EQ(x, seeded_normal(7, static_cast<std::uint64_t>(k), 0));
    sum += x;
    square += x * x;
    cross += x * seeded_normal(7, static_cast<std::uint64_t>(k), 1);
  }
  // five standard errors
  EXPECT_NEAR(sum / count, 0, 5 / std::sqrt(count));
  EXPECT_NEAR(square / count, 1, 5 * std::sqrt(2.0 / count));
  EXPECT_NEAR(cross / count, 0, 5 / std::sqrt(count));
}

// A torque that is held turns the arm until gravity holds it: the static gain, against the equilibrium of the mechanism
// with that torque.
TEST(ControlModel, StaticGainIsThatOfTheEquilibrium) {
  const Setting s(controlled_l_shape());
  ASSERT_TRUE(s.plant.found) << s.plant.message;
  EXPECT_GT(s.plant.locked_frequency, 0);
  const double torque = 1e-4 * s.plant.inputs[0];
  Model pushed = s.model;
  Drive drive;
  drive.signal = SignalConstant{s.plant.inputs[0] + torque};
  pushed.drives.push_back(drive);
  const auto equations = make_equations(pushed);
  EquilibriumOptions options;
  const Equilibrium moved = equilibrium(*equations, s.plant.equilibrium, options);
  ASSERT_TRUE(moved.converged) << moved.message;
  const SensorReader reader(*equations, {s.model.sensors[0], s.model.sensors[2]});
  const auto workspace = equations->make_workspace();
  Accelerations none;
  none.values.setZero(equations->num_coordinates());
  std::vector<double> readings;
  reader.read(moved.state, make_inputs(pushed), none, *workspace, readings);
  const MatrixX gain = steady_gain(s.plant.plant);
  for (Eigen::Index i = 0; i < 2; ++i) {
    const double change = readings[static_cast<std::size_t>(i)] - s.plant.measurements[i];
    EXPECT_NEAR(change, gain(i, 0) * torque, 2e-3 * std::abs(change)) << i;
  }
}

TEST(MakeControl, DesignsThatFailAreReportedAtTheirPlace) {
  Model model = controlled_l_shape();
  auto control = std::make_shared<ControlSetup>(*model.control);
  control->controllers[0].kind = ControllerKind::output_feedback;
  control->controllers[0].model_based.peak_gain = 1e-9;
  control->controllers[0].place = {"arm.toml", 12, 1};
  model.control = control;
  const Setting s(model);
  try {
    make_control_loop(*s.equations, s.equations->initial_state(), {0});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("arm.toml:12:1: error: controller 'lqg': no output feedback found", 0),
              0u)
        << error.what();
  }
}

}  // namespace
}  // namespace lithe
