#include "app/models/new_file.h"

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/results/files/file_set.h"
#include "lithe/results/files/text_file.h"

namespace lithe::app {

void require_new_file(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::symlink_status(path, error).type();
  if (type == std::filesystem::file_type::not_found) return;
  if (type == std::filesystem::file_type::none) throw InputError(cat(path.string(), ": ", error.message()));
  throw InputError(cat(path.string(), ": there is such a file already; remove it or choose another name"));
}

void try_new_file(const std::filesystem::path& path) {
  require_new_file(path);
  FileSet(path.parent_path().empty() ? "." : path.parent_path()).add(path.filename().string());
}

void write_new_file(const std::string& text, const std::filesystem::path& path) {
  require_new_file(path);
  FileSet files(path.parent_path().empty() ? "." : path.parent_path());
  write_text_file(text, files.add(path.filename().string()));
  files.commit();
}

std::string way_between_folders(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code status;
  const auto folder_of = [&](const std::filesystem::path& file) {
    return std::filesystem::absolute(file.empty() ? "file" : file, status).parent_path().lexically_normal();
  };
  const std::filesystem::path way = folder_of(from).lexically_relative(folder_of(to));
  return status || way.empty() || way == "." ? std::string() : (way / "").string();
}

}  // namespace lithe::app
