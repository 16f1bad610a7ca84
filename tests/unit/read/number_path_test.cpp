#include "lithe/read/tables/number_path.h"

#include <gtest/gtest.h>

#include "lithe/base/diagnostics.h"

namespace lithe {
namespace {

double number_in(const std::string& text, const std::string& path) {
  Value document = parse_toml(text, "model.toml");
  return number_of(number_at(document, path));
}

const std::string text = R"(
[[links]]
name = "arm"
masses = [{node = "elbow", mass = "2 kg"}, {node = "tip", mass = 0.5}]
[[drives]]
joint = "shoulder"
motion = {move = {end_time = "300 ms", end_value = 1}}
[[drives]]
name = "second"
joint = "elbow"
torque = 3
)";

TEST(NumberPath, ItemsAreFoundByNameOrByJointAndNode) {
  EXPECT_EQ(number_in(text, "links.arm.masses.tip.mass"), 0.5);
  EXPECT_EQ(number_in(text, "links[0].masses[0].mass"), 2);
  EXPECT_EQ(number_in(text, "drives.shoulder.motion.move.end_time"), 0.3);
  EXPECT_EQ(number_in(text, "drives.second.torque"), 3);
}

TEST(NumberPath, ANameHidesTheJoint) {
  try {
    number_in(text, "drives.elbow.torque");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "error: parameter 'drives.elbow.torque': there is no 'elbow'");
  }
}

TEST(NumberPath, NumbersAreReplacedInTheirUnits) {
  const std::string changed = with_numbers(text, "model.toml", {{"drives.shoulder.motion.move.end_time", 0.45}});
  EXPECT_NE(changed.find("end_time = \"450 ms\""), std::string::npos) << changed;
}

}  // namespace
}  // namespace lithe
