#include "lithe/results/files/mark.h"

#include <algorithm>
#include <fstream>

#include "lithe/base/text.h"

namespace lithe {
namespace {

constexpr std::size_t head_size = 1 << 16;  // bytes in which the mark must be

}  // namespace

std::string with_mark(std::string text, const std::string& name) {
  const std::string ending = std::filesystem::path(name).extension().string();
  if (ending == ".py") return cat("# ", program_mark, "\n", text);
  if (ending == ".h") return cat("/* ", program_mark, " */\n", text);
  // After the brace of the object; after the declaration or the outermost element.
  if (ending == ".json") return text.insert(text.find('{') + 1, cat("\"program\": \"", program_mark, "\","));
  if (ending == ".html" || ending == ".svg" || ending == ".pvd" || ending == ".vtp")
    return text.insert(text.find('>') + 1, cat("<!-- ", program_mark, " -->"));
  if (ending == ".md") return text.insert(text.find('\n') + 1, cat("\n<!-- ", program_mark, " -->\n"));
  return text;
}

bool has_mark(const std::filesystem::path& path) {
  std::string head(head_size, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head.empty() || head.starts_with("lithe checkpoint ") || head.find(program_mark) != std::string::npos;
}

}  // namespace lithe
