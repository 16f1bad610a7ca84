// Comma-separated values: remarks as `# key: text`, one line of headings `name [unit]`, then numbers.
#pragma once

#include <filesystem>
#include <string>

#include "lithe/results/table.h"

namespace lithe {

// Every number is written with the fewest digits that read back as the same double; `nan`, `inf`, `-inf` as such.
std::string csv_text(const Table& table);
// Throws InputError when the file cannot be written.
void write_csv(const Table& table, const std::filesystem::path& path);

}  // namespace lithe
