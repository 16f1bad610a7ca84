// Numbers in columns: "time, torque" with an optional heading; # begins a comment.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lithe/base/diagnostics.h"

namespace lithe {

struct CsvTable {
  std::vector<std::string> header;           // empty without header line
  std::vector<std::vector<double>> columns;  // equally long
  std::vector<int> lines;                    // of the rows, in the file
  std::vector<int> cell_places;              // column in its line of every cell, row by row

  int place_of(std::size_t row, std::size_t column) const { return cell_places[row * columns.size() + column]; }
};

struct CsvOptions {
  bool quotes_content = true;        // messages may show cells; not those of files that a model reads elsewhere
  bool begins_with_heading = false;  // whatever the first row holds
  bool allows_nan = false;           // `nan` where there is no value, as in files of results
};

// Cells are parted by commas, semicolons or tabs. A first row is a heading when none of its cells is a number or
// looks like one with a typing error (0.0x, O.5; not in double quotes). A byte order mark is skipped. Errors go to
// `diagnostics` with the file's own lines.
CsvTable parse_csv(const std::string& text, const std::string& file_name, Diagnostics& diagnostics,
                   const CsvOptions& options = {});

}  // namespace lithe
