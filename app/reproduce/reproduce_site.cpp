#include "app/reproduce/reproduce_site.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "app/terminal/output.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

constexpr std::string_view introduction =
    "# Validation\n\n"
    "Every published number that Lithe computes, beside the printed one. `lithe reproduce all --site` writes this "
    "page;\n"
    "`lithe reproduce NAME` prints the same. *Agrees* means within half of the last printed digit, or within the\n"
    "tolerance that the note gives. Papers are cited as in [notation](notation.md).\n\n";

// A cell of a table.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

std::string value(double number_of_row) { return std::isnan(number_of_row) ? "" : number(number_of_row, 6); }

struct Count {
  long judged = 0, agreeing = 0;
};

Count count_of(const ReproducedCase& part) {
  const auto is_judged = [](const PublishedRow& row) { return row.gated; };
  const auto is_agreeing = [](const PublishedRow& row) { return row.gated && row.agrees(); };
  return {std::count_if(part.rows.begin(), part.rows.end(), is_judged),
          std::count_if(part.rows.begin(), part.rows.end(), is_agreeing)};
}

std::string summary(const std::vector<ReproducedCase>& cases) {
  std::string text = "| case | what | agree | for comparison |\n|---|---|---|---|\n";
  for (const ReproducedCase& part : cases) {
    const Count count = count_of(part);
    text += cat("| [", part.name, "](#", part.name, ") | ", cell(part.summary), " | ", count.agreeing, " of ",
                count.judged, " | ", static_cast<long>(part.rows.size()) - count.judged, " |\n");
  }
  return text;
}

// Rows of one table and note stand below it.
std::string tables(const ReproducedCase& part) {
  std::string text;
  const PublishedRow* before = nullptr;
  for (const PublishedRow& row : part.rows) {
    if (before == nullptr || row.table != before->table || row.note != before->note)
      text += cat("\n**", row.table, "** ", row.note,
                  "\n\n| case | quantity | published | computed | unit | |\n|---|---|---|---|---|---|\n");
    before = &row;
    const char* const state = !row.gated ? "" : row.agrees() ? "agrees" : "**differs**";
    text += cat("| ", cell(row.case_name), " | ", cell(row.quantity), " | ", value(row.published), " | ",
                value(row.computed), " | ", cell(row.unit), " | ", state, " |\n");
  }
  return text;
}

}  // namespace

std::string validation_page(const std::vector<ReproducedCase>& cases) {
  std::string text = std::string(introduction) + summary(cases);
  for (const ReproducedCase& part : cases) {
    const Count count = count_of(part);
    text += cat("\n## ", part.name, "\n\n", part.summary, ": ", count.agreeing, " of ", count.judged,
                " judged values agree; ", static_cast<long>(part.rows.size()) - count.judged,
                " are shown for comparison.\n", tables(part));
  }
  return text;
}

}  // namespace lithe::app
