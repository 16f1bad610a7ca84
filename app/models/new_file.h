// A file that the user asked for by name.
#pragma once

#include <filesystem>
#include <string>

namespace lithe::app {

// Whole or not at all, and never over a file that somebody may have changed since.
void write_new_file(const std::string& text, const std::filesystem::path& path);
// From the folder of one file to that of another, "../robots/", or nothing: before names that the first file uses in
// the second. No name: a file of the current folder.
std::string way_between_folders(const std::filesystem::path& from, const std::filesystem::path& to);
// Throws where something has this name already, or nothing may.
void require_new_file(const std::filesystem::path& path);
// The same, and where no file can be made; leaves nothing behind. Before a long computation.
void try_new_file(const std::filesystem::path& path);

}  // namespace lithe::app
