#include "lithe/read/partial_model.h"

#include <gtest/gtest.h>

#include "lithe/base/diagnostics.h"

namespace lithe {
namespace {

constexpr const char* arm = R"(lithe = 1
[materials.steel]
density = 7800
young_modulus = "200 GPa"
poisson_ratio = 0.3
[sections.bar]
shape = "circle"
radius = 0.01
[[links]]
name = "arm"
nodes = {root = [0, 0, 0], tip = [0.5, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "bar"
[[links]]
name = "hand"
nodes = {root = [0, 0, 0], tip = [0.5, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "bar"
[[joints]]
name = "shoulder"
child = "arm"
child_node = "root"
[[joints]]
name = "wrist"
parent = "arm"
parent_node = "tip"
child = "hand"
child_node = "root"
)";

PartialModel read_with(const std::string& what, const std::string& instead) {
  std::string text = arm;
  text.replace(text.find(what), what.size(), instead);
  return read_text_partly(text, "arm.toml");
}

TEST(PartialModel, WithoutErrorsIsTheModel) {
  const PartialModel read = read_text_partly(arm, "arm.toml");
  EXPECT_TRUE(read.errors.empty() && read.connections_hold && read.configurations_hold);
  EXPECT_FALSE(read.model.links[0].rigid);
}

TEST(PartialModel, AnUnknownKeyHarmsNothingButTheKeyItMayMean) {
  const PartialModel colour = read_with("name = \"arm\"", "name = \"arm\"\ncolour = \"red\"");
  EXPECT_EQ(colour.errors.size(), 1u);
  EXPECT_TRUE(colour.connections_hold && colour.configurations_hold);
  EXPECT_FALSE(colour.model.links[0].rigid);
  const PartialModel parent = read_with("parent = \"arm\"", "paren = \"arm\"");
  EXPECT_FALSE(parent.connections_hold);
}

TEST(PartialModel, AErrorInALinkMakesAStandInOfItAlone) {
  const PartialModel read = read_with("path = [\"root\", \"tip\"]", "path = [\"root\", \"tap\"]");
  EXPECT_EQ(read.errors.size(), 1u);
  EXPECT_TRUE(read.model.links[0].rigid);
  EXPECT_FALSE(read.model.links[1].rigid);
  EXPECT_TRUE(read.connections_hold && read.configurations_hold);
}

TEST(PartialModel, AnUnknownNodePositionLeavesTheConnections) {
  const PartialModel read = read_with("tip = [0.5, 0, 0]", "tip = [0.5, 0]");
  EXPECT_EQ(read.errors.size(), 1u);
  EXPECT_TRUE(read.connections_hold);
  EXPECT_FALSE(read.configurations_hold);
  for (const Link& link : read.model.links)
    for (const Node& node : link.nodes) EXPECT_TRUE(node.position.allFinite());
}

TEST(PartialModel, AErrorInASectionTouchesTheLinksOfThatSection) {
  const PartialModel read = read_with("radius = 0.01", "radius = 0");
  EXPECT_TRUE(read.model.links[0].rigid && read.model.links[1].rigid);
  EXPECT_TRUE(read.configurations_hold);
}

}  // namespace
}  // namespace lithe
