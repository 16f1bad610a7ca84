#include "lithe/results/stress_peak.h"

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
