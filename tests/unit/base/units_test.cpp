#include "lithe/base/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace lithe {
namespace {

constexpr double pi = std::numbers::pi;

double si(std::string_view text) {
  const std::optional<MeasuredValue> value = parse_quantity(text);
  EXPECT_TRUE(value) << text;
  return value ? value->in_si() : std::nan("");
}

std::string error_in(std::string_view text) {
  std::string error;
  EXPECT_FALSE(parse_quantity(text, &error)) << text;
  return error;
}

Dimension dimension(std::string_view unit) {
  const std::optional<Unit> parsed = parse_unit(unit);
  EXPECT_TRUE(parsed) << unit;
  return parsed ? parsed->dimension : Dimension{};
}

TEST(Units, ConvertToSi) {
  EXPECT_DOUBLE_EQ(si("8 mm"), 8e-3);
  EXPECT_DOUBLE_EQ(si("8mm"), 8e-3);
  EXPECT_DOUBLE_EQ(si("135 deg"), 0.75 * pi);
  EXPECT_DOUBLE_EQ(si("90°"), pi / 2);
  EXPECT_DOUBLE_EQ(si("70 GPa"), 70e9);
  EXPECT_DOUBLE_EQ(si("2.7 g/cm^3"), 2700);
  EXPECT_DOUBLE_EQ(si("60 rpm"), 2 * pi);
  EXPECT_DOUBLE_EQ(si("-1.5 kN"), -1500);
  EXPECT_DOUBLE_EQ(si("3 g cm^2"), 3e-7);
  EXPECT_DOUBLE_EQ(si("5 %"), 0.05);
  EXPECT_DOUBLE_EQ(si("2 N/mm²"), 2e6);
  EXPECT_DOUBLE_EQ(si("1 in"), 0.0254);
  EXPECT_DOUBLE_EQ(si("12 µm"), 12e-6);
  EXPECT_DOUBLE_EQ(si("12 um"), 12e-6);
  EXPECT_DOUBLE_EQ(si("0.5"), 0.5);
  EXPECT_DOUBLE_EQ(si("+2e-3 m"), 2e-3);
}

// NIST SP 811: 1 psi = 6.894 757 kPa.
TEST(Units, PoundsPerSquareInchAgreeWithTheStandard) { EXPECT_NEAR(si("1 psi"), 6894.757, 5e-4); }

TEST(Units, WholeNamesGoBeforePrefixes) {
  EXPECT_DOUBLE_EQ(si("1 min"), 60);
  EXPECT_DOUBLE_EQ(si("1 ft"), 0.3048);
  EXPECT_DOUBLE_EQ(si("1 Pa"), 1);
  EXPECT_DOUBLE_EQ(si("1 mrad"), 1e-3);
}

TEST(Units, SlashDividesByTheNextFactorAlone) {
  EXPECT_EQ(dimension("N m/rad"), dimension("kg m^2/s^2/rad"));
  EXPECT_EQ(dimension("N/m s"), dimension("N s/m"));
  EXPECT_EQ(dimension("N/(m s)"), dimension("N/m/s"));
  EXPECT_EQ(dimension("1/s"), dimension("Hz"));
  EXPECT_EQ(dimension("m^-1"), dimension("1/m"));
  EXPECT_EQ(dimension("N·m"), dimension("J"));
  EXPECT_EQ(dimension("N*m"), dimension("J"));
}

TEST(Units, ErrorsAreNamed) {
  EXPECT_EQ(error_in("8 furlong"), "unknown unit 'furlong'");
  EXPECT_EQ(error_in("mm"), "a number is missing at the start");
  EXPECT_EQ(error_in(""), "a number is missing at the start");
  EXPECT_EQ(error_in("5 (m"), "a bracket is not closed in the unit");
  EXPECT_EQ(error_in("5 m)"), "unexpected ')' in the unit");
  EXPECT_EQ(error_in("5 m^x"), "a power in the unit is not a small integer");
  EXPECT_EQ(error_in("5 m^99"), "a power in the unit is not a small integer");
  EXPECT_EQ(error_in("5 m/"), "a unit is missing before ''");
  EXPECT_EQ(error_in("5 kmm"), "unknown unit 'kmm'");
  EXPECT_EQ(error_in("5 ((((((((((((m"), "too many brackets in the unit");
}

TEST(Units, AngleIsADimension) {
  EXPECT_FALSE(fits(dimension("deg"), dimension("m")));
  EXPECT_FALSE(fits(dimension("deg"), Dimension{}));
  EXPECT_FALSE(fits(dimension("Hz"), dimension("rad/s")));
  EXPECT_TRUE(fits(dimension("rpm"), dimension("rad/s")));
  EXPECT_FALSE(fits(dimension("rpm"), dimension("Hz")));
}

TEST(Units, RadianMayBeLeftOutOfMechanicalQuantities) {
  EXPECT_TRUE(fits(dimension("N m"), dimension("N m/rad")));
  EXPECT_TRUE(fits(dimension("N m s"), dimension("N m s/rad")));
  EXPECT_FALSE(fits(dimension("N m/rad"), dimension("N m")));
  EXPECT_FALSE(fits(dimension("N/m"), dimension("N m/rad")));
}

TEST(NumberText, ReadsAsPeopleWriteIt) {
  EXPECT_EQ(number_text(-2e11), "-2e11");
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(1e-5), "1e-5");
  EXPECT_EQ(number_text(8), "8");
  EXPECT_EQ(number_text(1.5e300), "1.5e300");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(number_text(std::nan("")), "nan");
}

TEST(NumberText, GivesTheSameNumberBack) {
  for (const double value : {1.0 / 3, 2.5e-300, 1.7976931348623157e308, 123456789.125}) {
    EXPECT_EQ(std::stod(number_text(value)), value);
  }
}

}  // namespace
}  // namespace lithe
