#include "lithe/base/diagnostics.h"

#include <gtest/gtest.h>

#include "lithe/base/text.h"

namespace lithe {
namespace {

TEST(Diagnostic, NamesFileLineAndColumn) {
  const Diagnostic error{
      .file = "arm.toml", .line = 35, .column = 9, .path = "links[0].young", .message = "must be positive, got -2"};
  EXPECT_EQ(error.text(), "arm.toml:35:9: error: must be positive, got -2");
}

TEST(Diagnostic, WithoutALineNamesTheFileAlone) {
  const Diagnostic error{.file = "arm.toml", .line = 0, .column = 0, .path = "", .message = "the file does not exist"};
  EXPECT_EQ(error.text(), "arm.toml: error: the file does not exist");
}

TEST(Diagnostics, ThrowsOnceWithEveryError) {
  Diagnostics diagnostics;
  EXPECT_NO_THROW(diagnostics.throw_if_any());
  diagnostics.error({.file = "a.toml", .line = 1, .column = 2, .path = "", .message = "first"});
  diagnostics.error({.file = "a.toml", .line = 3, .column = 4, .path = "", .message = "second"});
  try {
    diagnostics.throw_if_any();
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_EQ(error.errors().size(), 2u);
    EXPECT_STREQ(error.what(), "a.toml:1:2: error: first\na.toml:3:4: error: second");
  }
}

TEST(Cat, JoinsWordsAndNumbers) { EXPECT_EQ(cat("link '", "arm", "' has ", 3, " nodes"), "link 'arm' has 3 nodes"); }

}  // namespace
}  // namespace lithe
