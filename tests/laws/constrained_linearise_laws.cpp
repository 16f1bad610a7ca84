// Linear models of formulations with constraints (floating-frame, corotational), in motion: against differences of high
// order, against ERLS, and against rotating beams.
#include <random>

#include "lithe/analyse/linear/linear_modes.h"
#include "lithe/analyse/observe/sensors.h"
#include "lithe/analyse/stability/steady_motion.h"
#include "lithe/model/mechanism_damping.h"
#include "support/formulations.h"
#include "support/rotating_beams.h"

namespace lithe {
namespace {

using namespace testing;

VectorX random_vector(Eigen::Index n, double size, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> any(-size, size);
  return VectorX::NullaryExpr(n, [&] { return any(generator); });
}

// A state in motion, deformed, that obeys the constraints.
void disturb(Formulated& system, double size) {
  const auto& constrained = dynamic_cast<const ConstrainedEquations&>(*system.equations);
  constrained.recentre(system.state);
  const VectorX scales = constrained.coordinate_scales(system.state, system.inputs, *system.workspace);
  const Eigen::Index n = scales.size();
  system.state.coordinates += (size * random_vector(n, 1, 3)).cwiseQuotient(scales.cwiseMax(0.2));
  system.state.speeds += (30 * size * random_vector(n, 1, 4)).cwiseQuotient(scales.cwiseMax(0.2));
  for (int i = 0; i < 5; ++i) system.equations->accept(system.state, system.inputs, *system.workspace);
  constrained.recentre(system.state);
}

struct Change {
  VectorX speeds, accelerations;
};

// Of ẋ and ẍ along the motion (z, ż): differences of sixth order over states brought onto the constraints.
Change by_differences(Formulated& system, const VectorX& place, const VectorX& speed, double h) {
  Change change{VectorX::Zero(place.size()), VectorX::Zero(place.size())};
  constexpr double weights[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  for (int i = 1; i <= 3; ++i)
    for (const int side : {-1, 1}) {
      State moved = system.state;
      moved.coordinates += side * i * h * place;
      moved.speeds += side * i * h * speed;
      for (int k = 0; k < 2; ++k) system.equations->accept(moved, system.inputs, *system.workspace);
      Accelerations accelerations;
      EXPECT_EQ(system.equations->evaluate(moved, system.inputs, *system.workspace, accelerations),
                EvaluationStatus::ok);
      change.speeds += side * weights[i - 1] / h * moved.speeds;
      change.accelerations += side * weights[i - 1] / h * accelerations.values;
    }
  return change;
}

void expect_exact(const Model& model, const FormulationChoice& choice, double size, const std::string& what) {
  Formulated system(model, choice);
  evaluate_inputs(model, 0.1, system.inputs);
  disturb(system, size);
  const auto& constrained = dynamic_cast<const ConstrainedEquations&>(*system.equations);
  VectorX own, multipliers;
  ASSERT_EQ(constrained.body_accelerations(system.state, system.inputs, *system.workspace, own, multipliers),
            EvaluationStatus::ok);
  ConstrainedLinearisation linear;
  ASSERT_EQ(constrained.linearise_constrained(system.state, system.inputs, own, *system.workspace, linear),
            EvaluationStatus::ok);
  EXPECT_LT(linear.force.norm(), 1e-9 * (1 + own.norm())) << what;
  const MatrixX& N = linear.directions;
  for (const unsigned seed : {1u, 2u}) {
    const VectorX z = random_vector(N.cols(), 1, seed), z_rate = random_vector(N.cols(), 10, seed + 10);
    const VectorX speeds = N * z_rate + linear.speed_by_place * z;
    const VectorX second = -linear.stiffness * z - linear.damping * z_rate;
    const VectorX accelerations = N * second + linear.acceleration_by_speed * z_rate + linear.acceleration_by_place * z;
    const Change change = by_differences(system, N * z, speeds, 2e-4 / (N * z).cwiseAbs().maxCoeff());
    const double rounding = 1e-7;  // of accelerations up to the stiffest mode's, over the step
    EXPECT_LT((speeds - change.speeds).norm(), rounding * speeds.norm()) << what;
    EXPECT_LT((accelerations - change.accelerations).norm(), rounding * accelerations.norm()) << what;
  }
}

// Everything that a joint can carry, and loads of both kinds.
Model loaded_2r() {
  Model model = spatial_2r(7e10, 3);
  model.joints[1].stiffness = {2.0};
  model.joints[1].rest_value = {-0.5};
  model.joints[1].damping = {0.05};
  model.joints[1].friction = {0.02};
  model.joints[1].friction_speed = 2;
  model.joints[1].inertia = {1e-3};
  model.links[0].damping.stiffness_factor = 1e-4;
  model.links[1].damping = {.mass_factor = 3, .stiffness_factor = 0, .modal_ratios = {0.02}};
  set_mechanism_damping(model, {.mass_factor = 2, .stiffness_factor = 0, .modal_ratios = {0.01}});
  model.drives.push_back({"motor", {}, 1, 0, false, SignalConstant{0.7}});
  model.loads.push_back({"push", {}, 1, 2, false, true, Vector3(0.3, 1, -0.5), SignalConstant{2}});
  model.loads.push_back({"twist", {}, 1, 1, true, false, Vector3(0.3, 1, -0.5), SignalConstant{0.2}});
  return model;
}

TEST(ConstrainedLinearisation, OfFloatingFramesEqualsDifferences) {
  expect_exact(loaded_2r(), {.formulation = "floating-frame"}, 2e-3, "2R");
  expect_exact(loaded_2r(), {.formulation = "floating-frame", .geometric_stiffening = Stiffening::on}, 2e-3,
               "stiffened");
  expect_exact(loaded_2r(), {.formulation = "floating-frame", .reference = "chord"}, 2e-3, "chord");
  expect_exact(mixed_tree(), {.formulation = "floating-frame"}, 2e-3, "all joints");
  expect_exact(flexible_four_bar(7e10, false), {.formulation = "floating-frame"}, 1e-3, "loop");
  Model prescribed = loaded_2r();
  prescribed.drives.push_back({"swing", {}, 0, 0, true, SignalSine{0.5, 2, 0, 0.4, 0}});
  expect_exact(prescribed, {.formulation = "floating-frame"}, 2e-3, "prescribed");
}

TEST(ConstrainedLinearisation, OfCorotationalBeamsEqualsDifferences) {
  expect_exact(loaded_2r(), {.formulation = "corotational"}, 2e-3, "2R");
  expect_exact(flexible_four_bar(7e10, true), {.formulation = "corotational"}, 1e-3, "overconstrained loop");
}

// What sensors see of a motion next to the nominal one: P δz + S δż, against differences.
TEST(ConstrainedLinearisation, OutputsInMotionEqualDifferences) {
  Model model = with_tips(loaded_2r());
  for (const Quantity quantity : {Quantity::velocity, Quantity::acceleration}) {
    model.sensors.push_back(model.sensors[1]);
    model.sensors.back().quantity = quantity;
  }
  for (const Quantity quantity : {Quantity::joint_acceleration, Quantity::reaction_force}) {
    Sensor sensor;
    sensor.name = "elbow " + std::to_string(static_cast<int>(quantity));
    sensor.quantity = quantity;
    sensor.joint = 1;
    model.sensors.push_back(sensor);
  }
  Formulated system(model, {.formulation = "floating-frame"});
  evaluate_inputs(model, 0.1, system.inputs);
  disturb(system, 2e-3);
  const LinearResult linear =
      linearise(*system.equations, system.state, system.inputs, default_inputs(*system.equations), LinearAbout::motion);
  ASSERT_EQ(linear.status, EvaluationStatus::ok) << linear.message;
  const LinearModel& about = linear.model;
  const VectorX z = random_vector(about.size(), 1, 5), z_rate = random_vector(about.size(), 10, 6);
  const VectorX expected = about.position_output * z + about.speed_output * z_rate;
  const VectorX place = about.directions * z, speed = about.directions * z_rate + about.speed_by_place * z;
  const SensorReader reader(*system.equations);
  VectorX found = VectorX::Zero(expected.size());
  constexpr double weights[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  const double h = 2e-4 / place.cwiseAbs().maxCoeff();
  for (int i = 1; i <= 3; ++i)
    for (const int side : {-1, 1}) {
      State moved = about.state;
      moved.coordinates += side * i * h * place;
      moved.speeds += side * i * h * speed;
      for (int k = 0; k < 2; ++k) system.equations->accept(moved, system.inputs, *system.workspace);
      Accelerations accelerations;
      ASSERT_EQ(system.equations->evaluate(moved, system.inputs, *system.workspace, accelerations),
                EvaluationStatus::ok);
      std::vector<double> values;
      reader.read(moved, system.inputs, accelerations, *system.workspace, values);
      found += side * weights[i - 1] / h * Eigen::Map<const VectorX>(values.data(), found.size());
    }
  for (Eigen::Index row = 0; row < found.size(); ++row)
    EXPECT_NEAR(found[row], expected[row], 2e-6 * std::max(1.0, std::abs(found[row]))) << about.outputs[row].name;
}

std::vector<std::complex<double>> eigenvalues_turning(const Model& model, const FormulationChoice& choice,
                                                      double speed) {
  const auto equations = make_equations(model, choice);
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, 0, inputs);
  const SteadyMotion motion = steady_motion(*equations, equations->initial_state(), inputs, SteadyFreedom{0, 0}, speed);
  EXPECT_TRUE(motion.found) << choice.formulation << ": " << motion.message;
  const LinearResult linear = linearise_coordinates(*equations, motion.state, motion.inputs, LinearAbout::held);
  EXPECT_EQ(linear.status, EvaluationStatus::ok) << linear.message;
  LinearModes modes;
  EXPECT_TRUE(linear_modes(linear.model, modes));
  return modes.eigenvalues;
}

// A turning L that is one link with its frame at the joint: the same model in both.
TEST(SteadyLinearisation, OfATurningLinkIsThatOfErls) {
  Model model = l_shape(7e10, 2, 6);
  model.joints[0].initial_speed = {0};
  model.gravity.setZero();
  for (const bool prescribed : {false, true}) {
    if (prescribed) model.drives.push_back({"spin", {}, 0, 0, true, SignalConstant{0.7}});
    const auto erls = eigenvalues_turning(model, {}, 9);
    const auto floating = eigenvalues_turning(model, {.formulation = "floating-frame"}, 9);
    const double scale = std::abs(erls.back());
    int compared = 0;
    for (const std::complex<double>& value : erls) {
      if (std::abs(value) < 1e-4 * scale) continue;  // the turning itself: a double zero
      double nearest = scale;
      for (const std::complex<double>& other : floating) nearest = std::min(nearest, std::abs(value - other));
      EXPECT_LT(nearest, 1e-8 * scale) << value;
      ++compared;
    }
    EXPECT_GE(compared, 6);
  }
}

// Squared frequencies of rotating beams by Ritz' method: centrifugal stiffening in both formulations that have it.
TEST(SteadyLinearisation, RotatingBeamsStiffenAsTheyShould) {
  const BeamOnHub beams[] = {{.slenderness = 300},
                             {.length = 0.8, .hub_radius = 0.4, .stiffness = 3, .slenderness = 300}};
  const FormulationChoice choices[] = {{.formulation = "corotational"},
                                       {.formulation = "floating-frame", .geometric_stiffening = Stiffening::on}};
  for (const BeamOnHub& beam : beams)
    for (const FormulationChoice& choice : choices)
      for (const double speed : {2.0, 6.0}) {
        const auto found = eigenvalues_turning(rotating_beam(beam, 8), choice, speed);
        for (const bool in_plane : {false, true}) {
          const VectorX exact = ritz_squared_frequencies(beam, speed, in_plane, 10);
          for (int k = 0; k < 2; ++k) {
            double nearest = 1;
            for (const std::complex<double>& value : found)
              nearest = std::min(nearest, std::abs(value.imag() / std::sqrt(exact[k]) - 1));
            EXPECT_LT(nearest, 0.01) << choice.formulation << " " << speed << " " << in_plane << " mode " << k + 1;
          }
        }
      }
}

}  // namespace
}  // namespace lithe
