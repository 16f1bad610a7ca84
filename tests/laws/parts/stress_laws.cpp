// Stress sensors of links of solid elements: against the beam's formula, against the whole mesh, and their derivatives.
#include <gtest/gtest.h>

#include <cmath>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/linear/linearise.h"
#include "lithe/analyse/observe/sensors.h"
#include "lithe/fem/assemble_mesh.h"
#include "lithe/fem/mesh_stress.h"
#include "lithe/formulate/formulation.h"
#include "lithe/model/mesh/stress_points.h"
#include "lithe/reduce/bases.h"
#include "support/formulations.h"
#include "support/solid_bar.h"

namespace lithe {
namespace {

using testing::Formulated;

constexpr const char* both[] = {"erls-cms", "floating-frame"};

int mesh_node_at(const Link& link, const Vector3& place) {
  const std::vector<Vector3>& positions = link.mesh->mesh.positions;
  int best = 0;
  for (int k = 1; k < static_cast<int>(positions.size()); ++k)
    if ((positions[static_cast<std::size_t>(k)] - place).norm() <
        (positions[static_cast<std::size_t>(best)] - place).norm())
      best = k;
  return best;
}

void add_stress(Model& model, const std::string& name, StressMeasure measure, std::vector<int> nodes) {
  auto part = std::make_shared<MeshPart>(*model.links[0].mesh);
  part->stress_readings.push_back({name, measure, std::move(nodes)});
  model.links[0].mesh = part;
  Sensor sensor;
  sensor.name = name;
  sensor.quantity = Quantity::stress;
  sensor.link = 0;
  model.sensors.push_back(sensor);
}

Model bar_model(const test::SolidBar& bar, JointType type, int internal_modes) {
  Model model;
  model.name = "bar";
  model.links = {test::link_of(bar)};
  model.links[0].reduction.method = ReductionMethod::craig_bampton;
  model.links[0].reduction.num_internal_modes = internal_modes;
  Joint joint;
  joint.name = "mount";
  joint.child = 0;
  joint.child_node = 0;
  joint.set_type(type);
  joint.child_frame = {Matrix3::Identity(), Vector3::Zero()};
  model.joints = {joint};
  return model;
}

void push_tip(Model& model, const Vector3& direction, double force) {
  Load load;
  load.name = "push";
  load.link = 0;
  load.node = 1;
  load.direction = direction;
  load.signal = SignalConstant{force};
  model.loads.push_back(load);
}

// What all sensors read in static equilibrium.
std::vector<double> at_rest(const Model& model, const std::string& formulation) {
  Formulated system(model, {.formulation = formulation});
  const Equilibrium rest = equilibrium(*system.equations, system.state);
  EXPECT_TRUE(rest.converged) << rest.message;
  system.state = rest.state;
  system.evaluate();
  std::vector<double> values;
  SensorReader(*system.equations).read(system.state, system.inputs, system.accelerations, *system.workspace, values);
  return values;
}

// σ = M c/I in the middle of a cantilever, away from both ends.
TEST(StressOfSolids, OfACantileverIsThatOfTheBeam) {
  const test::SolidBar bar{.shape = ElementShape::hex20, .count = {20, 1, 2}};
  constexpr double force = 10;
  const double L = bar.size.x(), b = bar.size.y(), h = bar.size.z();
  const double bending = force * (L / 2) * (h / 2) / (b * h * h * h / 12);
  Model model = bar_model(bar, JointType::fixed, 4);
  push_tip(model, Vector3::UnitZ(), force);
  const int above = mesh_node_at(model.links[0], {L / 2, b / 2, h / 2});
  const int below = mesh_node_at(model.links[0], {L / 2, b / 2, -h / 2});
  add_stress(model, "above", StressMeasure::xx, {above});
  add_stress(model, "below", StressMeasure::principal_max, {below});
  add_stress(model, "mises", StressMeasure::von_mises, {below});
  add_stress(model, "shear", StressMeasure::max_shear, {below});
  add_stress(model, "smallest", StressMeasure::principal_min, {above});
  for (const char* formulation : both) {
    const std::vector<double> values = at_rest(model, formulation);
    EXPECT_NEAR(values[0], -bending, 0.002 * bending) << formulation;
    EXPECT_NEAR(values[1], bending, 0.002 * bending) << formulation;
    EXPECT_NEAR(values[2], bending, 0.002 * bending) << formulation;
    EXPECT_NEAR(values[3], bending / 2, 0.002 * bending) << formulation;
    EXPECT_NEAR(values[4], -bending, 0.002 * bending) << formulation;
  }
}

// In equilibrium the modes and what they leave out are the static solution of the whole mesh, however few modes there
// are: B K⁻¹ f. Loads are so small that nothing turns.
TEST(StressOfSolids, AtRestIsThatOfTheWholeMeshHoweverFewModesAreKept) {
  const test::SolidBar bar{.shape = ElementShape::hex8, .count = {10, 2, 2}, .skew = 0.1};
  Model model = bar_model(bar, JointType::fixed, 1);
  model.links[0].reduction.num_kept_modes = 3;
  model.links[0].lumped_masses = {{1, 0.05, Vector3(1e-5, 2e-5, 3e-5).asDiagonal()}};
  model.gravity = {0, 1e-4, -2e-4};
  push_tip(model, Vector3(0.2, -0.3, 1).normalized(), 1e-4);
  std::vector<int> nodes;
  for (const double x : {0.05, 0.2, 0.45}) nodes.push_back(mesh_node_at(model.links[0], {x, 0.005, 0.01}));
  for (const int node : nodes)
    for (int c = 0; c < 6; ++c)
      add_stress(model, std::to_string(node) + " " + std::to_string(c),
                 static_cast<StressMeasure>(static_cast<int>(StressMeasure::xx) + c), {node});

  const FiniteElementBody body = assemble_mesh(model.links[0]);
  VectorX forces = VectorX::Zero(body.num_dofs());
  VectorX fall = VectorX::Zero(body.num_dofs());
  for (int dof = 0; dof < body.num_dofs(); ++dof)
    if (body.component(dof) < 3) fall(dof) = model.gravity(body.component(dof));
  forces += body.mass * fall;
  forces.segment<3>(body.first_dof(1)) += 1e-4 * model.loads[0].direction;
  const VectorX displacements = HeldBody(body, 0, Space::spatial).displacements(forces);
  const VectorX expected = nodal_stress(model.links[0], body, nodes) * displacements;
  const double largest = expected.cwiseAbs().maxCoeff();
  for (const char* formulation : both) {
    const std::vector<double> values = at_rest(model, formulation);
    ASSERT_EQ(values.size(), static_cast<std::size_t>(expected.size()));
    for (std::size_t k = 0; k < values.size(); ++k)
      EXPECT_NEAR(values[k], expected(static_cast<Eigen::Index>(k)), 1e-6 * largest) << formulation << ", " << k;
  }
}

// A bar that turns steadily about its end: σ = ρ ω² (L² - x²)/2. The kept mode bends, so all of it is what modes leave
// out: the answer to the inertia of the turn.
TEST(StressOfSolids, OfABarThatTurnsIsThatOfItsCentrifugalForce) {
  const test::SolidBar bar{.shape = ElementShape::hex20, .count = {20, 1, 1}};
  Model model = bar_model(bar, JointType::revolute, 1);
  model.links[0].reduction.num_kept_modes = 1;
  constexpr double speed = 100;
  Drive drive;
  drive.prescribes_motion = true;
  SignalTable turn;
  turn.times = {0, 10};
  turn.values = {0, 10 * speed};
  drive.signal = turn;
  model.drives = {drive};
  model.joints[0].initial_speed = {speed};
  const std::vector<double> places{0.125, 0.25, 0.375};
  for (const double x : places)
    add_stress(model, std::to_string(x), StressMeasure::xx, {mesh_node_at(model.links[0], {x, 0.005, 0.01})});
  Formulated system(model, {.formulation = "erls-cms"});
  for (int k = 0; k < 20; ++k) {  // to where the mode stays at rest
    system.evaluate();
    LinearBlocks blocks;
    ASSERT_EQ(system.equations->linearise_elastic(system.state, system.inputs, *system.workspace, blocks),
              EvaluationStatus::ok);
    system.state.coordinates += blocks.stiffness.ldlt().solve(blocks.mass * system.accelerations.values);
  }
  system.evaluate();
  std::vector<double> values;
  SensorReader(*system.equations).read(system.state, system.inputs, system.accelerations, *system.workspace, values);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const double expected = 7850 * speed * speed * (0.25 - places[k] * places[k]) / 2;
    EXPECT_NEAR(values[k], expected, 0.005 * expected) << places[k];
  }
}

// The largest over a group is that of its nodes one by one; over the surface it is at the clamped end.
TEST(StressOfSolids, OfAGroupIsTheLargestOfItsNodes) {
  const test::SolidBar bar{.shape = ElementShape::hex8, .count = {10, 1, 2}};
  Model model = bar_model(bar, JointType::fixed, 3);
  push_tip(model, Vector3::UnitZ(), 10);
  std::vector<int> nodes;
  for (const double x : {0.1, 0.2, 0.3})
    for (const double z : {-0.01, 0.01}) nodes.push_back(mesh_node_at(model.links[0], {x, 0.005, z}));
  for (const StressMeasure measure : {StressMeasure::von_mises, StressMeasure::principal_min, StressMeasure::xx}) {
    model.sensors.clear();
    for (const int node : nodes) add_stress(model, std::to_string(node), measure, {node});
    add_stress(model, "group", measure, nodes);
    for (const char* formulation : both) {
      std::vector<double> values = at_rest(model, formulation);
      const double group = values.back();
      values.pop_back();
      const auto by_size = [](double a, double b) { return std::abs(a) < std::abs(b); };
      if (measure == StressMeasure::principal_min)
        EXPECT_EQ(group, *std::min_element(values.begin(), values.end()));
      else
        EXPECT_EQ(group, *std::max_element(values.begin(), values.end(), by_size));
      EXPECT_GT(std::abs(group), 1e6);
    }
    auto part = std::make_shared<MeshPart>(*model.links[0].mesh);
    part->stress_readings.clear();
    model.links[0].mesh = part;
  }
}

VectorX read_at(Formulated& system, const SensorReader& reader, State state) {
  if (dynamic_cast<const ConstrainedEquations*>(system.equations.get()))  // back onto the constraints
    for (int k = 0; k < 2; ++k) system.equations->accept(state, system.inputs, *system.workspace);
  Accelerations accelerations;
  EXPECT_EQ(system.equations->evaluate(state, system.inputs, *system.workspace, accelerations), EvaluationStatus::ok);
  std::vector<double> values;
  reader.read(state, system.inputs, accelerations, *system.workspace, values);
  return Eigen::Map<const VectorX>(values.data(), static_cast<Eigen::Index>(values.size()));
}

// Outputs of the linear model along motions next to the state, against differences of sixth order.
void expect_derivatives(Formulated& system) {
  const LinearResult linear =
      linearise(*system.equations, system.state, system.inputs, default_inputs(*system.equations), LinearAbout::motion);
  ASSERT_EQ(linear.status, EvaluationStatus::ok) << linear.message;
  const LinearModel& about = linear.model;
  const SensorReader reader(*system.equations);
  const bool constrained = about.directions.size() > 0;
  constexpr double weights[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  for (int sample = 0; sample < 4; ++sample) {
    VectorX z(about.size());
    for (Eigen::Index k = 0; k < z.size(); ++k) z(k) = std::sin(3.0 + sample + 1.7 * static_cast<double>(k * k));
    const VectorX all = constrained ? VectorX(about.directions * z) : z, none = VectorX::Zero(all.size());
    const VectorX along = constrained ? VectorX(about.speed_by_place * z) : none;
    for (const bool by_speed : {false, true}) {
      const MatrixX& output = by_speed ? about.speed_output : about.position_output;
      const double h = (by_speed ? 2e-2 : 1e-4) / all.cwiseAbs().maxCoeff();
      VectorX found = VectorX::Zero(output.rows());
      for (int i = 1; i <= 3; ++i)
        for (const int side : {-1, 1}) {
          State moved = about.state;
          moved.coordinates += side * i * h * (by_speed ? none : all);
          moved.speeds += side * i * h * (by_speed ? all : along);
          found += side * weights[i - 1] / h * read_at(system, reader, moved);
        }
      for (Eigen::Index row = 0; row < found.size(); ++row)
        EXPECT_NEAR(output.row(row).dot(z), found(row), 1e-6 * output.row(row).norm() * z.norm())
            << about.outputs[static_cast<std::size_t>(row)].name << (by_speed ? " by speeds" : " by places");
    }
  }
}

// Derivatives of linear models in motion, with modes left out.
TEST(StressOfSolids, HasExactDerivatives) {
  test::SolidBar bar{.shape = ElementShape::hex8, .count = {8, 1, 2}};
  bar.material.young_modulus = 2e9;
  bar.material.shear_modulus = 0.8e9;
  Model model = bar_model(bar, JointType::revolute, 2);
  model.links[0].reduction.num_kept_modes = 4;
  model.links[0].damping.stiffness_factor = 1e-4;
  model.joints[0].stiffness = {5};
  model.joints[0].initial_value = {0.3};
  model.joints[0].initial_value_given = {true};
  model.joints[0].initial_speed = {2};
  model.gravity = {0, -9.81, 0};
  push_tip(model, Vector3(0.2, 1, 0.5).normalized(), 3);
  const int near = mesh_node_at(model.links[0], {0.2, 0.005, 0.01}),
            far = mesh_node_at(model.links[0], {0.3, 0.005, -0.01});
  add_stress(model, "component", StressMeasure::xy, {near});
  add_stress(model, "mises", StressMeasure::von_mises, {near});
  add_stress(model, "principal", StressMeasure::principal_max, {far});
  add_stress(model, "group", StressMeasure::von_mises, {near, far});
  for (const char* formulation : both) {
    SCOPED_TRACE(formulation);
    Formulated system(model, {.formulation = formulation});
    for (Eigen::Index k = 0; k < system.state.coordinates.size(); ++k)
      system.state.coordinates(k) += 1e-3 * std::sin(1.0 + static_cast<double>(k * k));
    for (int k = 0; k < 20; ++k) system.equations->accept(system.state, system.inputs, *system.workspace);
    expect_derivatives(system);
  }
}

// Both formulations are the same equations for one link, so they read the same in motion.
TEST(StressOfSolids, IsTheSameInBothFormulationsInMotion) {
  const test::SolidBar bar{.shape = ElementShape::hex8, .count = {8, 1, 2}};
  Model model = bar_model(bar, JointType::revolute, 2);
  model.links[0].reduction.num_kept_modes = 4;
  model.joints[0].initial_speed = {6};
  model.gravity = {0, -9.81, 0};
  push_tip(model, Vector3(0.2, 1, 0.5).normalized(), 3);
  add_stress(model, "mises", StressMeasure::von_mises, {mesh_node_at(model.links[0], {0.2, 0.005, 0.01})});
  add_stress(model, "xx", StressMeasure::xx, {mesh_node_at(model.links[0], {0.3, -0.005, 0.01})});
  std::vector<std::vector<double>> found;
  for (const char* formulation : both) {
    Formulated system(model, {.formulation = formulation});
    system.evaluate();
    found.emplace_back();
    SensorReader(*system.equations)
        .read(system.state, system.inputs, system.accelerations, *system.workspace, found.back());
  }
  for (std::size_t k = 0; k < found[0].size(); ++k) {
    EXPECT_GT(std::abs(found[0][k]), 1e3);
    EXPECT_NEAR(found[0][k], found[1][k], 1e-6 * std::abs(found[0][k]));
  }
}

}  // namespace
}  // namespace lithe
