#include "lithe/read/tables/files_of_run.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "lithe/base/checksum.h"

namespace lithe {
namespace {

struct RememberedFiles {
  std::mutex mutex;
  bool remembers = false;
  std::map<std::filesystem::path, std::string> texts;
  std::set<std::filesystem::path> read;  // those and others
};

RememberedFiles& remembered_files() {
  static RememberedFiles all;
  return all;
}

std::mutex& turn() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

FilesOfRun::FilesOfRun() : only_one_(turn()) {
  RememberedFiles& all = remembered_files();
  const std::lock_guard lock(all.mutex);
  all.remembers = true;
}

FilesOfRun::~FilesOfRun() {
  RememberedFiles& all = remembered_files();
  const std::lock_guard lock(all.mutex);
  all.remembers = false;
  all.texts.clear();
  all.read.clear();
}

std::vector<FileOfRun> files_of_run() {
  RememberedFiles& all = remembered_files();
  const std::lock_guard lock(all.mutex);
  std::vector<FileOfRun> result;
  for (const auto& [path, text] : all.texts) result.push_back({path, checksum_text(text)});
  return result;
}

void forget_files_of_run() {
  RememberedFiles& all = remembered_files();
  const std::lock_guard lock(all.mutex);
  all.texts.clear();
  all.read.clear();
}

std::optional<std::string> text_in_run(const std::filesystem::path& path) {
  RememberedFiles& all = remembered_files();
  const std::lock_guard lock(all.mutex);
  const auto found = all.texts.find(path.lexically_normal());
  return found == all.texts.end() ? std::nullopt : std::optional(found->second);
}

void remember_in_run(const std::filesystem::path& path, const std::string& text) {
  RememberedFiles& all = remembered_files();
  const std::lock_guard lock(all.mutex);
  if (!all.remembers) return;
  all.texts.emplace(path.lexically_normal(), text);
  all.read.insert(path.lexically_normal());
}

void note_in_run(const std::filesystem::path& path) {
  RememberedFiles& all = remembered_files();
  const std::lock_guard lock(all.mutex);
  if (all.remembers) all.read.insert(path.lexically_normal());
}

bool was_read_in_run(const std::filesystem::path& path) {
  RememberedFiles& all = remembered_files();
  const std::lock_guard lock(all.mutex);
  std::error_code gone;
  return std::any_of(all.read.begin(), all.read.end(),
                     [&](const std::filesystem::path& read) { return std::filesystem::equivalent(read, path, gone); });
}

}  // namespace lithe
