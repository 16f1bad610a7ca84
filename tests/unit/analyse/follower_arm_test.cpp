// A load that follows the axes of a deformed node, at the end of two links: the same load in every formulation.
#include <gtest/gtest.h>

#include <map>

#include "lithe/analyse/analyses.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

Model two_links(double force) {
  const std::string link = R"(nodes = {a = [0, 0, 0], b = [0.6, 0, 0]}
path = ["a", "b"]
material = "steel"
section = "strip"
elements = 8
)";
  return read_model_text(R"(lithe = 1
[materials.steel]
density = 7800
young_modulus = 2e11
poisson_ratio = 0.3
[sections.strip]
shape = "rectangle"
width = 0.01
height = 0.008
[[links]]
name = "upper"
)" + link + R"([[links]]
name = "fore"
)" + link + R"([[joints]]
name = "shoulder"
type = "fixed"
child = "upper"
child_node = "a"
[[joints]]
name = "elbow"
parent = "upper"
parent_node = "b"
child = "fore"
child_node = "a"
axis = [0, 1, 0]
value = -0.7
stiffness = 800
rest_value = -0.7
[[loads]]
link = "fore"
node = "b"
force = [0, 0, )" + std::to_string(force) +
                             R"(]
follower = true
[[sensors]]
name = "tip"
quantity = "position"
link = "fore"
node = "b"
)",
                         "two_links.toml");
}

Vector3 tip(double force, const std::string& formulation) {
  EquilibriumSpec spec;
  spec.formulation.formulation = formulation;
  const EquilibriumResult result = find_equilibrium(two_links(force), spec);
  EXPECT_TRUE(result.found.converged) << formulation << ": " << result.found.message;
  return {result.summary.sensors[0].value, result.summary.sensors[1].value, result.summary.sensors[2].value};
}

// Small-deformation formulations leave out what is of second order in the deflection, so that a quarter of the force
// leaves a sixteenth of the difference; a load of another direction or place would leave a quarter. The formulations
// for large deflections differ by what bends within an element alone.
TEST(FollowerLoads, OnTwoLinksDifferToSecondOrderAlone) {
  std::map<double, Vector3> exact;
  for (const double force : {4.0, 1.0}) {
    exact[force] = tip(force, "corotational");
    EXPECT_LT((tip(force, "transfer-functions") - exact[force]).norm(), 2e-6 * force);
  }
  for (const char* formulation : {"erls-cms", "erls-fem", "floating-frame"}) {
    const double large = (tip(4, formulation) - exact[4]).norm(), small = (tip(1, formulation) - exact[1]).norm();
    EXPECT_GT(small, 1e-7) << formulation;  // above rounding
    EXPECT_NEAR(large / small, 16, 0.8) << formulation;
  }
}

}  // namespace
}  // namespace lithe
