// Comma-separated values: notes as `# key: text`, one line of headings `name [unit]`, then numbers.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "lithe/results/files/table.h"

namespace lithe {

// Row by row, so that a table need not fit into memory. `write_csv` of the whole table gives the same file.
class CsvWriter {
 public:
  // Of the table, notes and headings are used. Throws WriteError when the file cannot be written, as all of these.
  CsvWriter(const Table& table, const std::filesystem::path& path);
  void add(const double* row);  // one number per column
  void close();

 private:
  void write();
  std::filesystem::path path_;
  std::ofstream file_;
  std::size_t width_;
  std::string text_;
};

// Every number is written with the fewest digits that read back as the same double; `nan`, `inf`, `-inf` as such.
std::string csv_text(const Table& table);

// Text without line breaks, which line by line readers would take for the end of a row: each is a space.
std::string in_one_line(std::string text);
// Text for a cell: in one line; with a separator, the sign of a note or a quote it is quoted, quotes doubled (RFC
// 4180).
std::string csv_cell(const std::string& text);
// Throws WriteError when the file cannot be written.
void write_csv(const Table& table, const std::filesystem::path& path);

}  // namespace lithe
