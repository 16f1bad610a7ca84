#include "lithe/results/file_set.h"

#include <unistd.h>

#include <system_error>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {

namespace fs = std::filesystem;

FileSet::FileSet(fs::path directory) : directory_(std::move(directory)) {
  if (directory_.empty()) directory_ = ".";
  std::error_code error;
  for (fs::path missing = fs::absolute(directory_).lexically_normal(); !missing.empty() && !fs::exists(missing, error);
       missing = missing.parent_path()) {
    made_directories_.push_back(missing);
  }
  fs::create_directories(directory_, error);
  if (error || !fs::is_directory(directory_)) {
    throw InputError(cat("cannot make the directory '", directory_.string(),
                         "' for results: ", error ? error.message() : std::string("a file of that name exists")));
  }
}

FileSet::~FileSet() {
  if (committed_) return;
  std::error_code ignored;
  for (const Entry& entry : entries_) fs::remove(entry.temporary, ignored);
  for (const fs::path& made : made_directories_) fs::remove(made, ignored);  // removes empty directories only
}

fs::path FileSet::add(const std::string& name) {
  const fs::path final = directory_ / name;
  entries_.push_back({directory_ / cat(".", name, ".", getpid(), ".part"), final});
  return entries_.back().temporary;
}

std::vector<fs::path> FileSet::paths() const {
  std::vector<fs::path> result;
  for (const Entry& entry : entries_) result.push_back(entry.final);
  return result;
}

void FileSet::commit() {
  for (const Entry& entry : entries_) {
    std::error_code error;
    fs::rename(entry.temporary, entry.final, error);
    if (error) throw InputError(cat("cannot write '", entry.final.string(), "': ", error.message()));
  }
  committed_ = true;
}

}  // namespace lithe
