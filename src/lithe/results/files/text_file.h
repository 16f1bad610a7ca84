// Whole files of text or bytes.
#pragma once

#include <filesystem>
#include <string_view>

namespace lithe {

// Throws WriteError when the file cannot be written whole: a full disk shows when the file is closed.
void write_text_file(std::string_view text, const std::filesystem::path& path);

}  // namespace lithe
