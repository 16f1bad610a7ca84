#include <gtest/gtest.h>

#include "lithe/base/diagnostics.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

TEST(MeasuredFile, TurnsUnitsOfHeadingsIntoSi) {
  const MeasuredData data =
      measured_of_text("# a note\ntime [ms], tip.x [mm],angle [deg],count\n10,2,180,3\n", "m.csv");
  ASSERT_EQ(data.columns.size(), 4u);
  EXPECT_EQ(data.columns[0].name, "time");
  EXPECT_EQ(data.columns[1].name, "tip.x");
  EXPECT_EQ(data.columns[1].unit, "mm");
  EXPECT_DOUBLE_EQ(data.columns[0].values[0], 0.01);
  EXPECT_DOUBLE_EQ(data.columns[1].values[0], 0.002);
  EXPECT_DOUBLE_EQ(data.columns[2].values[0], 3.14159265358979323846);
  EXPECT_EQ(data.columns[3].values[0], 3);
}

TEST(MeasuredFile, ErrorsNameTheColumn) {
  const auto error_of = [](const std::string& text) {
    try {
      measured_of_text(text, "m.csv");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(error_of("1,2\n").find("begins with a line of headings"), std::string::npos);
  EXPECT_NE(error_of("time [s],tip.x [smoot]\n1,2\n").find("column 2, 'tip.x [smoot]'"), std::string::npos);
  EXPECT_NE(error_of("time,tip\n1,x\n").find("m.csv:2:3"), std::string::npos);
}

}  // namespace
}  // namespace lithe
