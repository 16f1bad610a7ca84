// What `lithe control` says of a loop beyond its own move: other configurations, equal settling times.
#include "lithe/analyse/control/control_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

Model example(const std::string& name) { return read_model(std::string(LITHE_MODELS_DIR "/") + name + ".toml"); }

int index_of(const Model& model, const std::string& controller) {
  for (std::size_t i = 0; i < model.control->controllers.size(); ++i)
    if (model.control->controllers[i].name == controller) return static_cast<int>(i);
  return -1;
}

ControlStudyOptions short_study(const Model& model, const std::vector<std::string>& names, double end) {
  ControlStudyOptions options;
  for (const std::string& name : names) options.controllers.push_back(index_of(model, name));
  options.simulate.end_time = end;
  options.simulate.output_step = 0.002;
  options.vary_payload = options.equal_settling = false;
  return options;
}

// Gains that suit the four-bar where it starts let a mode grow where it ends: four times those that were tuned for it,
// with hardly damped links (a tenth of a per cent as mounted).
TEST(ControlStudy, SeesThatALoopIsUnstableElsewhereOnItsWay) {
  Model model = example("control_four_bar");
  auto control = std::make_shared<ControlSetup>(*model.control);
  ControllerSetup& pid = control->controllers[static_cast<std::size_t>(index_of(model, "pid"))];
  pid.settling_time.reset();
  pid.pid.proportional = {26.5};
  pid.pid.integral = {656};
  pid.pid.derivative = {0.949};
  for (Link& link : model.links) link.damping.modal_ratios = {0.001};
  model.control = control;
  const ControlStudy study = control_study(model, short_study(model, {"pid"}, 0.05));
  EXPECT_GT(study.runs[0].full_decay, 0);
  EXPECT_LT(study.runs[0].path_decay, 0);
}

TEST(ControlStudy, TunedGainsStandTheWholeMove) {
  for (const char* name : {"control_four_bar", "control_l_shape"}) {
    const Model model = example(name);
    const ControlStudy study = control_study(model, short_study(model, {"pid"}, 0.02));
    EXPECT_GT(study.runs[0].path_decay, 0) << name;
  }
}

// A motor, an elastic gearbox and an arm of 2 kg at 0.5 m that stands out horizontally, in gravity.
constexpr double gear = 400, weight = 2 * 9.81 * 0.5;
std::string gearbox(const std::string& initial, const std::string& controllers) {
  return R"(lithe = 1
name = "elastic gearbox"
gravity = [0, 0, -9.81]
[initial]
)" + initial +
         R"(
[[links]]
name = "rotor"
type = "rigid"
mass = 0.1
inertia = [0.01, 0.01, 0.01]
nodes = {in = [0, 0, 0], out = [0, 0, 0]}
[[links]]
name = "arm"
type = "rigid"
mass = 2
centre = [0.5, 0, 0]
inertia = [0.01, 0.01, 0.01]
nodes = {root = [0, 0, 0], tip = [0.5, 0, 0]}
[[joints]]
name = "motor"
child = "rotor"
child_node = "in"
axis = [0, -1, 0]
value = 0
[[joints]]
name = "gear"
parent = "rotor"
parent_node = "out"
child = "arm"
child_node = "root"
axis = [0, -1, 0]
value = 0
stiffness = 400
damping = 2
[[sensors]]
name = "motor angle"
quantity = "joint_value"
joint = "motor"
[[sensors]]
name = "twist"
quantity = "joint_value"
joint = "gear"
[[references]]
name = "raise"
sensor = "motor angle"
signal = {move = {end_time = 0.3, end_value = 0.5}}
)" + controllers;
}

const char* const gearbox_lqg = R"([[controllers]]
name = "lqg"
type = "lqg"
joints = ["motor"]
measurements = ["motor angle", "twist"]
references = ["raise"]
allowed_errors = [0.02, 0]
allowed_efforts = [10]
)";

// k δ = -m g L cos δ, and the motor holds m g L cos δ.
double sag() {
  double angle = 0;
  for (int i = 0; i < 100; ++i) angle = -weight / gear * std::cos(angle);
  return angle;
}

TEST(ControlStudy, SpringsOfGearboxesSettleUnderGravity) {
  const Model model = read_model_text(gearbox("static_equilibrium = true", gearbox_lqg), "gearbox.toml");
  const ControlStudy study = control_study(model, short_study(model, {"lqg"}, 0.02));
  ASSERT_TRUE(study.finished());
  const ControlModel& found = study.runs[0].design.model;
  EXPECT_NEAR(found.measurements[1], sag(), 1e-8);
  EXPECT_NEAR(found.inputs[0], weight * std::cos(sag()), 1e-7);
  EXPECT_TRUE(study.runs[0].design.notes.empty());
  const Column* twist = study.runs[0].motion.column("twist");
  ASSERT_NE(twist, nullptr);
  EXPECT_NEAR(twist->values.front(), sag(), 1e-8);  // the move starts there, too
  EXPECT_NEAR(study.runs[0].motion.column("motor angle")->values.front(), 0, 1e-12);
  const Column* torque = study.runs[0].motion.column("lqg: motor");
  EXPECT_NEAR(torque->values.front(), weight * std::cos(sag()), 0.05);
}

TEST(ControlStudy, ASlackGearboxStartsAsItIsWrittenAndSaysSo) {
  const Model model = read_model_text(gearbox("", gearbox_lqg), "gearbox.toml");
  const ControlStudy study = control_study(model, short_study(model, {"lqg"}, 0.01));
  ASSERT_EQ(study.runs.size(), 1U);
  EXPECT_EQ(study.runs[0].motion.column("twist")->values.front(), 0);
  EXPECT_NEAR(study.runs[0].design.model.inputs[0], weight * std::cos(sag()), 1e-7);
  ASSERT_EQ(study.runs[0].design.notes.size(), 1U);
  EXPECT_NE(study.runs[0].design.notes[0].find("static_equilibrium"), std::string::npos);
}

TEST(ControlStudy, AFailingDesignLeavesTheOthers) {
  const std::string broken = std::string(gearbox_lqg) + R"([[controllers]]
name = "too strict"
type = "mixed_norm"
joints = ["motor"]
measurements = ["motor angle", "twist"]
references = ["raise"]
allowed_errors = [0.02, 0]
allowed_efforts = [10]
peak_gain = 1e-9
)";
  const Model model = read_model_text(gearbox("static_equilibrium = true", broken), "gearbox.toml");
  const ControlStudy study = control_study(model, short_study(model, {"too strict", "lqg"}, 0.01));
  EXPECT_FALSE(study.finished());
  ASSERT_EQ(study.failures.size(), 1U);
  EXPECT_EQ(study.failures[0].name, "too strict");
  EXPECT_NE(study.failures[0].message.find("gearbox.toml"), std::string::npos) << study.failures[0].message;
  EXPECT_NE(study.failures[0].message.find("peak gain below"), std::string::npos) << study.failures[0].message;
  ASSERT_EQ(study.runs.size(), 1U);
  EXPECT_EQ(study.runs[0].name, "lqg");
  EXPECT_TRUE(study.runs[0].figures.finished);
}

// Without a spring nothing holds the arm, whatever the motor does.
TEST(ControlStudy, AnArmThatNothingHoldsIsRefusedWithItsJoint) {
  std::string text = gearbox("", gearbox_lqg);
  text.replace(text.find("stiffness = 400"), 15, "");
  const Model model = read_model_text(text, "gearbox.toml");
  const ControlStudy study = control_study(model, short_study(model, {"lqg"}, 0.01));
  ASSERT_EQ(study.failures.size(), 1U);
  EXPECT_NE(study.failures[0].message.find("'gear'"), std::string::npos) << study.failures[0].message;
}

// The loop of the simulation is the sampled linear one: with a bound of the peak gain, a delay and fewer states.
TEST(ControlStudy, DynamicOutputFeedbackMovesTheArm) {
  const std::string controller = R"([[controllers]]
name = "mixed"
type = "mixed_norm"
joints = ["motor"]
measurements = ["motor angle", "twist"]
references = ["raise"]
sample_time = 0.002
delay = 0.002
allowed_errors = [0.02, 0]
allowed_efforts = [10]
peak_gain_ratio = 1.3
order = 5
)";
  const Model model = read_model_text(gearbox("static_equilibrium = true", controller), "gearbox.toml");
  const ControlStudyOptions options = short_study(model, {"mixed"}, 3.5);
  const ControlStudy study = control_study(model, options);
  ASSERT_TRUE(study.finished()) << (study.failures.empty() ? "" : study.failures[0].message);
  const ControlRun& run = study.runs[0];
  EXPECT_GT(run.design_decay, 0);
  EXPECT_GT(run.full_decay, 0);
  EXPECT_GT(run.path_decay, 0);
  // Gravity has fallen by 1.1 N m, at the arm and not at the motor: the estimated motor torque cancels all but the part
  // that twists the gear otherwise. A gain of 10 N m per 0.02 rad alone would leave 2.2e-3 rad.
  EXPECT_NEAR(run.motion.column("motor angle")->values.back(), 0.5, 1e-3);
  EXPECT_LT(run.figures.settling_time, 1.5);
}

TEST(ControlStudy, ComparesControllersAtEqualSettlingTime) {
  const Model model = example("control_arm");
  ControlStudyOptions options = short_study(model, {"pid", "lqg"}, 2);
  options.equal_settling = true;
  const ControlStudy study = control_study(model, options);
  ASSERT_EQ(study.runs.size(), 2U);
  ASSERT_GT(study.equal_settling, 0);
  bool slower = false;
  for (const ControlRun& run : study.runs) {
    ASSERT_GE(run.equal.stretch, 1) << run.name;
    EXPECT_NEAR(run.equal.figures.settling_time, study.equal_settling, 0.05 * study.equal_settling) << run.name;
    if (run.equal.stretch == 1) continue;
    slower = true;  // a slower move needs less
    EXPECT_LT(run.equal.figures.peak_effort, run.figures.peak_effort) << run.name;
    EXPECT_LT(run.equal.figures.peak_deflection, run.figures.peak_deflection) << run.name;
  }
  EXPECT_TRUE(slower);
}

// A steel rod of 1 m that hangs from its motor with 5 kg at its end: 39 % of its Euler load.
const char* const hanging_rod = R"(lithe = 1
name = "hanging rod"
gravity = [0, 0, -9.81]
[materials.steel]
density = 7800
young_modulus = "200 GPa"
poisson_ratio = 0.3
[sections.rod]
shape = "circle"
diameter = "6 mm"
[[links]]
name = "rod"
nodes = {top = [0, 0, 0], tip = [0, 0, -1]}
path = ["top", "tip"]
material = "steel"
section = "rod"
elements = 4
masses = [{node = "tip", mass = 5}]
[[joints]]
name = "motor"
child = "rod"
child_node = "top"
axis = [0, 1, 0]
value = 0
[[sensors]]
name = "angle"
quantity = "joint_value"
joint = "motor"
[[references]]
name = "swing"
sensor = "angle"
signal = {move = {end_time = 0.3, end_value = 0.1}}
[[controllers]]
name = "lqg"
type = "lqg"
joints = ["motor"]
measurements = ["angle"]
references = ["swing"]
allowed_errors = [0.05]
allowed_efforts = [10]
)";

TEST(ControlStudy, DesignsHaveGeometricStiffeningWhereItMattersAtRest) {
  const Model model = read_model_text(hanging_rod, "rod.toml");
  const ControllerSetup& setup = model.control->controllers[0];
  const auto flexible_frequency = [&](Stiffening stiffening) {
    const auto equations = make_equations(model, {.geometric_stiffening = stiffening});
    const ControlModel found =
        control_model(*equations, start_state(*equations), setup.actuators, setup.measurements, 1);
    EXPECT_TRUE(found.found) << found.message;
    return found.frequencies.maxCoeff();
  };
  const double on = flexible_frequency(Stiffening::on), off = flexible_frequency(Stiffening::off);
  ASSERT_GT(on, 1.05 * off);
  for (const char* formulation : {"erls-cms", "floating-frame"}) {
    ControlStudyOptions options = short_study(model, {"lqg"}, 0.01);
    options.formulation.formulation = formulation;
    options.simulate.start = start_state;
    const ControlStudy study = control_study(model, options);
    ASSERT_EQ(study.runs.size(), 1U) << (study.failures.empty() ? "" : study.failures[0].message);
    const ControlRun& run = study.runs[0];
    const bool told = std::any_of(run.design.notes.begin(), run.design.notes.end(), [](const std::string& note) {
      return note.find("designed with geometric stiffening") != std::string::npos;
    });
    EXPECT_TRUE(told) << formulation;
    EXPECT_EQ(run.motion.notes.size(), 1U) << formulation;  // the run has it, too
    const Eigen::Index flexible = run.design.model.frequencies.size() > 1 ? 1 : 0;
    EXPECT_NEAR(run.design.model.frequencies[flexible], on, 1e-6 * on) << formulation;
    options.formulation.geometric_stiffening = Stiffening::off;
    const ControlStudy without = control_study(model, options);
    ASSERT_EQ(without.runs.size(), 1U);
    EXPECT_NEAR(without.runs[0].design.model.frequencies[flexible], off, 1e-6 * off) << formulation;
  }
}

TEST(ControlStudy, TellsAnEnergyBalanceThatIsOpen) {
  const Model model = read_model_text(hanging_rod, "rod.toml");
  ControlStudyOptions options = short_study(model, {"lqg"}, 0.1);
  const ControlStudy fine = control_study(model, options);
  ASSERT_EQ(fine.runs.size(), 1U);
  EXPECT_NE(fine.runs[0].motion.column("total_energy"), nullptr);
  EXPECT_LT(std::abs(fine.runs[0].motion.energy.imbalance()), 1e-3);
  options.simulate.integrator = "dormand_prince";
  options.simulate.integration.tolerance = 10;  // m/s
  const ControlStudy rough = control_study(model, options);
  ASSERT_EQ(rough.runs.size(), 1U);
  const Trajectory& motion = rough.runs[0].motion;
  const bool warned = std::any_of(motion.warnings.begin(), motion.warnings.end(), [](const std::string& warning) {
    return warning.find("energy balance") != std::string::npos;
  });
  EXPECT_TRUE(warned || motion.message.find("energy balance") != std::string::npos) << motion.message;
}

}  // namespace
}  // namespace lithe
