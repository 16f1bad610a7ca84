// Damaged CSV tables must be refused with an error at a line, or be read with columns of equal length.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lithe/read/tables/csv_table.h"

namespace lithe {
namespace {

std::string damaged_table(std::mt19937& random) {
  static const std::string good = "# time and torque\ntime [s],torque [N m],\"a, b\"\n0,1.5,2\n0.1;-3e2;4\n0.2\t5\t6\n";
  static const std::string pieces[] = {",",
                                       ";",
                                       "\t",
                                       "\n",
                                       "\r\n",
                                       "\"",
                                       "#",
                                       "nan",
                                       "inf",
                                       "1e999",
                                       "0x1",
                                       "-",
                                       "+1",
                                       ".",
                                       "O.1",
                                       "\xEF\xBB\xBF",
                                       std::string(1, '\0'),
                                       "\xff",
                                       "1 2",
                                       "\"\"",
                                       "1e-400",
                                       "1,2,3\n"};
  std::string text = good;
  const unsigned edits = 1 + random() % 4;
  for (unsigned i = 0; i < edits; ++i) {
    const std::size_t at = random() % (text.size() + 1);
    if (random() % 2 == 0)
      text.insert(at, pieces[random() % std::size(pieces)]);
    else if (at < text.size())
      text.erase(at, 1 + random() % 8);
  }
  return text;
}

TEST(DamagedTable, IsReadOrRefusedAtALine) {
  std::mt19937 random(3);
  int refused = 0;
  constexpr int num_cases = 20000;
  for (int i = 0; i < num_cases; ++i) {
    const std::string text = damaged_table(random);
    Diagnostics shown, hidden;
    const CsvTable table = parse_csv(text, "t.csv", shown),
                   same = parse_csv(text, "t.csv", hidden, {.quotes_content = false});
    ASSERT_EQ(shown.any(), hidden.any()) << text;
    if (shown.any()) {
      ++refused;
      EXPECT_GT(shown.errors().front().line, 0);
      continue;
    }
    for (const std::vector<double>& column : table.columns) {
      ASSERT_EQ(column.size(), table.lines.size());
      for (const double value : column) ASSERT_TRUE(std::isfinite(value)) << text;
    }
  }
  EXPECT_GT(refused, num_cases / 10);  // damage that always or never breaks a table would test nothing
  EXPECT_LT(refused, num_cases);
}

}  // namespace
}  // namespace lithe
