// Numbers in columns: "time, torque" with an optional header line; # begins a comment.
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

// Cells are parted by commas, semicolons or tabs. Mistakes go to `diagnostics` with the file's own lines.
CsvTable parse_csv(const std::string& text, const std::string& file_name, Diagnostics& diagnostics);

}  // namespace lithe
