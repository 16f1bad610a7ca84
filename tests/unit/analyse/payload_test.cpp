// Payloads that are taken and put down: closed forms of a mass on a spring and of a held arm, in every formulation.
#include <gtest/gtest.h>

#include <cmath>

#include "lithe/analyse/analyses.h"
#include "lithe/analyse/settle.h"
#include "lithe/analyse/size_motors.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/model/control_setup.h"
#include "lithe/read/partial_model.h"

namespace lithe {
namespace {

const std::string lift = R"(
lithe = 1
gravity = [0, 0, -9.81]
[[links]]
name = "table"
type = "rigid"
nodes = {in = [0, 0, 0], top = [0.2, 0.1, 0.3]}
mass = 2
inertia = [0.1, 0.1, 0.1]
[[joints]]
name = "rail"
type = "prismatic"
axis = [0, 0, 1]
child = "table"
child_node = "in"
stiffness = 800
value = 0.01
[[sensors]]
name = "z"
quantity = "joint_value"
joint = "rail"
[[payloads]]
name = "box"
link = "table"
node = "top"
mass = 3
taken = 0.4
put_down = 1.1
)";

PartialModel read(const std::string& text) {
  PartialModel model = read_text_partly(text, "robot.toml");
  EXPECT_TRUE(model.errors.empty()) << model.errors[0].text();
  return model;
}

// x'' = -(k/m) (x - x_rest) from a state, after a time.
struct Oscillation {
  double x, v;
  void go(double mass, double time) {
    const double k = 800, rest = -mass * 9.81 / k, w = std::sqrt(k / mass), c = std::cos(w * time),
                 s = std::sin(w * time), off = x - rest;
    x = rest + off * c + v / w * s;
    v = v * c - off * w * s;
  }
};

TEST(Payload, OfAMassOnASpringIsTheClosedFormInEveryFormulation) {
  const Model model = read(lift).model;
  for (const char* formulation : {"erls-cms", "erls-fem", "floating-frame", "corotational", "transfer-functions"}) {
    SimulateSpec spec;
    spec.formulation.formulation = formulation;
    spec.end_time = 1.6;
    spec.tolerance = 1e-9;
    const SimulatedMotion motion = simulate(model, spec);
    ASSERT_EQ(motion.end, RunEnd::finished) << formulation << motion.message;
    const Column& z = *motion.column("z");
    EXPECT_EQ(motion.times.size(), z.values.size());
    for (std::size_t i = 0; i < motion.times.size(); ++i) {
      const double t = motion.times[i];
      EXPECT_TRUE(i == 0 || t > motion.times[i - 1]);
      Oscillation expected{0.01, 0};
      expected.go(2, std::min(t, 0.4));
      if (t > 0.4) expected.go(5, std::min(t, 1.1) - 0.4);
      if (t > 1.1) expected.go(2, t - 1.1);
      ASSERT_NEAR(z.values[i], expected.x, 1e-7) << formulation << " at " << t;
    }
    EXPECT_LT(std::abs(motion.energy.imbalance()), 1e-6);
  }
}

TEST(Payload, ARunThatEndedAtAChangeGoesOnWithTheSameBalance) {
  const Model model = read(lift).model;
  SimulateSpec spec;
  spec.tolerance = 1e-9;
  spec.end_time = 1.6;
  const SimulatedMotion whole = simulate(model, spec);
  for (const double end : {0.4, 1.1, 0.7}) {
    spec.end_time = end;
    const SimulatedMotion first = simulate(model, spec);
    spec.end_time = 1.6;
    SimulateHooks hooks;
    hooks.restart = &first.last;
    const SimulatedMotion second = simulate(model, spec, hooks);
    ASSERT_EQ(second.end, RunEnd::finished) << end;
    EXPECT_NEAR(second.energy.input_work, whole.energy.input_work, 1e-6) << end;
    EXPECT_NEAR(second.column("z")->values.back(), whole.column("z")->values.back(), 1e-7) << end;
  }
}

const std::string arm = R"(
lithe = 1
gravity = [0, -9.81, 0]
[[links]]
name = "arm"
type = "rigid"
nodes = {in = [0, 0, 0], hand = [0.5, 0, 0]}
mass = 1
centre = [0.2, 0, 0]
inertia = [0.01, 0.01, 0.01]
[[joints]]
name = "shoulder"
child = "arm"
child_node = "in"
)";

TEST(Payload, IsFeltByTheMotorWhileItIsHeld) {
  const Model model = read(arm + R"(
[[moves]]
name = "up"
joints = ["shoulder"]
waypoints = [{joints = [0.6]}]
duration = 0.5
[[moves]]
name = "back"
joints = ["shoulder"]
waypoints = [{joints = [0]}]
duration = 0.5
pause = 0.2
[[payloads]]
link = "arm"
node = "hand"
mass = 4
inertia = [0.02, 0.02, 0.02]
taken_after = "up"
put_down_after = "back"
)")
                          .model;
  const Payload& payload = model.control->payloads.at(0);
  EXPECT_NEAR(payload.taken, 0.5, 1e-12);
  EXPECT_NEAR(payload.put_down, 1.2, 1e-12);
  const SimulatedMotion motion = inverse_dynamics(model, {.end_time = 1.5});
  ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
  const std::vector<double>& torque = motion.columns.front().values;
  const Signal& signal = model.drives.at(0).signal;
  for (std::size_t i = 0; i < motion.times.size(); ++i) {
    const double t = motion.times[i];
    const SignalValue q = evaluate(signal, t);
    if (std::abs(t - 0.5) < 1e-9 || std::abs(t - 1.2) < 1e-9) continue;  // where it changes
    const bool held = t > 0.5 && t < 1.2;
    const double inertia = 0.01 + 0.04 + (held ? 0.02 + 4 * 0.25 : 0), moment = 0.2 + (held ? 2 : 0);
    EXPECT_NEAR(torque[i], inertia * q.acceleration + moment * 9.81 * std::cos(q.value), 1e-6) << t;
  }
  // The same in `size`, and a hand that is heavier on the way back.
  const SizeResult sized = size_motors(model, {}, {});
  EXPECT_NEAR(sized.drives.at(0).peak_torque, *std::max_element(torque.begin(), torque.end()), 0.01);
}

TEST(Payload, MakesTheFastestMoveSlower) {
  const auto times = [](const std::string& more) {
    const PartialModel model = read(arm + R"(
[[moves]]
name = "there"
joints = ["shoulder"]
waypoints = [{joints = [1]}]
profile = "time_optimal"
joint_torque = 40
[[moves]]
name = "back"
joints = ["shoulder"]
waypoints = [{joints = [0]}]
profile = "time_optimal"
joint_torque = 40
)" + more);
    return std::pair(model.moves[0].end_time, model.moves[1].end_time - model.moves[1].start_time);
  };
  const auto [free_there, free_back] = times("");
  const auto [there, back] =
      times("[[payloads]]\nlink = \"arm\"\nnode = \"hand\"\nmass = 2\ntaken_after = \"there\"\n");
  EXPECT_NEAR(there, free_there, 1e-12);
  EXPECT_GT(back, 1.5 * free_back);
}

TEST(Payload, LeavesATremorThatSettleSees) {
  // Taken at rest: the spring gives by m g / k about which it swings.
  std::string text = lift;
  text.replace(text.find("put_down = 1.1\n"), 15, "");
  text.replace(text.find("value = 0.01\n"), 13, "damping = 8\n");
  const Model model =
      read(text + "[[sensors]]\nname = \"top\"\nquantity = \"position\"\nlink = \"table\"\nnode = \"top\"\n").model;
  SettleSpec spec;
  spec.move_end = 0.4;
  spec.after = 6;
  const SettleResult found = settle(model, spec);
  ASSERT_EQ(found.motion.end, RunEnd::finished) << found.motion.message;
  EXPECT_NEAR(found.points.at(0).rest.z(), 0.3 - 5 * 9.81 / 800, 1e-4);
  EXPECT_NEAR(found.points.at(0).residual, 3 * 9.81 / 800, 2e-3);
}

TEST(Payload, IsRefusedByAnalysesThatDoNotKnowIt) {
  const Model model = read(lift).model;
  try {
    compare(model, {.formulations = {{.formulation = "erls-cms"}, {.formulation = "erls-fem"}}});
    FAIL() << "it was compared";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("payload 'box' is taken or put down during the motion"), std::string::npos)
        << error.what();
  }
}

TEST(Payload, HeldFromTheStartIsAMassOfItsLink) {
  std::string text = lift;
  text.replace(text.find("taken = 0.4\nput_down = 1.1\n"), 27, "");
  const Model model = read(text).model;
  ASSERT_EQ(model.links[0].lumped_masses.size(), 1u);
  EXPECT_NEAR(natural_modes(model, {}).mechanism->frequencies[0], std::sqrt(800 / 5.0) / (2 * M_PI), 1e-9);
}

}  // namespace
}  // namespace lithe
