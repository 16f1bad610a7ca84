// What counts as a heading, and what a message may show.
#include "lithe/read/tables/csv_table.h"

#include <gtest/gtest.h>

namespace lithe {
namespace {

std::string message_of(const std::string& text, const CsvOptions& options = {}) {
  Diagnostics diagnostics;
  parse_csv(text, "t.csv", diagnostics, options);
  return diagnostics.any() ? diagnostics.errors().front().text() : "";
}

CsvTable read_table(const std::string& text) {
  Diagnostics diagnostics;
  CsvTable table = parse_csv(text, "t.csv", diagnostics);
  EXPECT_FALSE(diagnostics.any()) << diagnostics.errors().front().text();
  return table;
}

// A ramp whose first row was taken for a heading would be a constant.
TEST(CsvTable, ATypingErrorInTheFirstRowIsNoHeading) {
  for (const std::string row :
       {"0.0x,1", "0,1x", "O.0,1", "0,l", "O.O,l.5", "0..0,1", "-x1,0", "1e,2e", "+0.1 s,5", "nan,1"}) {
    const std::string message = message_of(row + "\n1,2\n");
    EXPECT_NE(message.find("t.csv:1:"), std::string::npos) << row << " gave: " << message;
  }
}

TEST(CsvTable, AHeadingHasNoNumbers) {
  const std::string headings[] = {"time,torque", "time [s],torque [N m]", "\"1st mode\",\"2nd mode\"", "t,x1", "-,-",
                                  "t,"};
  for (const std::string& heading : headings) {
    const CsvTable table = read_table(heading + "\n0,1\n1,2\n");
    EXPECT_EQ(table.header.size(), 2u) << heading;
    EXPECT_EQ(table.lines.size(), 2u) << heading;
  }
  EXPECT_TRUE(read_table("\"0\",\"1\"\n1,2\n").header.empty());  // numbers, in quotes as some programs write them
  EXPECT_NE(message_of("1st mode,2nd mode\n0,1\n").find("double quotes"), std::string::npos);
}

TEST(CsvTable, SkipsAByteOrderMark) {
  const CsvTable plain = read_table(
      "\xEF\xBB\xBF"
      "0,1\n1,2\n");
  EXPECT_TRUE(plain.header.empty());
  ASSERT_EQ(plain.lines.size(), 2u);
  EXPECT_EQ(plain.columns[1][0], 1);
  EXPECT_EQ(read_table("\xEF\xBB\xBFtime,x\n0,1\n").header.front(), "time");
}

TEST(CsvTable, ARecordingBeginsWithAHeadingWhateverItHolds) {
  Diagnostics diagnostics;
  const CsvTable table = parse_csv("time [s],1\n0,1\n", "t.csv", diagnostics, {.begins_with_heading = true});
  EXPECT_FALSE(diagnostics.any());
  EXPECT_EQ(table.header.back(), "1");
}

TEST(CsvTable, MessagesShowNoContentWhereTheyMayNot) {
  for (const std::string text : {"a,b\n1,secret\n", "secret,1\n", "0,1\n1,secret\n", "a,b\n1,inf\n"}) {
    const std::string message = message_of(text, {.quotes_content = false});
    EXPECT_FALSE(message.empty());
    EXPECT_EQ(message.find("secret"), std::string::npos) << message;
    EXPECT_EQ(message.find("inf,"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace lithe
