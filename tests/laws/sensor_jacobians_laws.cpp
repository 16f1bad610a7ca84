// Outputs of linear models against differences of sixth order of what the sensors read: every quantity, every
// formulation, open and closed chains, at rest and in motion.
#include "lithe/analyse/linear/linearise.h"
#include "lithe/analyse/observe/sensors.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

VectorX random_vector(Eigen::Index size, double amplitude, double seed) {
  VectorX v(size);
  for (Eigen::Index k = 0; k < size; ++k) v[k] = amplitude * std::sin(seed + 1.7 * static_cast<double>(k * k + k));
  return v;
}

// Springs, dampers, motors and loads of both kinds; stiffness low enough for differences to be good.
Model loaded_arm() {
  Model model = spatial_2r(2e9, 3);
  model.joints[1].stiffness = {2.0};
  model.joints[1].rest_value = {-0.5};
  model.joints[1].damping = {0.05};
  model.joints[1].friction = {0.02};
  model.joints[1].friction_speed = 2;
  model.joints[1].inertia = {1e-3};
  model.drives.push_back({"motor", {}, 1, 0, false, SignalConstant{0.7}});
  model.loads.push_back({"push", {}, 1, 2, false, true, Vector3(0.3, 1, -0.5), SignalConstant{2}});
  model.loads.push_back({"twist", {}, 1, 1, true, false, Vector3(0.3, 1, -0.5), SignalConstant{0.2}});
  return model;
}

Model moved_arm() {
  Model model = loaded_arm();
  model.drives.push_back({"swing", {}, 0, 0, true, SignalSine{0.5, 2, 0, 0.4, 0}});
  return model;
}

Model moved_four_bar(int cut) {
  Model model = flexible_four_bar(2e9, false, cut);
  model.drives.push_back({"crank", {}, 0, 0, true, SignalSine{0.3, 3, 0, 1.0, 0}});
  return model;
}

// Friction that hardly changes with the speed over the steps of the differences.
Model smooth_four_bar() {
  Model model = active_four_bar(2e9, false, 2);
  for (Joint& joint : model.joints) joint.friction_speed = 50;
  return model;
}

Model at_rest(Model model) {
  for (Joint& joint : model.joints) std::fill(joint.initial_speed.begin(), joint.initial_speed.end(), 0.0);
  return model;
}

// Every quantity at every joint and at the last node of every link.
Model with_all_sensors(Model model) {
  model.sensors.clear();
  const auto add = [&](Quantity quantity, int link, int joint, int freedom) {
    Sensor sensor;
    sensor.name = std::to_string(model.sensors.size()) + " quantity " + std::to_string(static_cast<int>(quantity));
    sensor.quantity = quantity;
    sensor.link = link;
    sensor.node = link >= 0 ? static_cast<int>(model.links[link].nodes.size()) - 1 : -1;
    sensor.joint = joint;
    sensor.freedom = freedom;
    model.sensors.push_back(sensor);
  };
  for (int link = 0; link < static_cast<int>(model.links.size()); ++link) {
    for (const Quantity quantity :
         {Quantity::position, Quantity::velocity, Quantity::acceleration, Quantity::displacement, Quantity::rotation})
      add(quantity, link, -1, 0);
    if (model.links[link].segments.empty()) continue;
    add(Quantity::section_force, link, -1, 0);
    add(Quantity::section_moment, link, -1, 0);
  }
  for (int joint = 0; joint < static_cast<int>(model.joints.size()); ++joint) {
    add(Quantity::reaction_force, -1, joint, 0);
    add(Quantity::reaction_torque, -1, joint, 0);
    for (int freedom = 0; freedom < num_freedoms(model.joints[joint].type); ++freedom)
      for (const Quantity quantity :
           {Quantity::joint_value, Quantity::joint_speed, Quantity::joint_acceleration, Quantity::joint_force})
        add(quantity, -1, joint, freedom);
  }
  for (const Quantity quantity :
       {Quantity::kinetic_energy, Quantity::gravity_energy, Quantity::elastic_energy, Quantity::total_energy})
    add(quantity, -1, -1, 0);
  return model;
}

VectorX read_at(Formulated& system, const SensorReader& reader, State state) {
  if (dynamic_cast<const ConstrainedEquations*>(system.equations.get()) != nullptr)  // back onto the constraints
    for (int k = 0; k < 2; ++k) system.equations->accept(state, system.inputs, *system.workspace);
  Accelerations accelerations;
  EXPECT_EQ(system.equations->evaluate(state, system.inputs, *system.workspace, accelerations), EvaluationStatus::ok);
  std::vector<double> values;
  reader.read(state, system.inputs, accelerations, *system.workspace, values);
  return Eigen::Map<const VectorX>(values.data(), static_cast<Eigen::Index>(values.size()));
}

// Sixth-order differences of what is read along a motion.
VectorX differences(Formulated& system, const SensorReader& reader, const State& about, const VectorX& place,
                    const VectorX& speed, double h) {
  constexpr double weights[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  VectorX found;
  for (int i = 1; i <= 3; ++i)
    for (const int side : {-1, 1}) {
      State moved = about;
      moved.coordinates += side * i * h * place;
      moved.speeds += side * i * h * speed;
      const VectorX part = side * weights[i - 1] / h * read_at(system, reader, moved);
      found = found.size() > 0 ? VectorX(found + part) : part;
    }
  return found;
}

// The largest reading or derivative of the same quantity: what rounding is part of.
VectorX scales(const LinearModel& model, const SensorReader& reader, const VectorX& found) {
  std::vector<double> largest(32, 1.0);
  const auto quantity = [&](Eigen::Index row) {
    return static_cast<std::size_t>(reader.sensors()[reader.sensor_of_channel()[row]].quantity);
  };
  for (Eigen::Index row = 0; row < found.size(); ++row)
    for (const double value : {model.nominal_outputs[row], found[row]})
      if (!std::isnan(value)) largest[quantity(row)] = std::max(largest[quantity(row)], std::abs(value));
  VectorX result(found.size());
  for (Eigen::Index row = 0; row < found.size(); ++row) result[row] = largest[quantity(row)];
  return result;
}

// Along a random motion next to the one at the system's state, by the better of two steps.
void expect_jacobians_at(Formulated& system, double tolerance) {
  const LinearResult linear =
      linearise(*system.equations, system.state, system.inputs, default_inputs(*system.equations), LinearAbout::motion);
  ASSERT_EQ(linear.status, EvaluationStatus::ok) << linear.message;
  const LinearModel& about = linear.model;
  const SensorReader reader(*system.equations);
  const bool constrained = about.directions.size() > 0;
  const VectorX z = random_vector(about.size(), 1, 5), all = constrained ? VectorX(about.directions * z) : z;
  const VectorX none = VectorX::Zero(all.size()), along = constrained ? VectorX(about.speed_by_place * z) : none;
  for (const bool by_speed : {false, true}) {
    const VectorX expected = (by_speed ? about.speed_output : about.position_output) * z;
    const double h = (by_speed ? 2e-2 : 2e-4) / all.cwiseAbs().maxCoeff();
    const auto found = [&](double step) {
      return differences(system, reader, about.state, by_speed ? none : all, by_speed ? all : along, step);
    };
    const VectorX coarse = found(h), fine = found(0.1 * h), scale = scales(about, reader, fine);
    for (Eigen::Index row = 0; row < expected.size(); ++row) {
      const double error = std::min(std::abs(coarse[row] - expected[row]), std::abs(fine[row] - expected[row]));
      EXPECT_EQ(std::isnan(fine[row]), std::isnan(expected[row])) << about.outputs[row].name;
      if (std::isnan(fine[row])) continue;
      EXPECT_LE(error, tolerance * scale[row])
          << about.outputs[row].name << (by_speed ? " by speeds " : " by places ") << fine[row] << " " << expected[row];
    }
  }
}

// Somewhere in a motion, with all that is elastic deformed.
void expect_jacobians(const Model& bare, const FormulationChoice& choice, double tolerance = 1e-7) {
  SCOPED_TRACE(bare.name + " " + choice.formulation);
  const Model model = with_all_sensors(bare);
  Formulated system(model, choice);
  evaluate_inputs(model, 0.1, system.inputs);
  system.state.coordinates += random_vector(system.state.coordinates.size(), 1e-3, 3);
  for (int k = 0; k < 20; ++k) system.equations->accept(system.state, system.inputs, *system.workspace);
  expect_jacobians_at(system, tolerance);
}

void expect_all(const FormulationChoice& choice, double tolerance = 1e-7) {
  expect_jacobians(at_rest(loaded_arm()), choice, tolerance);
  expect_jacobians(moved_arm(), choice, tolerance);
  expect_jacobians(flexible_four_bar(2e9, false), choice, tolerance);
  expect_jacobians(moved_four_bar(3), choice, tolerance);
  expect_jacobians(smooth_four_bar(), choice, tolerance);
}

// The angles of a ball, read in a state whose chart has moved.
TEST(SensorJacobians, OfABallInAMovedChartEqualDifferences) {
  FlexibleBuilder b(2e9);
  const int arm = b.beam("arm", {{0, 0, 0}, {0.4, 0, 0}, {0.4, 0.2, 0}}, 1, 4);
  b.hinge("ball", JointType::spherical, -1, {0, 0, 0}, arm, {0, 0, 0}, Vector3::UnitZ(), {0.1, 0.2, -0.1}, {1, 2, 0.5});
  const Model model = with_all_sensors(b.model());
  for (const char* formulation : {"erls-cms", "transfer-functions"}) {
    SCOPED_TRACE(formulation);
    Formulated system(model, {.formulation = formulation});
    system.state.configuration.references[0] = Quaternion(rotation(Vector3(1, -2, 0.5), 2.2));
    system.state.coordinates += random_vector(system.state.coordinates.size(), 1e-3, 3);
    expect_jacobians_at(system, 1e-7);
  }
}

TEST(SensorJacobians, OfErlsEqualDifferences) { expect_all({.formulation = "erls-cms"}); }

// This gauge is found by iteration, whose last step is seen in differences.
TEST(SensorJacobians, OfErlsWithMinimumNormEqualDifferences) {
  expect_jacobians(loaded_arm(), {.formulation = "erls-cms", .gauge = "minimum_norm"}, 2e-6);
  expect_jacobians(flexible_four_bar(2e9, false), {.formulation = "erls-cms", .gauge = "minimum_norm"}, 2e-6);
}

TEST(SensorJacobians, OfErlsFemEqualDifferences) {
  expect_jacobians(loaded_arm(), {.formulation = "erls-fem"});
  expect_jacobians(loaded_arm(), {.formulation = "erls-fem", .variant = "published"});
}

TEST(SensorJacobians, OfFloatingFramesEqualDifferences) {
  expect_all({.formulation = "floating-frame"});
  expect_jacobians(loaded_arm(),
                   {.formulation = "floating-frame", .reference = "chord", .geometric_stiffening = Stiffening::on});
}

// Forces of neighbouring elements nearly cancel, so that accelerations are rounded more than they are large: 1.05e-7
// was seen where the derivative is zero.
TEST(SensorJacobians, OfCorotationalBeamsEqualDifferences) { expect_all({.formulation = "corotational"}, 1e-6); }

TEST(SensorJacobians, OfTransferFunctionsEqualDifferences) { expect_all({.formulation = "transfer-functions"}); }

// Four parallel axes in space: three rows say what others say, and are left out.
TEST(SensorJacobians, OfARigidOverconstrainedLoopEqualDifferences) {
  Model model = flexible_four_bar(2e9, true);
  for (Link& link : model.links) {
    link.rigid_inertia = {0.1, 0.5 * link.nodes.back().position, Vector3(1e-4, 1e-3, 1e-3).asDiagonal()};
    link.segments.clear();
    link.rigid = true;
  }
  model.gravity = {0, -9.81, -3};
  for (const char* formulation : {"erls-cms", "transfer-functions"})
    expect_jacobians(model, {.formulation = formulation});
}

TEST(SensorJacobians, OfEveryKindOfJointEqualDifferences) {
  for (const char* formulation : {"erls-cms", "floating-frame", "transfer-functions"})
    expect_jacobians(mixed_tree(2e9), {.formulation = formulation});
}

}  // namespace
}  // namespace lithe
