// A file that the user asked for by name.
#pragma once

#include <filesystem>
#include <string>

namespace lithe::app {

// Whole or not at all, and never over a file that somebody may have changed since.
void write_new_file(const std::string& text, const std::filesystem::path& path);
// Throws where something has this name already, or nothing may.
void require_new_file(const std::filesystem::path& path);

}  // namespace lithe::app
