#include "app/new_file.h"

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/results/file_set.h"
#include "lithe/results/text_file.h"

namespace lithe::app {

void write_new_file(const std::string& text, const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::symlink_status(path, ignored).type() != std::filesystem::file_type::not_found)
    throw InputError(cat(path.string(), ": there is such a file already; remove it or choose another name"));
  FileSet files(path.parent_path().empty() ? "." : path.parent_path());
  write_text_file(text, files.add(path.filename().string()));
  files.commit();
}

}  // namespace lithe::app
