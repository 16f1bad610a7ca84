// Files as the reader takes them: regular ones, up to a size, and inside the model's folder unless more is allowed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lithe {

class TableReader;

constexpr std::uintmax_t largest_model_file = std::uintmax_t{64} << 20;   // bytes
constexpr std::uintmax_t largest_table_file = std::uintmax_t{256} << 20;  // bytes
constexpr std::uintmax_t largest_matrix_file = std::uintmax_t{1} << 30;   // bytes
constexpr std::uintmax_t largest_mesh_file = std::uintmax_t{2} << 30;     // bytes

// The bytes of a regular file of at most `most` bytes, or nothing; `problem` then says why: "the file does not exist".
// Devices, pipes and folders are never opened, and what is too large is not read.
std::optional<std::string> read_regular_file(const std::filesystem::path& path, std::uintmax_t most,
                                             std::string& problem);

// By their real paths: symbolic links and `..` resolved as far as they exist.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

// A table or matrix that the model names.
struct NamedFile {
  std::string name;  // where it lies
  std::string text;
  bool outside = false;  // not in the model's folder by its real path: messages do not show what is in it
};

// The file that a key names, relative to the model's folder. Nothing where it cannot be read or lies outside without
// consent; the error is then reported at the key. A file outside is not touched without consent.
std::optional<NamedFile> read_named_file(const TableReader& reader, std::string_view key, std::uintmax_t most);

// A file that the file `from` names, relative to its folder, under the same rules; `problem` says why there is none.
std::optional<NamedFile> read_file_beside(const TableReader& reader, const std::string& name, const std::string& from,
                                          std::uintmax_t most, std::string& problem);

}  // namespace lithe
