#include "lithe/read/tables/written_units.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <numbers>

#include "lithe/read/tables/files_of_run.h"

namespace lithe {
namespace {

WrittenUnits units_in(const std::string& text) { return written_units(parse_toml(text, "model.toml")); }

TEST(WrittenUnits, OfAFileAreReadWithinItsLimitAndAsTheRunKnowsIt) {
  const auto path = std::filesystem::temp_directory_path() / ("lithe units " + std::to_string(getpid()) + ".toml");
  const std::string lengths = "[sections.s]\ndiameter = \"3 mm\"\n";
  std::ofstream(path) << lengths;
  EXPECT_EQ(written_units(path).by_si_unit.at("m").unit, "mm");
  {
    const FilesOfRun files;
    remember_in_run(path, "[sections.s]\ndiameter = \"3 cm\"\n");
    EXPECT_EQ(written_units(path).by_si_unit.at("m").unit, "cm");
  }
  std::ofstream(path) << lengths << std::string(65 << 20, ' ');  // more than a model file may have
  EXPECT_TRUE(written_units(path).by_si_unit.empty());
  std::filesystem::remove(path);
}

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
