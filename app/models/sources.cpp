#include "app/models/sources.h"

#include "lithe/base/text.h"
#include "lithe/read/tables/files_of_run.h"

namespace lithe::app {

void add_sources(const Model& model, Signature& signature) {
  namespace fs = std::filesystem;
  signature.add("the version of lithe", LITHE_VERSION);
  const fs::path file = fs::path(model.file).lexically_normal(), folder = file.parent_path();
  for (const FileOfRun& read : files_of_run()) {
    if (read.path == file)
      signature.add_hidden("the model file", read.checksum);
    else
      signature.add_hidden(
          cat("the file '", read.path.lexically_proximate(folder.empty() ? "." : folder).string(), "'"), read.checksum);
  }
}

}  // namespace lithe::app
