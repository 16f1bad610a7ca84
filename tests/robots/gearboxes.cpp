// Gearboxes of catalogues: stiffness curves, backlash, friction, sensors on both sides, limits of motors, rotors.
#include <Eigen/Dense>

#include "lithe/analyse/linear/linearise.h"
#include "lithe/analyse/modes/modes.h"
#include "lithe/analyse/motion/control_loop.h"
#include "lithe/analyse/observe/sensors.h"
#include "lithe/base/text.h"
#include "lithe/model/control_setup.h"
#include "lithe/model/joint_law.h"
#include "lithe/model/sensor_unit.h"
#include "lithe/read/read_model.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

constexpr const char* all_formulations[] = {"erls-cms", "erls-fem", "floating-frame", "corotational",
                                            "transfer-functions"};

// A wheel of inertia 0.5 behind a gearbox of ratio 50 with a rotor of 2e-4 (0.5 at the joint).
std::string wheel(const std::string& motor, const std::string& joint = "", const std::string& more = "") {
  return "lithe = 1\n[[links]]\nname = \"wheel\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0]}\nmass = 3\n"
         "inertia = [1, 1, 0.5]\n[[joints]]\nname = \"j\"\nchild = \"wheel\"\nchild_node = \"a\"\n" +
         joint + "[[motors]]\njoint = \"j\"\nrotor_inertia = 2e-4\nratio = 50\n" + motor + more;
}
constexpr double rotor = 0.5, load = 0.5;
const std::string curve = "stiffness = [4000, 6000, 9000]\nstiffness_torques = [8, 30]\n";

// The catalogue's curve with sharp corners.
double sharp(double x) {
  const double x1 = 8.0 / 4000, x2 = x1 + 22.0 / 6000, a = std::abs(x);
  const double torque = a < x1 ? 4000 * a : a < x2 ? 8 + 6000 * (a - x1) : 30 + 9000 * (a - x2);
  return std::copysign(torque, x);
}

TEST(StiffnessCurve, IsTheCataloguesAwayFromItsCorners) {
  const Model model = read_model_text(wheel(curve), "m.toml");
  const Joint& gear = model.joints[1];
  ASSERT_TRUE(gear.law);
  // c(x; g) of docs/theory/drive_trains.md differs from the clamp by at most w²/4 (1/|x - g| + 1/|x + g|) there.
  for (const double x : {-0.02, -0.0045, -0.0005, 0.0, 0.0008, 0.0035, 0.009, 0.03}) {
    const double torque = gear.stiffness[0] * x + spring_excess<double>(*gear.law, x);
    EXPECT_NEAR(torque, sharp(x), 2e-3 * 30) << x;
  }
  const double far = gear.stiffness[0] + spring_excess_stiffness(*gear.law, 0.05);
  EXPECT_NEAR(far, 9000, 0.01);
}

// Energy is the integral of the force, the slope its derivative: central differences, error h²/6 of a third derivative
// that is at most (change of slope)/w² at a corner.
TEST(JointLaw, DerivativesBelongTogether) {
  const Model model = read_model_text(
      wheel(curve + "backlash = 1e-3\nfriction = 4\nstatic_friction = 7\nstribeck_speed = 0.05\n"), "m.toml");
  const JointLaw& spring = *model.joints[1].law;
  const JointLaw& friction = *model.joints[0].law;
  const double h = 1e-7;
  for (double x = -0.012; x < 0.012; x += 1.7e-4) {
    const double by_energy =
        (spring_excess_energy<double>(spring, x + h) - spring_excess_energy<double>(spring, x - h)) / (2 * h);
    EXPECT_NEAR(by_energy, spring_excess<double>(spring, x), 1e-5 + 1e-7 * 9000) << x;
    const double by_force = (spring_excess<double>(spring, x + h) - spring_excess<double>(spring, x - h)) / (2 * h);
    EXPECT_NEAR(by_force, spring_excess_stiffness(spring, x), 0.05) << x;
  }
  for (double v = -0.2; v < 0.2; v += 3.3e-3) {
    const double k = 1e-8;
    const double difference =
        (friction_excess<double>(friction, v + k, 1e-3) - friction_excess<double>(friction, v - k, 1e-3)) / (2 * k);
    EXPECT_NEAR(difference, friction_excess_damping(friction, v, 1e-3), 1e-5 * 3 / 1e-3) << v;
  }
}

// Two wheels joined by the spring: rotor θ̈ = τ(x) / J1, relative ẍ = -τ(x) (1/J1 + 1/J2).
TEST(Gearbox, AcceleratesByItsCurveInEveryFormulation) {
  for (const double x : {0.0003, 0.0031, -0.0095}) {
    Model model = read_model_text(wheel(curve + "backlash = 4e-4\n"), "m.toml");
    model.joints[1].initial_value = {x};
    const double torque = std::copysign(sharp(std::abs(x) - 2e-4), x);
    for (const char* formulation : all_formulations) {
      Formulated system(model, {.formulation = formulation});
      system.evaluate();
      EXPECT_NEAR(system.joint(0).acceleration, torque / rotor, 0.02 * std::abs(torque) / rotor + 0.01) << formulation;
      EXPECT_NEAR(system.joint(0).acceleration * rotor,
                  -(system.joint(0).acceleration + system.joint(1).acceleration) * load, 1e-9 * std::abs(torque))
          << formulation;
    }
  }
}

TEST(Gearbox, KeepsEnergyThroughItsCornersAndItsPlay) {
  for (const std::string& gearbox : {curve, std::string("stiffness = 5000\nbacklash = 2e-3\n")}) {
    Model model = read_model_text(wheel(gearbox), "m.toml");
    model.joints[1].initial_value = {0.008};
    std::vector<Trajectory> motions;
    for (const char* formulation : {"erls-cms", "transfer-functions", "floating-frame"}) {
      motions.push_back(run(model, {.formulation = formulation}, 0.1, {.tolerance = 1e-12, .samples = 10}));
      const EnergyBalance& energy = motions.back().energy;
      EXPECT_LT(std::abs(energy.imbalance()), 1e-5 * energy.largest_kinetic) << formulation;
      EXPECT_LT(largest_difference(motions.front(), motions.back()), 1e-6) << formulation;
    }
  }
}

// At a constant speed v the drive gives (5) of the theory page.
TEST(Friction, OfAConstantSpeedIsStribecksCurve) {
  const std::string motor =
      "friction = 4\nstatic_friction = 7\nstribeck_speed = 0.05\nviscous_friction = 2\nfriction_factor = 1.5\n";
  for (const double speed : {0.02, 0.05, 0.3}) {
    const Model model = read_model_text(
        wheel(motor, "", cat("[[drives]]\njoint = \"j\"\nmotion = {ramp = {end_time = 1, end_value = ", speed, "}}\n")),
        "m.toml");
    const double expected = 1.5 * ((4 + 3 * std::exp(-std::pow(speed / 0.05, 2))) + 2 * speed);
    for (const char* formulation : all_formulations) {
      Formulated system(model, {.formulation = formulation});
      evaluate_inputs(model, 0.5, system.inputs);
      system.evaluate();
      EXPECT_NEAR(system.equations->prescribed_force(system.state, system.inputs, system.accelerations, 0, 0,
                                                     *system.workspace),
                  expected, 1e-6)
          << formulation << " " << speed;  // tanh(20) differs from one by 8e-18
      EXPECT_NEAR(system.equations->dissipated_power(system.state, system.inputs, *system.workspace), expected * speed,
                  1e-6)
          << formulation;
    }
  }
}

TEST(Friction, TakesAsMuchEnergyAsTheBalanceSays) {
  Model model = read_model_text(
      wheel("friction = 0.4\nstatic_friction = 0.7\nstribeck_speed = 0.2\nviscous_friction = 0.1\n", "speed = 2\n"),
      "m.toml");
  const Trajectory motion = run(model, {}, 1.0, {.tolerance = 1e-8, .samples = 10});
  EXPECT_LT(std::abs(motion.energy.imbalance()), 1e-6 * motion.energy.largest_kinetic);
  EXPECT_GT(motion.energy.dissipated, 0.3 * motion.energy.largest_kinetic);
}

// Linear models have the stiffness at the deflection: ω² = K (1/J1 + 1/J2), with K2 between the corners.
TEST(StiffnessCurve, FrequencyIsThatOfTheDeflection) {
  Model model = read_model_text(wheel(curve), "m.toml");
  for (const auto& [x, stiffness] : {std::pair(0.0, 4000.0), std::pair(0.0035, 6000.0), std::pair(0.02, 9000.0)}) {
    model.joints[1].initial_value = {x};
    const double omega = std::sqrt(stiffness * (1 / rotor + 1 / load));
    for (const char* formulation : all_formulations) {
      const auto equations = make_equations(model, {.formulation = formulation});
      const ModesResult found = mechanism_modes(*equations, equations->initial_state());
      ASSERT_EQ(found.status, EvaluationStatus::ok) << formulation;
      EXPECT_NEAR(found.modes.frequencies[1] * 2 * 3.14159265358979323846, omega, 2e-3 * omega)
          << formulation << " " << x;
    }
  }
}

std::string side_sensors(const std::string& quantity) {
  return cat("[[sensors]]\nname = \"m\"\nquantity = \"", quantity, "\"\njoint = \"j\"\nside = \"motor\"\n",
             "[[sensors]]\nname = \"l\"\nquantity = \"", quantity, "\"\njoint = \"j\"\nside = \"link\"\n");
}

TEST(SideSensors, ReadTheMotorAndTheLink) {
  const std::string all = side_sensors("joint_value");
  Model model = read_model_text(wheel("stiffness = 5000\ndamping = 3\n", "", all), "m.toml");
  model.joints[0].initial_value = {0.3};
  model.joints[0].initial_speed = {2};
  model.joints[1].initial_value = {-0.004};
  model.joints[1].initial_speed = {0.5};
  EXPECT_EQ(unit_of(model, model.sensors[0]), "rad");
  for (const char* formulation : all_formulations) {
    Formulated system(model, {.formulation = formulation});
    system.inputs.joint_forces[0] = {10};
    system.evaluate();
    const auto read = [&](const char* quantity) {
      Model sensed = read_model_text(wheel("stiffness = 5000\ndamping = 3\n", "", side_sensors(quantity)), "m.toml");
      std::vector<double> values;
      SensorReader(*system.equations, sensed.sensors)
          .read(system.state, system.inputs, system.accelerations, *system.workspace, values);
      return values;
    };
    const double transmitted = 5000 * 0.004 - 3 * 0.5;  // to the link
    EXPECT_NEAR(read("joint_value")[0], 50 * 0.3, 1e-10) << formulation;
    EXPECT_NEAR(read("joint_value")[1], 0.296, 1e-10) << formulation;
    EXPECT_NEAR(read("joint_speed")[0], 100, 1e-9) << formulation;
    EXPECT_NEAR(read("joint_speed")[1], 2.5, 1e-9) << formulation;
    EXPECT_NEAR(read("joint_force")[0], 10.0 / 50, 1e-12) << formulation;
    EXPECT_NEAR(read("joint_force")[1], transmitted, 1e-9) << formulation;
    EXPECT_NEAR(read("joint_acceleration")[0], 50 * (10 - transmitted) / rotor, 1e-7) << formulation;
    EXPECT_NEAR(read("joint_acceleration")[1], transmitted / load, 1e-8) << formulation;
  }
}

// Of a rigid gearbox the torque at the output is what moves the link: load q̈.
TEST(SideSensors, TorqueOfARigidGearboxIsThatOfItsOutput) {
  const Model model = read_model_text(wheel("", "", side_sensors("joint_force")), "m.toml");
  Formulated system(model);
  system.inputs.joint_forces[0] = {8};
  system.evaluate();
  std::vector<double> values;
  SensorReader(*system.equations).read(system.state, system.inputs, system.accelerations, *system.workspace, values);
  EXPECT_NEAR(values[0], 8.0 / 50, 1e-12);
  EXPECT_NEAR(values[1], load * 8 / (rotor + load), 1e-10);
}

// Outputs of linear models: link = motor + gear, torque by stiffness and damping.
TEST(SideSensors, AreOutputsOfLinearModels) {
  const std::string sensors = side_sensors("joint_value") +
                              "[[sensors]]\nname = \"t\"\nquantity = \"joint_force\"\njoint = \"j\"\nside = \"link\"\n"
                              "[[sensors]]\nname = \"s\"\nquantity = \"joint_speed\"\njoint = \"j\"\n";
  const Model model = read_model_text(wheel("stiffness = 5000\ndamping = 3\n", "", sensors), "m.toml");
  const auto equations = make_equations(model, {});
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, 0, inputs);
  const LinearResult result =
      linearise(*equations, equations->initial_state(), inputs, default_inputs(*equations), LinearAbout::held);
  ASSERT_EQ(result.status, EvaluationStatus::ok) << result.message;
  const MatrixX &P = result.model.position_output, &S = result.model.speed_output;
  const MatrixX expected_p = (MatrixX(4, 2) << 50, 0, 1, 1, 0, -5000, 0, 0).finished();
  const MatrixX expected_s = (MatrixX(4, 2) << 0, 0, 0, 0, 0, -3, 1, 0).finished();
  EXPECT_LT((P - expected_p).cwiseAbs().maxCoeff(), 1e-8) << P;
  EXPECT_LT((S - expected_s).cwiseAbs().maxCoeff(), 1e-10) << S;
  EXPECT_EQ(result.model.outputs[1].name, "l");
}

// A rotor on a link that turns about another axis: e = y of the link, Ω about z. The carrier feels J r q̇ Ω about x,
// which its bearing's reaction shows; without the option there is nothing.
TEST(GyroscopicRotor, ActsOnTheLinkThatCarriesIt) {
  const auto turntable = [](const std::string& option) {
    return read_model_text(
        "lithe = 1\n[[links]]\nname = \"table\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0], b = [0, 0, 0]}\nmass = 1\n"
        "inertia = [0.1, 0.1, 0.1]\n[[links]]\nname = \"disc\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0]}\nmass = 1\n"
        "inertia = [0.02, 0.02, 0.02]\n[[joints]]\nname = \"base\"\nchild = \"table\"\nchild_node = \"a\"\nspeed = 3\n"
        "[[joints]]\nname = \"j\"\nparent = \"table\"\nparent_node = \"b\"\nchild = \"disc\"\nchild_node = \"a\"\n"
        "axis = [0, 1, 0]\nspeed = 2\n[[motors]]\njoint = \"j\"\nrotor_inertia = 1e-4\nratio = 60\n" +
            option,
        "table.toml");
  };
  for (const char* formulation : all_formulations) {
    Vector3 force, without, with;
    for (const bool gyroscopic : {false, true}) {
      Formulated system(turntable(gyroscopic ? "gyroscopic = true\n" : ""), {.formulation = formulation});
      system.evaluate();
      ASSERT_TRUE(system.equations->reaction(system.state, system.inputs, system.accelerations, 0, force,
                                             gyroscopic ? with : without, *system.workspace));
      EXPECT_NEAR(system.joint(1).acceleration, 0, 1e-9) << formulation;
    }
    // The torque on the turning rotor: Ω e_z × J r q̇ e_y = -J r q̇ Ω e_x, which the base gives.
    EXPECT_NEAR((with - without)[0], -1e-4 * 60 * 2 * 3, 1e-9) << formulation;
    EXPECT_LT((with - without).tail<2>().norm(), 1e-9) << formulation;
  }
}

// T = ½ J (r q̇ + e·ω)²: with parallel axes the inertia matrix has J r² , J r and J.
TEST(GyroscopicRotor, CouplesParallelAxesByItsReaction) {
  const double J = 3e-3, r = 7, table = 0.4, disc = 0.05, torque = 2;
  const Model model = read_model_text(
      cat("lithe = 1\n[[links]]\nname = \"table\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0]}\nmass = 1\ninertia = [1, "
          "1, ",
          table,
          "]\n[[links]]\nname = \"disc\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0]}\nmass = 1\ninertia = [1, 1, ", disc,
          "]\n[[joints]]\nname = \"base\"\nchild = \"table\"\nchild_node = \"a\"\n[[joints]]\nname = \"j\"\n",
          "parent = \"table\"\nparent_node = \"a\"\nchild = \"disc\"\nchild_node = \"a\"\n[[motors]]\njoint = \"j\"\n",
          "rotor_inertia = ", J, "\nratio = ", r, "\ngyroscopic = true\n"),
      "axes.toml");
  Eigen::Matrix2d M;
  M << table + disc + J, disc + J * r, disc + J * r, disc + J * r * r;
  const Eigen::Vector2d exact = M.inverse() * Eigen::Vector2d(0, torque);
  for (const char* formulation : all_formulations) {
    Formulated system(model, {.formulation = formulation});
    system.inputs.joint_forces[1] = {torque};
    system.evaluate();
    for (int k = 0; k < 2; ++k) EXPECT_NEAR(system.joint(k).acceleration, exact[k], 1e-8 * exact.norm()) << formulation;
  }
}

class Greedy : public Controller {
 public:
  void update(double, std::span<const double>, std::span<const SignalValue>, std::span<double> outputs) override {
    outputs[0] = 1e6;
  }
};

// Who asks for far too much: full torque at rest, and later never more than the line leaves.
TEST(MotorLimits, CutWhatControllersAskFor) {
  const Model model = read_model_text(
      wheel("max_torque = 0.4\nstall_torque = 0.6\nno_load_speed = 300\n", "",
            "[[sensors]]\nname = \"angle\"\nquantity = \"joint_value\"\njoint = \"j\"\n"
            "[[references]]\nname = \"r\"\nsensor = \"angle\"\nsignal = {steps = [[0, 20]]}\n"
            "[[controllers]]\nname = \"c\"\ntype = \"pid\"\njoints = [\"j\"]\nmeasurements = [\"angle\"]\n"
            "references = [\"r\"]\nproportional = 1000\nintegral = 0\nderivative = 0\nfeedforward = false\n"
            "sample_time = \"1 ms\"\n"),
      "m.toml");
  const ControllerSetup& setup = model.control->controllers[0];
  ASSERT_EQ(setup.motor_limits.size(), 1u);
  EXPECT_NEAR(*setup.motor_limits[0].max_torque, 20, 1e-12);
  EXPECT_NEAR(*setup.motor_limits[0].stall_torque, 30, 1e-12);
  EXPECT_NEAR(*setup.motor_limits[0].no_load_speed, 6, 1e-12);
  EXPECT_EQ(setup.limits, std::vector<double>{20.0});
  // 20 N m up to a third of 6 rad/s: 0.1 s with 20 rad/s². Then θ̇ = 6 (1 - (2/3) exp(-(t - 0.1) / 0.2)).
  const auto equations = make_equations(model);
  SimulateOptions options;
  options.end_time = 0.4;
  options.output_step = 0.05;
  options.control = std::make_shared<ControlLoop>();
  options.control->add(setup, std::make_unique<Greedy>(), {});
  const Trajectory motion = simulate(*equations, equations->initial_state(), options);
  ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
  for (std::size_t i = 0; i < motion.times.size(); ++i) {
    const double t = motion.times[i];
    const double exact = t < 0.1 ? 10 * t * t : 0.1 + 6 * (t - 0.1) - 0.8 * (1 - std::exp(-(t - 0.1) / 0.2));
    EXPECT_NEAR(motion.columns[0].values[i], exact, 3e-3) << t;  // samples of 1 ms hold their torque
  }
}

}  // namespace
}  // namespace lithe
