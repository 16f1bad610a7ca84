#include "lithe/read/input_file.h"

#include <algorithm>
#include <fstream>

#include "lithe/base/text.h"
#include "lithe/read/files_of_run.h"
#include "lithe/read/table_reader.h"

namespace lithe {
namespace {

std::string too_large(std::uintmax_t size, std::uintmax_t most) {
  return cat("the file has ", size >> 20, " MB; at most ", most >> 20, " MB are read");
}

// Symbolic links and `..` resolved as far as the path exists.
std::filesystem::path real_path(const std::filesystem::path& path) {
  std::error_code status;
  const std::filesystem::path whole = std::filesystem::absolute(path, status);
  std::filesystem::path result = std::filesystem::weakly_canonical(whole, status);
  return status ? whole.lexically_normal() : result;
}

}  // namespace

bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const std::filesystem::path file = real_path(path), root = real_path(folder.empty() ? "." : folder);
  const auto [at, other] = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  return at == root.end() || (std::next(at) == root.end() && at->empty());
}

std::optional<std::string> read_regular_file(const std::filesystem::path& path, std::uintmax_t most,
                                             std::string& problem) {
  std::error_code status;
  const auto fail = [&](std::string why) {
    problem = std::move(why);
    return std::nullopt;
  };
  if (!std::filesystem::exists(path, status)) return fail("the file does not exist");
  if (!std::filesystem::is_regular_file(path, status)) return fail("this is not a file");
  const std::uintmax_t size = std::filesystem::file_size(path, status);
  if (!status && size > most) return fail(too_large(size, most));
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail("the file cannot be read");
  std::string text;
  text.reserve(status ? 0 : size);
  char buffer[1 << 16];
  while (stream.read(buffer, sizeof buffer), stream.gcount() > 0) {  // some files grow, or have no size (/proc)
    text.append(buffer, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most) return fail(too_large(text.size(), most));
  }
  return stream.bad() ? fail("the file cannot be read") : std::optional(std::move(text));
}

std::optional<NamedFile> read_named_file(const TableReader& reader, std::string_view key, std::uintmax_t most) {
  const std::optional<std::string> name = reader.text(key);
  if (!name) return std::nullopt;
  const Reading& reading = reader.reading();
  const auto refuse = [&](const std::string& why) {
    reader.error(key, why);
    return std::nullopt;
  };
  if (name->find('\0') != name->npos) return refuse("the name of a file must not hold a zero byte");
  const std::filesystem::path path = reading.folder / *name;
  const bool outside = !lies_in(path, reading.folder);
  if (outside && !reading.options.outside_files)
    return refuse(cat("the file '", *name,
                      "' lies outside the model's folder; --allow-outside-files allows it, or the model's folder in "
                      "the list of trusted folders"));
  std::string problem;
  std::optional<std::string> text = text_in_run(path);
  if (!text) {
    text = read_regular_file(path, most, problem);
    if (!text) return refuse(cat("cannot read the file '", *name, "': ", problem));
    remember_in_run(path, *text);
  }
  return NamedFile{path.string(), *std::move(text), outside};
}

}  // namespace lithe
