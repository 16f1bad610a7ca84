#include "lithe/results/files/text_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "lithe/base/text.h"
#include "lithe/base/write_error.h"

namespace lithe {

void write_text_file(std::string_view text, const std::filesystem::path& path) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file) return;
  throw WriteError(
      cat("cannot write '", path.string(), "'", errno == 0 ? std::string() : cat(": ", std::strerror(errno))));
}

}  // namespace lithe
