// Joints with springs in an equilibrium that brakes hold: elastic gearboxes settle under the load.
#include <gtest/gtest.h>

#include <cmath>

#include "lithe/analyse/analyses.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

Model arm_with_gearbox() {
  return read_model_text(R"(lithe = 1
gravity = [0, 0, -9.81]
[[links]]
name = "arm"
type = "rigid"
mass = 2
centre = [0.5, 0, 0]
inertia = [0.01, 0.01, 0.01]
nodes = {root = [0, 0, 0], tip = [1, 0, 0]}
[[joints]]
name = "shoulder"
child = "arm"
child_node = "root"
axis = [0, -1, 0]
value = 0.4
[[motors]]
joint = "shoulder"
rotor_inertia = 1e-4
ratio = 100
stiffness = 500
[[sensors]]
name = "tip"
quantity = "position"
link = "arm"
node = "tip"
component = "z"
)",
                         "gearbox.toml");
}

TEST(EquilibriumOfSprings, AGearboxSettlesWhileTheMotorIsHeld) {
  double wound = 0;  // k d = -m g c cos(angle + d), which contracts: m g c / k = 0.02
  for (int k = 0; k < 50; ++k) wound = -2 * 9.81 * 0.5 * std::cos(0.4 + wound) / 500;
  for (const char* formulation : {"erls-cms", "floating-frame", "corotational", "transfer-functions"}) {
    EquilibriumSpec spec;
    spec.formulation.formulation = formulation;
    const EquilibriumResult result = find_equilibrium(arm_with_gearbox(), spec);
    ASSERT_TRUE(result.found.converged) << formulation << ": " << result.found.message;
    ASSERT_EQ(result.summary.joints.size(), 2u);
    const JointAtRest &motor = result.summary.joints[0], &gear = result.summary.joints[1];
    EXPECT_NEAR(motor.value, 0.4, 1e-9) << formulation;
    EXPECT_TRUE(motor.held) << formulation;
    EXPECT_NEAR(motor.holding_force, -500 * wound, 1e-6) << formulation;
    EXPECT_NEAR(gear.value, wound, 1e-9) << formulation;
    EXPECT_FALSE(gear.held) << formulation;
    EXPECT_NEAR(result.summary.sensors[0].value, std::sin(0.4 + wound), 1e-9) << formulation;
  }
}

}  // namespace
}  // namespace lithe
