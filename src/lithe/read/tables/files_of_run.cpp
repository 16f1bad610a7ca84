#include "lithe/read/tables/files_of_run.h"

#include <map>
#include <mutex>

#include "lithe/base/checksum.h"

namespace lithe {
namespace {

struct RememberedFiles {
  std::mutex mutex;
  bool remembers = false;
  std::map<std::filesystem::path, std::string> texts;
};

RememberedFiles& remembered_files() {
  static RememberedFiles all;
  return all;
}

}  // namespace

FilesOfRun::FilesOfRun() {
  RememberedFiles& all = remembered_files();
  const std::lock_guard lock(all.mutex);
  all.remembers = true;
}

FilesOfRun::~FilesOfRun() {
  RememberedFiles& all = remembered_files();
  const std::lock_guard lock(all.mutex);
  all.remembers = false;
  all.texts.clear();
}

std::vector<FileOfRun> files_of_run() {
  RememberedFiles& all = remembered_files();
  const std::lock_guard lock(all.mutex);
  std::vector<FileOfRun> result;
  for (const auto& [path, text] : all.texts) result.push_back({path, checksum_text(text)});
  return result;
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
  if (all.remembers) all.texts.emplace(path.lexically_normal(), text);
}

}  // namespace lithe
