#include "lithe/results/recording/sources.h"

#include "lithe/base/text.h"
#include "lithe/read/tables/files_of_run.h"

namespace lithe {

void add_sources(const std::string& version, const std::string& model_file, Signature& signature) {
  namespace fs = std::filesystem;
  signature.add("the version of lithe", version);
  const fs::path file = fs::path(model_file).lexically_normal(), folder = file.parent_path();
  for (const FileOfRun& read : files_of_run()) {
    if (read.path == file)
      signature.add_hidden("the model file", read.checksum);
    else
      signature.add_hidden(
          cat("the file '", read.path.lexically_proximate(folder.empty() ? "." : folder).string(), "'"), read.checksum);
  }
}

}  // namespace lithe
