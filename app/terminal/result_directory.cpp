#include "app/terminal/result_directory.h"

#include <cctype>
#include <cstdint>
#include <cstdio>

#include "lithe/results/files/file_set.h"

namespace lithe::app {
namespace {

constexpr std::size_t longest_stem = 120;  // bytes: file systems take 255, with what stands before and after

}  // namespace

std::string file_name_of(const std::string& name) {
  std::string result;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
    result += plain ? c : '_';
  }
  if (result.find_first_not_of('.') == std::string::npos) result = "model";  // "", "." and ".." are no names
  if (result.size() <= longest_stem) return result;
  std::uint64_t hash = 14695981039346656037ull;  // FNV-1a: long names that begin alike stay apart
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  char digits[20];
  std::snprintf(digits, sizeof digits, "_%016llx", static_cast<unsigned long long>(hash));
  return result.substr(0, longest_stem) + digits;
}

std::filesystem::path result_directory(const std::string& chosen, const Model& model) {
  if (!chosen.empty()) return chosen;
  const std::string name = model.name.empty() ? std::filesystem::path(model.file).stem().string() : model.name;
  return std::filesystem::path("results") / file_name_of(name);
}

std::filesystem::path tried_directory(const std::string& chosen, const Model& model,
                                      const std::vector<std::string>& names) {
  const std::filesystem::path directory = result_directory(chosen, model);
  FileSet files(directory);
  for (const std::string& name : names) files.add(name);
  return directory;
}

void try_file(const std::filesystem::path& path) {
  FileSet(path.parent_path().empty() ? "." : path.parent_path()).add(path.filename().string());
}

std::string where_results_lie(const std::vector<std::filesystem::path>& paths) {
  if (paths.empty()) return "";
  std::string text = "Results:";
  for (const std::filesystem::path& path : paths) text += "\n  " + path.string();
  return text + "\n";
}

nlohmann::json paths_json(const std::vector<std::filesystem::path>& paths) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::filesystem::path& path : paths) list.push_back(path.string());
  return list;
}

}  // namespace lithe::app
