#include "lithe/results/scene/stress_peak.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/observe/sensors.h"
#include "lithe/formulate/formulation.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

// A round cantilever of 0.8 m, 20 mm thick, with 30 N across and 100 N m about its tip.
constexpr const char* cantilever = R"(
lithe = 1
name = "cantilever"
[materials.steel]
density = 7800
young_modulus = "200 GPa"
poisson_ratio = 0.3
[sections.rod]
shape = "circle"
diameter = "20 mm"
[[links]]
name = "beam"
nodes = {root = [0, 0, 0], tip = [0.8, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "rod"
elements = 4
[links.reduction]
method = "craig_bampton"
interface_nodes = ["root", "tip"]
[[joints]]
name = "clamp"
type = "fixed"
child = "beam"
child_node = "root"
[[loads]]
link = "beam"
node = "tip"
force = [0, 0, 30]
[[loads]]
link = "beam"
node = "tip"
torque = [100, 0, 0]
[[sensors]]
name = "root stress"
quantity = "stress"
link = "beam"
node = "root"
)";

// Bending 32 F l/(π d³), torsion 16 T/(π d³).
double expected_stress() {
  const double section = std::numbers::pi * std::pow(0.02, 3), bending = 32 * 30 * 0.8 / section,
               shear = 16 * 100 / section;
  return std::sqrt(bending * bending + 3 * shear * shear);
}

TEST(StressPeak, OfACantileverIsAtItsRoot) {
  const auto equations = make_equations(read_model_text(cantilever, "cantilever.toml"));
  const Equilibrium rest = equilibrium(*equations, equations->initial_state());
  const auto peaks = stress_peaks(make_scene(equations->model()), sample_configuration(*equations, rest.state));
  ASSERT_EQ(peaks.size(), 1u);
  EXPECT_NEAR(peaks[0].von_mises, expected_stress(), 1e-6 * expected_stress());
  EXPECT_EQ(peaks[0].place, "node 'root'");
  EXPECT_EQ(peaks[0].text(), "114.4 MPa in link 'beam' at node 'root', 0 s");
}

// The same beam with few modes, cut in two at 0.3 m: the joint between the parts hands the load on.
constexpr const char* truncated = R"(
lithe = 1
name = "truncated"
materials.steel = {density = 7800, young_modulus = "200 GPa", poisson_ratio = 0.3}
sections.rod = {shape = "circle", diameter = "20 mm"}
[[links]]
name = "beam"
nodes = {root = [0, 0, 0], tip = [0.3, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "rod"
elements = 4
reduction = {kept_modes = 4}
[[links]]
name = "hand"
nodes = {root = [0, 0, 0], tip = [0.5, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "rod"
elements = 4
reduction = {kept_modes = 3}
[[joints]]
name = "clamp"
type = "fixed"
child = "beam"
child_node = "root"
[[joints]]
name = "weld"
type = "fixed"
parent = "beam"
parent_node = "tip"
child = "hand"
child_node = "root"
[[loads]]
link = "hand"
node = "tip"
force = [0, 0, 30]
[[loads]]
link = "hand"
node = "tip"
torque = [100, 0, 0]
)";

// The modes that are left carry a part of the load; what was left out is added.
// A motion of one instant.
Trajectory instant(const State& state) {
  Trajectory motion;
  motion.states = {state};
  motion.times = {state.time};
  return motion;
}

// The modes that are left carry a part of the load; what was left out is added.
TEST(StressPeak, HasWhatTruncatedModesLeaveOut) {
  const Model model = read_model_text(truncated, "truncated.toml");
  for (const char* name : {"erls-cms", "floating-frame"}) {
    const auto equations = make_equations(model, {.formulation = name});
    const State rest = equilibrium(*equations, equations->initial_state()).state;
    const Scene scene = make_scene(equations->model());
    for (const SceneMotion& seen : {sample_motion(*equations, instant(rest)), sample_configuration(*equations, rest)}) {
      const auto peaks = stress_peaks(scene, seen);
      ASSERT_EQ(peaks.size(), 2u);
      // Second order: the loads act where the beam has moved to, by less than 3 % of its length.
      EXPECT_NEAR(peaks[0].von_mises, expected_stress(), 1e-3 * expected_stress()) << name;
      EXPECT_EQ(peaks[0].place, "node 'root'");
    }
  }
}

// A torque spins the arm up: whether a drive or a controller exerts it, the root carries it.
TEST(StressPeak, CountsWhatControllersDo) {
  Model model = read_model_text(truncated, "truncated.toml");
  model.loads.clear();
  model.joints[0].set_type(JointType::revolute);
  Model driven = model;
  driven.drives.push_back(Drive{});
  driven.drives[0].joint = 0;
  driven.drives[0].signal = SignalConstant{20};
  const auto stress = [](const Model& own, const std::vector<Column>& columns, double row_time = 0) {
    const auto equations = make_equations(own);
    Trajectory motion = instant(equations->initial_state());
    motion.columns = columns;
    motion.times = {row_time};
    return stress_peaks(make_scene(own), sample_motion(*equations, motion))[0].von_mises;
  };
  const double motor = 32 * 20 / (std::numbers::pi * std::pow(0.02, 3));
  const double expected = stress(driven, {});
  EXPECT_GT(expected, 0.9 * motor);  // a part of it turns what lies before the section
  EXPECT_LT(expected, motor);
  EXPECT_NEAR(stress(model, {{"a controller: clamp", "N m", {20}}}), expected, 1e-9 * expected);
  EXPECT_LT(stress(model, {}), 1e-6 * motor);
  // No row of the state's time: nobody knows the torque.
  EXPECT_LT(stress(model, {{"a controller: clamp", "N m", {20}}}, 1), 1e-6 * motor);
}

TEST(StressSensor, ReadsTheSameInEveryFormulation) {
  const Model model = read_model_text(cantilever, "cantilever.toml");
  for (const char* name : {"erls-cms", "erls-fem", "floating-frame"}) {
    const auto equations = make_equations(model, {.formulation = name});
    const Equilibrium rest = equilibrium(*equations, equations->initial_state());
    const auto workspace = equations->make_workspace();
    Inputs inputs = make_inputs(equations->model());
    evaluate_inputs(equations->model(), 0, inputs);
    Accelerations still;
    still.values = VectorX::Zero(equations->num_coordinates());
    std::vector<double> values;
    const SensorReader reader(*equations);
    reader.read(rest.state, inputs, still, *workspace, values);
    EXPECT_EQ(reader.channels()[0].unit, "Pa");
    // The tip turns by F l²/(2 E I) = 6.1e-3; what that changes is of second order.
    EXPECT_NEAR(values[0], expected_stress(), 4e-5 * expected_stress()) << name;
  }
}

}  // namespace
}  // namespace lithe
