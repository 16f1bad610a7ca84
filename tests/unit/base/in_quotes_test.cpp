#include "lithe/base/in_quotes.h"

#include <gtest/gtest.h>

namespace lithe {
namespace {

TEST(InQuotes, KeepsTextAndShowsOtherBytesAsNumbers) {
  EXPECT_EQ(in_quotes("1.5"), "'1.5'");
  EXPECT_EQ(in_quotes("\u22121.5"), "'\u22121.5'");  // a minus sign from a text processor
  EXPECT_EQ(in_quotes("\xff"
                      "9"),
            "'\\xff9'");
  EXPECT_EQ(in_quotes(std::string_view("a\0b\n", 4)), "'a\\x00b\\x0a'");
  EXPECT_EQ(in_quotes("\xe2\x88"), "'\\xe2\\x88'");  // a character cut short
  EXPECT_EQ(in_quotes("\xc3("), "'\\xc3('");
}

TEST(InQuotes, CutsLongText) { EXPECT_EQ(in_quotes(std::string(1000, 'x')), "'" + std::string(40, 'x') + "...'"); }

}  // namespace
}  // namespace lithe
