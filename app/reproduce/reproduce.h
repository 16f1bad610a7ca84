// Published tables and what this program computes for them. One file per case in app/reproduce/, which registers
// itself.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/terminal/progress.h"

namespace lithe::app {

struct PublishedRow {
  std::string table;  // "[CMP] Table II"
  std::string case_name;
  std::string quantity;
  std::string unit;
  double published = 0;  // NaN where the paper prints nothing
  double computed = 0;   // NaN where the computation failed
  bool gated = false;    // agreement is demanded
  double tolerance = 0;  // largest difference of a gated row
  std::string note;      // a sentence where the paper is known to be wrong or silent

  bool agrees() const;  // true for rows that are not gated
};

struct ReproduceCase {
  std::string name;
  std::string summary;
  std::function<std::vector<PublishedRow>(Progress&)> run;
};

struct ReproduceRegistration {
  explicit ReproduceRegistration(ReproduceCase reproduce_case);
};

std::vector<std::string> reproduce_names();

// Rows of a published CSV: lines that begin with # are skipped, the first other line holds the headings. Empty cells
// are NaN, words stay in `texts`.
struct PublishedTable {
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> texts;

  std::size_t num_rows() const { return texts.size(); }
  double number(std::size_t row, std::size_t column) const;
};
PublishedTable read_published(const std::string& file_name);

}  // namespace lithe::app
