// The mark by which a later run knows a file of results: what has none is somebody else's and stays.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lithe {

// Stands near the beginning of every file of results: as a note, a comment, an attribute or an entry, by its kind.
inline constexpr std::string_view program_mark = "written by lithe";

// `text` of a file called `name` with the mark where files of its kind may have one: .html, .svg, .pvd, .vtp, .json,
// .h, .py. Of other kinds (tables and binary files have it from those who write them) as it is.
std::string with_mark(std::string text, const std::string& name);
// Whether the file has the mark, or nothing at all in it.
bool has_mark(const std::filesystem::path& path);

}  // namespace lithe
