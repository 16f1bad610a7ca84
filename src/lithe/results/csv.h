// Comma-separated values: remarks as `# key: text`, one line of headings `name [unit]`, then numbers.
#pragma once

#include <filesystem>
#include <string>

#include "lithe/results/table.h"

namespace lithe {

// Every number is written with the fewest digits that read back as the same double; `nan`, `inf`, `-inf` as such.
std::string csv_text(const Table& table);

// Text without line breaks, which line by line readers would take for the end of a row: each is a space.
std::string in_one_line(std::string text);
// Text for a cell: in one line; with a separator, the sign of a remark or a quote it is quoted, quotes doubled (RFC
// 4180).
std::string csv_cell(const std::string& text);
// Throws InputError when the file cannot be written.
void write_csv(const Table& table, const std::filesystem::path& path);

}  // namespace lithe
