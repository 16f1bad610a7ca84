#include "lithe/read/tables/written_units.h"

#include <gtest/gtest.h>

#include <numbers>

namespace lithe {
namespace {

WrittenUnits units_in(const std::string& text) { return written_units(parse_toml(text, "model.toml")); }

TEST(WrittenUnits, MostLengthsDecide) {
  const WrittenUnits units = units_in(R"(
[[links]]
nodes = {a = [0, 0, 0], b = ["300 mm", 0, 0], c = ["3.5e2 mm", "20 mm", 0]}
[sections.s]
diameter = 0.01
[[joints]]
value = "45 deg"
)");
  ASSERT_EQ(units.by_si_unit.count("m"), 1u);
  EXPECT_EQ(units.by_si_unit.at("m").unit, "mm");
  EXPECT_DOUBLE_EQ(units.by_si_unit.at("m").factor, 1000);
  EXPECT_EQ(units.by_si_unit.at("m/s").unit, "mm/s");
  EXPECT_EQ(units.by_si_unit.at("rad").unit, "deg");
  EXPECT_NEAR(units.by_si_unit.at("rad").factor, 180 / std::numbers::pi, 1e-12);
  EXPECT_EQ(units.by_si_unit.at("rad/s").unit, "deg/s");
}

TEST(WrittenUnits, BareNumbersAreMetresAndModuliAreNoStresses) {
  const WrittenUnits units = units_in(R"(
[materials.steel]
young_modulus = "200 GPa"
[sections.s]
diameter = "10 mm"
[[links]]
nodes = {a = [0, 0, 0], b = [0.3, 0, 0], c = [0.3, 0.2, 0]}
)");
  EXPECT_TRUE(units.by_si_unit.empty());
}

TEST(WrittenUnits, SpeedsAndSensorsHaveTheirOwn) {
  const WrittenUnits units = units_in(R"(
[[joints]]
value = "45 deg"
speed = "3000 rpm"
[[sensors]]
name = "root"
unit = "MPa"
)");
  EXPECT_EQ(units.by_si_unit.at("rad/s").unit, "rpm");
  EXPECT_NEAR(units.by_si_unit.at("rad/s").factor, 30 / std::numbers::pi, 1e-12);
  EXPECT_EQ(units.of_sensor.at("root").unit, "MPa");
  EXPECT_DOUBLE_EQ(units.of_sensor.at("root").factor, 1e-6);
}

TEST(WrittenUnits, AFileThatCannotBeReadHasNone) {
  EXPECT_TRUE(written_units(std::filesystem::path("/no/such/model.toml")).by_si_unit.empty());
}

}  // namespace
}  // namespace lithe
