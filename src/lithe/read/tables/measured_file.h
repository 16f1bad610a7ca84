// A measurement as CSV: one line of headings `name [unit]`, then numbers; notes begin with #. Files of results are
// such.
#pragma once

#include <filesystem>

#include "lithe/model/measured_data.h"

namespace lithe {

// Values are turned into SI. Throws InputError with line and column.
MeasuredData read_measured(const std::filesystem::path& path);
MeasuredData measured_of_text(const std::string& text, const std::string& file_name);

}  // namespace lithe
