// A formulation of one's own: registered in one call, it serves every analysis.
#include <gtest/gtest.h>

#include <cmath>

#include "lithe/analyse/analyses.h"
#include "lithe/base/diagnostics.h"
#include "lithe/formulate/add_formulation.h"
#include "lithe/formulate/contract/capabilities.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

// One rigid link on a hinge about the world's y axis through the origin: I θ̈ = m g c cos θ, θ = 0 lying along x.
class ToyPendulum : public Equations {
 public:
  explicit ToyPendulum(const Model& model)
      : model_(model),
        mass_(model.links.at(0).rigid_inertia.mass),
        centre_(model.links.at(0).rigid_inertia.centre.x()),
        inertia_(model.links.at(0).rigid_inertia.inertia(1, 1) + mass_ * centre_ * centre_) {}

  std::string name() const override { return "toy-pendulum"; }
  const Model& model() const override { return model_; }
  int num_coordinates() const override { return 1; }
  int num_joint_coordinates() const override { return 1; }
  std::vector<std::string> coordinate_names() const override { return {model_.joints.at(0).name}; }
  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Workspace>(); }

  State initial_state() const override {
    State state;
    state.coordinates = VectorX::Constant(1, model_.joints[0].initial_value[0]);
    state.speeds = VectorX::Constant(1, model_.joints[0].initial_speed[0]);
    return state;
  }

  EvaluationStatus evaluate(const State& state, const Inputs& inputs, Workspace&,
                            Accelerations& result) const override {
    result.values = VectorX::Constant(1, (weight() * std::cos(angle(state)) + inputs.joint_forces[0][0]) / inertia_);
    return EvaluationStatus::ok;
  }
  EvaluationStatus linearise(const State& state, const Inputs&, Workspace&, LinearBlocks& blocks) const override {
    blocks.mass = MatrixX::Constant(1, 1, inertia_);
    blocks.damping = MatrixX::Zero(1, 1);
    blocks.stiffness = MatrixX::Constant(1, 1, weight() * std::sin(angle(state)));
    blocks.input = MatrixX::Ones(1, 1);
    return EvaluationStatus::ok;
  }
  bool accept(State&, const Inputs&, Workspace&) const override { return false; }

  Energies energies(const State& state, const Inputs&, Workspace&) const override {
    return {.kinetic = 0.5 * inertia_ * state.speeds[0] * state.speeds[0],
            .gravity = -weight() * std::sin(angle(state)),
            .elastic = 0};
  }
  NodeMotion node_motion(const State& state, const Inputs&, const Accelerations& accelerations, int link, int node,
                         Workspace&) const override {
    NodeMotion motion;
    const double theta = angle(state), rate = state.speeds[0], second = accelerations.values[0];
    motion.orientation = Eigen::AngleAxisd(theta, Vector3::UnitY()).toRotationMatrix();
    motion.position = motion.orientation *
                      model_.links[static_cast<std::size_t>(link)].nodes[static_cast<std::size_t>(node)].position;
    motion.angular_velocity = rate * Vector3::UnitY();
    motion.angular_acceleration = second * Vector3::UnitY();
    motion.velocity = motion.angular_velocity.cross(motion.position);
    motion.acceleration =
        motion.angular_acceleration.cross(motion.position) + motion.angular_velocity.cross(motion.velocity);
    motion.displacement = motion.rotation = Vector3::Zero();
    return motion;
  }
  SignalValue joint_motion(const State& state, const Inputs&, const Accelerations& accelerations, int, int,
                           Workspace&) const override {
    return {angle(state), state.speeds[0], accelerations.values[0]};
  }

 private:
  double angle(const State& state) const { return state.coordinates[0]; }
  double weight() const { return -model_.gravity.z() * mass_ * centre_; }

  Model model_;
  double mass_, centre_, inertia_;
};

Model pendulum() {
  return read_model_text(R"(
lithe = 1
gravity = [0, 0, -9.81]
[[links]]
name = "rod"
type = "rigid"
nodes = {root = [0, 0, 0], tip = [0.8, 0, 0]}
mass = 2
centre = [0.5, 0, 0]
inertia = [0.01, 0.1, 0.1]
[[joints]]
name = "hinge"
child = "rod"
child_node = "root"
axis = [0, 1, 0]
value = "80 deg"
[[sensors]]
name = "tip"
quantity = "position"
link = "rod"
node = "tip"
)",
                         "pendulum.toml");
}

class AToyFormulation : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    add_formulation("toy-pendulum",
                    [](const Model& given, const FormulationChoice&) { return std::make_unique<ToyPendulum>(given); },
                    {.large_deflections = true});
  }
  const Model model = pendulum();
  const FormulationChoice choice{.formulation = "toy-pendulum"};
};

TEST_F(AToyFormulation, IsKnownByName) {
  EXPECT_EQ(formulation_names().back(), "toy-pendulum");
  EXPECT_THROW(add_formulation("erls-cms", {}), InputError);
  EXPECT_TRUE(formulation_traits("toy-pendulum").large_deflections);
  EXPECT_EQ(formulations_with(&FormulationTraits::large_deflections),
            "corotational, transfer-functions and toy-pendulum");
  EXPECT_FALSE(formulation_traits("unknown").large_deflections);
}

TEST_F(AToyFormulation, Simulates) {
  SimulateSpec spec;
  spec.formulation = choice;
  spec.end_time = 2;
  const SimulatedMotion motion = simulate(model, spec);
  ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
  EXPECT_EQ(motion.formulation, "toy-pendulum");
  EXPECT_LT(std::abs(motion.energy.end - motion.energy.start), 1e-5 * motion.energy.largest_kinetic);
}

TEST_F(AToyFormulation, HasModes) {
  Model hanging = model;
  hanging.joints[0].initial_value[0] = std::acos(-1.0) / 2;
  ModesSpec spec;
  spec.formulation = choice;
  const NaturalModesResult found = natural_modes(hanging, spec);
  ASSERT_TRUE(found.mechanism) << found.failure;
  const double omega = std::sqrt(2 * 9.81 * 0.5 / (0.1 + 2 * 0.25));
  EXPECT_NEAR(found.mechanism->frequencies[0], omega / (2 * std::acos(-1.0)), 1e-9);
}

TEST_F(AToyFormulation, IsComparedWithAnother) {
  CompareSpec spec;
  spec.formulations = {{}, choice};
  spec.simulate.end_time = 1;
  spec.simulate.tolerance = 1e-8;
  const Comparison comparison = compare(model, spec);
  ASSERT_TRUE(comparison.finished());
  EXPECT_LT(comparison.largest("m"), 1e-6);
}

// What only some formulations can say counts from outside, too.
TEST_F(AToyFormulation, IsAskedForWhatItCanSay) {
  class Measured : public ToyPendulum {
   public:
    using ToyPendulum::ToyPendulum;
    VectorX coordinate_scales(const State&, const Inputs&, Workspace&) const override {
      return VectorX::Constant(1, 7);
    }
  };
  const ToyPendulum plain(model);
  const Measured measured(model);
  const Inputs inputs = make_inputs(model);
  EXPECT_EQ(transfer_functions(plain), nullptr);
  EXPECT_EQ(fastest_vibration(plain), 0);
  EXPECT_NEAR(displacement_scales(plain, plain.initial_state(), inputs)[0], 0.8, 1e-12);  // the tip's distance
  EXPECT_EQ(displacement_scales(measured, measured.initial_state(), inputs)[0], 7);
}

// What follows from its functions it need not write: I = 0.6 kg m^2, weight moment m g c cos 80 deg.
TEST_F(AToyFormulation, TellsWhatFollows) {
  const ToyPendulum toy(model);
  const auto workspace = toy.make_workspace();
  const Inputs inputs = make_inputs(model);
  const State state = toy.initial_state();
  const double angle = state.coordinates[0];
  const Pose pose = toy.link_pose(state, inputs, 0, *workspace);
  EXPECT_LT((pose.rotation - Matrix3(Eigen::AngleAxisd(angle, Vector3::UnitY()))).norm(), 1e-15);
  EXPECT_LT(pose.position.norm(), 1e-15);
  MatrixX mass, jacobian;
  ASSERT_EQ(toy.mass_matrix(state, inputs, *workspace, mass), EvaluationStatus::ok);
  EXPECT_NEAR(mass(0, 0), 0.6, 1e-15);
  ASSERT_EQ(toy.node_jacobian(state, inputs, 0, 1, *workspace, jacobian), EvaluationStatus::ok);
  VectorX expected(6);
  expected << -0.8 * std::sin(angle), 0, -0.8 * std::cos(angle), 0, 1, 0;
  EXPECT_LT((jacobian - expected).norm(), 1e-15);
  VectorX forces;
  ASSERT_EQ(toy.inverse_dynamics(state, inputs, {VectorX::Zero(1)}, *workspace, forces), EvaluationStatus::ok);
  EXPECT_NEAR(forces[0], -2 * 9.81 * 0.5 * std::cos(angle), 1e-14);
}

}  // namespace
}  // namespace lithe
