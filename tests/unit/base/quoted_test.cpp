#include "lithe/base/quoted.h"

#include <gtest/gtest.h>

namespace lithe {
namespace {

TEST(Quoted, KeepsTextAndShowsOtherBytesAsNumbers) {
  EXPECT_EQ(quoted("1.5"), "'1.5'");
  EXPECT_EQ(quoted("\u22121.5"), "'\u22121.5'");  // a minus sign from a text processor
  EXPECT_EQ(quoted("\xff"
                   "9"),
            "'\\xff9'");
  EXPECT_EQ(quoted(std::string_view("a\0b\n", 4)), "'a\\x00b\\x0a'");
  EXPECT_EQ(quoted("\xe2\x88"), "'\\xe2\\x88'");  // a character cut short
  EXPECT_EQ(quoted("\xc3("), "'\\xc3('");
}

TEST(Quoted, CutsLongText) { EXPECT_EQ(quoted(std::string(1000, 'x')), "'" + std::string(40, 'x') + "...'"); }

}  // namespace
}  // namespace lithe
